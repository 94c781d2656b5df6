// The page of a portfolio: fills the sections for the chosen collective.

/** The most programs in the charts. */
const maxPrograms = 5;

const report = {
  ...JSON.parse(byId('data').textContent),
  charts: {},
  get tuned() {
    return this.collectives[Number(byId('collective').value)];
  },
};

const timeCell = (ps) => (ps === null ? '-' : `${exactTime(ps).replace(/ ns$/, '')} ns`);
const rateOf = (bytes, ps) => (bytes * 1e12) / ps;
const shareOf = (bound, binds, ps) => (bound ? `${percent(bound / ps)} ${binds}` : '-');
const titleOf = (tuned, [plan]) => tuned.plans[plan].title;

/** Puts a table into an element; \p texts are the columns that are aligned to the left. */
function fillTable(id, caption, head, rows, texts = []) {
  const node = table(caption, head, rows);
  for (const row of node.rows)
    for (const i of texts) row.cells[i].classList.add('text');
  byId(id).replaceChildren(node);
}

function showFacts(tuned) {
  const where = [report.target, ...report.settings].join(', ');
  byId('title').textContent = `${tuned.collective} on ${where}`;
  const facts = [
    plural(tuned.ranks, 'rank') + (tuned.nodes > 1 ? ` in ${tuned.nodes} nodes` : ''),
    report.dtype,
    tuned.in_place ? 'in place' : 'out of place',
    `network ${report.network}`,
    ...(tuned.runtime === 'sim' ? [] : [`for ${tuned.runtime}`]),
    `${plural(tuned.candidates, 'candidate')}, of which ${tuned.usable.toLocaleString('en')} compile`,
    `${plural(tuned.messages, 'message')} simulated`,
    ...(tuned.ended_by ? [`${tuned.ended_by} ended the search`] : []),
  ];
  byId('facts').replaceChildren(...facts.map((fact) => element('span', {}, fact)));
}

/** The programs that are nearest to the best plan at some size. */
function nearestPrograms(tuned) {
  const loss = ({ times }) =>
    Math.min(
      ...times.map((time, s) =>
        time === null ? Infinity : time / tuned.sizes[s].best[1],
      ),
    );
  return tuned.programs
    .map((program, order) => ({ ...program, order, loss: loss(program) }))
    .filter((program) => program.loss < Infinity)
    .sort((a, b) => a.loss - b.loss || a.order - b.order)
    .slice(0, maxPrograms);
}

function showCurves(tuned) {
  const bytes = tuned.sizes.map((size) => size.bytes),
    colours = lineColours();
  const thick = { lineStyle: { width: 5, opacity: 0.3 }, symbol: 'none', z: 1 },
    dotted = { lineStyle: { width: 2, type: 'dotted' }, symbol: 'none' };
  const lines = [
    ['best plan', theme.colours.accent, tuned.sizes.map((size) => size.best?.[1] ?? 0), thick],
    ...nearestPrograms(tuned).map(({ name, times }, i) => [name, colours[i], times, {}]),
  ];
  if (tuned.sizes.some((size) => size.bound))
    lines.push(['lower bound', theme.colours.bound, tuned.sizes.map((size) => size.bound ?? 0), dotted]);
  byId('keys').replaceChildren(
    ...lines.map(([name, colour]) =>
      element('li', {}, element('span', { class: 'rule', style: `background: ${colour}` }), name),
    ),
  );
  const curves = (value) =>
    lines.map(([name, colour, times, style]) =>
      curve(
        name,
        colour,
        bytes.map((size, s) => [size, times[s] ? value(size, times[s]) : 0]),
        bytes.length > 1 ? style : { ...style, symbol: 'circle' },
      ),
    );
  sizeChart(report.charts.time, bytes, curves((_, time) => time), timeText);
  sizeChart(report.charts.rate, bytes, curves(rateOf), rateText);
  for (const [id, what] of [['time-chart', 'Time'], ['rate-chart', 'Algorithm bandwidth']])
    byId(id).setAttribute('aria-label', `${what} over size; the table below has the numbers`);
}

function showBest(tuned) {
  const rows = tuned.sizes.map(({ bytes, bound, binds, best, runner_up: second }) => {
    if (!best) return [bytesText(bytes), '-', '-', '-', 'none runs with this size', ''];
    return [
      bytesText(bytes),
      timeCell(best[1]),
      rateText(rateOf(bytes, best[1])),
      shareOf(bound, binds, best[1]),
      titleOf(tuned, best),
      second,
    ];
  });
  fillTable(
    'best-table',
    'The best plan of each size',
    ['size', 'time', 'algbw', 'of bound', 'best plan', 'runner-up'],
    rows,
    [4, 5],
  );
}

function showPortfolio(tuned) {
  const ranges = [...tuned.portfolio, ...tuned.gaps].sort((a, b) => a.from - b.from);
  const first = ranges[0].from,
    last = ranges.at(-1).to;
  const place = (bytes) => Math.log2(bytes / first) / Math.max(Math.log2(last / first), 1e-9);
  byId('ranges').replaceChildren(
    ...ranges.map(({ plan, from, to, server }) => {
      const width = last > first ? place(to + 1) - place(from) : 1;
      const text = plan === undefined ? server : tuned.plans[plan].title;
      return element('span', { style: `flex: ${width} 1 0`, title: text }, text);
    }),
  );
  fillTable(
    'portfolio-table',
    'The plans of the portfolio',
    ['from', 'to', 'threadblocks', 'channels', 'plan'],
    ranges.map(({ plan, from, to, server, reason }) => {
      if (plan === undefined)
        return [exactBytes(from), exactBytes(to), '-', '-', `${server}: ${reason}`];
      const { command, threadblocks, channels } = tuned.plans[plan];
      return [exactBytes(from), exactBytes(to), threadblocks, channels, command];
    }),
    [4],
  );
}

function showFront(tuned) {
  const { front } = tuned.sizes[Number(byId('size').value)];
  const rows = front.map(([plan, time]) => ({ ...tuned.plans[plan], time }));
  frontChart(report.charts.front, rows.map((row) => ({ value: [row.threadblocks, row.time], name: row.title })));
  byId('front-chart').setAttribute('aria-label', 'Time over threadblocks; the table has the numbers');
  fillTable(
    'front-table',
    'The Pareto front',
    ['time', 'threadblocks', 'channels', 'plan'],
    rows.map((row) => [timeCell(row.time), row.threadblocks, row.channels, row.title]),
    [3],
  );
}

function showVary(tuned) {
  const isVaried = tuned.variants.length > 0;
  byId('vary').hidden = byId('nav-vary').hidden = !isVaried;
  if (!isVaried) return;
  const sizes = tuned.sizes.map(({ bytes }) => bytesText(bytes));
  const speedUp = ([time, bound, title, binds], s) => {
    const before = tuned.sizes[s].best?.[1];
    if (time === null || !before) return '-';
    const ratio = before / time;
    const kind = ratio > 1.005 ? 'better' : ratio < 0.995 ? 'worse' : 'same';
    const note = `${timeCell(time)}, ${shareOf(bound, binds, time)} bound: ${title}`;
    return element('span', { class: kind, title: note }, ratio.toFixed(3));
  };
  fillTable(
    'variant-table',
    'Speed-up by machine and size',
    [...report.axes, ...sizes],
    tuned.variants.map(({ values, points }) => [...values, ...points.map(speedUp)]),
  );
  const share = (value) => {
    if (value === null) return '-';
    const kind = value >= 50 ? 'better' : value <= -50 ? 'worse' : 'same';
    return element('span', { class: kind }, (value / 1000).toFixed(3));
  };
  fillTable(
    'elasticity-table',
    'Elasticity by value and size',
    ['value of the target', 'unchanged', ...sizes],
    tuned.elasticities.map(({ path, unchanged, thousandths }) => [
      path,
      unchanged || '-',
      ...thousandths.map(share),
    ]),
  );
}

function showFailures(tuned) {
  byId('failures').hidden = byId('nav-failures').hidden = tuned.failures.length === 0;
  const cell = (time) => (time === null ? '-' : timeCell(time));
  const slower = (before, after) => (before && after ? percent(after / before - 1) : '-');
  const rowsOf = ({ parts, lost, points }) => {
    const head = () => [element('span', { title: parts.join(', ') }, parts[0]), parts.length];
    if (lost) return [[...head(), '-', '-', '-', '-', '-', '-', `none: ${lost}`]];
    return points.map(({ bytes, before, unchanged, after, bound, binds, plan }) => [
      ...head(),
      bytesText(bytes),
      cell(before),
      cell(unchanged),
      cell(after),
      slower(before, after),
      after === null ? '-' : shareOf(bound, binds, after),
      after === null ? 'none runs with this size' : plan,
    ]);
  };
  fillTable(
    'failures-table',
    'Times without one part',
    ['without', 'alike', 'size', 'before', 'unchanged', 'after', 'slower', 'of bound', 'plan'],
    tuned.failures.flatMap(rowsOf),
    [0, 8],
  );
}

function showMeasured(tuned) {
  const { measured } = tuned;
  byId('measured').hidden = byId('nav-measured').hidden = !measured;
  if (!measured) return;
  byId('measured-note').textContent =
    `By ${measured.launcher}, ${measured.transport}: the plan that is fastest in turns with the ${measured.other}, ` +
    'and the interval of the ratio with a confidence of 95 %';
  fillTable(
    'measured-table',
    'Measured times',
    ['size', 'predicted', 'measured', measured.other, `${measured.other}/plan`, 'used', 'plan'],
    measured.sizes.map(({ bytes, predicted, time, other, ratio, used, plan }) => [
      bytesText(bytes),
      predicted === null ? '-' : timeCell(predicted),
      time === null ? '-' : timeCell(time),
      other === null ? '-' : timeCell(other),
      ratio || '-',
      used,
      plan,
    ]),
    [5, 6],
  );
}

function draw() {
  showCurves(report.tuned);
  showFront(report.tuned);
}

function showCollective() {
  const { tuned } = report;
  byId('size').replaceChildren(
    ...tuned.sizes.map(({ bytes }, i) => element('option', { value: String(i) }, bytesText(bytes))),
  );
  byId('size').value = String(tuned.sizes.length - 1);
  showFacts(tuned);
  showBest(tuned);
  showPortfolio(tuned);
  showMeasured(tuned);
  showFailures(tuned);
  showVary(tuned);
  draw();
}

function start() {
  const severalRanks = new Set(report.collectives.map(({ ranks }) => ranks)).size > 1;
  byId('collective').replaceChildren(
    ...report.collectives.map(({ collective, ranks, runtime }, i) => {
      const name = severalRanks ? `${collective}, ${ranks} ranks` : collective;
      return element('option', { value: String(i) }, runtime === 'sim' ? name : `${name} for ${runtime}`);
    }),
  );
  for (const name of ['time', 'rate', 'front']) report.charts[name] = makeChart(byId(`${name}-chart`));
  byId('collective').addEventListener('change', showCollective);
  byId('size').addEventListener('change', () => showFront(report.tuned));
  byId('theme').addEventListener('click', () => theme.set(theme.name === 'dark' ? 'light' : 'dark'));
  theme.set(theme.name);
  showCollective();
  theme.listeners.push(draw);
  onPixelRatio(draw);
  // Runs after the first frame was drawn.
  requestAnimationFrame(() =>
    setTimeout(() => {
      performance.mark('rendered');
      document.documentElement.dataset.rendered = 'true';
    }),
  );
}

window.cclTune = report; // for tests and debugging
start();
