// Formatting of quantities and names. Times are in picoseconds, rates in bytes per second.

const digits = (value) => {
  const size = Math.abs(value);
  return value.toFixed(size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2);
};

/** "32.4 µs": three significant digits. */
function timeText(ps) {
  const size = Math.abs(ps);
  if (size >= 1e12) return `${digits(ps / 1e12)} s`;
  if (size >= 1e9) return `${digits(ps / 1e9)} ms`;
  if (size >= 1e6) return `${digits(ps / 1e6)} µs`;
  if (size >= 1e3) return `${digits(ps / 1e3)} ns`;
  return size === 0 ? '0' : `${digits(ps)} ps`;
}

/** "32,350.080 ns": the exact time. */
const exactTime = (ps) =>
  `${(ps / 1000).toLocaleString('en', { minimumFractionDigits: 3, maximumFractionDigits: 3 })} ns`;

/** Labels of an axis whose ticks are \p step apart. */
function tickText(ps, step) {
  const [unit, name] = ps >= 1e9 ? [1e9, 'ms'] : ps >= 1e6 ? [1e6, 'µs'] : [1e3, 'ns'];
  const places = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  return ps === 0 ? '0' : `${(ps / unit).toFixed(places)} ${name}`;
}

function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0,
    value = bytes;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${Number.isInteger(value) ? value : digits(value)} ${units[unit]}`;
}

const exactBytes = (bytes) => `${bytes.toLocaleString('en')} B`;
const rateText = (rate) => (rate > 0 ? `${digits(rate / 1e9)} GB/s` : 'no limit');
const percent = (part) => `${(100 * part).toFixed(part >= 0.0995 ? 0 : 1)} %`;
const plural = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** An element with attributes and children; text is never parsed as HTML. */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (key === 'style') node.style.cssText = value;
    else if (value !== null) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** A table of \p rows below \p head; the first column is text. */
function table(caption, head, rows) {
  const cells = (tag, row, scope) =>
    element(
      'tr',
      {},
      ...row.map((cell, i) => {
        const node = element(i === 0 && tag === 'td' ? 'th' : tag, scope(i));
        node.append(...(cell instanceof Node ? [cell] : [String(cell)]));
        return node;
      }),
    );
  return element(
    'table',
    {},
    element('caption', { class: 'hidden' }, caption),
    element(
      'thead',
      {},
      cells('th', head, () => ({ scope: 'col' })),
    ),
    element(
      'tbody',
      {},
      ...rows.map((row) => cells('td', row, (i) => (i === 0 ? { scope: 'row' } : {}))),
    ),
  );
}

const byId = (id) => document.getElementById(id);
const escapeHtml = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** The first index in 0..count for which \p after holds; it must hold for all later indices. */
function firstWhere(count, after) {
  let low = 0,
    high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (after(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
