// The state that the views share: the selected size, the selected span and the theme.

const report = {
  plans: [],
  views: [],
  charts: {},
  size: 0,

    /** Selects a size, for all plans. */
  chooseSize(size) {
    this.size = size;
    const runs = this.plans.map((plan) => plan.sizes[size]);
    const { measured } = runs[0];
    const whole = Math.max(...[...runs, measured].map((run) => run.wholeTime));
    showOverview(runs[0]);
    showComparison(size);
    const note = byId('timeline-note');
    note.textContent = [...runs.map((run) => timelineNote(run)), measuredNote(runs[0])]
      .filter(Boolean)
      .join(' ');
    this.views.forEach((view, i) => view.show(runs[i] ?? measured, whole));
    this.selection = null;
    showDetails(null);
    this.choosePlan(this.view ?? this.views[0]);
    document.documentElement.dataset.size = String(runs[0].bytes);
  },

    /** Selects the plan of \p view, whose critical path, machine and chunks are then shown. */
  choosePlan(view) {
    if (view.run.isMeasured) return;
    this.view = view;
    byId('plan').value = String(this.views.indexOf(view));
    showPhases(view);
    this.pathList.show(view);
    this.machine.show(view.run);
    this.reduction.show(view);
    for (const other of this.views) other.repaint();
  },

  /** \p selection is { view, span, reveal }, or null. */
  select(selection) {
    for (const view of this.views) {
      view.selected = selection?.view === view ? selection.span : null;
      view.marked = null;
      view.repaint();
    }
    this.selection = selection;
    showDetails(selection);
    if (!selection) return;
    const { view, span } = selection,
      { spans } = view;
    if (this.view !== view) this.choosePlan(view);
    if (this.view === view) this.pathList.follow(span);
    if (selection.reveal) view.reveal(spans.tb[span], spans.begin[span], spans.end[span]);
  },

    /** Selects a segment of the critical path. */
  selectSegment(view, segment) {
    const { path, spans } = view.run;
    const tb = path.tb[segment],
      begin = path.begin[segment],
      end = path.begin[segment + 1];
    for (const other of this.views) other.selected = other.marked = null;
    view.marked = { tb, begin, end };
    if (spans) {
      view.selected = spans.at(tb, begin) ?? spans.at(tb, Math.max(end - 1, 0));
      showDetails(view.selected === null ? null : { view, span: view.selected });
    }
    for (const other of this.views) other.repaint();
    view.reveal(tb, begin, end);
  },

    /** Zooms the other views like a view that was zoomed. */
  zoomed(view, [from, to]) {
    for (const other of this.views)
      if (
        other !== view &&
        (Math.abs(other.range[0] - from) > 0.5 || Math.abs(other.range[1] - to) > 0.5)
      ) {
        other.range = [from, to];
        other.applyRange([from, to]);
      }
  },

  /** The state of the button that folds all ranks. */
  showFolding() {
    const views = this.views.filter(({ layout }) => layout.canFold);
    const button = byId('fold-ranks');
    button.hidden = views.length === 0;
    button.setAttribute('aria-pressed', String(views.every(({ layout }) => layout.areAllFolded)));
  },

  describe: (view, span) => describeSpan(report.views[view].run, span),

  redraw() {
    showSweep(this.charts);
    showOverview(this.plans[0].sizes[this.size]);
    for (const view of this.views) view.draw();
    drawLegend();
    this.pathList.draw();
    this.machine.draw();
    if (this.view.plan.origin) this.reduction.draw();
    showSizeTable();
    showDetails(this.selection ?? null);
  },
};

function timelineNote(run) {
  const of = planName(report.plans.indexOf(run.plan)),
    name = of && `${of} `;
  if (!run.timeline)
    return (
      `The ${name}timeline of this size was omitted to limit the size of the report; select a ` +
      'larger size, or write a report of this size only.'
    );
  if (run.timeline.until !== null)
    return (
      `The ${name}timeline is limited to the first ${timeText(run.timeline.until)} of ` +
      `${timeText(run.wholeTime)} (${plural(run.spans.count, 'span')}). ` +
      'Links and the critical path are complete.'
    );
  return '';
}

/** How long the measured execution of a size took, or that there is none. */
function measuredNote({ bytes, time, measured }) {
  if (!isMeasured(report.plans[0])) return '';
  if (!measured.timeline) return `No execution was measured with ${bytesText(bytes)}.`;
  return (
    `Measured: ${timeText(measured.time)} (${measured.transport}). ` +
    `Predicted: ${timeText(time)}.`
  );
}
const isMeasured = (plan) => plan.sizes.some(({ measured }) => measured.timeline);

function drawLegend() {
  const { colours } = theme,
    [view] = report.views;
  const keys = [];
  const key = (name, colour) =>
    keys.push(
      element('span', {}, element('i', { class: 'dot', style: `background: ${colour}` }), name),
    );
  if (view.colourBy === 'op') {
    const used = new Set(report.plans.flatMap((plan) => [...new Set(plan.step.op)]));
    view.plan.ops.forEach((op, i) => used.has(i) && key(op.name, colours.ops[op.name]));
    key('waits', mix(colours.causes.dependence, colours.row, 0.55));
  } else {
    for (const name of view.plan.causeNames) key(name, colours.causes[name]);
  }
  if (view.showPath)
    keys.push(element('span', {}, element('i', { class: 'rule' }), 'critical path'));
  byId('legend').replaceChildren(...keys);
}

function press(on, off) {
  byId(on).setAttribute('aria-pressed', 'true');
  byId(off).setAttribute('aria-pressed', 'false');
}

function listenToControls() {
  byId('theme').addEventListener('click', () =>
    theme.set(theme.name === 'dark' ? 'light' : 'dark'),
  );
  byId('size').addEventListener('change', (event) => report.chooseSize(Number(event.target.value)));
  const colourBy = (what, on, off) =>
    byId(on).addEventListener('click', () => {
      press(on, off);
      for (const view of report.views) {
        view.colourBy = what;
        view.repaint();
      }
      drawLegend();
    });
  colourBy('cause', 'by-cause', 'by-op');
  colourBy('op', 'by-op', 'by-cause');
  byId('show-path').addEventListener('change', (event) => {
    for (const view of report.views) {
      view.showPath = event.target.checked;
      view.repaint();
    }
    drawLegend();
  });
  byId('fold-ranks').addEventListener('click', (event) => {
    const isFolded = event.target.getAttribute('aria-pressed') !== 'true';
    for (const view of report.views) view.foldAll(isFolded);
  });
  byId('zoom-all').addEventListener('click', () => {
    const [view] = report.views;
    view.zoom(0, view.whole);
  });
  const pathMode = (mode, on, off) =>
    byId(on).addEventListener('click', () => {
      press(on, off);
      report.pathList.setMode(mode);
    });
  pathMode('order', 'path-order', 'path-lines');
  pathMode('lines', 'path-lines', 'path-order');
  const plan = byId('plan');
  plan.hidden = document.querySelector('label[for=plan]').hidden = report.plans.length < 2;
  report.plans.forEach((_, i) => plan.append(element('option', { value: i }, planName(i))));
  plan.addEventListener('change', () => report.choosePlan(report.views[plan.value]));
  byId('slice').addEventListener('input', (event) => {
    report.machine.stop();
    report.machine.setSlice(Number(event.target.value));
  });
  byId('play').addEventListener('click', () => report.machine.toggle());
  addEventListener('beforeprint', () => theme.name === 'dark' && theme.set('light'));
}

function fillSizes() {
  const select = byId('size');
  const { sizes } = report.plans[0];
  sizes.forEach((run, i) => {
    const text = bytesText(run.bytes) + (run.timeline ? '' : ' (no timeline)');
    select.append(element('option', { value: i }, text));
  });
  select.value = String(sizes.length - 1);
  select.disabled = sizes.length === 1;
}

async function start() {
  const { report: json, column } = await readData();
  report.plans = json.plans.map((plan) => new Plan(plan, json, column));
  report.machine = new MachineView(byId('machine-chart'), json.machine, column);
  byId('curves').hidden = report.plans[0].sizes.length === 1;
  report.charts = { time: makeChart(byId('time-chart')), rate: makeChart(byId('rate-chart')) };
  const isCompared = isMeasured(report.plans[0]);
  const addView = (plan, title, text) => {
    if (report.plans.length > 1 || isCompared)
      byId('views').append(element('h3', { class: 'view-title' }, text));
    const view = new TimelineView(byId('views'), plan, title);
    view.showPath = true;
    report.views.push(view);
  };
  report.plans.forEach((plan, i) => {
    const title = `${isCompared ? 'predicted ' : ''}${planName(i)} ${plan.name}`.replace('  ', ' ').trim();
    addView(plan, title, `${title} (${plan.file})`);
  });
  if (isCompared) {
    const [plan] = report.plans;
    addView(plan, `measured ${plan.name}`, `measured ${plan.name}`);
  }
  report.reduction = new ReductionView(byId('reduction-chart'));
  report.pathList = new PathList(byId('path-list'), byId('path-note'));
  fillSizes();
  listenToControls();
  theme.listeners.push(() => {
    byId('heat').style.background = `linear-gradient(to right, ${theme.colours.heat.join(', ')})`;
  });
  theme.set(theme.name);
  drawLegend();
  showSweep(report.charts);
  showSizeTable();
  showWhatIf();
  report.chooseSize(report.plans[0].sizes.length - 1);
  theme.listeners.push(() => report.redraw());
    // Runs after the first frame was drawn.
  requestAnimationFrame(() =>
    setTimeout(() => {
      performance.mark('rendered');
      document.documentElement.dataset.rendered = 'true';
    }),
  );
}

window.cclReport = report; // for tests and debugging
start();
