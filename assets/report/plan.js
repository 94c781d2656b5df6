// A plan, its runs, and the names of its parts.

const bufferLetters = 'ios';

class Plan {
  constructor(json, report, column) {
    Object.assign(this, json);
    this.causeNames = report.causes;
    this.ops = report.ops;
    this.locFile = column(json.loc_file);
    this.locLine = column(json.loc_line);
    this.step = {};
    for (const [key, place] of Object.entries(json.steps)) this.step[key] = column(place);
    this.connSender = column(json.conn_sender);
    this.connReceiver = column(json.conn_receiver);
    this.nodeOfRank = column(json.node_of_rank);
    this.nameThreadblocks();
    this.origin = json.provenance && new Origin(this, json.provenance, column);
    this.sizes = json.sizes.map((size) => new Run(this, size, column));
  }

  nameThreadblocks() {
    const { tb_rank: ranks, tb_steps: counts } = this.step;
    this.threadblocks = ranks.length;
    this.firstStep = new Float64Array(this.threadblocks + 1);
    this.localId = new Float64Array(this.threadblocks);
    this.firstOfRank = new Map();
    for (let t = 0; t < this.threadblocks; ++t) {
      this.firstStep[t + 1] = this.firstStep[t] + counts[t];
      if (!this.firstOfRank.has(ranks[t])) this.firstOfRank.set(ranks[t], t);
      this.localId[t] = t - this.firstOfRank.get(ranks[t]);
    }
  }

  threadblockOf(step) {
    return firstWhere(this.threadblocks, (t) => this.firstStep[t + 1] > step);
  }
  opOf(step) {
    return this.ops[this.step.op[step]];
  }
  threadblockName(t) {
    return `r${this.step.tb_rank[t]} tb${this.localId[t]}`;
  }
  stepName(step, t = this.threadblockOf(step)) {
    return `${this.threadblockName(t)} step ${step - this.firstStep[t]} (${this.opOf(step).name})`;
  }
  /** "r1", or "r1, r2 and r3": the ranks that threadblock \p t sends to. */
  sendPeers(t) {
    return this.several_send_peers[t] ?? `r${this.step.tb_send[t] - 1}`;
  }
  receivePeers(t) {
    return this.several_recv_peers[t] ?? `r${this.step.tb_recv[t] - 1}`;
  }
  placeName(place, count) {
    if (place === 0) return null;
    const index = Math.floor((place - 1) / 3);
    const range = count > 1 ? `${index}:${index + count}` : index;
    return `${bufferLetters[(place - 1) % 3]}[${range}]`;
  }
  locationName(loc) {
    const file = this.files[this.locFile[loc]];
    if (!file) return '';
    return this.locLine[loc] > 0 ? `${file}:${this.locLine[loc]}` : file;
  }
  locationOf(step) {
    return this.locationName(this.step.loc[step]);
  }
  /** The step that \p step waits for, or null. */
  waitsFor(step, t) {
    if (this.step.wait_tb[step] === 0) return null;
    const other = this.firstOfRank.get(this.step.tb_rank[t]) + this.step.wait_tb[step] - 1;
    return this.firstStep[other] + this.step.wait_step[step];
  }
}

/** A plan at one size. Its columns are read on first use. */
class Run {
  constructor(plan, json, column) {
    Object.assign(this, json);
    this.plan = plan;
    this.column = column;
    if ('bytes' in json) this.measured = new MeasuredRun(plan, json, column);
  }

    /** The time of all runs together, which the timeline and the critical path cover. */
  get wholeTime() {
    const rest = this.further_run * (this.plan.repeat - 1);
    return Math.max(this.first_run + rest, this.path.begin[this.path.count]);
  }

  get links() {
    return this.cached('linkTable', () => {
      const [link, bytes, busy, wait] = ['link', 'link_bytes', 'link_busy', 'link_wait'].map(
        (name) => this.column(this[name]),
      );
      return Array.from(link, (id, i) => ({ id, bytes: bytes[i], busy: busy[i], wait: wait[i] }));
    });
  }

  get path() {
    return this.cached('pathTable', () => {
      const path = {
        cause: this.column(this.path_cause),
        length: this.column(this.path_length),
        tb: this.column(this.path_tb),
        step: this.column(this.path_step),
      };
      path.count = path.length.length;
      path.begin = new Float64Array(path.count + 1);
      for (let i = 0; i < path.count; ++i) path.begin[i + 1] = path.begin[i] + path.length[i];
      return path;
    });
  }

  get spans() {
    return this.timeline && this.cached('spanTable', () => readSpans(this));
  }

  get flights() {
    return this.timeline && this.cached('flightTable', () => readMessages(this));
  }

  cached(name, make) {
    const key = `cached_${name}`;
    if (!(key in this)) this[key] = make();
    return this[key];
  }
}

const nothing = { cause: [], length: [], tb: [], step: [], begin: [0], count: 0 };

/** An execution by ccl-run: it has steps and waits, but neither messages nor a critical path. */
class MeasuredRun extends Run {
  constructor(plan, { measured }, column) {
    super(plan, { ...measured, timeline: measured }, column);
    this.isMeasured = true;
  }
  get wholeTime() {
    return this.time ?? 0;
  }
  get path() {
    return nothing;
  }
  get flights() {
    return { bySender: new Map(), byTaker: new Map() };
  }
}

/** Spans of threadblock t are first[t] ... first[t + 1], without gaps from 0. */
function readSpans(run) {
  const { timeline, column, plan } = run;
  const [tb, step, piece, cause, length] = ['tb', 'step', 'piece', 'cause', 'length'].map((name) =>
    column(timeline[name]),
  );
  const count = tb.length;
  const begin = new Float64Array(count),
    end = new Float64Array(count);
  const first = new Uint32Array(plan.threadblocks + 1);
  for (let i = 0; i < count; ++i) {
    begin[i] = i > 0 && tb[i - 1] === tb[i] ? end[i - 1] : 0;
    end[i] = begin[i] + length[i];
    ++first[tb[i] + 1];
  }
  for (let t = 0; t < plan.threadblocks; ++t) first[t + 1] += first[t];
  const until = timeline.until === null ? run.wholeTime : timeline.until;
  return {
    count,
    tb: Uint32Array.from(tb),
    step: Uint32Array.from(step),
    piece,
    begin,
    end,
    first,
    until,
    cause: Uint8Array.from(cause),
    /** The span of threadblock \p t at \p time, or null. */
    at(t, time) {
      const i = first[t] + firstWhere(first[t + 1] - first[t], (n) => end[first[t] + n] > time);
      return i < first[t + 1] && begin[i] <= time ? i : null;
    },
  };
}

/** Messages by their sending step and by their receiving step. */
function readMessages(run) {
  const { timeline, column } = run;
  const [conn, size, sendStep, sent, arrived, taken, takenStep] = [
    'conn',
    'size',
    'send_step',
    'sent',
    'arrived',
    'taken',
    'taken_step',
  ].map((name) => column(timeline[`msg_${name}`]));
  const bySender = new Map(),
    byTaker = new Map();
  const add = (map, key, value) => {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
  };
  for (let i = 0; i < conn.length; ++i) {
    add(bySender, sendStep[i], i);
    if (taken[i] > 0) add(byTaker, takenStep[i], i);
  }
  return {
    bySender,
    byTaker,
    get: (i) => ({
      sender: run.plan.connSender[conn[i]],
      receiver: run.plan.connReceiver[conn[i]],
      size: size[i],
      sendStep: sendStep[i],
      sent: sent[i],
      arrived: arrived[i] > 0 ? arrived[i] - 1 : null,
      taken: taken[i] > 0 ? taken[i] - 1 : null,
      takenStep: takenStep[i],
    }),
  };
}
