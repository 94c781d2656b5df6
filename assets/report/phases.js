// The phases of the program, with the time that the critical path spends in each.

/** [name, time, begin, end]: the time in one run; begin and end of the first and the last segment
 *  over all runs. */
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

/** The name of the phase of segment \p i; empty for the launch. */
function phaseOfSegment({ path, plan }, i) {
  const isLaunch = plan.causeNames[path.cause[i]] === 'launch';
  return isLaunch ? '' : plan.phases[plan.step.phase[path.step[i]]];
}

const phaseText = (name) => name || '(outside phases)';

/** Shows the phases of the selected plan at the selected size. */
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
      'Time of the critical path in each phase',
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

/** Marks the phase to which the list of the critical path is filtered; null: none. */
function markPhase(name) {
  for (const node of byId('phase-table').querySelectorAll('button'))
    node.setAttribute('aria-pressed', String(node.dataset.phase === name));
}
