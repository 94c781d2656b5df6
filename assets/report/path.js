// The critical path as a list, in order of time or grouped by source line. The list is virtual:
// only the visible entries are elements of the page, so that long paths scroll smoothly.

const entryHeight = 42;

class PathList {
  constructor(node, note) {
    this.node = node;
    this.note = note;
    this.filter = null;
    this.mode = 'order';
    this.active = -1;
    this.inner = element('div', { class: 'inner' });
    node.append(this.inner);
    node.addEventListener('scroll', () => this.draw());
    node.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(node);
  }

  show(view) {
    this.view = view;
    this.run = view.run;
    this.filter = null;
    this.refresh();
  }
  setMode(mode) {
    this.mode = mode;
    this.filter = null;
    this.refresh();
  }

  refresh() {
    const { path } = this.run;
    this.active = -1;
    this.entries = this.mode === 'lines' && this.filter === null ? this.byLine() : this.segments();
    this.note.replaceChildren(...this.describe(path));
    this.inner.style.height = `${this.entries.length * entryHeight}px`;
    this.node.scrollTop = 0;
    this.draw();
    markPhase(this.filter?.phase ?? null);
  }

  describe(path) {
    if (path.count === 0) return ['Too many step executions to record the critical path.'];
    if (this.filter === null)
      return [`${plural(path.count, 'segment')}, ${timeText(path.begin[path.count])} in total`];
    const back = element('button', { type: 'button' }, this.filter.all);
    back.addEventListener('click', () => {
      this.filter = null;
      this.refresh();
      this.node.focus();
    });
    return [`${this.filter.name} `, back];
  }

    /** Filters the list by a phase; null removes the filter. */
  showPhase(phase) {
    const holds = (i) => phaseOfSegment(this.run, i) === phase;
    this.filter = phase === null ? null : { name: phaseText(phase), phase, all: 'All phases', holds };
    this.refresh();
  }
  showLine(loc) {
    const { path } = this.run,
      { loc: locs } = this.view.plan.step;
    const holds = (i) => locs[path.step[i]] === loc;
    this.filter = { name: this.lineName(loc), phase: null, all: 'All lines', holds };
    this.refresh();
  }

  lineName(loc) {
    return this.view.plan.locationName(loc) || 'no source line';
  }

  segments() {
    const { path } = this.run,
      all = [];
    for (let i = 0; i < path.count; ++i)
      if (this.filter === null || this.filter.holds(i)) all.push({ segment: i });
    return all;
  }

    /** Source lines in descending order of time. */
  byLine() {
    const { path } = this.run,
      { loc } = this.view.plan.step;
    const lines = new Map();
    for (let i = 0; i < path.count; ++i) {
      const at = loc[path.step[i]];
      if (!lines.has(at)) lines.set(at, { line: at, length: 0, count: 0 });
      lines.get(at).length += path.length[i];
      ++lines.get(at).count;
    }
    return [...lines.values()].sort((a, b) => b.length - a.length || a.line - b.line);
  }

  row(index) {
    const entry = this.entries[index],
      { path } = this.run,
      { plan } = this.view;
    const whole = path.begin[path.count];
    const row = element('div', {
      class: 'entry',
      role: 'option',
      id: `path-${index}`,
      'aria-setsize': this.entries.length,
      'aria-posinset': index + 1,
      'aria-selected': String(index === this.active),
      style: `top: ${index * entryHeight}px; height: ${entryHeight}px`,
    });
    const line = (...parts) => element('div', {}, ...parts);
    if (entry.segment === undefined) {
      const share = entry.length / whole;
      row.append(
        line(
          element('span', { class: 'name' }, this.lineName(entry.line)),
          element('b', {}, percent(share)),
        ),
        line(
          element('span', {}, plural(entry.count, 'segment')),
          element('span', {}, timeText(entry.length)),
        ),
        element('i', { class: 'share', style: `width: ${share * 100}%` }),
      );
    } else {
      const i = entry.segment,
        step = path.step[i];
      row.append(
        line(
          element(
            'span',
            { class: 'name' },
            causeDot(plan.causeNames[path.cause[i]]),
            plan.stepName(step, path.tb[i]),
          ),
          element('b', {}, timeText(path.length[i])),
        ),
        line(
          element('span', {}, `${plan.causeNames[path.cause[i]]}  ${plan.locationOf(step)}`),
          element('span', {}, `at ${timeText(path.begin[i])}`),
        ),
      );
    }
    row.addEventListener('click', () => this.activate(index));
    return row;
  }

  draw() {
    if (!this.entries) return;
    const { scrollTop, clientHeight } = this.node;
    const from = Math.max(Math.floor(scrollTop / entryHeight) - 4, 0);
    const to = Math.min(
      Math.ceil((scrollTop + clientHeight) / entryHeight) + 4,
      this.entries.length,
    );
    const rows = [];
    for (let i = from; i < to; ++i) rows.push(this.row(i));
    this.inner.replaceChildren(...rows);
    if (this.active >= 0) this.node.setAttribute('aria-activedescendant', `path-${this.active}`);
    else this.node.removeAttribute('aria-activedescendant');
  }

    /** Activates an entry and selects its segment in the other views. */
  activate(index) {
    const entry = this.entries[index];
    if (entry.segment === undefined) {
      this.showLine(entry.line);
      return;
    }
    this.mark(index);
    report.selectSegment(this.view, entry.segment);
  }
  mark(index) {
    this.active = index;
    const top = index * entryHeight,
      { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top - entryHeight;
    else if (top + entryHeight > scrollTop + clientHeight)
      this.node.scrollTop = top + 2 * entryHeight - clientHeight;
    this.draw();
  }

    /** Marks the segment that contains a span of the timeline, if there is one. */
  follow(span) {
    const { path, spans } = this.run;
    const begin = spans.begin[span],
      end = spans.end[span];
    let i = Math.max(firstWhere(path.count, (n) => path.begin[n] > begin) - 1, 0),
      found = -1;
    for (; i < path.count && path.begin[i] < end; ++i)
      if (path.tb[i] === spans.tb[span] && path.begin[i + 1] > begin) {
        found = i;
        break;
      }
    this.mark(found < 0 ? -1 : this.entries.findIndex((entry) => entry.segment === found));
  }

  key(event) {
    const page = Math.max(Math.floor(this.node.clientHeight / entryHeight) - 1, 1);
    const moves = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key === 'Enter' && this.active >= 0) return this.activate(this.active);
    if (event.key === 'Escape' && this.filter !== null) {
      this.filter = null;
      return this.refresh();
    }
    if (!(event.key in moves) || this.entries.length === 0) return undefined;
    event.preventDefault();
    const next = Math.min(Math.max(this.active + moves[event.key], 0), this.entries.length - 1);
        // A segment is shown immediately; a source line is only marked, and Enter expands it.
    if (this.entries[next].segment === undefined) this.mark(next);
    else this.activate(next);
    return undefined;
  }
}
