// Functions that tests call in the page of a report: window.ask.NAME(arguments).
(() => {
  const report = window.cclReport ?? window.cclTune;
  const byId = (id) => document.getElementById(id);
  const leavesOf = (node, leaves = []) => {
    if (node.children?.length) for (const child of node.children) leavesOf(child, leaves);
    else leaves.push(node);
    return leaves;
  };
  const indexOf = (name) => report.machine.json.nodes.indexOf(name);
  /** The position in the window of a place of the drawing. */
  const placeOf = (place) => {
    const { chart, node } = report.machine, box = node.getBoundingClientRect();
    const [x, y] = chart.convertToPixel('grid', place);
    return [box.left + x, box.top + y];
  };
  const partButton = (name) =>
    [...byId('parts').querySelectorAll('button')].find(
      (button) => button.querySelector('.name').firstChild.textContent === name);
  const lineData = () =>
    report.machine.chart
      .getModel()
      .getSeries()
      .find((series) => series.id === 'links')
      .getData();

  window.ask = {
    // --- Timeline ---------------------------------------------------------------------------

    /** The position in the window of the middle of the visible part of a span. */
    placeOf(view, span) {
      const { node, spans, range, layout } = report.views[view];
      const box = node.getBoundingClientRect();
      const begin = Math.max(spans.begin[span], range[0]);
      const end = Math.min(spans.end[span], range[1]);
      const [x, y] = report.views[view].pixelOf((begin + end) / 2, layout.rowOf[spans.tb[span]] + 0.5);
      return [box.left + x, box.top + y];
    },
    /** [span, step, begin, end] of executing steps in visible rows, wide enough for the pointer. */
    wideSteps(view) {
      const { spans, range, area, layout } = report.views[view];
      const isVisible = (i) => {
        const middle = (Math.max(spans.begin[i], range[0]) + Math.min(spans.end[i], range[1])) / 2;
        const place = report.views[view].pixelOf(middle, layout.rowOf[spans.tb[i]] + 0.5);
        return report.views[view].spanAt(...place) === i;
      };
      const least = ((range[1] - range[0]) / area.width) * 8, seen = [];
      for (let i = 0; i < spans.count && seen.length < 400; ++i)
        if (spans.cause[i] === 1 && spans.end[i] - spans.begin[i] > least && isVisible(i))
          seen.push([i, spans.step[i], spans.begin[i], spans.end[i]]);
      return seen;
    },
    /** [step, reason] of the first wait for a message of each step. */
    waitsForMessages(most) {
      const { spans, run } = report.views[0], seen = new Map();
      const link = run.plan.causeNames.indexOf('link');
      for (let i = 0; i < spans.count && seen.size < most; ++i)
        if (spans.cause[i] === link && !seen.has(spans.step[i]))
          seen.set(spans.step[i], report.describe(0, i)[2][1]);
      return [...seen];
    },
    range: (view) => report.views[view].range,
    /** The spans of a threadblock, times in picoseconds. */
    spansOf(view, t) {
      const { spans, plan } = report.views[view];
      const numbers = Array.from({ length: spans.first[t + 1] - spans.first[t] }, (_, n) => n);
      return numbers
        .map((n) => n + spans.first[t])
        .map((i) => ({
          cause: plan.causeNames[spans.cause[i]],
          begin: spans.begin[i],
          end: spans.end[i],
        }));
    },
    selectSpan: (view, span) => report.select({ view: report.views[view], span }),
    /** True if view 0 shows from \p from to \p to. */
    shows(from, to, view = 0) {
      const [begin, end] = report.views[view].range;
      return Math.abs(begin - from) < 1 && Math.abs(end - to) < 1;
    },
    showsAll: () => window.ask.shows(0, report.views[0].whole),
    length: () => report.views[0].range[1] - report.views[0].range[0],
    /** The plotting area of view 0 in the window: x, y, width, height. */
    area() {
      const { node, area } = report.views[0], box = node.getBoundingClientRect();
      return [box.left + area.x, box.top + area.y, area.width, area.height];
    },
    zoom: (from, to) => report.views[0].zoom(from, to),
    zoomRows: (from, to) => report.views[0].zoomRows(from, to),
    zoomOut: () => report.views[0].zoom(0, report.views[0].whole),
    lastRow: () => report.views[0].rowRange[1],
    rowRange: () => report.views[0].rowRange,
    /** [rank, row, whether it is folded, threadblocks] of each rank, in order. */
    ranks: () =>
      report.views[0].layout.ranks.map(({ rank, row, isFolded, count }) => [rank, row, isFolded, count]),
    rows: () => report.views[0].layout.count,
    /**
     * Compares the upper part of folded rows with the spans: painted if and only if a threadblock of
     * the rank executes a step. Returns [compared, painted, faults].
     */
    foldedPixels() {
      const { canvas, layout, rowRange, range, area, spans, plan } = report.views[0];
      const ratio = devicePixelRatio, left = Math.round(area.x * ratio);
      const context = canvas.getContext('2d'), rowHeight = canvas.height / (rowRange[1] - rowRange[0]);
      const scale = (range[1] - range[0]) / (canvas.width - left), result = [0, 0, []];
      for (const { rank, row, first, count, isFolded } of layout.ranks) {
        if (!isFolded || row < rowRange[0] || row + 1 > rowRange[1]) continue;
        const y = Math.round((row - rowRange[0]) * rowHeight) + 2;
        for (let x = left + 3; x < canvas.width - 2; x += 11) {
          const begin = range[0] + (x - left) * scale, end = begin + scale;
          const executing = [];
          for (let t = first; t < first + count; ++t)
            for (let i = spans.first[t]; i < spans.first[t + 1]; ++i)
              if (spans.cause[i] === 1 && spans.begin[i] < end && spans.end[i] > begin)
                executing.push(spans.begin[i] <= begin && spans.end[i] >= end);
          if (executing.length && !executing.includes(true)) continue; // a part of the pixel
          const [r, g, b, a] = context.getImageData(x, y, 1, 1).data;
          const isPainted = a > 0 && b - r > 80; // the background is grey
          ++result[0];
          if (isPainted) ++result[1];
          if (isPainted !== executing.length > 0) result[2].push([rank, x, r, g, b, plan.ranks]);
        }
      }
      return result;
    },
    foldAll: (isFolded) => report.views[0].foldAll(isFolded),
    pressed: (id) => byId(id).getAttribute('aria-pressed') === 'true',
    /** The place of the label of a rank in the window. */
    placeOfRank(rank) {
      const { node, layout, area } = report.views[0], box = node.getBoundingClientRect();
      const { row } = layout.ranks.find((one) => one.rank === rank);
      return [box.left + 24, box.top + report.views[0].pixelOf(0, row + 0.5)[1]];
    },
    selected: (view) => report.views[view].selected,
    selectedStep() {
      const { selected, spans } = report.views[0];
      return selected === null ? null : spans.step[selected];
    },
    selectedRow() {
      const { selected, spans } = report.views[0];
      return selected === null ? null : spans.tb[selected];
    },
    deselect: () => report.select(null),
    focusTimeline: () => report.views[0].node.focus(),
    tooltip: () => (byId('tooltip').hidden ? null : byId('tooltip').textContent),
    /** The median time of a zoom, in milliseconds. */
    zoomTime() {
      const [view] = report.views, times = [];
      for (let i = 1; i <= 15; ++i) {
        const begin = performance.now();
        view.applyRange([i * 1e6, view.whole - i * 1e6]);
        view.chart.getZr().flush();
        times.push(performance.now() - begin);
      }
      return times.sort((a, b) => a - b)[7];
    },

    // --- Critical path ----------------------------------------------------------------------

    activeEntry: () => report.pathList.active,
    marked: (view) => report.views[view].marked,
    showsMarked(view) {
      const { range, marked } = report.views[view];
      return range[0] <= marked.begin + 1 && range[1] >= marked.end - 1;
    },
    /** Selects the span in which the path ends. */
    selectEnd(index) {
      const view = report.views[index], { path, spans } = view.run, last = path.count - 1;
      const span = spans.at(path.tb[last], path.begin[last]);
      report.select({ view, span, reveal: true });
    },
    /** True if the active entry is a segment of the selected span. */
    entryIsSelected(index) {
      const { active, entries } = report.pathList, view = report.views[index];
      if (active < 0) return false;
      const { path, spans } = view.run, i = entries[active].segment, span = view.selected;
      return path.tb[i] === spans.tb[span] && path.begin[i] < spans.end[span] &&
        path.begin[i + 1] > spans.begin[span];
    },
    lengthsOfLines: () => report.pathList.entries.map((entry) => entry.length),

    clickPhase: (index) => byId('phase-table').querySelectorAll('button')[index].click(),
    phasesPressed: () =>
      [...byId('phase-table').querySelectorAll('button')].map(
        (node) => node.getAttribute('aria-pressed') === 'true'),
    segmentsInList: () => report.pathList.entries.map((entry) => entry.segment),

    // --- Machine ----------------------------------------------------------------------------

    colours() {
      const data = lineData();
      return report.machine.painter.used
        .map((_, i) => data.getItemGraphicEl(i).childAt(0).style.stroke)
        .join();
    },
    zoomMachine: (start, end) =>
      report.machine.chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, start, end }),
    /** The number of pixels per unit of the drawing. */
    unit() {
      const [zero, one] = [0, 1].map((x) => report.machine.chart.convertToPixel('grid', [x, 0])[0]);
      return one - zero;
    },
    slice: () => report.machine.slice,
    /** Over all runs: by link, the sum of its slices, and its number of bytes. */
    bytesInSlices: () =>
      report.machine.run.links.map(({ id }) => report.machine.slices.get(id).reduce((a, b) => a + b)),
    bytesOfLinks: () =>
      report.machine.run.links.map((use) => use.bytes * report.plans[0].repeat),
    links: () => report.machine.run.links.map((use) => [report.machine.linkName(use.id), use.bytes]),
    /** The middle of the longest straight part of a line in the window. */
    placeOfLink() {
      const { machine } = report, box = machine.node.getBoundingClientRect();
      let longest = 0, place = null;
      for (const { coords } of machine.painter.lines()) {
        const points = coords.map((at) => machine.chart.convertToPixel('grid', at));
        points.slice(1).forEach(([x1, y1], i) => {
          const [x0, y0] = points[i];
          const length = Math.hypot(x1 - x0, y1 - y0), y = box.top + (y0 + y1) / 2;
          if (length > longest && y < innerHeight - 20) {
            longest = length;
            place = [box.left + (x0 + x1) / 2, y];
          }
        });
      }
      return place;
    },
    /** The position in the window of the middle between two nodes. */
    placeBetween(a, b) {
      const { scene } = report.machine;
      const [from, to] = [a, b].map((name) => scene.items[scene.itemOf[indexOf(name)]]);
      return placeOf([(from.x + to.x) / 2, (from.y + to.y) / 2]);
    },
    /** The middle of the line of each busy link, by name: [x, y, colour]. */
    strokes() {
      const { machine } = report, data = lineData();
      return Object.fromEntries(machine.painter.lines().map(({ coords, line }, i) => {
        const middle = coords[Math.floor(coords.length / 2)], before = coords[Math.floor(coords.length / 2) - 1];
        const place = placeOf([(middle[0] + before[0]) / 2, (middle[1] + before[1]) / 2]);
        return [line.links.map((link) => machine.linkName(link)).join(', '),
          [...place, data.getItemGraphicEl(i).childAt(0).style.stroke]];
      }));
    },
    /** The links with a mark, [name, form of the line], in order of the alphabet. */
    marks: () =>
      report.machine.chart
        .getOption()
        .series.find(({ id }) => id === 'marks')
        .data.map(({ mark, lineStyle }) => [report.machine.linkName(mark.links[0]), lineStyle.type ?? 'solid'])
        .sort(),
    /** The texts of bundles. */
    bundles: () => report.machine.scene.bundles.map((bundle) => bundle.text(report.machine)),
    /** The names of the links of drawn lines, in order of the alphabet. */
    linksDrawn: () =>
      report.machine.painter
        .lines()
        .flatMap(({ line }) => line.links.map((link) => report.machine.linkName(link)))
        .sort(),
    numberDrawn: () => window.ask.linksDrawn().length,
    chosenNode: () => byId('links-of').selectedOptions[0].textContent,
    /** The colour of a pixel of the lines in the window, as "#rrggbb", or null. */
    pixelOfLines(x, y) {
      const { node } = report.machine, box = node.getBoundingClientRect();
      const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      context.drawImage(node.querySelector('canvas[data-zr-dom-id^="zr_1"]'),
                        -Math.round((x - box.left) * devicePixelRatio),
                        -Math.round((y - box.top) * devicePixelRatio));
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      return a === 0 ? null : `#${[r, g, b].map((v) => v.toString(16).padStart(2, '0')).join('')}`;
    },
    /** The drawn items: [kind, name, open groups around it]. */
    items() {
      const { scene, json, parts } = report.machine;
      return scene.items.map((item) => {
        const node = item.group ? item.group.nodes[0] ?? null : item.node;
        const around = parts && node !== null ? parts.around(node).filter((group) => parts.open.has(group.id)) : [];
        return [item.kind, item.group?.name ?? json.nodes[item.node], around.map((group) => group.name)];
      });
    },
    frames: () => report.machine.scene.frames.map((frame) => frame.name),
    /** The place in the window of the item with a name. */
    placeOfItem(name) {
      const { scene, json } = report.machine;
      const item = scene.items.find((one) => (one.group?.name ?? json.nodes[one.node]) === name);
      return item ? placeOf([item.x, item.y]) : null;
    },
    placeOfTitle(name) {
      const frame = report.machine.scene.frames.find((one) => one.name === name);
      const [x, y] = placeOf([frame.x, frame.y]);
      return [x + 14, y + 6];
    },
    /** By tier of its node: the least and the greatest y of the items. */
    tiers() {
      const { scene, parts } = report.machine, rows = {};
      for (const item of scene.items) {
        if (item.kind === 'group') continue;
        const tier = parts.tier[item.node];
        rows[tier] = [...(rows[tier] ?? []), item.y];
      }
      return Object.fromEntries(Object.entries(rows).map(([tier, ys]) => [tier, [Math.min(...ys), Math.max(...ys)]]));
    },
    /** Faults of the drawing: overlapping items or texts, lines over items, parts outside. */
    faultsOfDrawing() {
      const { machine } = report, { scene } = machine, faults = [];
      const boxOf = ({ x, y, width, height }) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
      const overlap = (a, b) => Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > 0.5 &&
        Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 0.5;
      const name = (item) => item.group?.name ?? machine.json.nodes[item.node];
      const items = scene.items.map((item) => [name(item), boxOf(item), item]);
      items.forEach(([a, box], i) => {
        for (const [b, other] of items.slice(0, i)) if (overlap(box, other)) faults.push(`${a} is over ${b}`);
        if (box[0] < -1 || box[1] < -1 || box[2] > scene.width + 1 || box[3] > scene.height + 1)
          faults.push(`${a} is outside`);
      });
      const texts = this.textsDrawn();
      texts.forEach(([a, box], i) => {
        for (const [b, other] of texts.slice(0, i)) if (overlap(box, other)) faults.push(`text ${a} is over ${b}`);
      });
      // Every line by points on it.
      for (const line of scene.lines)
        for (let i = 0; i + 1 < line.points.length; ++i)
          for (let k = 0; k <= 40; ++k) {
            const at = [0, 1].map((d) => line.points[i][d] + ((line.points[i + 1][d] - line.points[i][d]) * k) / 40);
            if (at[0] < -1 || at[1] < -1 || at[0] > scene.width + 1 || at[1] > scene.height + 1)
              faults.push('a line is outside');
            items.forEach(([a, box], n) => {
              if (n !== line.from && n !== line.to && at[0] > box[0] + 2 && at[0] < box[2] - 2 &&
                  at[1] > box[1] + 2 && at[1] < box[3] - 2)
                faults.push(`${machine.linkName(line.links[0])} is over ${a}`);
            });
          }
      return [...new Set(faults)];
    },
    /** Texts of the drawing: [text, [left, top, right, bottom], size]. */
    textsDrawn() {
      return report.machine.chart.getZr().storage.getDisplayList(true)
        .filter((shape) => shape.type === 'tspan' && shape.style.text)
        .map((shape) => {
          const { x, y, width, height } = shape.getBoundingRect();
          const [, , , , left, top] = shape.transform ?? [1, 0, 0, 1, 0, 0];
          const box = [x + left, y + top, x + left + width, y + top + height];
          return [shape.style.text, box, parseFloat(shape.style.font)];
        });
    },
    /** True if a busy link is painted near a position in the window. */
    linkIsPaintedNear(x, y, distance) {
      const { node } = report.machine, box = node.getBoundingClientRect();
      const scale = devicePixelRatio, side = Math.round(2 * distance * scale);
      const part = new OffscreenCanvas(side, side);
      const context = part.getContext('2d', { willReadFrequently: true });
      for (const canvas of node.querySelectorAll('canvas[data-zr-dom-id^="zr_1"]'))
        context.drawImage(canvas, -Math.round((x - box.left - distance) * scale),
                          -Math.round((y - box.top - distance) * scale));
      return context.getImageData(0, 0, side, side).data.some((value, i) => i % 4 === 3 && value > 0);
    },
    focusPart: (name) => partButton(name).focus(),
    focusedPart: () => document.activeElement.querySelector('.name')?.firstChild.textContent,
    clickLink: (index) => byId('links').querySelectorAll('button')[index].click(),
    linkTooltip() {
      const texts = [...document.querySelectorAll('#machine-chart div')].map((div) => div.innerText);
      return texts.find((text) => text.includes(' -> ')) ?? null;
    },

    // --- Reduction --------------------------------------------------------------------------

    leaves: () => leavesOf(report.reduction.root).map((leaf) => leaf.name),
    /** The number of chunks at each end of the drawn tree, or of the tree behind its first end. */
    chunksDrawn(behind) {
      const drawn = (root) => leavesOf(report.reduction.visible(root));
      let ends = drawn(report.reduction.root);
      if (behind) ends = drawn(ends.find((end) => end.behind).behind);
      return ends.map((end) => end.chunks);
    },
    drawBehind() {
      const { reduction } = report;
      reduction.paint(leavesOf(reduction.visible(reduction.root)).find((end) => end.behind).behind);
    },
    /** Shows the step that wrote the chunk. */
    revealRoot() {
      const { root } = report.reduction;
      report.reduction.reveal(root);
      return root.step ?? root.moved.at(-1);
    },

    // --- The page ---------------------------------------------------------------------------

    /** True if all charts are as wide as their space, and the timeline has all pixels. */
    drawingsFit(scale) {
      const { charts, canvas, area } = this.drawings();
      return charts.every(([drawn, place]) => drawn === place) &&
        Math.abs(canvas - area * scale) < 1;
    },
    /** The drawn width and the available width of each chart; pixels and width of the timeline. */
    drawings() {
      const [view] = report.views, charts = [view, report.machine, report.reduction];
      return {
        charts: charts.map(({ chart, node }) => [chart.getWidth(), node.clientWidth]),
        canvas: view.canvas.width,
        area: view.area.x + view.area.width,
        ratio: devicePixelRatio,
      };
    },
    /** Whether the charts of a portfolio fill their space. */
    chartsFit: () =>
      Object.values(report.charts).every((chart) => chart.getWidth() === chart.getDom().clientWidth),
    tooWide: () =>
      [...document.body.querySelectorAll('*')]
        .filter((node) => node.getBoundingClientRect().right > innerWidth + 1 && node.offsetParent)
        .filter((node) => !node.closest('.table, .skip, canvas'))
        .map((node) => node.outerHTML.slice(0, 80)),
    sections: () => [...document.querySelectorAll('main > section:not([hidden])')].map(({ id }) => id),
    scrollsSideways: () => document.documentElement.scrollWidth > innerWidth,
    /** Pairs of texts and controls that cover each other, without what is placed on a drawing or list. */
    overlapping() {
      const kinds = 'button, select, input, label, h1, h2, h3, p, dt, dd, summary, .brand, nav a, .legend > *';
      const places = [...document.querySelectorAll(kinds)]
        .filter((node) => node.offsetParent && !node.closest('.list, .links, .hint, #tooltip, .skip, .hidden, details:not([open]) ol'))
        .map((node) => ({ node, header: Boolean(node.closest('.top')), box: node.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && box.height > 0);
      const cover = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 &&
        a.top < b.bottom - 1 && b.top < a.bottom - 1;
      return places.flatMap((a, i) => places.slice(i + 1)
        .filter((b) => a.header === b.header && !a.node.contains(b.node) && cover(a.box, b.box))
        .map((b) => `${a.node.outerHTML.slice(0, 80)} / ${b.node.outerHTML.slice(0, 80)}`));
    },
    /** Controls that a click into their middle does not reach, after scrolling to them. */
    outOfReach() {
      const controls = [...document.querySelectorAll('button, select, input, nav a, summary, [tabindex="0"]')];
      const missed = controls.filter((node) => node.offsetParent && !node.disabled && !node.closest('details:not([open]) ol')).filter((node) => {
        node.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = node.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return !hit || !(node.contains(hit) || hit.contains(node) && hit.tagName === 'LABEL');
      });
      scrollTo(0, 0);
      return missed.map((node) => node.outerHTML.slice(0, 80));
    },
    text: (id) => byId(id).textContent,
    click: (id) => byId(id).click(),
    focus(id) {
      byId(id).focus();
      byId(id).select?.();
    },
    choose(id, value) {
      byId(id).value = value;
      byId(id).dispatchEvent(new Event('change'));
    },
    show: (id) => byId(id).scrollIntoView(),
    cells: (selector) => [...document.querySelectorAll(selector)].map((cell) => cell.innerText),
    size: () => document.documentElement.dataset.size,
    theme: () => document.documentElement.dataset.theme,
    background: () => getComputedStyle(document.body).backgroundColor,
    steps: () => report.plans[0].step.op.length,
    drawnAfter: () => performance.getEntriesByName('rendered')[0].startTime / 1000,
    focused() {
      const node = document.activeElement;
      return [node.className || node.id || node.tagName, getComputedStyle(node).outlineStyle];
    },
    /** Texts whose contrast with their background is less than \p least to one. */
    littleContrast(least) {
      const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      const light = (colour) => {
        const [r, g, b] = colour.match(/[\d.]+/g).map((v) => linear(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const behind = (node) => {
        const colour = getComputedStyle(node).backgroundColor;
        return colour.endsWith(', 0)') ? behind(node.parentElement) : colour;
      };
      const bad = [];
      for (const node of document.querySelectorAll('h1,h2,h3,p,li,dt,dd,th,td,a,button,label,small')) {
        if (!node.textContent.trim() || !node.offsetParent || node.disabled) continue;
        const lights = [light(getComputedStyle(node).color), light(behind(node))];
        const ratio = (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05);
        if (ratio < least) bad.push(`${node.tagName} ${node.textContent.slice(0, 30)} ${ratio}`);
      }
      return bad;
    },
  };
})();
