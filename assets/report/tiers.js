// The arrangement of a machine in tiers: endpoints in a row, the switches above them in one row for
// each tier, and groups as frames. Switches that connect only the members of a group are below them.
// If the members of the machine are too wide for one row, half of them are above the switches,
// upside down.

const rowWidth = 980; // of the members of the machine, in pixels before scaling
const frameSpace = 10,
  titleHeight = 18,
  switchHeight = 22;

const measureContext = document.createElement('canvas').getContext('2d');
/** The width of \p text in pixels. */
function textWidth(text, size = 11) {
  measureContext.font = `${size}px ${fonts}`;
  return measureContext.measureText(text).width;
}

const widestOf = (row) => Math.max(...row.map((box) => box.width));

/** Items have positions of their centre, frames of their upper left corner. */
const shifted = (parts, x, y) => parts.map((part) => ({ ...part, x: part.x + x, y: part.y + y }));

const closedBox = (parts, group) => {
  const name = parts.shortName(group.name, group.parent);
  const width = Math.max(textWidth(name), textWidth(ranksText(group), 9.5), 40) + 16;
  return { kind: 'group', group, name, width, height: 40, x: width / 2, y: 20 };
};

const switchBox = (parts, node, names, isShort = false) => {
  const own = parts.shortName(names[node], parts.groups[parts.groupOf[node]]);
  const last = own.split('.').pop();
  const name = isShort && /^[a-z]/i.test(last) ? last : own;
  return {
    kind: 'switch',
    node,
    name,
    width: textWidth(name) + 14,
    height: switchHeight,
    x: 0,
    y: 0,
  };
};

class TierLayout {
  constructor(parts, names, neighbours) {
    this.parts = parts;
    this.names = names;
    this.neighbours = neighbours;
    this.linked = this.linkedGroups();
  }

  /** The smallest groups around direct links between endpoints that are not neighbours in a row. */
  linkedGroups() {
    const { parts } = this;
    const linked = new Set();
    this.neighbours.forEach((others, node) => {
      if (!parts.isEndpoint[node]) return;
      const own = parts.around(node);
      for (const other of others)
        if (parts.isEndpoint[other] && Math.abs(other - node) > 1) {
          const around = parts.around(other);
          linked.add(own.find((group) => around.includes(group)));
        }
    });
    return linked;
  }

  /** All nodes in \p group. */
  allNodes(group) {
    return [...group.nodes, ...group.children.flatMap((child) => this.allNodes(child))];
  }

  run() {
    const { parts } = this,
      [root] = parts.groups;
    const members = this.membersOf(root, false);
    const { rows, below } = this.switchRows(root);
    const wide = members.reduce((sum, member) => sum + member.width + 16, 0);
    // Lines from above to the lowest of several tiers would lead through all of them.
    const room = rows.length > 1 ? 1.6 * rowWidth : rowWidth;
    if (wide <= room || members.length < 2) return this.stack([], rows, members, below);
    const [above, under] = this.halves(root, members);
    return this.stack(above, below.length > 0 ? [...rows, below] : rows, under);
  }

  /** Divides the members of the machine into those above and those below its switches. */
  halves(root, members) {
    const widest = Math.max(...members.map((member) => member.width));
    const total = members.reduce((sum, member) => sum + member.width + 16, 0);
    let below = 0;
    const isBelow = new Set();
    // Wide members come first; each side keeps the order of the numbers.
    const order = members
      .map((member, i) => [member.width > widest / 2 && widest * members.length > 1.2 * total, i])
      .sort(([a, i], [b, j]) => b - a || j - i);
    for (const [, i] of order) {
      if (below > 0 && below + members[i].width / 2 > total / 2) break;
      isBelow.add(i);
      below += members[i].width + 16;
    }
    const above = this.membersOf(root, true).filter((_, i) => !isBelow.has(i));
    return [above, members.filter((_, i) => isBelow.has(i))];
  }

  /** The blocks of the members of \p group, in a row. \p flip: the switches are below them. */
  membersOf(group, flip) {
    const { parts } = this;
    const nodes = group.nodes.filter((node) => parts.isEndpoint[node]);
    const { up } = this.switchRows(group);
    // Leave as much space as their switches need.
    const widest = Math.max(0, ...up.map((row) => row.length * (widestOf(row) + 10)));
    const side = nodes.length > 16 ? 18 : 26;
    const pitch = Math.max(side + (nodes.length > 16 ? 4 : 8), Math.min(widest / nodes.length, 90));
    const endpoints = nodes.map((node) => ({
      width: pitch - 16,
      height: side,
      items: [
        {
          kind: 'endpoint',
          node,
          flip,
          width: side,
          height: side,
          x: (pitch - 16) / 2,
          y: side / 2,
        },
      ],
      frames: [],
    }));
    const children = group.children.filter((child) => child.row === null);
    return [...endpoints, ...children.map((child) => this.block(child, flip))];
  }

  /** A group as a block: width, height, items and frames. */
  block(group, flip) {
    const { parts } = this;
    if (!parts.open.has(group.id)) {
      const box = closedBox(parts, group);
      return { width: box.width, height: box.height, items: [box], frames: [] };
    }
    const { rows, below } = this.switchRows(group);
    const members = this.membersOf(group, flip);
    const inner = flip
      ? this.stack(members, [...rows].reverse(), [], below)
      : this.stack([], rows, members, below);
    const name = parts.shortName(group.name, group.parent);
    const width = Math.max(inner.width + 2 * frameSpace, textWidth(name, 12) + 20);
    const arcs = this.linked.has(group) ? 0.08 * inner.width + 14 : 0;
    const height = inner.height + frameSpace + titleHeight + arcs;
    const left = (width - inner.width) / 2,
      top = flip ? titleHeight + arcs : frameSpace;
    const frame = { group, name, x: 0, y: 0, width, height, titleBelow: !flip };
    return {
      width,
      height,
      items: shifted(inner.items, left, top),
      frames: [frame, ...shifted(inner.frames, left, top)],
    };
  }

  /** The switches of \p group by tier, the highest first; and those below the members. */
  switchRows(group) {
    const { parts } = this;
    const own = group.nodes.filter((node) => !parts.isEndpoint[node]);
    const rowsOf = group.children.filter((child) => child.row !== null);
    const isOwn = new Set(own);
    // A switch with links only to members.
    const isInner = (node) =>
      this.neighbours[node].every(
        (other) => !isOwn.has(other) && (!group.parent || parts.around(other).includes(group)),
      );
    const inner = new Set(own.filter(isInner));
    // They are below only if others lead out of the group, or to the switches above.
    const leadsOut = (node) =>
      !inner.has(node) &&
      this.neighbours[node].some((other) => !parts.around(other).includes(group));
    const isBelow =
      inner.size < own.length ||
      (inner.size > 0 && group.parent && this.allNodes(group).some(leadsOut));
    const below = isBelow ? inner : new Set();
    const tiers = new Map();
    const add = (tier, ...boxes) => tiers.set(tier, [...(tiers.get(tier) ?? []), ...boxes]);
    const lasts = new Set(own.map((node) => this.names[node].split('.').pop()));
    const isShort = own.length > 10 && lasts.size === own.length;
    const box = (node) => switchBox(parts, node, this.names, isShort);
    for (const node of own) if (!below.has(node)) add(parts.tier[node], box(node));
    const up = [...tiers.values()];
    for (const child of rowsOf)
      if (parts.open.has(child.id))
        for (let i = 0; i < child.nodes.length; i += mostInRow)
          add(child.row + i / 1e6, ...child.nodes.slice(i, i + mostInRow).map(box));
      else add(child.row, closedBox(parts, child));
    const rows = [...tiers].sort(([a], [b]) => b - a).map(([, row]) => row);
    return { rows, up, below: [...below].map(box) };
  }

  /** Stacks members, rows of switches and members; \p inner is a row on the far side of members. */
  stack(above, rows, under, inner = []) {
    const gap = 16;
    const widthOf = (row) => row.reduce((sum, one) => sum + one.width + gap, -gap);
    const width = Math.max(
      ...[above, under, ...rows, inner].map((row) => (row.length ? widthOf(row) : 0)),
      20,
    );
    const distance = Math.min(Math.max(34 + 0.06 * width, 46), 110);
    const items = [],
      frames = [];
    let y = 0;
    const placeMembers = (row, alignBottom) => {
      const height = Math.max(...row.map((block) => block.height));
      let x = (width - widthOf(row)) / 2;
      for (const block of row) {
        const top = y + (alignBottom ? height - block.height : 0);
        items.push(...shifted(block.items, x, top));
        frames.push(...shifted(block.frames, x, top));
        x += block.width + gap;
      }
      y += height + distance;
    };
    const placeSwitches = (row) => {
      const height = Math.max(...row.map((box) => box.height));
      this.spread(row, items, width).forEach((x, i) =>
        items.push({ ...row[i], x, y: y + height / 2 }),
      );
      y += height + distance;
    };
    const heights = (list) =>
      list.reduce((sum, row) => sum + Math.max(...row.map((box) => box.height)) + distance, 0);
    // Members come first: the positions of switches depend on them.
    if (above.length) {
      if (inner.length) y += heights([inner]);
      placeMembers(above, true);
    }
    const top = y;
    y += heights(rows);
    if (under.length) placeMembers(under, false);
    const bottom = y;
    let at = top + heights(rows);
    // The rows nearest to the members first.
    const order = under.length || !above.length ? [...rows].reverse() : rows;
    let next = top;
    for (const row of order) {
      const height = heights([row]);
      at -= height;
      y = under.length || !above.length ? at : next;
      next += height;
      placeSwitches(row);
    }
    y = bottom;
    if (inner.length) {
      y = above.length ? 0 : bottom;
      placeSwitches(inner);
      y = above.length ? bottom : y;
    }
    return { width, height: Math.max(y - distance, 20), items, frames };
  }

  /**
   * The x of the boxes of a row: the middle of what each connects, without overlaps; or evenly, if
   * they connect the same.
   */
  spread(row, items, width) {
    const places = new Map(items.map((item) => [item.group ?? item.node, item.x]));
    this.closed ??= this.parts.closedGroups();
    const spans = row.map((box) => {
      const nodes = box.group?.nodes ?? [box.node];
      const xs = nodes
        .flatMap((node) =>
          this.neighbours[node].map((other) => places.get(this.closed[other] ?? other)),
        )
        .filter((x) => x !== undefined);
      const ends = xs.length ? xs : [width / 2];
      return { first: Math.min(...ends), last: Math.max(...ends) };
    });
    const wanted = spans.map(({ first, last }) => (first + last) / 2);
    const order = row.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b] || a - b);
    if (
      order.some(
        (i, k) =>
          (k && spans[order[k - 1]].last > spans[i].first + 1) ||
          (k && wanted[order[k - 1]] === wanted[i]),
      )
    ) {
      const pitch = Math.max(widestOf(row) + 10, Math.min(width / row.length, 170));
      const x = [];
      order.forEach((i, k) => {
        x[i] = width / 2 + (k - (row.length - 1) / 2) * pitch;
      });
      return x;
    }
    const space = (i, j) => (row[i].width + row[j].width) / 2 + 10;
    const forth = [],
      back = [];
    order.forEach((i, k) => {
      const before = order[k - 1];
      forth[i] = k ? Math.max(wanted[i], forth[before] + space(before, i)) : wanted[i];
    });
    [...order].reverse().forEach((i, k, all) => {
      const after = all[k - 1];
      back[i] = k ? Math.min(wanted[i], back[after] - space(i, after)) : wanted[i];
    });
    return row.map((_, i) => (forth[i] + back[i]) / 2);
  }
}

const layOutTiers = (parts, names, neighbours) => new TierLayout(parts, names, neighbours).run();
