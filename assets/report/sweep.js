// Time and bandwidth over size, with the lower bound.

const planName = (i) => (report.plans.length === 1 ? '' : i === 0 ? 'new' : 'baseline');

/** One curve: pairs [bytes, value], one per size. */
function curve(name, plan, value, colour, style = {}) {
  return {
    name,
    type: 'line',
    symbol: 'circle',
    symbolSize: 6,
    lineStyle: { width: 2, ...style.line },
    itemStyle: { color: colour },
    color: colour,
    emphasis: { focus: 'series' },
    data: plan.sizes.map((run) => [run.bytes, value(run)]).filter(([, y]) => y > 0),
    ...style.series,
  };
}

/** The base of the size axis: the smallest power of two with few enough powers to label each. */
function baseOfSizes(sizes) {
  const doublings = Math.log2(Math.max(...sizes) / Math.min(...sizes));
  return 2 ** Math.max(1, Math.ceil(doublings / 9));
}

function sizeChart(chart, series, format) {
  const style = axisStyle(),
    base = chartBase();
  const logAxis = { type: 'log', ...style, minorSplitLine: { show: false } };
  chart.setOption(
    {
      ...base,
      tooltip: {
        ...base.tooltip,
        trigger: 'axis',
        formatter: (items) =>
          `<strong>${bytesText(items[0].value[0])}</strong>` +
          items
            .map(
              (item) =>
                `<br>${item.marker}${escapeHtml(item.seriesName)} <b>${format(item.value[1])}</b>`,
            )
            .join(''),
      },
      legend: {
        top: 0,
        left: 0,
        icon: 'roundRect',
        itemWidth: 12,
        itemHeight: 4,
        itemGap: 16,
        textStyle: { color: theme.colours.muted, fontSize: 12 },
      },
      grid: { left: 62, right: 18, top: report.plans.length > 1 ? 54 : 34, bottom: 28 },
      xAxis: {
        ...logAxis,
        logBase: baseOfSizes(report.plans.flatMap((plan) => plan.sizes.map((run) => run.bytes))),
        min: 'dataMin',
        max: 'dataMax',
        axisLabel: { ...style.axisLabel, formatter: bytesText },
        splitLine: { show: false },
      },
      yAxis: { ...logAxis, logBase: 10, axisLabel: { ...style.axisLabel, formatter: format } },
      series,
    },
    { notMerge: true },
  );
}

const dotted = { line: { type: 'dotted', width: 2 }, series: { symbol: 'none' } };

const gigabytes = (rate) => rate / 1e9;

function showSweep(charts) {
  const { causes, ops, bound, accent } = theme.colours;
  const times = [],
    rates = [];
  report.plans.forEach((plan, i) => {
    const name = planName(i) && `${planName(i)} `;
        // The baseline has the same colours, but lighter and dashed.
    const old = i > 0 ? { line: { type: 'dashed' } } : {};
    const shade = (colour) => (i > 0 ? mix(colour, theme.colours.card, 0.35) : colour);
    times.push(curve(`${name}time`, plan, (run) => run.time, shade(accent), old));
    rates.push(
      curve(`${name}algorithm`, plan, (run) => gigabytes(run.alg), shade(causes.engine), old),
      curve(`${name}bus`, plan, (run) => gigabytes(run.bus), shade(ops.rrc), old),
    );
  });
  const [plan] = report.plans;
  if (plan.sizes.some((run) => run.bound)) {
    times.push(curve('lower bound', plan, (run) => run.bound?.least ?? 0, bound, dotted));
    rates.push(
      curve(
        'lower bound (algorithm)',
        plan,
        (run) => (run.bound ? (run.bytes * 1e3) / run.bound.least : 0),
        bound,
        dotted,
      ),
    );
  }
  sizeChart(charts.time, times, timeText);
  sizeChart(charts.rate, rates, (rate) => `${digits(rate)} GB/s`);
  byId('time-chart').setAttribute('aria-label', 'Time over size; the table below has the numbers');
  byId('rate-chart').setAttribute(
    'aria-label',
    'Bandwidth over size; the table below has the numbers',
  );
}

function showSizeTable() {
  const { plans } = report,
    compares = plans.length > 1;
  const bounded = plans[0].sizes.some((run) => run.bound);
  const head = [
    'size',
    ...(compares ? ['plan'] : []),
    'time',
    ...(compares ? ['change'] : []),
    'algorithm',
    'bus',
    'messages',
    'pieces',
    ...(bounded ? ['lower bound', 'bound / time', 'bound by'] : []),
  ];
  const rows = [];
  plans[0].sizes.forEach((_, s) =>
    plans.forEach((plan, i) => {
      const run = plan.sizes[s],
        other = plans[plans.length - 1].sizes[s];
      const row = [i === 0 ? bytesText(run.bytes) : ''];
      if (compares) row.push(planName(i));
      row.push(exactTime(run.time));
      if (compares) row.push(i === 0 ? change(run.time, other.time) : '');
      row.push(rateText(run.alg), rateText(run.bus), run.messages.toLocaleString('en'), run.pieces);
      if (bounded && run.bound)
        row.push(exactTime(run.bound.least), percent(run.bound.least / run.time), run.bound.witness);
      else if (bounded) row.push('none', '', '');
      rows.push(row);
    }),
  );
  byId('size-table').replaceChildren(table('Time and bandwidth over size', head, rows));
}
