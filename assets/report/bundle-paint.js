// Paints the bundles of a machine: a faint area with the colour of their mean utilisation, a text, and the
// lines that are drawn on top.

class BundlePainter {
  constructor(painter) {
    this.painter = painter;
    this.view = painter.view;
    this.hovered = null; ///< item under the pointer
  }

  get all() {
    return this.view.scene.bundles;
  }

  values() {
    return this.all.map((bundle, i) => ({ value: [...bundle.at, i] }));
  }

  areas() {
    return {
      id: 'bundles',
      type: 'custom',
      z: 2,
      data: this.values(),
      renderItem: (_, api) => this.area(this.all[api.value(2)], api),
    };
  }

  texts() {
    return {
      id: 'bundle-texts',
      type: 'custom',
      silent: true,
      zlevel: 2,
      z: 6,
      data: this.values(),
      renderItem: (_, api) => this.text(this.all[api.value(2)], api),
    };
  }

  /** Both series, which changes their colours and texts to those of the current slice. */
  data() {
    return ['bundles', 'bundle-texts'].map((id) => ({ id, data: this.values() }));
  }

  /** The busiest lines of bundles, the marked one, and those of the item under the pointer and of the
   * chosen node. */
  drawnLines() {
    const { view, hovered } = this;
    const pinned = view.pinned === null ? undefined : view.scene.itemOf[view.pinned];
    const isChosen = (line) =>
      [line.from, line.to].some((item) => item === hovered || item === pinned) ||
      line.links.includes(view.marked);
    return this.all.flatMap((bundle) => {
      const busiest = new Set(bundle.busiest(view));
      return bundle.lines.filter((line) => busiest.has(line) || isChosen(line));
    });
  }

  /** Draws the links of an item of the drawing, or of none. */
  hover(item) {
    if (this.hovered === item || !this.all.length) return;
    this.hovered = item;
    this.painter.recolour();
  }

  area(bundle, api) {
    const { band, ring } = bundle;
    const { line, card } = theme.colours;
    const mean = bundle.meanShare(this.view) / this.view.hottest;
    const style = { fill: mix(card, mean > 0 ? heatColour(mean) : line, 0.3) };
    if (band) return { type: 'polygon', shape: { points: band.map((at) => api.coord(at)) }, style };
    const [x, y] = api.coord(bundle.at);
    const [unit] = api.size([1, 1]);
    const shape = { cx: x, cy: y, r0: ring.inner * unit, r: ring.outer * unit };
    return { type: 'ring', shape, style };
  }

  text(bundle, api) {
    const { card, ink } = theme.colours;
    const [x, y] = api.coord(bundle.at);
    const style = {
      x,
      y,
      align: 'center',
      verticalAlign: 'middle',
      text: bundle.text(this.view),
      font: `12px ${fonts}`,
      fill: ink,
      backgroundColor: card,
      borderRadius: 4,
      padding: [4, 8],
    };
    return { type: 'text', silent: true, style };
  }

  tooltip(bundle) {
    const { view, painter } = this;
    const used = bundle.links.filter((link) => view.useOf.has(link));
    const bytes = used.reduce((sum, link) => sum + view.useOf.get(link).bytes, 0);
    const drawn = new Set(painter.used);
    const number = bundle.lines.filter((line) => drawn.has(line)).length;
    return [
      `<strong>${escapeHtml(bundle.text(view))}</strong>`,
      `${exactBytes(bytes)} in total`,
      `${plural(number, 'line')} of ${bundle.lines.length.toLocaleString('en')} drawn`,
      'The pointer over a node shows its links, a click keeps them',
    ].join('<br>');
  }
}
