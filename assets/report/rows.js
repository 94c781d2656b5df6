// The rows of a timeline. An open rank has one row for each threadblock, a folded rank one for all:
// it shows an executing step if any of them executes one, otherwise the most frequent wait.

/** Timelines of more ranks are folded at first. */
const mostRanksOpen = 64;
/** Rows that a folded timeline shows at first; a rank with at most half of them is open. */
const foldedRows = 32;

class TimelineRows {
  constructor(plan) {
    const { firstOfRank, threadblocks } = plan;
    const firsts = [...firstOfRank];
    this.ranks = firsts.map(([rank, first], i) => ({
      rank,
      first,
      count: (i + 1 < firsts.length ? firsts[i + 1][1] : threadblocks) - first,
      isFolded: false,
    }));
    this.indexOf = new Map(firsts.map(([rank], i) => [rank, i]));
    this.rankOf = (t) => this.ranks[this.indexOf.get(plan.step.tb_rank[t])];
    this.canFold = this.ranks.some(({ count }) => count > 1);
    this.isLarge = this.canFold && this.ranks.length > mostRanksOpen;
    this.rowOf = new Uint32Array(threadblocks);
    this.foldAll(this.isLarge);
  }

  get areAllFolded() {
    return this.ranks.every(({ count, isFolded }) => isFolded || count === 1);
  }
  foldAll(isFolded) {
    for (const rank of this.ranks) rank.isFolded = isFolded && rank.count > 1;
    this.update();
  }
  toggle(rank) {
    rank.isFolded = !rank.isFolded && rank.count > 1;
    this.update();
  }

  update() {
    this.byRow = [];
    for (const rank of this.ranks) {
      rank.row = this.byRow.length;
      const rows = rank.isFolded ? 1 : rank.count;
      for (let i = 0; i < rows; ++i) this.byRow.push(rank);
      for (let i = 0; i < rank.count; ++i)
        this.rowOf[rank.first + i] = rank.row + Math.min(i, rows - 1);
    }
    this.count = this.byRow.length;
  }

  /** The threadblocks of a row. */
  threadblocksOf(row) {
    const { row: top, first, count, isFolded } = this.byRow[row];
    return isFolded ? Array.from({ length: count }, (_, i) => first + i) : [first + row - top];
  }

  /** The span that a row shows at \p time, or null. In a folded rank, one of the critical path first. */
  spanAt({ spans, path }, row, time) {
    const here = this.threadblocksOf(row)
      .map((t) => spans.at(t, time))
      .filter((span) => span !== null);
    if (here.length < 2) return here[0] ?? null;
    const onPath = path.tb[firstWhere(path.count, (i) => path.begin[i + 1] > time)];
    const first = here.find((span) => spans.tb[span] === onPath);
    if (first !== undefined) return first;
    const counts = new Map();
    for (const span of here)
      counts.set(spans.cause[span], (counts.get(spans.cause[span]) ?? 0) + 1);
    const [most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    const shown = counts.has(engineCause) ? engineCause : most;
    return here.find((span) => spans.cause[span] === shown);
  }

  /**
   * The rows to show at first. In a large timeline, which is folded, these are at the rank with the
   * largest part of the critical path.
   */
  firstRange(path) {
    if (!this.isLarge) return [0, this.count > 190 ? 96 : this.count];
    const rank = this.busiestRank(path);
    this.foldAll(true);
    if (rank.count <= foldedRows / 2) this.toggle(rank);
    const shown = Math.min(foldedRows, this.count);
    const before = (shown - (rank.isFolded ? 1 : rank.count)) >> 1;
    const top = Math.min(Math.max(rank.row - before, 0), this.count - shown);
    return [top, top + shown];
  }

  /** Folds or unfolds ranks by \p change. Returns the rows to show, \p rank being in the same place. */
  change(rank, [top, bottom], change) {
    const offset = rank.row - top,
      isWhole = bottom - top >= this.count - 0.5;
    change();
    const wanted = isWhole && this.count <= 190 ? this.count : bottom - top;
    const shown = Math.min(wanted, this.count);
    const begin = Math.min(Math.max(rank.row - offset, 0), this.count - shown);
    return [begin, begin + shown];
  }

  /** The rank in which the critical path is for the longest time. */
  busiestRank(path) {
    const times = new Map();
    for (let i = 0; i < path.count; ++i) {
      const rank = this.rankOf(path.tb[i]);
      times.set(rank, (times.get(rank) ?? 0) + path.length[i]);
    }
    return [...times].reduce((a, b) => (b[1] > a[1] ? b : a), [this.ranks[0], 0])[0];
  }
}
