// Draws a timeline into an image in memory, pixel by pixel. If many spans share a pixel, it has the
// colour of the longest, so that even for 300,000 spans each visible one is visited only once.

/** Colours by key: causes first, then the operations of spans that execute. */
function spanColours(view) {
  const { causes, ops, row } = theme.colours;
  const byOp = view.colourBy === 'op';
  const colours = view.plan.causeNames.map((name) =>
    byOp ? mix(causes[name], row, 0.55) : causes[name],
  );
  for (const op of view.plan.ops) colours.push(byOp ? ops[op.name] : causes.engine);
  return colours;
}

const engineCause = 1; // as in Sim/Causes.h

class SpanPainter {
  constructor(view) {
    this.view = view;
    this.ratio = window.devicePixelRatio || 1;
    const { area, canvas } = view;
    this.width = Math.round((area.x + area.width) * this.ratio);
    this.height = Math.round(area.height * this.ratio);
    this.left = Math.round(area.x * this.ratio);
    if (canvas.width !== this.width || canvas.height !== this.height) {
      canvas.width = this.width;
      canvas.height = this.height;
    }
    this.context = canvas.getContext('2d', { willReadFrequently: true });
    this.image = this.context.createImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    [this.from, this.to] = view.range;
    this.scale = (this.width - this.left) / (this.to - this.from);
    this.rowHeight = this.height / (view.rowRange[1] - view.rowRange[0]);
    this.colours = spanColours(view);
    this.inks = Uint32Array.from(this.colours, pixel);
    this.wide = []; ///< spans with room for a label
  }

  x(time) {
    return this.left + (time - this.from) * this.scale;
  }
  y(row) {
    return (row - this.view.rowRange[0]) * this.rowHeight;
  }

  fill(x0, x1, y0, y1, ink) {
    const end = Math.min(x1, this.width);
    for (let y = Math.max(y0, 0); y < Math.min(y1, this.height); ++y)
      this.pixels.fill(ink, y * this.width + Math.max(x0, this.left), y * this.width + end);
  }

    /** Draws threadblock \p t from \p y0 to \p y1. */
  row(t, y0, y1) {
    const { view } = this,
      { spans, plan } = view;
    const { begin, end, cause, step, first } = spans;
    const ops = plan.step.op,
      causes = plan.causeNames.length;
    const high = y1 - y0 >= 7 * this.ratio;
    const inset = high ? Math.round((y1 - y0) * 0.32) : 0;
    const gap = y1 - y0 >= 4 * this.ratio ? Math.round(this.ratio) : 0;
    const put = (x0, x1, key) => {
      const thin = key < causes ? inset : 0;
      this.fill(x0, x1, y0 + thin, y1 - gap - thin, this.inks[key]);
    };
    const weights = new Float64Array(this.inks.length);
    let column = this.left,
      best = 0,
      bestWeight = 0;
    const weigh = (key, weight) => {
      weights[key] += weight;
      if (weights[key] > bestWeight) {
        best = key;
        bestWeight = weights[key];
      }
    };
    let i = first[t] + firstWhere(first[t + 1] - first[t], (n) => end[first[t] + n] > this.from);
    for (; i < first[t + 1] && begin[i] < this.to; ++i) {
      const key = cause[i] === engineCause ? causes + ops[step[i]] : cause[i];
      const x0 = Math.max(this.x(begin[i]), this.left),
        x1 = Math.min(this.x(end[i]), this.width);
      const last = Math.floor(x1);
      if (last === column) {
        weigh(key, x1 - x0);
        continue;
      }
      weigh(key, column + 1 - x0);
      put(column, column + 1, best);
      const apart = last - column >= 5 * this.ratio ? Math.round(this.ratio) : 0;
      put(column + 1, last - apart, key);
      if (high && key >= causes && last - column >= 34 * this.ratio)
        this.wide.push({ span: i, x0: Math.floor(x0), x1: last, y0, y1 });
      column = last;
      weights.fill(0);
      best = bestWeight = 0;
      weigh(key, x1 - last);
    }
    if (bestWeight > 0 && column < this.width) put(column, column + 1, best);
  }

  /** The visible ranks. */
  *ranks() {
    const { layout, rowRange } = this.view;
    const last = Math.min(Math.ceil(rowRange[1]), layout.count);
    let row = Math.max(Math.floor(rowRange[0]), 0);
    while (row < last) {
      const rank = layout.byRow[row];
      yield rank;
      row = rank.row + (rank.isFolded ? 1 : rank.count);
    }
  }

  rows() {
    const { spans } = this.view;
    const background = pixel(theme.colours.row);
    let painted = null;
    for (const { rank, row, first, count, isFolded } of this.ranks())
      for (let i = 0; i < (isFolded ? 1 : count); ++i) {
        const y0 = Math.round(this.y(row + i)),
          y1 = Math.max(Math.round(this.y(row + i + 1)), y0 + 1);
        if (y0 === painted || y1 < 0 || y0 > this.height) continue;
        painted = y0;
        if (rank % 2 === 1) this.fill(this.left, this.width, y0, y1, background);
        if (spans && isFolded) this.foldedRow(first, count, y0, y1);
        else if (spans) this.row(first + i, y0, y1);
      }
  }

  /** Draws \p count threadblocks as one row: what any of them executes, otherwise their waits. */
  foldedRow(firstTb, count, y0, y1) {
    const { spans, plan } = this.view;
    const { begin, end, cause, step, first } = spans;
    const causes = plan.causeNames.length,
      keys = this.inks.length,
      columns = this.width - this.left;
    const weights = new Float32Array(columns * keys);
    for (let t = firstTb; t < firstTb + count; ++t) {
      let i = first[t] + firstWhere(first[t + 1] - first[t], (n) => end[first[t] + n] > this.from);
      for (; i < first[t + 1] && begin[i] < this.to; ++i) {
        const key = cause[i] === engineCause ? causes + plan.step.op[step[i]] : cause[i];
        const x0 = Math.max(this.x(begin[i]) - this.left, 0),
          x1 = Math.min(this.x(end[i]) - this.left, columns);
        for (let x = Math.floor(x0); x < x1; ++x)
          weights[x * keys + key] += Math.min(x1, x + 1) - Math.max(x0, x);
      }
    }
    const inset = y1 - y0 >= 7 * this.ratio ? Math.round((y1 - y0) * 0.32) : 0;
    const gap = y1 - y0 >= 4 * this.ratio ? Math.round(this.ratio) : 0;
    for (let x = 0; x < columns; ++x) {
      // Executing steps count if they are a quarter of a pixel.
      let best = null,
        most = 0;
      for (let key = 0; key < keys; ++key) {
        const weight = weights[x * keys + key] + (key >= causes && weights[x * keys + key] >= 0.25 ? 1e6 : 0);
        if (weight > most) [best, most] = [key, weight];
      }
      if (best === null) continue;
      const thin = best < causes ? inset : 0;
      this.fill(this.left + x, this.left + x + 1, y0 + thin, y1 - gap - thin, this.inks[best]);
    }
  }

    /** Underlines the spans of the critical path. */
  path() {
    const { path } = this.view.run;
    const ink = pixel(theme.colours.path);
    const { layout } = this.view;
    const thick = Math.max(Math.round(Math.min(this.rowHeight * 0.2, 2.5 * this.ratio)), 1);
    let i = Math.max(firstWhere(path.count, (n) => path.begin[n] > this.from) - 1, 0);
    for (; i < path.count && path.begin[i] < this.to; ++i) {
      const bottom = this.y(layout.rowOf[path.tb[i]] + 1);
      const y1 = Math.round(bottom) - (this.rowHeight >= 4 * this.ratio ? 1 : 0);
      const x0 = Math.round(this.x(path.begin[i])),
        x1 = Math.round(this.x(path.begin[i + 1]));
      this.fill(x0, Math.max(x1, x0 + 1), y1 - thick, y1, ink);
    }
  }

  labels() {
    const { context, ratio, view } = this,
      { plan } = view;
    const { muted } = theme.colours;
    context.textBaseline = 'middle';
    context.font = `${10.5 * ratio}px ${fonts}`;
    context.textAlign = 'center';
    for (const { span, x0, x1, y0, y1 } of this.wide) {
      const colour = this.colours[plan.causeNames.length + plan.step.op[view.spans.step[span]]];
      const [r, g, b] = channels(colour);
      context.fillStyle = r * 0.3 + g * 0.59 + b * 0.11 > 150 ? '#14181f' : '#ffffff';
      context.fillText(plan.opOf(view.spans.step[span]).name, (x0 + x1) / 2, (y0 + y1) / 2);
    }
    this.rankLabels();
    if (this.rowHeight < 11 * ratio) return;
    context.fillStyle = muted;
    context.textAlign = 'right';
    for (const { first, count, isFolded } of this.ranks())
      for (let t = first; t < first + count && !isFolded; ++t)
        context.fillText(`tb${plan.localId[t]}`, this.left - 6 * ratio, this.y(view.layout.rowOf[t] + 0.5));
  }

  /** The names of ranks, with a mark if they can be folded. */
  rankLabels() {
    const { context, ratio, view } = this;
    const { ink, muted, line } = theme.colours;
    const perRank = 13 * ratio,
      mark = view.layout.canFold ? 11 * ratio : 0;
    let free = -Infinity;
    context.textAlign = 'left';
    for (const { rank, row, count, isFolded } of this.ranks()) {
      const y = this.y(row);
      context.fillStyle = line;
      if (this.rowHeight > 7 * ratio) context.fillRect(0, Math.round(y), this.width, 1);
      const middle = y + Math.max(Math.min(this.rowHeight, 24 * ratio), perRank) / 2;
      if (middle < free || middle < perRank / 2 || middle >= this.height) continue;
      free = middle + perRank;
      context.fillStyle = ink;
      context.fillText(`rank ${rank}`, 4 * ratio + mark, middle);
      context.fillStyle = muted;
      if (mark && count > 1) context.fillText(isFolded ? '\u25b8' : '\u25be', 3 * ratio, middle);
    }
  }

    /** Highlights the time slice that the machine shows. */
  slice() {
    const { context, view } = this;
    if (!view.slice) return;
    const x0 = Math.max(this.x(view.slice[0]), this.left),
      x1 = this.x(view.slice[1]);
    context.fillStyle = theme.colours.accent;
    context.globalAlpha = 0.16;
    if (x1 > x0) context.fillRect(x0, 0, Math.max(x1 - x0, this.ratio), this.height);
    context.globalAlpha = 1;
  }

    /** Draws a frame around the selection, and its messages as arrows. */
  selection() {
    const { context, ratio, view } = this,
      { spans, selected } = view;
    context.strokeStyle = context.fillStyle = theme.colours.accent;
    context.lineWidth = 2 * ratio;
    if (view.marked) this.frame(view.marked.tb, view.marked.begin, view.marked.end);
    if (selected === null || !spans) return;
    this.frame(spans.tb[selected], spans.begin[selected], spans.end[selected]);
    context.lineWidth = 1.25 * ratio;
    for (const message of messagesOf(view.run, selected))
      if (message.arrived !== null)
        this.arrow(
          this.x(message.sent),
          this.y(view.layout.rowOf[message.sender] + 0.5),
          this.x(message.arrived),
          this.y(view.layout.rowOf[message.receiver] + 0.5),
        );
  }
  frame(tb, begin, end) {
    const y = this.y(this.view.layout.rowOf[tb]);
    const x0 = Math.max(this.x(begin), this.left),
      x1 = Math.min(this.x(end), this.width);
    if (x1 >= x0)
      this.context.strokeRect(x0 - 1, y - 1, Math.max(x1 - x0, 2) + 2, this.rowHeight + 1);
  }
  arrow(x0, y0, x1, y1) {
    const { context, ratio } = this;
    const angle = Math.atan2(y1 - y0, x1 - x0),
      size = 7 * ratio;
    context.save();
    context.beginPath();
    context.rect(this.left, 0, this.width - this.left, this.height);
    context.clip();
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    for (const side of [-0.42, 0.42])
      context.lineTo(x1 - size * Math.cos(angle + side), y1 - size * Math.sin(angle + side));
    context.fill();
    context.restore();
  }

  paint() {
    this.rows();
    if (this.view.showPath) this.path();
    this.context.putImageData(this.image, 0, 0);
    this.labels();
    this.slice();
    this.selection();
  }
}

function paintTimeline(view) {
  new SpanPainter(view).paint();
}
