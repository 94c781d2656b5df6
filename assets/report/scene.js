// A drawing of a machine: items (endpoints, switches and closed groups), frames and lines. A line
// represents all links from one item to another, in one direction.

class Scene {
  constructor(machine) {
    this.machine = machine;
    const { json, parts } = machine;
    this.isPlaced = json.arrangement === 'placed';
    this.isCircle = json.arrangement === 'circle';
    /** Given positions are kept, unless boxes are closed. */
    this.isFolded = Boolean(parts) && parts.open.size < parts.groups.length;
    /** So are those of small machines of groups. */
    this.isGiven = !this.isPlaced && Boolean(json.frames) && !this.isFolded;
    Object.assign(this, this.isPlaced ? this.placed() : this.arrange(parts));
    this.itemOf = parts ? this.itemsOfParts(parts) : this.itemsOfPlaces();
    this.marks = [];
    this.lines = this.isPlaced ? this.placedLines() : this.findLines();
    if (!this.isPlaced) leadAround(this.items, this.lines, this.isCircle ? 4 : -2, 14);
    else if (this.isFolded) this.leadAroundBoxes();
    this.fit();
    this.bundles = findBundles(this);
    this.offset = this.isPlaced ? 0.1 : 2.6;
    this.margin = this.isPlaced ? 0.6 : 8;
    this.name = json.name;
  }

  // --- Machines of groups ---------------------------------------------------------------------

  arrange(parts) {
    const { json, from, to } = this.machine;
    if (this.isGiven) return this.given(parts);
    const neighbours = json.nodes.map(() => []);
    from.forEach((a, link) => {
      neighbours[a].push(to[link]);
      neighbours[to[link]].push(a);
    });
    return json.arrangement === 'circle'
      ? layOutCircle(parts, json.nodes)
      : layOutTiers(parts, json.nodes, neighbours);
  }

  /** A machine of groups with given positions. */
  given(parts) {
    const { json, x, y, itemWidth, itemHeight } = this.machine;
    const items = json.nodes.map((name, node) => {
      const place = { node, x: x[node], y: y[node], width: itemWidth[node], height: itemHeight[node] };
      if (parts.isEndpoint[node]) return { ...place, kind: 'endpoint' };
      return { ...switchBox(parts, node, json.nodes), ...place };
    });
    const frames = json.frames.map(([id, left, top, width, height]) => {
      const group = parts.groups[id], name = parts.shortName(group.name, group.parent);
      return { group, name, x: left, y: top, width, height };
    });
    return { width: json.width, height: json.height, items, frames };
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
    const { json, endpoints, parts } = this.machine;
    const side = json.endpoint_side;
    const isOutside = (name) =>
      parts && !parts.groups.some((group) => group.name === name.split('.')[0]);
    const folded = this.isFolded ? arrangeBoards(this.machine, json.nodes.some(isOutside)) : null;
    const { width, height } = folded ?? json;
    const moves = new Map(
      folded?.boards.map(({ group, isOpen, move }) => [group.name, isOpen ? move : null]),
    );
    /** The move of a node or box by the name of its outer box; null if that is closed. */
    this.moveOf = (name, node) => {
      if (!folded) return [0, 0];
      if (!isOutside(name)) return moves.get(name.split('.')[0]);
      return [folded.switchAt[0] - this.machine.x[node], folded.switchAt[1] - this.machine.y[node]];
    };
    const items = [];
    const add = (node, item) => {
      const at = this.place(node);
      if (at) items.push({ node, x: at[0], y: at[1], ...item });
    };
    for (const node of endpoints) add(node, { kind: 'endpoint', width: side, height: side });
    // Nodes outside all boxes are switches between them.
    const isEndpoint = new Set(endpoints);
    json.nodes.forEach((name, node) => {
      if (!isEndpoint.has(node) && (!parts || isOutside(name)))
        add(node, { kind: 'switch', name: name.split('.').pop(), width: 5, height: 2 });
    });
    for (const { group, isOpen, x, y, ...box } of folded?.boards ?? [])
      if (!isOpen)
        items.push({
          kind: 'group',
          group,
          name: group.name,
          x: x + box.width / 2,
          y: y + box.height / 2,
          width: box.width,
          height: box.height,
        });
    const frames = json.boxes.flatMap(([name, left, top, frameWidth, frameHeight]) => {
      const move = this.moveOf(name),
        isInner = name.includes('.');
      const group = isInner ? null : parts.groups.find((one) => one.name === name);
      return move === null
        ? []
        : [
            {
              name: name.split('.').pop(),
              x: left + move[0],
              y: top + move[1],
              width: frameWidth,
              height: frameHeight,
              isInner,
              group,
            },
          ];
    });
    return { width, height, items, frames };
  }

  /** The position of a node, or null in a closed box. */
  place(node) {
    const { json, x, y } = this.machine;
    const move = this.moveOf(json.nodes[node], node);
    return move && [x[node] + move[0], y[node] + move[1]];
  }

  placedLines() {
    const { machine, itemOf, items } = this;
    const lines = [],
      byEnds = new Map();
    for (let link = 0; link < machine.from.length; ++link) {
      const nodes = [machine.from[link], machine.to[link]];
      const moves = nodes.map((node) => this.moveOf(machine.json.nodes[node], node));
      if (moves[0] && moves[1]) {
        const isMoved = moves[0][0] !== moves[1][0] || moves[0][1] !== moves[1][1];
        // The bends of a line between boxes lose their sense if these move apart.
        const points = isMoved
          ? nodes.map((node) => this.place(node))
          : machine.placedPoints(link).map(([x, y]) => [x + moves[0][0], y + moves[0][1]]);
        const [a, b] = [points[0], points.at(-1)];
        if (a[0] === b[0] && a[1] === b[1]) continue;
        this.mark(link, () => points);
        if (machine.present[link]) lines.push({ links: [link], points });
        continue;
      }
      if (!machine.present[link]) continue;
      const [from, to] = nodes.map((node, i) => (moves[i] ? node : -1 - itemOf[node]));
      if (from === to) continue;
      const key = `${from} ${to}`;
      if (byEnds.has(key)) {
        byEnds.get(key).links.push(link);
        continue;
      }
      const places = nodes.map(
        (node) => this.place(node) ?? [items[itemOf[node]].x, items[itemOf[node]].y],
      );
      // A line ends at the edge of a closed box above or below.
      const points = places.map(([x, y], end) => {
        const half = moves[end] ? 0 : items[itemOf[nodes[end]]].height / 2,
          far = places[1 - end][1] - y;
        return [x, Math.abs(far) > half ? y + Math.sign(far) * half : y];
      });
      // Nodes that are not drawn have negative numbers.
      const [a, b] = nodes.map((node) => itemOf[node] ?? -1 - node);
      const line = { from: a, to: b, links: [link], points };
      byEnds.set(key, line);
      lines.push(line);
    }
    return lines;
  }

  /** Lines between closed boxes, and from them to others, lead around further closed boxes. */
  leadAroundBoxes() {
    const boxes = this.items.map((item) =>
      item.kind === 'group' ? item : { ...item, width: -1, height: -1 },
    );
    leadAround(
      boxes,
      this.lines.filter(({ from }) => from !== undefined),
      0.3,
      1.5,
    );
  }

  itemsOfPlaces() {
    const items = Array.from(this.machine.json.nodes, () => undefined);
    this.items.forEach((item, i) => {
      items[item.node] = i;
    });
    return items;
  }

  // --- Lines ----------------------------------------------------------------------------------

  /** Notes a link that is missing, or slower than other links of its kind. */
  mark(link, pointsOf) {
    const { present, slow } = this.machine;
    if (present[link] && !slow.has(link)) return;
    this.marks.push({ links: [link], points: pointsOf(), isMissing: !present[link] });
  }

  findLines() {
    const { machine, itemOf, items } = this;
    const lines = [],
      byEnds = new Map();
    for (let link = 0; link < machine.from.length; ++link) {
      const from = itemOf[machine.from[link]],
        to = itemOf[machine.to[link]];
      if (from === to) continue;
      const points = () =>
        (this.isGiven && machine.bends.get(link)) || this.ends(items[from], items[to]);
      this.mark(link, points);
      if (!machine.present[link]) continue;
      const key = from * items.length + to;
      if (byEnds.has(key)) {
        byEnds.get(key).links.push(link);
        continue;
      }
      const line = { from, to, links: [link], points: points() };
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
    if (this.isPlaced) return;
    const move = (part) => {
      part.x -= left;
      part.y -= top;
    };
    this.items.forEach(move);
    this.frames.forEach(move);
    for (const line of [...this.lines, ...this.marks])
      line.points = line.points.map(([x, y]) => [x - left, y - top]);
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
function leadAround(items, lines, space, least) {
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
      const side = isBack === Boolean(items[line.from]?.flip) ? 1 : -1;
      const points = arc(a, b, (Math.abs(height) * length + least) * Math.sign(height) * side);
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
