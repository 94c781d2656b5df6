// Zoom and pan of a drawing by keys; the charts library supports only the mouse.

/** \p chart has a dataZoom for x and one for y, in this order, of equal extent. */
function navigateByKeys(node, chart) {
  const seen = { x: 50, y: 50, span: 100 }; // in percent
  const show = (change) => {
    Object.assign(seen, change);
    seen.span = Math.min(Math.max(seen.span, 2), 100);
    const half = seen.span / 2;
    const batch = ['x', 'y'].map((axis, dataZoomIndex) => {
      seen[axis] = Math.min(Math.max(seen[axis], half), 100 - half);
      return { dataZoomIndex, start: seen[axis] - half, end: seen[axis] + half };
    });
    chart.dispatchAction({ type: 'dataZoom', batch });
  };
    // Follows changes by the mouse.
  chart.on('datazoom', ({ batch = [] }) => {
    const [x, y] = batch;
    if (batch.length !== 2 || x.start === undefined) return;
    Object.assign(seen, {
      x: (x.start + x.end) / 2,
      y: (y.start + y.end) / 2,
      span: x.end - x.start,
    });
  });
  node.addEventListener('keydown', (event) => {
    const far = seen.span * 0.15;
    const changes = {
      '+': { span: seen.span * 0.7 },
      '=': { span: seen.span * 0.7 },
      '-': { span: seen.span / 0.7 },
      ArrowLeft: { x: seen.x - far },
      ArrowRight: { x: seen.x + far },
      ArrowUp: { y: seen.y - far },
      ArrowDown: { y: seen.y + far },
      Home: { span: 100 },
    };
    if (!changes[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(changes[event.key]);
  });
}
