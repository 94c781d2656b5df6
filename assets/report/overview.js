// The overview: the configuration of the run, its critical path by cause, and advice.

function planFacts(plan) {
  const facts = [
    `${plan.collective} over ${plan.ranks} ranks`,
    `target ${plan.target} (${plan.target_hash})`,
    `network ${plan.network}`,
    plan.slots,
    `${plan.dtype} ${plan.op}`,
    plural(plan.threadblocks, 'threadblock'),
    plural(plan.step.op.length, 'step'),
  ];
  if (plan.protocol_applies) facts.push(`protocol ${plan.protocol}`);
  if (plan.endpoints) facts.push(`endpoints ${plan.endpoints}`);
  if (plan.instances > 1) facts.push(`${plan.instances} instances`);
  if (plan.repeat > 1) facts.push(`${plan.repeat} runs`);
  if (plan.conditions) facts.push(`with ${plan.conditions}`);
  for (const [key, value] of plan.parameters) facts.push(`${key}=${value}`);
  return facts;
}

const sum = (values) => values.reduce((a, b) => a + b, 0);

/** The causes in descending order of time: [name, share]. */
function ranking(names, times) {
  const whole = sum(times) || 1;
  return names.map((name, i) => [name, times[i] / whole]).sort((a, b) => b[1] - a[1]);
}

/** A stacked bar of the causes with a legend of names and shares. */
function causeBar(title, names, times) {
  const shares = ranking(names, times).filter(([, share]) => share > 0);
  const bar = element('div', {
    class: 'stack',
    role: 'img',
    'aria-label':
      `${title}: ` + shares.map(([name, share]) => `${name} ${percent(share)}`).join(', '),
  });
  const legend = element('ul', { class: 'keys' });
  for (const [name, share] of shares) {
    bar.append(
      element('i', {
        style: `width: ${share * 100}%; background: ${theme.colours.causes[name]}`,
        title: `${name} ${percent(share)}`,
      }),
    );
    legend.append(element('li', {}, causeDot(name), `${name} `, element('b', {}, percent(share))));
  }
  return element('div', { class: 'cause-bar' }, element('h3', {}, title), bar, legend);
}

/** Sentences: [finding, explanation or advice]. */
function verdictOf(run) {
  const { plan } = run,
    lines = [];
  const whole = run.path.begin[run.path.count];
  for (const cost of run.costs.slice(0, 3)) {
    if (cost.time < whole * 0.03) continue;
        // The launch has no source line.
    const phase = plan.phases[cost.phase] && ` (${plan.phases[cost.phase]})`;
    const line = cost.name === 'launch' ? '' : plan.locationName(cost.line) + phase;
    lines.push([
      `${percent(cost.time / whole)} of the critical path is ${cost.name}`,
      `: ${cost.help}.` + (line && ` ${percent(cost.time_of_line / cost.time)} of it at ${line}.`),
    ]);
  }
  if (run.path.count === 0)
    for (const [name, share] of ranking(plan.causeNames, run.causes).slice(0, 3))
      if (share >= 0.03)
        lines.push([`${percent(share)} of the time of threadblocks is ${name}`, '.']);
  const [busiest] = run.links;
  if (busiest)
    lines.push([
      `The utilisation of the busiest link is ${percent(busiest.busy / run.time)}`,
      `: ${report.machine.linkName(busiest.id)}.`,
    ]);
  const { bound } = run;
  if (bound && bound.completes)
    lines.push([
      `The lower bound for any algorithm is ${timeText(bound.least)}`,
      `, by ${bound.binds}: ${bound.witness}. This plan takes ` +
        `${(run.time / bound.least).toFixed(2)} times as long.`,
    ]);
  return lines;
}

function showOverview(run) {
  const { plan } = run;
  document.title = `${plan.name} - cclc report`;
  byId('plan-name').textContent = plan.name;
  byId('plan-facts').replaceChildren(...planFacts(plan).map((fact) => element('span', {}, fact)));
  const numbers = [
    [`time of ${bytesText(run.bytes)}`, timeText(run.time)],
    ['algorithm', rateText(run.alg)],
    ['bus', rateText(run.bus)],
  ];
  if (run.bound?.completes)
    numbers.push([`of the ${run.bound.title} bound`, percent(run.bound.least / run.time)]);
  byId('numbers').replaceChildren(
    ...numbers.map(([name, text]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, text)),
    ),
  );
  byId('verdict').replaceChildren(
    ...verdictOf(run).map(([what, rest]) => element('li', {}, element('b', {}, what), rest)),
  );
  const bars = [];
  report.plans.forEach(({ sizes, causeNames }, i) => {
    const of = sizes[report.size],
      name = report.plans.length > 1 ? `, ${planName(i)}` : '';
    if (of.path.count > 0) bars.push(causeBar(`Critical path${name}`, causeNames, of.path_causes));
    bars.push(causeBar(`All threadblocks${name}`, causeNames, of.causes));
  });
  byId('cause-bars').replaceChildren(...bars);
}

/** The time of the largest size if one resource at a time were free (--what-if). */
function showWhatIf() {
  const { what_if: rows, sizes } = report.plans[0];
  const run = sizes[sizes.length - 1];
  byId('what-if').hidden = rows.length === 0;
  const speeds = ['1 % faster', '10 % faster', 'twice as fast'];
  const head = [`free resource, at ${bytesText(run.bytes)}`, 'time', 'gain', 'change',
    ...speeds.map((speed) => `gain if ${speed}`), 'option'];
  byId('what-if-table').replaceChildren(
    table(
      'Time of the largest size if one resource at a time were free',
      head,
      rows.map(({ what, set, time, faster }) => [
        what,
        exactTime(time),
        exactTime(run.time - time),
        change(time, run.time),
        ...speeds.map((_, speed) => (faster === null ? '-' : exactTime(run.time - faster[speed]))),
        set,
      ]),
    ),
  );
}
