// Paints the drawing of a machine: frames, lines and items, and their tooltips.

class MachinePainter {
  constructor(view) {
    this.view = view;
    this.chart = view.chart;
    this.bundles = new BundlePainter(this);
  }

  /** \p spareX and \p spareY: free space around the drawing, in its units. */
  draw(spareX, spareY) {
    const { scene, useOf } = this.view;
    const { line, muted } = theme.colours;
    const isUsed = ({ links }) => links.some((link) => useOf.has(link));
    const bundled = new Set(scene.bundles.flatMap(({ lines }) => lines));
    const single = scene.lines.filter((one) => !bundled.has(one));
    this.single = single.filter(isUsed);
    this.used = [...this.single, ...this.bundles.drawnLines()];
    const idle = single.filter((one) => !isUsed(one));
    this.inside = scene.linksInside();
    const { units } = this.view;
    const room = scene.isPlaced ? 0.075 / units : 160 / this.used.length;
    this.thickness = Math.min(Math.max(room, 0.45), 1);
    // Two strokes side by side, also in a small drawing; given positions leave less space.
    this.offset = Math.max(scene.offset, Math.min(2.4 * units, scene.isPlaced ? 0.2 : Infinity));
    const axis = { type: 'value', show: false };
    const lines = { type: 'lines', coordinateSystem: 'cartesian2d', polyline: true };
    const idleWidth = idle.length > 2000 ? 0.7 : 1;
    this.chart.setOption(
      {
        ...chartBase(),
        tooltip: { ...chartBase().tooltip, trigger: 'item', formatter: (p) => this.tooltip(p) },
        grid: { left: 0, right: 0, top: 0, bottom: 0 },
        xAxis: { ...axis, min: -spareX, max: scene.width + spareX },
        yAxis: { ...axis, min: -spareY, max: scene.height + spareY, inverse: true },
        dataZoom: ['xAxisIndex', 'yAxisIndex'].map((key) => ({
          type: 'inside',
          [key]: 0,
          filterMode: 'none',
          zoomOnMouseWheel: 'ctrl',
          minSpan: 2,
        })),
        series: [
          {
            id: 'frames',
            type: 'custom',
            silent: !this.view.parts,
            z: 1,
            data: scene.frames.map((frame, i) => ({
              value: [frame.x, frame.y, i],
              group: frame.group?.id,
            })),
            renderItem: (_, api) => this.frame(scene.frames[api.value(2)], api),
          },
          this.bundles.areas(),
          {
            ...lines,
            id: 'wires',
            silent: true,
            z: 2,
            large: true,
            largeThreshold: 200,
            data: idle.map((one) => ({ coords: this.coords(one) })),
            lineStyle: { color: mix(line, muted, 0.25), width: idleWidth, opacity: 0.8 },
          },
          {
            ...lines,
            id: 'marks',
            z: 2,
            data: this.marks(),
            emphasis: { disabled: true },
          },
          {
            ...lines,
            id: 'links',
            zlevel: 1,
            z: 3,
            progressive: 0,
            data: this.lines(),
            emphasis: { lineStyle: { width: 5 } },
          },
          {
            id: 'titles',
            type: 'custom',
            silent: true,
            zlevel: 2,
            z: 5,
            data: scene.frames.map((frame, i) => ({ value: [frame.x, frame.y, i] })),
            renderItem: (_, api) => this.title(scene.frames[api.value(2)], api),
          },
          {
            id: 'items',
            type: 'custom',
            zlevel: 2,
            z: 4,
            data: scene.items.map((item, i) => ({
              value: [item.x, item.y, i],
              group: item.group?.id,
            })),
            renderItem: (_, api) => this.item(scene.items[api.value(2)], api.value(2), api),
          },
          this.bundles.texts(),
        ],
      },
      { notMerge: true },
    );
  }

  // --- Lines --------------------------------------------------------------------------------

  /** The points of a line, which is shifted to the right-hand side of its direction. */
  coords({ points }) {
    const sides = points.slice(1).map(([x, y], i) => {
      const dx = x - points[i][0],
        dy = y - points[i][1],
        length = Math.hypot(dx, dy) || 1;
      return [-dy / length, dx / length];
    });
    return points.map(([x, y], i) => {
      const before = sides[Math.max(i - 1, 0)],
        after = sides[Math.min(i, sides.length - 1)];
      const scale = this.offset / (1 + before[0] * after[0] + before[1] * after[1]);
      return [x + (before[0] + after[0]) * scale, y + (before[1] + after[1]) * scale];
    });
  }

  /** The current style of a line. Busier lines are drawn above others. */
  style({ links }) {
    const { view } = this;
    const share = Math.min(view.shareOf(links) / view.hottest, 1),
      marked = links.includes(view.marked);
    return {
      stroke: marked ? theme.colours.accent : heatColour(share),
      lineWidth: marked ? 6 : (1.4 + 2.6 * share) * this.thickness,
      level: marked ? 200 : Math.round(share * 100),
    };
  }

  lines() {
    return this.used.map((line) => {
      const { stroke, lineWidth } = this.style(line);
      return {
        coords: this.coords(line),
        line,
        lineStyle: { color: stroke, opacity: 1, width: lineWidth },
      };
    });
  }

  /** Missing links are dashed, slow ones have a wide line below their own. */
  marks() {
    const { contention, slot } = theme.colours.causes;
    return this.view.scene.marks.map((mark) => ({
      coords: this.coords(mark),
      mark,
      lineStyle: mark.isMissing
        ? { color: contention, opacity: 1, width: 2, type: 'dashed' }
        : { color: slot, opacity: 0.6, width: 7 },
    }));
  }

  dataOf(id) {
    return this.chart
      .getModel()
      .getSeries()
      .find((series) => series.id === id)
      .getData();
  }

  /** Draws the lines of bundles that are the busiest now, and their texts. */
  redrawBundles() {
    const used = [...this.single, ...this.bundles.drawnLines()];
    const isSame = used.length === this.used.length && used.every((one, i) => one === this.used[i]);
    this.used = used;
    this.chart.setOption({
      series: [...this.bundles.data(), ...(isSame ? [] : [{ id: 'links', data: this.lines() }])],
    });
  }

  /** Changes the colours of existing shapes, which is many times faster than drawing new ones. */
  recolour() {
    if (this.view.scene.bundles.length) this.redrawBundles();
    const links = this.dataOf('links');
    this.used.forEach((line, i) => {
      const shape = links.getItemGraphicEl(i).childAt(0),
        { level, ...style } = this.style(line);
      shape.setStyle(style);
      shape.z2 = level;
    });
    const items = this.dataOf('items');
    for (const i of this.inside.keys())
      items
        .getItemGraphicEl(i)
        ?.childAt(1)
        .setStyle({ fill: this.heatInside(i) });
  }

  /** The colour of the busiest link inside a closed group. */
  heatInside(item) {
    const { view } = this;
    return heatColour(Math.min(view.shareOf(this.inside.get(item) ?? []) / view.hottest, 1));
  }

  // --- Frames and items ---------------------------------------------------------------------

  /** A text of at most \p size, if it fits into \p width pixels in a legible size. */
  text(text, size, width, place) {
    const most = Math.min(size, 13),
      shown = Math.min(most, (most * width) / textWidth(text, most));
    return {
      type: 'text',
      silent: true,
      style: {
        ...place,
        text: shown >= 7 ? text : '',
        font: `${shown}px ${fonts}`,
      },
    };
  }

  frame({ group, isInner, sector, ...frame }, api) {
    const { line, card, page } = theme.colours;
    const [unit] = api.size([1, 1]);
    const [x, y] = api.coord([frame.x, frame.y]);
    const isLight = group ? group.depth % 2 === 0 : isInner;
    const style = { fill: isLight ? card : page, stroke: line, lineWidth: 1 };
    if (!sector) {
      const shape = { x, y, width: frame.width * unit, height: frame.height * unit, r: 5 };
      return { type: 'rect', shape, style };
    }
    const [r0, r] = [sector.inner * unit, sector.outer * unit];
    const shape = { cx: x, cy: y, r0, r, startAngle: sector.begin, endAngle: sector.end };
    return { type: 'sector', shape, style };
  }

  /** The name of a frame: outside a sector, in the middle of an inner frame, otherwise in a corner. */
  title({ name, group, isInner, titleBelow, sector, ...frame }, api) {
    const { muted, page, card } = theme.colours;
    const [unit] = api.size([1, 1]);
    const [x, y] = api.coord([frame.x, frame.y]);
    const width = frame.width * unit,
      height = frame.height * unit;
    const style = {
      fill: muted,
      stroke: group?.depth % 2 === 1 ? page : card,
      lineWidth: 3,
      verticalAlign: 'middle',
    };
    if (sector) {
      const middle = (sector.begin + sector.end) / 2,
        r = sector.outer * unit + 12;
      const cos = Math.cos(middle);
      const align = Math.abs(cos) < 0.3 ? 'center' : cos > 0 ? 'left' : 'right';
      return this.text(name, 12 * unit, Infinity, {
        ...style,
        align,
        x: x + r * cos,
        y: y + r * Math.sin(middle),
      });
    }
    if (isInner)
      return this.text(name, 0.9 * unit, width * 0.45, {
        ...style,
        align: 'center',
        x: x + width / 2,
        y: y + height / 2,
      });
    const size = this.view.scene.isPlaced ? Math.max(1.5 * unit, 9) : 12 * unit;
    const place = titleBelow
      ? { y: y + height - 4, verticalAlign: 'bottom' }
      : { y: y + 4, verticalAlign: 'top' };
    return this.text(name, size, width - 10, { ...style, x: x + 8, ...place });
  }

  item(item, index, api) {
    const { card, page, muted, ink } = theme.colours;
    const [x, y] = api.coord([item.x, item.y]);
    const [unit] = api.size([1, 1]);
    const isPlaced = this.view.scene.isPlaced;
    const width = Math.max(isPlaced ? Math.min(item.width * unit, 34) : item.width * unit, 3),
      height = Math.max(isPlaced ? Math.min(item.height * unit, 34) : item.height * unit, 3);
    const middle = { x, align: 'center', verticalAlign: 'middle' };
    if (item.kind === 'endpoint') {
      const rank = this.view.rankOf.get(item.node),
        side = Math.min(width, height);
      return {
        type: 'group',
        children: [
          {
            type: 'rect',
            shape: { x: x - width / 2, y: y - height / 2, width, height, r: side / 5 },
            style: {
              fill: rank === undefined ? page : card,
              stroke: muted,
              lineWidth: 1,
              lineDash: rank === undefined && side > 8 ? [2, 2] : null,
              opacity: rank === undefined && side <= 8 ? 0.5 : 1,
            },
          },
          this.text(String(rank ?? ''), Math.min(side * 0.6, 12), side - 1, {
            ...middle,
            y,
            fill: ink,
          }),
        ],
      };
    }
    if (item.kind === 'group') return this.closedGroup(item, index, x, y, unit);
    const wide = isPlaced ? Math.max(width, textWidth(item.name) + 14) : width,
      tall = isPlaced ? 20 : height;
    const box = { x: x - wide / 2, y: y - tall / 2, width: wide, height: tall };
    return {
      type: 'group',
      children: [
        {
          type: 'rect',
          shape: { ...box, r: tall / 2 },
          style: { fill: card, stroke: muted, lineWidth: 1 },
        },
        this.text(item.name, isPlaced ? 11 : 11 * unit, wide, { ...middle, y, fill: ink }),
      ],
    };
  }

  /** A box with a name, a number of ranks, and a bar with the colour of the busiest link inside. */
  closedGroup({ group, name, ...item }, index, x, y, unit) {
    const { card, muted, ink, accent } = theme.colours;
    const width = item.width * unit,
      height = item.height * unit,
      bar = Math.min(height / 13, 3);
    const box = { x: x - width / 2, y: y - height / 2, width, height };
    const middle = { x, align: 'center', verticalAlign: 'middle' };
    return {
      type: 'group',
      children: [
        {
          type: 'rect',
          shape: { ...box, r: 5 },
          style: { fill: card, stroke: accent, lineWidth: 1 },
        },
        {
          type: 'rect',
          shape: {
            x: box.x + 5,
            y: box.y + height - 2 * bar,
            width: Math.max(width - 10, 2),
            height: bar,
            r: bar / 2,
          },
          style: { fill: this.heatInside(index) },
        },
        this.text(name, height * 0.275, width - 4, { ...middle, y: y - height * 0.22, fill: ink }),
        this.text(ranksText(group), height * 0.24, width - 4, {
          ...middle,
          y: y + height * 0.1,
          fill: muted,
        }),
      ],
    };
  }

  // --- Tooltips -----------------------------------------------------------------------------

  tooltip({ data, seriesId }) {
    const { view } = this;
    const head = (text) => `<strong>${escapeHtml(text)}</strong>`;
    if (seriesId === 'links') return this.lineTooltip(data.line).join('<br>');
    if (seriesId === 'marks') {
      const text = data.mark.isMissing ? 'missing' : 'slower than other links of this kind';
      return `${head(view.linkName(data.mark.links[0]))}<br>${text}`;
    }
    if (seriesId === 'bundles') return this.bundles.tooltip(view.scene.bundles[data.value[2]]);
    if (seriesId === 'frames') return data.group > 0 ? 'A click closes the group' : '';
    const index = data.value[2],
      item = view.scene.items[index];
    if (item.kind === 'endpoint') {
      const rank = view.rankOf.get(item.node);
      return `${head(rank === undefined ? 'no rank' : `rank ${rank}`)}<br>${escapeHtml(view.json.nodes[item.node])}`;
    }
    if (item.kind === 'switch') return head(view.json.nodes[item.node]);
    const inside = this.inside.get(index) ?? [];
    return [
      head(item.group.name),
      ranksText(item.group),
      `busiest link inside: ${percent(view.shareOf(inside))}`,
      'A click opens the group',
    ].join('<br>');
  }

  lineTooltip({ links, from, to }) {
    const { view } = this;
    const when = view.slice === null ? 'of the run' : 'of this slice';
    const used = links.filter((link) => view.useOf.has(link));
    if (links.length > 1) {
      const nodes = [view.from[links[0]], view.to[links[0]]];
      const ends = [from, to].map(
        (i, end) => view.scene.items[i]?.group?.name ?? view.json.nodes[nodes[end]],
      );
      const bytes = used.reduce((sum, link) => sum + view.useOf.get(link).bytes, 0);
      return [
        `<strong>${escapeHtml(ends.join(' -> '))}</strong>`,
        `${exactBytes(bytes)} over ${used.length} of ${plural(links.length, 'link')}`,
        `the busiest is busy ${percent(view.shareOf(links))} ${when}`,
      ];
    }
    const [link] = links,
      use = view.useOf.get(link);
    if (!use) return [`<strong>${escapeHtml(view.linkName(link))}</strong>`, 'unused'];
    const lines = [
      `<strong>${escapeHtml(view.linkName(link))}</strong>`,
      `${exactBytes(use.bytes)} at up to ${rateText(view.rate[link])}`,
      `busy ${percent(use.busy / view.run.time)} of the run`,
      `longest wait ${exactTime(use.wait)}`,
    ];
    if (view.slice !== null) lines.splice(2, 0, `busy ${percent(view.share(link))} of this slice`);
    return lines;
  }
}

/** Lists the visible groups, each with a button that opens or closes it. */
function listParts(view) {
  const { parts, painter } = view;
  byId('parts-card').hidden = !parts || parts.groups.length === 1;
  if (byId('parts-card').hidden) return;
  const focused = document.activeElement?.dataset.part;
  const busiest = new Map();
  for (const use of view.run.links)
    for (const node of [view.from[use.id], view.to[use.id]])
      for (const group of parts.around(node))
        busiest.set(group, Math.max(busiest.get(group) ?? 0, use.busy / view.run.time));
  const entries = parts.visible().map((group) => {
    const button = element(
      'button',
      {
        type: 'button',
        'data-part': String(group.id),
        'aria-expanded': String(parts.open.has(group.id)),
        style: `padding-left: ${8 + 14 * (group.depth - 1)}px`,
      },
      element('span', { class: 'name' }, group.name, ' ', element('small', {}, ranksText(group))),
      element('b', {}, percent(busiest.get(group) ?? 0)),
    );
    button.addEventListener('click', () => view.toggleGroup(group.id));
    return element('li', {}, button);
  });
  byId('parts').replaceChildren(...entries);
  if (focused) byId('parts').querySelector(`[data-part="${focused}"]`)?.focus();
}
