// The arrangement of a machine on a circle, for groups whose members have direct links: no line
// between two points of a circle leads over a third. Switches are on the circle, their endpoints
// outside, and a group is a sector.

class CircleLayout {
  constructor(parts, names) {
    this.parts = parts;
    this.names = names;
    this.places = []; ///< on the circle: { box, width, outer }
    this.sectors = []; ///< open groups: { group, first, end } in places
  }

  run() {
    this.collect(this.parts.groups[0]);
    const { places } = this;
    const around = places.reduce((sum, place) => sum + place.width, 0);
    this.radius = Math.max(around / (2 * Math.PI), 90);
    const outer = this.radius + Math.max(...places.map((place) => (place.outer.length ? 64 : 30)));
    const hasNames = this.sectors.length > 0;
    const half = outer + (hasNames ? 26 : 6);
    const items = [],
      frames = [];
    let at = 0;
    const angles = places.map((place) => {
      const begin = at;
      at += (place.width / around) * 2 * Math.PI;
      return [begin, at].map((angle) => angle - Math.PI / 2);
    });
    const put = (box, angle, r) =>
      items.push({ ...box, x: half + r * Math.cos(angle), y: half + r * Math.sin(angle) });
    places.forEach((place, i) => {
      const [begin, end] = angles[i],
        gap = (place.gap / around) * 2 * Math.PI;
      const width = end - begin - gap,
        middle = begin + width / 2;
      put(place.box, middle, this.radius);
      place.outer.forEach((box, k) =>
        put(box, middle + ((k + 0.5) / place.outer.length - 0.5) * width * 0.9, this.radius + 46),
      );
    });
    for (const { group, first, end } of this.sectors) {
      const gap = (places[end - 1].gap / around) * 2 * Math.PI;
      frames.push({
        group,
        name: group.name,
        x: half,
        y: half,
        sector: {
          begin: angles[first][0],
          end: angles[end - 1][1] - gap,
          inner: this.radius - 22,
          outer,
        },
      });
    }
    return { width: 2 * half, height: 2 * half, items, frames };
  }

  collect(group) {
    const { parts, places } = this,
      first = places.length;
    const switches = group.nodes.filter((node) => !parts.isEndpoint[node]);
    const outer = group.nodes.filter((node) => parts.isEndpoint[node]);
    const side = outer.length > 16 ? 18 : 24;
    const endpoint = (node) => ({ kind: 'endpoint', node, width: side, height: side });
    for (const node of switches) {
      const box = switchBox(parts, node, this.names);
      const own = switches.length === 1 ? outer.map(endpoint) : [];
      places.push({
        box,
        width: Math.max(box.width + 12, own.length * 26 + 6),
        outer: own,
        gap: 0,
      });
    }
    if (switches.length !== 1)
      for (const node of outer)
        places.push({ box: endpoint(node), width: side + 5, outer: [], gap: 0 });
    for (const child of group.children)
      if (parts.open.has(child.id)) {
        this.collect(child);
      } else {
        const box = closedBox(parts, child);
        places.push({ box, width: box.width + 8, outer: [], gap: 0 });
      }
    // A switch with its endpoints has no frame.
    if (!group.parent || places.length - first < 2) return;
    places.at(-1).width += 16;
    places.at(-1).gap += 16;
    this.sectors.push({ group, first, end: places.length });
  }
}

const layOutCircle = (parts, names) => new CircleLayout(parts, names).run();
