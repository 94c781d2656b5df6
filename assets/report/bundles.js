// Dense parts of a drawing, where single lines would form one solid area: the lines between two rows of
// items (leaves and spines), and a complete graph on a circle. A bundle is drawn as a faint area with a
// text, and only its busiest lines and those of the selected items are drawn on top.

/** More pairs of items than this are a bundle, if the lines are dense. */
const mostPairs = 96;
/** Rows are dense if their items have at least this many lines to the other row, on average. */
const leastDegree = 2.5;
/** The number of lines of a bundle that are drawn. */
const mostOfBundle = 40;

class Bundle {
  constructor(scene, lines, rows) {
    this.lines = lines;
    const ends = new Set(lines.flatMap((line) => [line.from, line.to]));
    const items = [...ends].map((index) => scene.items[index]);
    this.ends = items.length;
    this.links = lines.flatMap((line) => line.links);
    if (rows) this.setBand(items, rows);
    else this.setRing(items, scene);
  }

  /** A band between two rows of items. */
  setBand(items, rows) {
    const [above, below] = [...rows].sort((a, b) => a - b).map((row) => {
      const members = items.filter(({ y }) => Math.round(y) === row);
      const half = Math.max(...members.map(({ height }) => height)) / 2;
      const xs = members.map(({ x }) => x);
      return { y: row, half, left: Math.min(...xs), right: Math.max(...xs) };
    });
    const [top, bottom] = [above.y + above.half + 2, below.y - below.half - 2];
    this.band = [
      [above.left, top],
      [above.right, top],
      [below.right, bottom],
      [below.left, bottom],
    ];
    this.at = [(above.left + above.right + below.left + below.right) / 4, (top + bottom) / 2];
  }

  /** A ring inside the items of a circle. */
  setRing(items, scene) {
    const [xs, ys] = ['x', 'y'].map((key) => items.map((item) => item[key]));
    this.at = [xs, ys].map((list) => (Math.min(...list) + Math.max(...list)) / 2);
    const radius = (Math.max(...xs) - Math.min(...xs)) / 2;
    const space = Math.max(...items.map(({ width, height }) => Math.hypot(width, height))) / 2;
    const outer = Math.max(radius - space - (scene.isPlaced ? 0.1 : 4), radius / 2);
    this.ring = { outer, inner: outer * 0.93 };
  }

  /** The mean utilisation of the links. */
  meanShare(view) {
    return this.links.reduce((sum, link) => sum + view.share(link), 0) / this.links.length;
  }

  /**
   * The used lines with the largest utilisation; of equal ones, a selection over all of them, or one if
   * there is no difference in the bundle. If few lines are used, these.
   */
  busiest(view) {
    const shares = new Map(this.lines.map((line) => [line, view.shareOf(line.links)]));
    const used = this.lines.filter((line) => shares.get(line) > 0);
    const levels = new Map();
    for (const line of used) {
      const level = shares.get(line).toFixed(4);
      if (!levels.has(level)) levels.set(level, []);
      levels.get(level).push(line);
    }
    if (levels.size === 1 && used.length === this.lines.length) return [used[0]];
    if (used.length <= Math.max(mostOfBundle, 2 * this.ends)) return used;
    const shown = [];
    for (const [, lines] of [...levels].sort(([a], [b]) => b - a)) {
      const room = mostOfBundle - shown.length;
      const step = Math.max(lines.length / room, 1);
      for (let i = 0; i < lines.length && shown.length < mostOfBundle; i += step)
        shown.push(lines[Math.floor(i)]);
      if (shown.length >= mostOfBundle) break;
    }
    return shown;
  }

  /** "512 links, 256 used, busy 1.2 to 14 %". */
  text(view) {
    const { links } = this;
    const shares = links.map((link) => view.share(link)).filter((share) => share > 0);
    const number = plural(links.length, 'link');
    if (shares.length === 0) return `${number}, unused`;
    const least = percent(shares.reduce((a, b) => Math.min(a, b)));
    const most = percent(shares.reduce((a, b) => Math.max(a, b)));
    const used = shares.length < links.length ? `, ${shares.length} used` : '';
    const busy = least === most ? `, equal: ${most}` : `, busy ${least} to ${most}`;
    return number + used + busy;
  }
}

/** The bundles of a drawing. */
function findBundles(scene) {
  const { machine, items } = scene;
  // The boards of given positions have no dense parts.
  if (scene.isPlaced && machine.parts) return [];
  const pairKey = (line) => Math.min(line.from, line.to) * items.length + Math.max(line.from, line.to);
  const families = new Map();
  for (const line of scene.lines) {
    if (scene.isPlaced)
      [line.from, line.to] = [machine.from, machine.to].map((ends) => scene.itemOf[ends[line.links[0]]]);
    if (line.from === undefined || line.to === undefined) continue;
    const rows = [line.from, line.to].map((item) => Math.round(items[item].y)).sort((a, b) => a - b);
    const isRing = scene.isPlaced || scene.isCircle;
    if (!isRing && rows[0] === rows[1]) continue;
    const key = isRing ? '' : `${commonGroup(scene, line)} ${rows}`;
    if (!families.has(key)) families.set(key, { lines: [], rows: isRing ? null : rows });
    families.get(key).lines.push(line);
  }
  const bundles = [];
  for (const { lines, rows } of families.values()) {
    const pairs = new Set(lines.map(pairKey)).size;
    if (pairs <= mostPairs) continue;
    const ends = [...new Set(lines.flatMap((line) => [line.from, line.to]))];
    const isDense = rows
      ? rows.every(
          (row) => pairs >= leastDegree * ends.filter((i) => Math.round(items[i].y) === row).length,
        )
      : pairs >= (ends.length * (ends.length - 1)) / 4;
    if (!isDense) continue;
    bundles.push(new Bundle(scene, lines, rows));
  }
  return bundles;
}

/** The innermost group around both ends of a line. */
function commonGroup({ machine, items }, line) {
  const { parts } = machine;
  const [a, b] = [line.from, line.to].map((index) => {
    const { group, node } = items[index];
    return group ? parts.around(group.nodes[0] ?? group.children[0].nodes[0]) : parts.around(node);
  });
  return a.find((group) => b.includes(group))?.id ?? 0;
}
