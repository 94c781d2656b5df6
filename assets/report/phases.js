// The phases that the program names: how long the critical path is in each.

/** [name, time, begin, end]: the time of one run; begin of the first segment and end of the last of all runs. */
function phasesOf(run) {
  const { path } = run,
    extent = new Map();
  for (let i = 0; i < path.count; ++i) {
    const name = phaseOfSegment(run, i);
    if (!extent.has(name)) extent.set(name, [path.begin[i], 0]);
    extent.get(name)[1] = path.begin[i + 1];
  }
  return run.phase_times.map(({ name, time }) => [name, time, ...extent.get(name)]);
}

/** The launch is in no phase. */
function phaseOfSegment({ path, plan }, i) {
  const isLaunch = plan.causeNames[path.cause[i]] === 'launch';
  return isLaunch ? '' : plan.phases[plan.step.phase[path.step[i]]];
}

const phaseText = (name) => name || '(outside phases)';

/** Of the plan that is chosen, at the chosen size. */
function showPhases(view) {
  const phases = phasesOf(view.run),
    whole = sum(phases.map(([, time]) => time));
  byId('phases').hidden = phases.length === 0;
  const button = ([name, , begin, end]) => {
    const node = element('button', { type: 'button', 'aria-pressed': 'false' }, phaseText(name));
    node.dataset.phase = name;
    node.addEventListener('click', () => {
      const isShown = node.getAttribute('aria-pressed') === 'true';
      report.pathList.showPhase(isShown ? null : name);
      if (isShown) view.zoom(0, view.whole);
      else view.zoom(begin, end);
    });
    return node;
  };
  byId('phase-table').replaceChildren(
    table(
      'How long the critical path is in each phase',
      ['phase', 'from', 'to', 'time', 'share'],
      phases.map((phase) => {
        const [, time, begin, end] = phase;
        return [
          button(phase),
          exactTime(begin),
          exactTime(end),
          exactTime(time),
          percent(time / whole),
        ];
      }),
    ),
  );
}

/** The phase whose segments the critical path is about; null: all. */
function markPhase(name) {
  for (const node of byId('phase-table').querySelectorAll('button'))
    node.setAttribute('aria-pressed', String(node.dataset.phase === name));
}
