// The timeline of a run, with one row per threadblock or folded rank (rows.js). The charts library
// provides axes, panning and sliders; paint.js draws the spans, which may be hundreds of thousands,
// into one image.

const minimumSpan = 1000; // ps

class TimelineView {
  constructor(host, plan, title) {
    this.plan = plan;
    this.title = title;
    this.layout = new TimelineRows(plan);
    this.node = element('div', {
      class: 'timeline',
      tabindex: '0',
      role: 'application',
      'aria-roledescription': 'timeline',
      'aria-label':
        `Timeline of ${title}: ${plan.threadblocks} threadblocks. Arrow keys select ` +
        'the next span, plus and minus zoom, Enter folds and unfolds the rank of the span.',
    });
    const height = Math.min(Math.max(this.rows * 18, 120), report.plans.length > 1 ? 340 : 560);
    this.node.style.height = `${height + 74}px`;
    this.hover = element('div', { class: 'hover', hidden: '' });
    host.append(this.node);
    this.canvas = document.createElement('canvas');
    this.chart = makeChart(this.node);
    onPixelRatio(() => this.repaint());
    this.node.append(this.hover);
    this.colourBy = 'cause';
    this.selected = null;
    this.listen();
  }

  /** The number of rows. */
  get rows() {
    return this.layout.count;
  }

  /** Shows \p run on an axis up to \p whole. */
  show(run, whole) {
    this.run = run;
    this.spans = run.spans;
    this.whole = whole;
    this.selected = null;
    this.range = [0, whole];
    this.rowRange = this.layout.firstRange(run.path);
    this.draw();
    report.showFolding();
  }

  /** Changes which ranks are folded; \p rank stays where it is. */
  refold(rank, change) {
    this.rowRange = this.layout.change(rank, this.rowRange, change);
    this.draw();
    report.showFolding();
  }
  foldAll(isFolded) {
    const rank = this.layout.byRow[Math.max(Math.floor(this.rowRange[0]), 0)];
    this.refold(rank, () => this.layout.foldAll(isFolded));
  }
  toggleRank(rank) {
    if (rank.count > 1) this.refold(rank, () => this.layout.toggle(rank));
  }

  draw() {
    const { muted, line, accent } = theme.colours;
    const slider = {
      type: 'slider',
      filterMode: 'none',
      showDetail: false,
      showDataShadow: false,
      borderColor: 'transparent',
      backgroundColor: line,
      fillerColor: `${accent}33`,
      handleStyle: { color: accent, borderColor: accent },
      moveHandleSize: 0,
      brushSelect: false,
      handleSize: '110%',
    };
    const [from, to] = this.range,
      [top, bottom] = this.rowRange;
    this.chart.setOption(
      {
        ...chartBase(),
        tooltip: { show: false },
        grid: { left: 84, right: 30, top: 28, bottom: 40 },
        xAxis: {
          type: 'value',
          min: 0,
          max: this.whole,
          position: 'top',
          ...axisStyle(),
          axisLabel: {
            color: muted,
            fontSize: 11,
            hideOverlap: true,
            formatter: (ps) => this.tickText(ps),
          },
        },
        yAxis: {
          type: 'value',
          min: 0,
          max: this.rows,
          inverse: true,
          axisLabel: { show: false },
          axisLine: { show: false },
          axisTick: { show: false },
          splitLine: { show: false },
        },
        dataZoom: [
          {
            id: 'x',
            type: 'inside',
            xAxisIndex: 0,
            filterMode: 'none',
            zoomOnMouseWheel: false,
            minValueSpan: minimumSpan,
            startValue: from,
            endValue: to,
          },
          {
            id: 'y',
            type: 'inside',
            yAxisIndex: 0,
            filterMode: 'none',
            zoomOnMouseWheel: false,
            minValueSpan: 1,
            startValue: top,
            endValue: bottom,
          },
          {
            id: 'x-slider',
            xAxisIndex: 0,
            bottom: 8,
            height: 14,
            ...slider,
            startValue: from,
            endValue: to,
            minValueSpan: minimumSpan,
          },
          {
            id: 'y-slider',
            yAxisIndex: 0,
            right: 6,
            width: 12,
            ...slider,
            startValue: top,
            endValue: bottom,
            minValueSpan: 1,
            show: this.rows > 8,
          },
        ],
        series: [
          {
            id: 'spans',
            type: 'custom',
            data: [[0, 0]],
            encode: { x: 0, y: 1 },
            silent: true,
            clip: false,
            renderItem: (params, api) => this.renderItem(params, api),
          },
        ],
      },
      { notMerge: true },
    );
  }

    /** Redraws only the spans. */
  repaint() {
    this.chart.setOption({ series: [{ id: 'spans', data: [[0, 0]] }] });
  }

  renderItem({ coordSys: area }, api) {
    const [left, top] = api.coord([0, 0]),
      [right, bottom] = api.coord([this.whole, this.rows]);
    const timeAt = (x) => ((x - left) / (right - left)) * this.whole;
    const rowAt = (y) => ((y - top) / (bottom - top)) * this.rows;
    this.area = area;
    this.range = [timeAt(area.x), timeAt(area.x + area.width)];
    this.rowRange = [rowAt(area.y), rowAt(area.y + area.height)];
    paintTimeline(this);
    requestAnimationFrame(() => this.point());
    return {
      type: 'image',
      style: {
        image: this.canvas,
        x: 0,
        y: area.y,
        width: area.x + area.width,
        height: area.height,
      },
    };
  }

    /** No labels at the ends of the axis, which are not round numbers. */
  tickText(ps) {
    const rough = (this.range[1] - this.range[0]) / 10;
    const step = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const steps = ps / step;
    return Math.abs(steps - Math.round(steps)) < 1e-6 ? tickText(ps, step) : '';
  }

    // --- Geometry -----------------------------------------------------------------------------

    /** The position of a time and a row, in pixels of the node. */
  pixelOf(time, row) {
    const { x, y, width, height } = this.area;
    return [
      x + ((time - this.range[0]) / (this.range[1] - this.range[0])) * width,
      y + ((row - this.rowRange[0]) / (this.rowRange[1] - this.rowRange[0])) * height,
    ];
  }

    /** The span at a position in pixels, or null. */
  spanAt(px, py) {
    const { x, y, width, height } = this.area;
    if (!this.spans || px < x || px > x + width || py < y || py > y + height) return null;
    const row = Math.floor(this.rowAt(py));
    if (row < 0 || row >= this.rows) return null;
    const time = this.range[0] + ((px - x) / width) * (this.range[1] - this.range[0]);
    return this.layout.spanAt(this.run, row, time);
  }
  rowAt(py) {
    const { y, height } = this.area;
    return this.rowRange[0] + ((py - y) / height) * (this.rowRange[1] - this.rowRange[0]);
  }

  /** The rank whose label is at a position in pixels, or null. */
  labelAt(px, py) {
    const { x, y, height } = this.area ?? {};
    if (!this.layout.canFold || !(px < x && py >= y && py <= y + height)) return null;
    const rank = this.layout.byRow[Math.floor(this.rowAt(py))];
    return rank?.count > 1 ? rank : null;
  }

  // --- Zoom ---------------------------------------------------------------------------------

    /** Shows the times \p from to \p to, in all views. */
  zoom(from, to) {
    const length = Math.min(Math.max(to - from, minimumSpan), this.whole);
    const begin = Math.min(Math.max(from + (to - from - length) / 2, 0), this.whole - length);
    this.nextRange = [begin, begin + length];
    this.dispatchLater();
  }
  zoomRows(from, to) {
    const length = Math.min(Math.max(to - from, 1), this.rows);
    const begin = Math.min(Math.max(from, 0), this.rows - length);
    this.nextRows = [begin, begin + length];
    this.dispatchLater();
  }
    /** Zooms by \p factor around the fraction \p at of the visible times. */
  zoomBy(factor, at = 0.5) {
    const [from, to] = this.nextRange ?? this.range;
    const centre = from + (to - from) * at,
      length = (to - from) * factor;
    this.zoom(centre - length * at, centre + length * (1 - at));
  }
  pan(share) {
    const [from, to] = this.nextRange ?? this.range;
    this.zoom(from + (to - from) * share, to + (to - from) * share);
  }

    /** Draws at most once per frame, however many events arrive. */
  dispatchLater() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      const { nextRange, nextRows } = this;
      this.nextRange = this.nextRows = null;
      if (nextRange) report.zoomed(this, nextRange);
      if (nextRange) this.applyRange(nextRange);
      if (nextRows)
        this.chart.dispatchAction({
          type: 'dataZoom',
          dataZoomId: 'y',
          startValue: nextRows[0],
          endValue: nextRows[1],
        });
    });
  }
  applyRange([from, to]) {
    this.chart.dispatchAction({
      type: 'dataZoom',
      dataZoomId: 'x',
      startValue: from,
      endValue: to,
    });
  }

    /** Scrolls and zooms so that an interval of a threadblock is visible. */
  reveal(t, begin, end) {
    const [from, to] = this.range,
      shown = to - from;
    const pixels = ((end - begin) / shown) * this.area.width;
    if (pixels < 12 && end > begin) {
      const length = Math.max((end - begin) * 12, minimumSpan);
      this.zoom((begin + end - length) / 2, (begin + end + length) / 2);
    } else if (begin < from || end > to) {
      const length = Math.max(shown, (end - begin) * 1.2);
      this.zoom((begin + end - length) / 2, (begin + end + length) / 2);
    }
    const [top, bottom] = this.rowRange,
      row = this.layout.rowOf[t];
    if (row < top || row + 1 > bottom)
      this.zoomRows(row + 0.5 - (bottom - top) / 2, row + 0.5 + (bottom - top) / 2);
  }

  // --- Events -------------------------------------------------------------------------------

  listen() {
    this.chart.on('datazoom', (event) => {
      for (const part of event.batch ?? [event])
        if (part.dataZoomId?.startsWith('x') && part.start !== undefined)
          report.zoomed(
            this,
            [part.start, part.end].map((p) => (p / 100) * this.whole),
          );
    });
    this.node.addEventListener(
      'wheel',
      (event) => {
        const box = this.node.getBoundingClientRect();
        const x = event.clientX - box.left,
          y = event.clientY - box.top;
        if (!this.area || x < this.area.x || y < this.area.y) return;
        event.preventDefault();
        const factor = Math.exp((event.deltaY || event.deltaX) * 0.0016);
        if (event.shiftKey) {
          const [top, bottom] = this.nextRows ?? this.rowRange;
          const at = (y - this.area.y) / this.area.height,
            length = (bottom - top) * factor;
          const centre = top + (bottom - top) * at;
          this.zoomRows(centre - length * at, centre + length * (1 - at));
        } else {
          this.zoomBy(factor, (x - this.area.x) / this.area.width);
        }
      },
      { capture: true, passive: false },
        ); // the charts library stops the propagation of this event
    const zr = this.chart.getZr();
    zr.on('mousemove', (event) => {
      this.pointer = [event.offsetX, event.offsetY];
      this.point();
    });
    zr.on('globalout', () => {
      this.pointer = null;
      this.point();
    });
    zr.on('click', (event) => {
      const rank = this.labelAt(event.offsetX, event.offsetY);
      if (rank) return this.toggleRank(rank);
      const span = this.spanAt(event.offsetX, event.offsetY);
      if (span !== null) report.select({ view: this, span });
      return undefined;
    });
    this.node.addEventListener('keydown', (event) => this.key(event));
  }

    /** Updates the tooltip after a move of the pointer or of the drawing. */
  point() {
    if (!this.pointer && this.hover.hidden) return undefined;
    const [x, y] = this.pointer ?? [-1, -1],
      span = this.spanAt(x, y);
    const isTarget = span !== null || this.labelAt(x, y);
    this.chart.getZr().setCursorStyle(isTarget ? 'pointer' : 'default');
    this.hover.hidden = span === null;
    if (span === null) return hideTooltip();
    const row = this.layout.rowOf[this.spans.tb[span]];
    const { x: left, width } = this.area;
    const [x0, y0] = this.pixelOf(this.spans.begin[span], row);
    const [x1, y1] = this.pixelOf(this.spans.end[span], row + 1);
    const from = Math.max(x0, left),
      to = Math.min(x1, left + width);
    Object.assign(this.hover.style, {
      left: `${from}px`,
      top: `${y0}px`,
      width: `${Math.max(to - from, 1)}px`,
      height: `${y1 - y0}px`,
    });
    const box = this.node.getBoundingClientRect();
    return showTooltip(describeSpan(this.run, span), box.left + x, box.top + y);
  }

    /** Selects the next span, of the threadblock of the selected one or of another one. */
  step(along, across) {
    const { spans, selected } = this;
    if (!spans || spans.count === 0) return;
    if (selected === null) {
      const [t] = this.layout.threadblocksOf(Math.max(Math.ceil(this.rowRange[0]), 0));
      return report.select({ view: this, span: spans.at(t, this.range[0]) ?? 0 });
    }
    let next = selected + along;
    if (across) {
      const t = spans.tb[selected] + across;
      if (t < 0 || t >= this.plan.threadblocks) return;
      next = spans.at(t, (spans.begin[selected] + spans.end[selected]) / 2) ?? spans.first[t + 1] - 1;
    }
    if (next >= 0 && next < spans.count && (across || spans.tb[next] === spans.tb[selected]))
      report.select({ view: this, span: next, reveal: true });
  }

  key(event) {
    const { key, shiftKey } = event;
    const actions = {
      '+': () => this.zoomBy(0.6),
      '=': () => this.zoomBy(0.6),
      '-': () => this.zoomBy(1 / 0.6),
      Home: () => this.zoom(0, this.whole),
      ArrowLeft: () => (shiftKey ? this.pan(-0.2) : this.step(-1, 0)),
      ArrowRight: () => (shiftKey ? this.pan(0.2) : this.step(1, 0)),
      ArrowUp: () => (shiftKey ? this.panRows(-0.2) : this.step(0, -1)),
      ArrowDown: () => (shiftKey ? this.panRows(0.2) : this.step(0, 1)),
      Escape: () => report.select(null),
      Enter: () => this.toggleRank(this.keyRank()),
    };
    if (!actions[key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.pointer = null;
    this.point();
    actions[key]();
  }
  /** The rank of the selected span, or the first one that is visible. */
  keyRank() {
    const { layout, selected, spans } = this;
    if (selected !== null) return layout.rankOf(spans.tb[selected]);
    return layout.byRow[Math.min(Math.max(Math.ceil(this.rowRange[0]), 0), this.rows - 1)];
  }
  panRows(share) {
    const [top, bottom] = this.nextRows ?? this.rowRange;
    this.zoomRows(top + (bottom - top) * share, bottom + (bottom - top) * share);
  }
}
