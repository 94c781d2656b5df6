// A drawing of a machine: items (endpoints, switches and closed groups), frames and lines. A line
// represents all links from one item to another, in one direction.

class Scene {
  constructor(machine) {
    this.machine = machine;
    const { json, parts } = machine;
    Object.assign(this, parts ? this.arrange(parts) : this.placed());
    this.isCircle = json.arrangement === 'circle';
    this.itemOf = parts ? this.itemsOfParts(parts) : this.itemsOfPlaces();
    this.lines = this.findLines();
    if (parts) leadAround(this.items, this.lines, this.isCircle ? 4 : -2);
    this.fit();
    this.isPlaced = !parts;
    this.offset = parts ? 2.6 : 0.1;
    this.margin = parts ? 8 : 0.6;
    this.name = json.name;
  }

  // --- Machines of groups ---------------------------------------------------------------------

  arrange(parts) {
    const { json, from, to } = this.machine;
    const neighbours = json.nodes.map(() => []);
    from.forEach((a, link) => {
      neighbours[a].push(to[link]);
      neighbours[to[link]].push(a);
    });
    return json.arrangement === 'circle'
      ? layOutCircle(parts, json.nodes)
      : layOutTiers(parts, json.nodes, neighbours);
  }

  /** By node: the index of its item, or of the closed group that contains it. */
  itemsOfParts(parts) {
    const byNode = new Map(),
      byGroup = new Map();
    this.items.forEach((item, i) =>
      item.kind === 'group' ? byGroup.set(item.group, i) : byNode.set(item.node, i),
    );
    return parts
      .closedGroups()
      .map((group, node) => (group ? byGroup.get(group) : byNode.get(node)));
  }

  // --- Machines with given positions ----------------------------------------------------------

  placed() {
    const { json, endpoints, x, y } = this.machine;
    const side = json.endpoint_side;
    const items = Array.from(endpoints, (node) => ({
      kind: 'endpoint',
      node,
      x: x[node],
      y: y[node],
      width: side,
      height: side,
    }));
    // Nodes outside all boxes are switches between them.
    const isEndpoint = new Set(endpoints),
      boxes = new Set(json.boxes.map(([name]) => name));
    json.nodes.forEach((name, node) => {
      const [prefix] = name.split('.'),
        label = name.split('.').pop();
      if (!isEndpoint.has(node) && !boxes.has(prefix))
        items.push({
          kind: 'switch',
          node,
          name: label,
          x: x[node],
          y: y[node],
          width: 5,
          height: 2,
        });
    });
    const frames = json.boxes.map(([name, left, top, width, height]) => {
      const isInner = name.includes('.');
      return { name: name.split('.').pop(), x: left, y: top, width, height, isInner, group: null };
    });
    return { width: json.width, height: json.height, items, frames };
  }

  itemsOfPlaces() {
    const items = Array.from(this.machine.json.nodes, () => undefined);
    this.items.forEach((item, i) => {
      items[item.node] = i;
    });
    return items;
  }

  // --- Lines ----------------------------------------------------------------------------------

  findLines() {
    const { machine, itemOf, items } = this;
    const lines = [],
      byEnds = new Map();
    for (let link = 0; link < machine.from.length; ++link) {
      if (!machine.present[link]) continue;
      if (!machine.parts) {
        const points = machine.placedPoints(link);
        const [a, b] = [points[0], points.at(-1)];
        if (a[0] !== b[0] || a[1] !== b[1]) lines.push({ links: [link], points });
        continue;
      }
      const from = itemOf[machine.from[link]],
        to = itemOf[machine.to[link]];
      if (from === to) continue;
      const key = from * items.length + to;
      if (byEnds.has(key)) {
        byEnds.get(key).links.push(link);
        continue;
      }
      const line = { from, to, links: [link], points: this.ends(items[from], items[to]) };
      byEnds.set(key, line);
      lines.push(line);
    }
    return lines;
  }

  /**
   * The ends of a line: the middle of both items or, between two tiers, places on their edges that
   * face each other, so that a line leads over no item of either tier.
   */
  ends(a, b) {
    const isAbove = b.y - a.y > (a.height + b.height) / 2,
      isBelow = a.y - b.y > (a.height + b.height) / 2;
    if (this.isCircle || (!isAbove && !isBelow)) return [a, b].map(({ x, y }) => [x, y]);
    const end = (item, other, side) => {
      const space = Math.max(item.width / 2 - 10, 0);
      const aside = Math.min(Math.max((other.x - item.x) * 0.12, -space), space);
      return [item.x + aside, item.y + side * (item.height / 2 - 2)];
    };
    return [end(a, b, isAbove ? 1 : -1), end(b, a, isAbove ? -1 : 1)];
  }

  /** Extends the drawing to the bends of all lines. */
  fit() {
    let [left, top, right, bottom] = [0, 0, this.width, this.height];
    for (const { points } of this.lines)
      for (const [x, y] of points) {
        left = Math.min(left, x - 4);
        top = Math.min(top, y - 4);
        right = Math.max(right, x + 4);
        bottom = Math.max(bottom, y + 4);
      }
    if (!this.machine.parts) return;
    const move = (part) => {
      part.x -= left;
      part.y -= top;
    };
    this.items.forEach(move);
    this.frames.forEach(move);
    for (const line of this.lines) line.points = line.points.map(([x, y]) => [x - left, y - top]);
    this.width = right - left;
    this.height = bottom - top;
  }

  /** The links inside each closed group. */
  linksInside() {
    const { machine, itemOf, items } = this;
    const inside = new Map();
    for (const use of machine.run.links) {
      const item = itemOf[machine.from[use.id]];
      if (item === undefined || item !== itemOf[machine.to[use.id]] || items[item].kind !== 'group')
        continue;
      if (!inside.has(item)) inside.set(item, []);
      inside.get(item).push(use.id);
    }
    return inside;
  }
}

/** Bends lines that lead over items between their ends into arcs beside them. */
function leadAround(items, lines, space) {
  const isHit = (points, line) => {
    for (let i = 0; i + 1 < points.length; ++i)
      for (let k = 0; k < items.length; ++k)
        if (k !== line.from && k !== line.to && crosses(points[i], points[i + 1], items[k], space))
          return true;
    return false;
  };
  const bent = new Map();
  for (const line of lines) {
    const there = bent.get(`${line.to} ${line.from}`);
    if (there) {
      line.points = [...there].reverse();
      continue;
    }
    if (!isHit(line.points, line)) continue;
    const [a, b] = line.points;
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    for (const height of [0.12, -0.12, 0.2, -0.2, 0.3, -0.3, 0.42, -0.42, 0.6, -0.6]) {
      // The free side of a row of members is that without the switches.
      const isBack = b[0] < a[0] || (b[0] === a[0] && b[1] < a[1]);
      const side = isBack === Boolean(items[line.from].flip) ? 1 : -1;
      const points = arc(a, b, (Math.abs(height) * length + 14) * Math.sign(height) * side);
      if (isHit(points, line)) continue;
      line.points = points;
      bent.set(`${line.from} ${line.to}`, points);
      break;
    }
  }
}

/** Half an ellipse from \p a to \p b, \p height to the right-hand side in the middle. */
function arc(a, b, height, parts = 14) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy);
  return Array.from({ length: parts + 1 }, (_, i) => {
    const angle = (Math.PI * i) / parts;
    const along = (1 - Math.cos(angle)) / 2,
      across = (Math.sin(angle) * height) / length;
    return [a[0] + dx * along - dy * across, a[1] + dy * along + dx * across];
  });
}

/** True if the segment from \p a to \p b crosses \p item: clipped to its box, axis by axis. */
function crosses([ax, ay], [bx, by], item, space) {
  let begin = 0,
    end = 1;
  const clip = (start, step, middle, half) => {
    const low = middle - half - start,
      high = middle + half - start;
    if (Math.abs(step) < 1e-9) return low < 0 && high > 0;
    begin = Math.max(begin, Math.min(low / step, high / step));
    end = Math.min(end, Math.max(low / step, high / step));
    return begin < end;
  };
  return (
    clip(ax, bx - ax, item.x, item.width / 2 + space) &&
    clip(ay, by - ay, item.y, item.height / 2 + space)
  );
}
