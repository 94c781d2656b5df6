// Charts of a portfolio: times and rates over size, and the Pareto front.

const lineColours = () => {
  const { causes, ops } = theme.colours;
  return [causes.engine, ops.rrc, causes.link, ops.re, ops.rrs, ops.cpy];
};

function logAxis(format) {
  const style = axisStyle();
  return {
    type: 'log',
    ...style,
    minorSplitLine: { show: false },
    axisLabel: { ...style.axisLabel, formatter: format },
  };
}

/** A curve of [bytes, value]; sizes without a value are left out. */
function curve(name, colour, points, style) {
  return {
    name,
    type: 'line',
    symbol: points.length > 1 ? 'circle' : 'diamond',
    symbolSize: 6,
    lineStyle: { width: 2 },
    itemStyle: { color: colour },
    color: colour,
    data: points.filter(([, value]) => value > 0),
    ...style,
  };
}

function sizeChart(chart, sizes, curves, format) {
  const base = chartBase();
  const doublings = Math.log2(Math.max(...sizes) / Math.min(...sizes));
  const places = chart.getWidth() < 460 ? 4 : 9;
  chart.setOption(
    {
      ...base,
      tooltip: {
        ...base.tooltip,
        trigger: 'axis',
        formatter: (items) =>
          `<strong>${bytesText(items[0].value[0])}</strong>` +
          items
            .map((item) => {
              const name = escapeHtml(item.seriesName);
              return `<br>${item.marker}${name} <b>${format(item.value[1])}</b>`;
            })
            .join(''),
      },
      grid: { left: 62, right: 22, top: 14, bottom: 28 },
      xAxis: {
        ...logAxis(bytesText),
        logBase: 2 ** Math.max(1, Math.ceil(doublings / places)),
        min: 'dataMin',
        max: 'dataMax',
        splitLine: { show: false },
      },
      yAxis: { ...logAxis(format), logBase: 10 },
      series: curves,
    },
    { notMerge: true },
  );
}

/** \p points are { value: [threadblocks, time], name }, in any order. */
function frontChart(chart, points) {
  const base = chartBase(),
    style = axisStyle();
  points.sort((a, b) => a.value[0] - b.value[0]);
  chart.setOption(
    {
      ...base,
      tooltip: {
        ...base.tooltip,
        formatter: ({ name, value }) =>
          `${escapeHtml(name)}<br><b>${timeText(value[1])}</b>, ${plural(value[0], 'threadblock')}`,
      },
      grid: { left: 62, right: 22, top: 20, bottom: 44 },
      xAxis: {
        ...logAxis(String),
        name: 'threadblocks of a rank',
        nameLocation: 'middle',
        nameGap: 26,
        logBase: 2,
        splitLine: { show: false },
      },
      yAxis: { ...style, type: 'value', scale: true, axisLabel: { ...style.axisLabel, formatter: timeText } },
      series: [
        {
          type: 'line',
          symbol: 'circle',
          symbolSize: 10,
          lineStyle: { width: 1, type: 'dashed' },
          color: theme.colours.accent,
          data: points,
        },
      ],
    },
    { notMerge: true },
  );
}
