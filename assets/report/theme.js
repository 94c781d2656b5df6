// Colours of both themes. A cause or an operation has the same colour everywhere on the page.

const palettes = {
  light: {
    ink: '#1f2633',
    muted: '#5b6577',
    line: '#dfe3ea',
    card: '#ffffff',
    page: '#f6f7f9',
    accent: '#2563c9',
    row: '#f1f3f6',
    path: '#14181f',
    baseline: '#9aa3b2',
    bound: '#3d8b5f',
    causes: {
      launch: '#b4bcc9',
      engine: '#3f7fd9',
      link: '#35a79c',
      contention: '#d9534f',
      slot: '#eda63b',
      dependence: '#b7a6dd',
    },
    ops: {
      s: '#3f7fd9',
      r: '#35a79c',
      cpy: '#a58a6c',
      re: '#8e63c7',
      rcs: '#2c8fb5',
      rrc: '#e2803a',
      rrs: '#cf5a9c',
      rrcs: '#c8473f',
      nop: '#9aa3b2',
    },
    heat: ['#dbe2ec', '#f5cf77', '#ee8f3c', '#cf3f2f', '#7c1420'],
  },
  dark: {
    ink: '#e6e9ef',
    muted: '#9ba5b6',
    line: '#303744',
    card: '#1c2129',
    page: '#14181e',
    accent: '#7db0ff',
    row: '#222832',
    path: '#ffffff',
    baseline: '#76818f',
    bound: '#6cc194',
    causes: {
      launch: '#66707f',
      engine: '#5b9bf0',
      link: '#45b8ab',
      contention: '#ee6f67',
      slot: '#f0b452',
      dependence: '#8b7cc0',
    },
    ops: {
      s: '#5b9bf0',
      r: '#45b8ab',
      cpy: '#b79d80',
      re: '#a684e0',
      rcs: '#4fb0d6',
      rrc: '#f09a58',
      rrs: '#e07db6',
      rrcs: '#e4685f',
      nop: '#7e8899',
    },
    heat: ['#313a49', '#7a5a2e', '#cf7f33', '#f3b04a', '#fff2cf'],
  },
};

/** The current theme, and the functions that redraw when it changes. */
const theme = {
  name: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  listeners: [],
  get colours() {
    return palettes[this.name];
  },
  set(name) {
    this.name = name;
    document.documentElement.dataset.theme = name;
    byId('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
    for (const listener of this.listeners) listener();
  },
};

const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** A colour in the format of the pixels of a canvas. */
function pixel(hex) {
  const [r, g, b] = channels(hex);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** A mixture of the colours \p a and \p b. */
function mix(a, b, share) {
  const from = channels(a),
    to = channels(b);
  const hex = from.map((c, i) =>
    Math.round(c + (to[i] - c) * share)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${hex.join('')}`;
}

/** The colours from an idle link to the busiest one; computed once per theme. */
function heatScale() {
  const { colours } = theme,
    { heat } = colours,
    steps = 64;
  if (!colours.heatScale)
    colours.heatScale = Array.from({ length: steps + 1 }, (_, i) => {
      const at = (i / steps) * (heat.length - 1),
        low = Math.min(Math.floor(at), heat.length - 2);
      return mix(heat[low], heat[low + 1], at - low);
    });
  return colours.heatScale;
}

/** \p share is between 0 and 1. */
const heatColour = (share) => heatScale()[Math.round(Math.min(Math.max(share, 0), 1) * 64)];

const fonts = 'system-ui, "Noto Sans", "DejaVu Sans", sans-serif';

/** The options that all charts share. */
function chartBase() {
  const { ink, card, line } = theme.colours;
  return {
    animation: false,
    textStyle: { fontFamily: fonts, color: ink },
    tooltip: {
      backgroundColor: card,
      borderColor: line,
      padding: [8, 10],
      confine: true,
      textStyle: { color: ink, fontSize: 12 },
      extraCssText: 'box-shadow: 0 4px 16px rgba(0, 0, 0, 0.16); border-radius: 6px;',
    },
  };
}

function axisStyle() {
  const { muted, line } = theme.colours;
  return {
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: muted, fontSize: 11, hideOverlap: true },
    splitLine: { lineStyle: { color: line } },
    nameTextStyle: { color: muted, fontSize: 11 },
  };
}

/** A chart in \p node that is resized with it. */
function makeChart(node) {
  const chart = echarts.init(node, null, { renderer: 'canvas' });
  new ResizeObserver(() => chart.resize()).observe(node);
  return chart;
}

/**
 * Calls \p react when the number of screen pixels in a CSS pixel has changed, which a ResizeObserver
 * does not report: after zooming, or when the window has moved to another screen.
 */
function onPixelRatio(react) {
  let ratio = window.devicePixelRatio;
  const check = () => {
    if (window.devicePixelRatio === ratio) return;
    ratio = window.devicePixelRatio;
    react();
    watch();
  };
  const watch = () =>
    matchMedia(`(resolution: ${ratio}dppx)`).addEventListener('change', check, { once: true });
  window.addEventListener('resize', check);
  watch();
}
