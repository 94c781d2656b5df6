// The machine with its links coloured by utilisation, over the whole run or in one time slice.

class MachineView {
  constructor(node, json, column) {
    this.node = node;
    this.json = json;
    for (const name of ['from', 'to', 'rate', 'present', 'endpoints']) this[name] = column(json[name]);
    this.links = this.present.reduce((sum, there) => sum + there, 0);
    const isPlaced = json.arrangement === 'placed';
    this.slow = new Set(column(json.slow));
    if (json.x) this.readPlaces(column);
    this.parts = isPlaced
      ? Parts.ofBoxes(json, this.endpoints)
      : Parts.ofTiers(json, column, this.endpoints);
    this.slice = null;
    this.marked = null;
    this.pinned = null; ///< node whose links in bundles are drawn
  }

  readPlaces(column) {
    this.x = column(this.json.x).map((v) => v / 100);
    this.y = column(this.json.y).map((v) => v / 100);
    const [links, counts, x, y] = ['bent', 'bends', 'bend_x', 'bend_y'].map((name) =>
      column(this.json[name]),
    );
    if (this.json.item_width)
      [this.itemWidth, this.itemHeight] = ['item_width', 'item_height'].map((name) => column(this.json[name]));
    this.bends = new Map();
    let at = 0;
    links.forEach((link, i) => {
      const points = Array.from({ length: counts[i] }, (_, k) => [x[at + k] / 100, y[at + k] / 100]);
      this.bends.set(link, points);
      at += counts[i];
    });
  }

  /** The points of the line of a link whose nodes have given positions. */
  placedPoints(link) {
    const [begin, end] = [this.from[link], this.to[link]].map((node) => [this.x[node], this.y[node]]);
    return [begin, ...(this.bends.get(link) ?? []), end];
  }

  linkName(link) {
    return `${this.json.nodes[this.from[link]]} -> ${this.json.nodes[this.to[link]]}`;
  }

  show(run) {
    this.run = run;
    this.stop();
    this.readSlices();
    this.useOf = new Map(run.links.map((use) => [use.id, use]));
    this.rankOf = new Map(Array.from(run.plan.nodeOfRank, (node, rank) => [node, rank]));
    this.slice = null;
    this.parts?.countRanks(run.plan.nodeOfRank);
    this.openBusiest();
    for (const view of report.views) view.slice = null;
    if (!this.chart) {
      this.chart = makeChart(this.node);
      this.painter = new MachinePainter(this);
      navigateByKeys(this.node, this.chart);
      // The charts library redraws the lines in their initial state.
      this.chart.on('datazoom', () => this.recolour());
      this.chart.on('click', ({ data, seriesId }) => {
        if (data?.group > 0) this.toggleGroup(data.group);
        else if (seriesId === 'items') this.pin(this.scene.items[data.value[2]].node);
      });
      this.chart.on('mouseover', { seriesId: 'items' }, ({ data }) => this.painter.bundles.hover(data.value[2]));
      this.chart.on('mouseout', { seriesId: 'items' }, () => this.painter.bundles.hover(null));
      byId('links-of').addEventListener('change', ({ target }) => {
        this.pinned = target.value === '' ? null : Number(target.value);
        this.recolour();
      });
      new ResizeObserver(() => {
        if (this.node.clientWidth !== this.drawnWidth) this.draw();
        else this.recolour();
      }).observe(this.node);
      addEventListener('resize', () => innerHeight !== this.drawnFor && this.draw());
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

  // --- Groups -------------------------------------------------------------------------------

  /** A large machine opens at the busiest link, until its reader has opened or closed a group. */
  openBusiest() {
    const [busiest] = this.run.links;
    if (!this.parts?.isLarge || this.parts.isChanged || !busiest) return;
    this.parts.open = new Set([0]);
    this.parts.reveal([this.from[busiest.id], this.to[busiest.id]]);
  }

  toggleGroup(id) {
    this.parts.isChanged = true;
    this.parts.toggle(id);
    this.draw();
  }

  // --- Utilisation --------------------------------------------------------------------------

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

  /** The largest utilisation of the links of a line. */
  shareOf(links) {
    return Math.max(0, ...links.map((link) => this.share(link)));
  }

  draw() {
    this.scene = new Scene(this);
    const { width, height, margin } = this.scene;
    const { clientWidth } = this.node;
    this.drawnWidth = clientWidth;
    this.drawnFor = innerHeight;
    // Both axes have the same scale. Machines of groups have a natural size.
    const largest = this.scene.isPlaced ? Infinity : 1.35;
    const scale = Math.min(clientWidth / (width + 2 * margin), largest);
    const most = Math.max(innerHeight - 210, 420);
    const clientHeight = Math.round(Math.min(Math.max((height + 2 * margin) * scale, 220), most));
    this.node.style.height = `${clientHeight}px`;
    this.chart.resize();
    this.units = Math.max(
      (width + 2 * margin) / clientWidth,
      (height + 2 * margin) / clientHeight,
      1 / largest,
    );
    this.painter.draw((this.units * clientWidth - width) / 2, (this.units * clientHeight - height) / 2);
    this.recolour();
    this.describe();
    this.list();
    this.listNodes();
    listParts(this);
  }

  recolour() {
    this.painter.recolour();
  }

  // --- Nodes of bundles ---------------------------------------------------------------------

  /** Shows the links of \p node in bundles; a second time hides them. */
  pin(node) {
    if (!this.scene.bundles.length) return;
    this.pinned = this.pinned === node ? null : node;
    byId('links-of').value = this.pinned === null ? '' : String(this.pinned);
    this.recolour();
  }

  /** Lists the nodes at the ends of bundles. */
  listNodes() {
    const { bundles, items } = this.scene;
    byId('bundles').hidden = bundles.length === 0;
    const ends = new Set(bundles.flatMap(({ lines }) => lines.flatMap(({ from, to }) => [from, to])));
    const nodes = items.filter((item, i) => ends.has(i) && !item.group).map(({ node }) => node);
    if (!nodes.includes(this.pinned)) this.pinned = null;
    const options = nodes.map((node) => {
      const rank = this.rankOf.get(node), name = this.json.nodes[node];
      return element('option', { value: String(node) }, rank === undefined ? name : `rank ${rank}, ${name}`);
    });
    byId('links-of').replaceChildren(element('option', { value: '' }, 'no node'), ...options);
    byId('links-of').value = this.pinned === null ? '' : String(this.pinned);
    const lines = bundles.reduce((sum, bundle) => sum + bundle.lines.length, 0);
    byId('bundles-text').textContent =
      `Of ${plural(lines, 'line')} in dense parts, the busiest are drawn, and those of the node under ` +
      'the pointer. A click on a node keeps them.';
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
        'The busiest links are listed beside the drawing. Plus and minus zoom, arrows pan.' +
        (this.parts ? ' The groups can be opened in the list of groups.' : ''),
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
        if (this.marked !== null && this.parts?.reveal([this.from[use.id], this.to[use.id]])) {
          this.parts.isChanged = true;
          this.draw();
          byId('links').querySelector('button[aria-pressed=true]')?.focus();
          return;
        }
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
    const idle = this.links - links.length;
    byId('idle-links').textContent =
      idle > 0 ? `${idle.toLocaleString('en')} of ${plural(this.links, 'link')} ${idle === 1 ? 'is' : 'are'} unused` : '';
    byId('links').replaceChildren(...entries);
  }
}
