// The machine with its links coloured by utilisation, over the whole run or in one time slice.

class MachineView {
  constructor(node, json, column) {
    this.node = node;
    this.json = json;
    this.x = column(json.x).map((v) => v / 100);
    this.y = column(json.y).map((v) => v / 100);
    this.from = column(json.from);
    this.to = column(json.to);
    this.rate = column(json.rate);
    this.bends = this.readBends(column);
    this.present = column(json.present).reduce((sum, there) => sum + there, 0);
    this.slice = null;
    this.marked = null;
  }

    /** The bends of each link that is not straight. */
  readBends(column) {
    const [links, counts, x, y] = ['bent', 'bends', 'bend_x', 'bend_y'].map((name) => column(this.json[name]));
    const bends = new Map();
    let at = 0;
    links.forEach((link, i) => {
      const points = Array.from({ length: counts[i] }, (_, k) => [x[at + k] / 100, y[at + k] / 100]);
      bends.set(link, points);
      at += counts[i];
    });
    return bends;
  }

  linkName(link) {
    return `${this.json.nodes[this.from[link]]} -> ${this.json.nodes[this.to[link]]}`;
  }

  show(run) {
    this.run = run;
    this.stop();
    this.readSlices();
    this.slice = null;
    for (const view of report.views) view.slice = null;
    if (!this.chart) {
      this.chart = makeChart(this.node);
      navigateByKeys(this.node, this.chart);
            // The charts library redraws the lines in their initial state.
      this.chart.on('datazoom', () => this.recolour());
      new ResizeObserver(() => {
        if (this.node.clientWidth !== this.drawnWidth) this.draw();
        else this.recolour();
      }).observe(this.node);
    }
    this.draw();
  }

    /** For each link, the bytes that it carried in each slice. */
  readSlices() {
    const { timeline, column } = this.run;
    this.slices = new Map();
    this.count = 0;
    this.width = timeline ? timeline.bin_width : 1;
    if (timeline) {
      const links = column(timeline.bin_link),
        counts = column(timeline.bin_count);
      const bytes = column(timeline.bin_bytes);
      let at = 0;
      links.forEach((link, i) => {
        this.slices.set(link, bytes.subarray(at, at + counts[i]));
        at += counts[i];
        this.count = Math.max(this.count, counts[i]);
      });
    }
    const range = byId('slice');
    range.max = String(this.count);
    range.value = '0';
    range.disabled = byId('play').disabled = this.count === 0;
  }

    /** The utilisation of \p link. */
  share(link) {
    const use = this.useOf.get(link);
    if (!use) return 0;
    if (this.slice === null) return use.busy / this.run.time;
    const bytes = this.slices.get(link)?.[this.slice] ?? 0;
    if (this.rate[link] === 0) return bytes > 0 ? 0.02 : 0;
    return (bytes * 1e12) / this.rate[link] / this.width;
  }

    /** The utilisation of the last colour: that of the busiest link in the run, or in any slice. */
  get hottest() {
    if (this.slice === null) return this.run.links.length ? this.share(this.run.links[0].id) : 1;
    return this.run.cached('hottestSlice', () => {
      let most = 0;
      for (const [link, bytes] of this.slices) {
        const full = (this.rate[link] * this.width) / 1e12;
        if (full > 0) for (const b of bytes) most = Math.max(most, b / full);
      }
      return most || 1;
    });
  }

  draw() {
    const { muted, line, ink, card, page } = theme.colours;
    this.useOf = new Map(this.run.links.map((use) => [use.id, use]));
    const margin = 0.6;
    const { width, height, boxes } = this.json;
    const { clientWidth } = this.node;
    this.drawnWidth = clientWidth;
    const clientHeight = Math.min(Math.max((clientWidth * height) / width + 8, 300), 700);
    this.node.style.height = `${clientHeight}px`;
    this.chart.resize();
        // Both axes have the same scale.
    const units = Math.max(
      (width + 2 * margin) / clientWidth,
      (height + 2 * margin) / clientHeight,
    );
    const spareX = (units * clientWidth - width) / 2,
      spareY = (units * clientHeight - height) / 2;
    const axis = { type: 'value', show: false };
    this.boxes = boxes;
    this.drawn = this.run.links.map((use) => use.id).filter((link) => this.hasLength(link));
    this.chart.setOption(
      {
        ...chartBase(),
        tooltip: { ...chartBase().tooltip, trigger: 'item', formatter: (p) => this.tooltip(p) },
        grid: { left: 0, right: 0, top: 0, bottom: 0 },
        xAxis: { ...axis, min: -spareX, max: width + spareX },
        yAxis: { ...axis, min: -spareY, max: height + spareY, inverse: true },
        dataZoom: ['xAxisIndex', 'yAxisIndex'].map((key) => ({
          type: 'inside',
          [key]: 0,
          filterMode: 'none',
          zoomOnMouseWheel: 'ctrl',
          minSpan: 2,
        })),
        series: [
          {
            id: 'boxes',
            type: 'custom',
            silent: true,
            z: 1,
            data: boxes.map((box, i) => [...box.slice(1), i]),
            renderItem: (_, api) => this.box(api, { line, muted, card, page }),
          },
          {
            id: 'wires',
            type: 'lines',
            coordinateSystem: 'cartesian2d',
            polyline: true,
            silent: true,
            z: 2,
            large: true,
            largeThreshold: 200,
            data: this.wires(),
            lineStyle: { color: line, width: 0.8, opacity: 0.7 },
          },
          {
            id: 'links',
            type: 'lines',
            coordinateSystem: 'cartesian2d',
            polyline: true,
            zlevel: 1,
            z: 3,
            progressive: 0,
            data: this.links(),
            emphasis: { lineStyle: { width: 5 } },
          },
          {
            id: 'endpoints',
            type: 'custom',
            zlevel: 2,
            z: 4,
            data: this.endpoints(),
            renderItem: (_, api) => this.endpoint(api, { ink, card, muted }),
          },
        ],
      },
      { notMerge: true },
    );
    this.recolour();
    this.describe();
    this.list();
  }

    /** The line of a direction is shifted to its right-hand side. */
  coords(link) {
    const [begin, end] = [this.from[link], this.to[link]].map((node) => [this.x[node], this.y[node]]);
    const points = [begin, ...(this.bends.get(link) ?? []), end];
        // The offset to the right of each part of the line.
    const sides = points.slice(1).map(([x, y], i) => {
      const dx = x - points[i][0],
        dy = y - points[i][1],
        length = Math.hypot(dx, dy) || 1;
      return [-dy / length, dx / length];
    });
    return points.map(([x, y], i) => {
      const before = sides[Math.max(i - 1, 0)],
        after = sides[Math.min(i, sides.length - 1)];
      const scale = 0.1 / (1 + before[0] * after[0] + before[1] * after[1]);
      return [x + (before[0] + after[0]) * scale, y + (before[1] + after[1]) * scale];
    });
  }
  hasLength(link) {
    const a = this.from[link],
      b = this.to[link];
    return this.x[a] !== this.x[b] || this.y[a] !== this.y[b];
  }

  wires() {
    const wires = [];
    for (let l = 0; l < this.from.length; ++l)
      if (!this.useOf.has(l) && this.hasLength(l)) wires.push({ coords: this.coords(l) });
    return wires;
  }

    /** The current style of a link. Busier links are drawn above others. */
  style(link) {
    const share = Math.min(this.share(link) / this.hottest, 1),
      marked = link === this.marked;
    return {
      stroke: marked ? theme.colours.accent : heatColour(share),
      lineWidth: marked ? 6 : 1.4 + 2.6 * share,
      level: marked ? 200 : Math.round(share * 100),
    };
  }

  links() {
    return this.drawn.map((link) => {
      const { stroke, lineWidth } = this.style(link);
      return {
        coords: this.coords(link),
        link,
        lineStyle: { color: stroke, opacity: 1, width: lineWidth },
      };
    });
  }

    /** Changes the colours of existing lines, which is many times faster than drawing new lines. */
  recolour() {
    const data = this.chart
      .getModel()
      .getSeries()
      .find((s) => s.id === 'links')
      .getData();
    this.drawn.forEach((link, i) => {
      const line = data.getItemGraphicEl(i).childAt(0),
        { level, ...style } = this.style(link);
      line.setStyle(style);
      line.z2 = level;
    });
  }

  box(api, { line, muted, card, page }) {
    const [x, y, width, height] = [0, 1, 2, 3].map((i) => api.value(i));
    const [left, top] = api.coord([x, y]),
      [right, bottom] = api.coord([x + width, y + height]);
    const name = this.boxes[api.value(4)][0].split('.').pop();
    const inner = this.boxes.some((b) => b[1] <= x && b[2] <= y && b[3] > width);
    const size = Math.min(Math.max((right - left) / 12, 8), 13);
    return {
      type: 'group',
      children: [
        {
          type: 'rect',
          shape: { x: left, y: top, width: right - left, height: bottom - top, r: 4 },
          style: { fill: inner ? card : page, stroke: line, lineWidth: 1 },
        },
        {
          type: 'text',
          silent: true,
          style: {
            x: left + 4,
            y: top + 3,
            text: right - left > 34 ? name : '',
            fill: muted,
            font: `${size}px ${fonts}`,
          },
        },
      ],
    };
  }

  endpoints() {
    return Array.from(this.run.plan.nodeOfRank, (node, rank) => ({
      value: [this.x[node], this.y[node], rank],
      node,
    }));
  }
  endpoint(api, { card, muted, ink }) {
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    const [unit] = api.size([1, 1]);
    const side = Math.min(Math.max(unit * this.json.endpoint_side, 3), 34);
    return {
      type: 'group',
      children: [
        {
          type: 'rect',
          shape: { x: x - side / 2, y: y - side / 2, width: side, height: side, r: side / 5 },
          style: { fill: card, stroke: muted, lineWidth: 1 },
        },
        {
          type: 'text',
          silent: true,
          style: {
            x,
            y,
            text: side >= 13 ? String(api.value(2)) : '',
            fill: ink,
            align: 'center',
            verticalAlign: 'middle',
            font: `${Math.min(side * 0.5, 12)}px ${fonts}`,
          },
        },
      ],
    };
  }

  tooltip({ data, seriesId }) {
    if (seriesId === 'endpoints')
      return `<strong>rank ${data.value[2]}</strong><br>${escapeHtml(this.json.nodes[data.node])}`;
    if (data?.link === undefined) return '';
    const use = this.useOf.get(data.link);
    const lines = [
      `<strong>${escapeHtml(this.linkName(data.link))}</strong>`,
      `${exactBytes(use.bytes)} at up to ${rateText(this.rate[data.link])}`,
      `busy ${percent(use.busy / this.run.time)} of the run`,
      `longest wait ${exactTime(use.wait)}`,
    ];
    if (this.slice !== null)
      lines.splice(2, 0, `busy ${percent(this.share(data.link))} of this slice`);
    return lines.join('<br>');
  }

  // --- Time ---------------------------------------------------------------------------------

  /** \p index counts from 1; 0 is the whole run. */
  setSlice(index) {
    this.slice = index === 0 ? null : index - 1;
    byId('slice').value = String(index);
    const slice = index === 0 ? null : [this.slice * this.width, index * this.width];
    for (const view of report.views) {
      view.slice = slice;
      view.repaint();
    }
    this.recolour();
    this.describe();
  }

  describe() {
    const from = (this.slice ?? 0) * this.width;
    const to = Math.min(from + this.width, this.run.wholeTime);
    const text = this.slice === null ? 'the whole run' : `${timeText(from)} to ${timeText(to)}`;
    byId('slice-text').textContent = text;
    byId('hottest').textContent = `${percent(Math.min(this.hottest, 1))} utilisation`;
    byId('slice').setAttribute('aria-valuetext', text);
    this.node.setAttribute(
      'aria-label',
            `${this.json.name}: links coloured by utilisation, ${text}. ` +
        'The busiest links are listed beside the drawing. Plus and minus zoom, arrows pan.',
    );
  }

  toggle() {
    if (this.timer) return this.stop();
    byId('play').textContent = 'Pause';
    this.timer = setInterval(() => this.setSlice((((this.slice ?? -1) + 1) % this.count) + 1), 120);
    return undefined;
  }
  stop() {
    clearInterval(this.timer);
    this.timer = null;
    byId('play').textContent = 'Play';
  }

  list(shown = 10) {
    const { links } = this.run;
    const entries = links.slice(0, shown).map((use) => {
      const share = use.busy / this.run.time;
      const button = element(
        'button',
        { type: 'button', 'aria-pressed': String(use.id === this.marked) },
        element(
          'span',
          { class: 'name' },
          this.json.nodes[this.from[use.id]],
          element('br'),
          `\u2192 ${this.json.nodes[this.to[use.id]]}`,
          element('br'),
          element('small', {}, `${bytesText(use.bytes)}, longest wait ${timeText(use.wait)}`),
        ),
        element('b', {}, percent(share)),
        element('i', { class: 'share', style: `width: ${Math.min(share, 1) * 100}%` }),
      );
      button.addEventListener('click', () => {
        this.marked = this.marked === use.id ? null : use.id;
        this.recolour();
        for (const other of byId('links').querySelectorAll('button[aria-pressed]'))
          other.setAttribute('aria-pressed', String(other === button && this.marked !== null));
      });
      return element('li', {}, button);
    });
    if (links.length > shown) {
      const more = element(
        'button',
        { type: 'button', class: 'more' },
        `Show more (${plural(links.length - shown, 'link')})`,
      );
      more.addEventListener('click', () => {
        this.list(shown + 40);
        byId('links').children[shown].firstChild.focus();
      });
      entries.push(element('li', {}, more));
    }
    const idle = this.present - links.length;
    byId('idle-links').textContent =
      idle > 0 ? `${idle} of ${plural(this.present, 'link')} ${idle === 1 ? 'is' : 'are'} unused` : '';
    byId('links').replaceChildren(...entries);
  }
}
