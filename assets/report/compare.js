// The comparison of a plan with its baseline, for the selected size.

/** "-12 %", with a class for an improvement or a regression. */
function change(now, before, isCost = true) {
  if (before === 0) return element('span', { class: 'same' }, now === 0 ? 'same' : 'new');
  const part = now / before - 1;
  if (Math.abs(part) < 0.0005) return element('span', { class: 'same' }, 'same');
  const text = `${part > 0 ? '+' : '-'}${percent(Math.abs(part))}`;
  return element('span', { class: !isCost ? 'other' : part > 0 ? 'worse' : 'better' }, text);
}

function showComparison(size) {
  if (report.plans.length < 2) return;
  byId('comparison').hidden = byId('nav-comparison').hidden = false;
  const [now, before] = report.plans.map((plan) => plan.sizes[size]);
  const row = (name, value, text) => [
    name,
    text(value(now)),
    text(value(before)),
    change(value(now), value(before), text === exactTime),
  ];
  const count = (n) => n.toLocaleString('en');
  const rows = [
    row('time', (run) => run.time, exactTime),
    row('messages', (run) => run.messages, count),
    row('steps', (run) => run.plan.step.op.length, count),
    row('threadblocks', (run) => run.plan.threadblocks, count),
    row('channels', (run) => run.plan.channels, count),
    row('bytes over all links', (run) => sum(run.links.map((use) => use.bytes)), exactBytes),
  ];
  now.plan.causeNames.forEach((name, i) => {
    if (now.path_causes[i] || before.path_causes[i])
      rows.push(row(`critical path: ${name}`, (run) => run.path_causes[i], exactTime));
  });
  const inPhase = (name) => (run) => run.phase_times.find((phase) => phase.name === name)?.time ?? 0;
  const phases = [...now.phase_times, ...before.phase_times].map(({ name }) => name);
  for (const name of new Set(phases))
    rows.push(row(`critical path: phase ${phaseText(name)}`, inPhase(name), exactTime));
  now.plan.causeNames.forEach((name, i) => {
    if (now.causes[i] || before.causes[i])
      rows.push(row(`all threadblocks: ${name}`, (run) => run.causes[i], exactTime));
  });
  const [a, b] = report.plans;
  const heads = a.name === b.name ? ['new', 'baseline'] : [`new: ${a.name}`, `baseline: ${b.name}`];
  byId('comparison-table').replaceChildren(
    table(
      `Comparison at ${bytesText(now.bytes)}`,
      [`at ${bytesText(now.bytes)}`, ...heads, 'change'],
      rows,
    ),
  );
}
