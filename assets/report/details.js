// The details of a span of the timeline: a short tooltip, and the full details beside the timeline.

/** "o[3] = i[3] + receive from r2", "send o[3] to r1". */
function operationText(plan, step) {
  const t = plan.threadblockOf(step),
    { src, dst, count } = plan.step;
  const places = {
    src: plan.placeName(src[step], count[step]),
    dst: plan.placeName(dst[step], count[step]),
    receive: `receive from ${plan.receivePeers(t)}`,
  };
  const op = plan.opOf(step);
  const text = op.meaning.replace(/\b(src|dst|receive)\b/g, (word) => places[word] ?? word);
  return op.sends ? `${text} to ${plan.sendPeers(t)}` : text;
}

/** The messages that the step of a span receives and sends at that time. */
function messagesOf(run, span) {
  const { spans, flights } = run;
  const step = spans.step[span],
    found = [];
  const last = (list, isIn) => {
    const i = list ? list.find((m) => isIn(flights.get(m))) : undefined;
    if (i !== undefined) found.push({ ...flights.get(i), index: i });
  };
  last(flights.byTaker.get(step), (m) => m.taken !== null && m.taken >= spans.begin[span]);
  if (spans.cause[span] === engineCause)
    last(flights.bySender.get(step), (m) => m.sent >= spans.begin[span]);
  return found;
}

/** Whether \p span is between two runs: its threadblock has ended the first, its rank not yet. */
function followsRun({ plan, spans, pieces }, span) {
  const t = spans.tb[span],
    last = span - 1;
  return (
    span > spans.first[t] &&
    plan.causeNames[spans.cause[last]] !== 'launch' &&
    spans.step[last] === plan.firstStep[t + 1] - 1 &&
    spans.piece[last] === pieces - 1 &&
    spans.step[span] === plan.firstStep[t] &&
    spans.piece[span] === 0
  );
}

/** The causes of waits in an execution. */
function measuredReason({ plan, spans }, span) {
  const step = spans.step[span],
    t = spans.tb[span];
  switch (plan.causeNames[spans.cause[span]]) {
    case 'launch':
      return 'before the first step';
    case 'link':
      return `its message from ${plan.receivePeers(t)} has not arrived`;
    case 'slot':
      return 'no free slot, or it would overwrite a message that is being sent';
    case 'dependence':
      return `waits for ${plan.stepName(plan.waitsFor(step, t))}`;
    default:
      return 'could go on: its processor executes something else';
  }
}

/** The reason why a threadblock waits, or the operation that it executes. */
function reasonText(run, span) {
  const { plan, spans } = run;
  const step = spans.step[span],
    t = spans.tb[span];
  const cause = plan.causeNames[spans.cause[span]];
  const incoming = messagesOf(run, span).find((m) => m.takenStep === step && m.taken !== null);
  const message = incoming && `the message of ${plan.stepName(incoming.sendStep)}`;
  if (run.isMeasured && cause !== 'engine') return measuredReason(run, span);
  switch (cause) {
    case 'launch':
      return 'launch of the plan';
    case 'engine':
      return `executes: ${operationText(plan, step)}`;
    case 'link':
      return `${message ?? 'a message'} is in flight`;
    case 'contention':
      return `${message ?? 'a message'} waits for occupied links`;
    case 'slot':
      return (
        `no free slot to ${plan.sendPeers(t)}: ` +
        'earlier messages have not been received yet'
      );
    default: {
      if (followsRun(run, span)) return 'waits for other threadblocks of its rank to end the run';
      const other = plan.waitsFor(step, t);
      if (other !== null && !(incoming && incoming.sent >= spans.end[span]))
        return `waits for ${plan.stepName(other)}`;
      return `${message ?? 'its message'} has not been sent yet`;
    }
  }
}

/** Rows [name, text] about a span; the first is its title. */
function describeSpan(run, span, inFull = false) {
  const { plan, spans } = run;
  const step = spans.step[span],
    t = spans.tb[span];
  const cause = plan.causeNames[spans.cause[span]];
  const rows = [
    ['', plan.stepName(step, t)],
    ['cause', cause],
    ['', reasonText(run, span)],
    ['time', `${exactTime(spans.begin[span])} to ${exactTime(spans.end[span])}`],
    ['length', exactTime(spans.end[span] - spans.begin[span])],
  ];
  if (run.pieces > 1) rows.push(['piece', `${spans.piece[span] + 1} of ${run.pieces}`]);
  const source = plan.locationOf(step);
  if (source) rows.push(['source', source]);
  if (!inFull) return rows;
  const { loc, send_loc: sendLoc, phase, tb_channel: channel, count } = plan.step;
  if (cause !== 'engine') rows.push(['step', operationText(plan, step)]);
    if (sendLoc[step] !== loc[step]) rows.push(['source of send', plan.locationName(sendLoc[step])]);
  rows.push(['channel', String(channel[t])]);
  if (count[step] > 1) rows.push(['chunks', String(count[step])]);
  if (plan.phases[phase[step]]) rows.push(['phase', plan.phases[phase[step]]]);
  return rows;
}

const causeDot = (cause) =>
  element('i', { class: 'dot', style: `background: ${theme.colours.causes[cause]}` });

function fillRows(node, rows) {
  const [[, title], ...rest] = rows;
  const list = element('dl');
  for (const [name, text] of rest) {
    list.append(element('dt', {}, name));
    list.append(element('dd', {}, ...(name === 'cause' ? [causeDot(text), text] : [text])));
  }
  node.replaceChildren(element('strong', {}, title), list);
}

function showTooltip(rows, x, y) {
  const node = byId('tooltip');
  fillRows(node, rows);
  node.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = node;
  const left = x + 16 + width > innerWidth ? x - 16 - width : x + 16;
  const top = y + 18 + height > innerHeight ? y - 12 - height : y + 18;
  node.style.transform = `translate(${Math.max(left, 4)}px, ${Math.max(top, 4)}px)`;
}
function hideTooltip() {
  byId('tooltip').hidden = true;
}

/** The pinned details, with links to the sender, the receiver and the awaited step. */
function showDetails(selection) {
  const node = byId('details');
  if (!selection) {
    node.replaceChildren(
      element('h3', {}, 'Details'),
      element('p', { class: 'note' }, 'Select a span or an entry of the path.'),
    );
    return;
  }
  const { view, span } = selection,
    { run } = view,
    { plan } = view;
  const box = element('div');
  fillRows(box, describeSpan(run, span, true));
  box.querySelector('strong').replaceWith(element('h3', {}, describeSpan(run, span)[0][1]));
  const ways = element('div', { class: 'ways' });
  const way = (text, tb, step, time) => {
    const target = findSpan(run, tb, step, time);
    if (target === null) return;
    const button = element('button', { type: 'button' }, text);
    button.addEventListener('click', () => report.select({ view, span: target, reveal: true }));
    ways.append(button);
  };
  const { spans } = run,
    step = spans.step[span],
    t = spans.tb[span];
  for (const message of messagesOf(run, span)) {
    const comes = message.takenStep === step && message.taken !== null && message.receiver === t;
    const size = `${bytesText(message.size)}, ${timeText(message.arrived - message.sent)} in flight`;
    if (comes)
      way(
        `Sender ${plan.stepName(message.sendStep)}: ${size}`,
        message.sender,
        message.sendStep,
        message.sent,
      );
    else if (message.taken !== null)
      way(
        `Receiver ${plan.stepName(message.takenStep)}: ${size}`,
        message.receiver,
        message.takenStep,
        message.taken,
      );
  }
  const other = plan.waitsFor(step, t);
  if (other !== null)
    way(`Waits for ${plan.stepName(other)}`, plan.threadblockOf(other), other, spans.end[span] - 1);
  node.replaceChildren(...box.childNodes, ways);
}

/** The span of \p step on threadblock \p tb that is nearest to \p time, or null. */
function findSpan({ spans }, tb, step, time) {
  const from = spans.first[tb],
    count = spans.first[tb + 1] - from;
  let best = null,
    distance = Infinity;
  const at = from + firstWhere(count, (n) => spans.end[from + n] > time);
  const consider = (i) => {
    if (spans.step[i] !== step) return;
    const away =
      Math.max(spans.begin[i] - time, time - spans.end[i], 0) +
      (spans.cause[i] === engineCause ? 0 : 0.5);
    if (away < distance) [best, distance] = [i, away];
  };
  for (let i = Math.max(at - 64, from); i < Math.min(at + 64, from + count); ++i) consider(i);
  for (let i = from; best === null && i < from + count; ++i) consider(i);
  return best;
}
