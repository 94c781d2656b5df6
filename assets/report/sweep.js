// Time and bandwidth over size, beside what the tightest cut allows.

const planName = (i) => (report.plans.length === 1 ? '' : i === 0 ? 'new ' : 'baseline ');

/** One curve: [bytes, value] by size. */
function curve(name, plan, value, colour, style = {}) {
  return {
    name, type: 'line', symbol: 'circle', symbolSize: 6, lineStyle: { width: 2, ...style.line },
    itemStyle: { color: colour }, color: colour, emphasis: { focus: 'series' },
    data: plan.sizes.map((run) => [run.bytes, value(run)]).filter(([, y]) => y > 0), ...style.series,
  };
}

function sizeChart(chart, series, format, logBase) {
  const style = axisStyle(), base = chartBase();
  const logAxis = { type: 'log', ...style, minorSplitLine: { show: false } };
  chart.setOption({
    ...base,
    tooltip: {
      ...base.tooltip, trigger: 'axis',
      formatter: (items) => `<strong>${bytesText(items[0].value[0])}</strong>` + items.map(
        (item) => `<br>${item.marker}${escapeHtml(item.seriesName)} <b>${format(item.value[1])}</b>`)
        .join(''),
    },
    legend: { top: 0, left: 0, icon: 'roundRect', itemWidth: 12, itemHeight: 4, itemGap: 16,
              textStyle: { color: theme.colours.muted, fontSize: 12 } },
    grid: { left: 62, right: 18, top: 34, bottom: 28 },
    xAxis: { ...logAxis, logBase: 2, min: 'dataMin', max: 'dataMax',
             axisLabel: { ...style.axisLabel, formatter: bytesText }, splitLine: { show: false } },
    yAxis: { ...logAxis, logBase, axisLabel: { ...style.axisLabel, formatter: format } },
    series,
  }, { notMerge: true });
}

const dashed = { line: { type: 'dashed', width: 1.5 }, series: { symbol: 'none' } };

function showSweep(charts) {
  const { causes, ops, bound, accent, baseline } = theme.colours;
  const times = [], rates = [];
  report.plans.forEach((plan, i) => {
    const old = i > 0, name = planName(i);
    times.push(curve(`${name}time`.trim(), plan, (run) => run.time, old ? baseline : accent));
    rates.push(curve(`${name}algorithm`, plan, (run) => run.alg, old ? baseline : causes.engine,
                     old ? { line: { type: 'dotted' } } : {}));
    rates.push(curve(`${name}bus`, plan, (run) => run.bus, old ? baseline : ops.rrc));
  });
  const plan = report.plans[0];
  if (plan.sizes[0].cuts?.length) {
    times.push(curve('cut bound', plan, (run) => run.cuts[0]?.time ?? 0, bound, dashed));
    rates.push(curve('cut bound (algorithm)', plan,
                     (run) => (run.cuts[0] ? run.bytes * 1e12 / run.cuts[0].time : 0), bound, dashed));
  }
  sizeChart(charts.time, times, timeText, 10);
  sizeChart(charts.rate, rates, rateText, 2);
  byId('time-chart').setAttribute('aria-label', 'Time over size; the table below has the numbers');
  byId('rate-chart').setAttribute('aria-label', 'Bandwidth over size; the table below has the numbers');
}

/** A table of \p rows below \p head; the first column is text. */
function table(caption, head, rows) {
  const cells = (tag, row, scope) => element('tr', {}, ...row.map((cell, i) => {
    const node = element(i === 0 && tag === 'td' ? 'th' : tag, scope(i));
    node.append(...(cell instanceof Node ? [cell] : [String(cell)]));
    return node;
  }));
  return element('table', {}, element('caption', { class: 'hidden' }, caption),
                 element('thead', {}, cells('th', head, () => ({ scope: 'col' }))),
                 element('tbody', {}, ...rows.map(
                   (row) => cells('td', row, (i) => (i === 0 ? { scope: 'row' } : {})))));
}

function showSizeTable() {
  const hasCuts = report.plans.some((plan) => plan.sizes[0].cuts?.length);
  const head = ['size', 'time', 'algorithm', 'bus', 'messages', 'pieces'];
  if (hasCuts) head.push('cut bound', 'of the bound', 'tightest cut');
  const rows = [];
  report.plans.forEach((plan, i) => {
    for (const run of plan.sizes) {
      const row = [`${planName(i)}${bytesText(run.bytes)}`, exactTime(run.time), rateText(run.alg),
                   rateText(run.bus), run.messages.toLocaleString('en'), run.pieces];
      const [cut] = run.cuts ?? [];
      if (hasCuts)
        row.push(...(cut ? [exactTime(cut.time), percent(cut.time / run.time), cut.cut]
                         : ['none', '', '']));
      rows.push(row);
    }
  });
  byId('size-table').replaceChildren(table('Time and bandwidth over size', head, rows));
}
