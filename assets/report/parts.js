// The groups of a machine and which of them are open. A closed group is drawn as one box, an open
// one as a frame around its members.

/** In a large machine, switches of one tier and group beyond this number are a group themselves. */
const mostInRow = 24;
/** Machines with more endpoints, or twice as many nodes with their switches, are folded at first. */
const mostOpen = 64;
/** The same for machines with given positions, whose endpoints are drawn smaller. */
const mostPlaced = 256;

class Parts {
  /**
   * \p groups: { names, parents, of, tiers }, with the parent by group and the group by node,
   * numbered from 1; 0 is the whole machine. A machine with more than \p most endpoints is folded.
   */
  constructor(json, groups, endpoints, most) {
    this.groupOf = Array.from(groups.of);
    this.tier = groups.tiers;
    this.isEndpoint = new Uint8Array(this.groupOf.length);
    for (const node of endpoints) this.isEndpoint[node] = 1;
    this.groups = [this.makeGroup(0, json.name, null)];
    groups.names.forEach((name, i) =>
      this.groups.push(this.makeGroup(i + 1, name, this.groups[groups.parents[i]])),
    );
    this.isLarge = endpoints.length > most || (this.tier && this.groupOf.length > 2 * most);
    if (this.isLarge && this.tier) this.gatherRows(json.nodes);
    this.groupOf.forEach((group, node) => this.groups[group].nodes.push(node));
    this.open = new Set(this.isLarge ? [0] : this.groups.keys());
  }

  /** The groups of a machine that the page arranges. */
  static ofTiers(json, column, endpoints) {
    const groups = {
      names: json.groups,
      parents: column(json.group_parent),
      of: column(json.group_of),
      tiers: column(json.tier),
    };
    return new Parts(json, groups, endpoints, mostOpen);
  }

  /** The outer boxes of a machine with given positions; null if there are none. */
  static ofBoxes(json, endpoints) {
    const names = json.boxes.map(([name]) => name).filter((name) => !name.includes('.'));
    if (names.length === 0) return null;
    const numbers = new Map(names.map((name, i) => [name, i + 1]));
    const of = json.nodes.map((name) => numbers.get(name.split('.')[0]) ?? 0);
    return new Parts(json, { names, parents: names.map(() => 0), of }, endpoints, mostPlaced);
  }

  /** Counts the ranks of each group. */
  countRanks(nodes) {
    for (const group of this.groups) group.ranks = 0;
    for (const node of nodes) for (const group of this.around(node)) ++group.ranks;
  }

  makeGroup(id, name, parent) {
    const depth = parent ? parent.depth + 1 : 0;
    const group = { id, name, parent, depth, children: [], nodes: [], ranks: 0, row: null };
    parent?.children.push(group);
    return group;
  }

  /** Makes groups of the switches in long rows. */
  gatherRows(names) {
    const rows = new Map();
    this.groupOf.forEach((group, node) => {
      if (this.isEndpoint[node]) return;
      const key = `${group} ${this.tier[node]}`;
      if (!rows.has(key)) rows.set(key, []);
      rows.get(key).push(node);
    });
    for (const row of rows.values()) {
      if (row.length <= mostInRow) continue;
      const name = `${names[row[0]]} to ${names[row.at(-1)]}`;
      const parent = this.groups[this.groupOf[row[0]]];
      const group = this.makeGroup(this.groups.length, name, parent);
      group.row = this.tier[row[0]];
      this.groups.push(group);
      for (const node of row) this.groupOf[node] = group.id;
    }
  }

  /** The groups around \p node, the innermost first, without the machine itself. */
  around(node) {
    const groups = [];
    for (let g = this.groups[this.groupOf[node]]; g.parent; g = g.parent) groups.push(g);
    return groups;
  }

  /** Opens the groups around the nodes of a link, so that the link is visible. */
  reveal(nodes) {
    const before = this.open.size;
    const [a, b] = nodes.map((node) => this.around(node));
    for (const group of [...a, ...b]) this.open.add(group.id);
    return this.open.size > before;
  }

  toggle(id) {
    if (!this.open.delete(id)) this.open.add(id);
  }

  /** By node: the outermost closed group that contains it, or null if the node is visible. */
  closedGroups() {
    const closed = [null];
    for (const group of this.groups.slice(1))
      closed[group.id] = closed[group.parent.id] ?? (this.open.has(group.id) ? null : group);
    return this.groupOf.map((group) => closed[group]);
  }

  /** The groups that are visible, open or closed, each after the group around it. */
  visible(group = this.groups[0]) {
    return group.children.flatMap((child) => [
      child,
      ...(this.open.has(child.id) ? this.visible(child) : []),
    ]);
  }

  /** The name of a node or group inside \p group, without the part that names the group. */
  shortName(name, group) {
    for (let around = group; around; around = around.parent) {
      const prefix = `${around.name.replace(' ', '')}.`;
      if (name.startsWith(prefix)) return name.slice(prefix.length);
    }
    return name;
  }
}

const ranksText = (group) =>
  group.row === null
    ? plural(group.ranks, 'rank')
    : plural(group.nodes.length, 'switch', 'switches');
