// The provenance of a cell as a tree: its nodes are the reducing steps, its leaves the initial
// chunks. Steps that only move a value are part of an edge, unless moves are shown.

const mostNodes = 20000; // of a tree
const mostTerminals = 48,
  mostLevels = 14; // of a drawing

/** The values of a plan and the operands of each (Semantics/Provenance.h). */
class Origin {
  constructor(plan, json, column) {
    this.plan = plan;
    this.inputChunks = json.input_chunks;
    this.firstAction = 1 + plan.ranks * json.input_chunks;
    this.column = column;
    this.json = json;
  }
  read() {
    if (this.lhs) return;
    const { json, column, plan } = this;
    this.lhs = column(json.lhs);
    this.rhs = column(json.rhs);
    this.cells = column(json.cells);
    this.sizes = column(json.sizes);
    this.firstCell = new Float64Array(this.sizes.length + 1);
    this.sizes.forEach((size, i) => {
      this.firstCell[i + 1] = this.firstCell[i] + size;
    });
    const { count } = plan.step;
    this.firstOfStep = new Float64Array(count.length + 1);
    count.forEach((n, i) => {
      this.firstOfStep[i + 1] = this.firstOfStep[i] + n;
    });
  }

  chunks(rank, buffer) {
    this.read();
    return this.sizes[rank * 3 + buffer];
  }
  of(rank, buffer, index) {
    this.read();
    return this.cells[this.firstCell[rank * 3 + buffer] + index];
  }
  isAction(id) {
    return id >= this.firstAction;
  }
  step(id) {
    const action = id - this.firstAction;
    return firstWhere(this.firstOfStep.length - 1, (s) => this.firstOfStep[s + 1] > action);
  }
    /** The operands of a value: one or two values. */
  operands(id) {
    const lhs = this.lhs[id - this.firstAction],
      rhs = this.rhs[id - this.firstAction];
    return rhs === 0 ? [lhs] : [lhs, rhs - 1];
  }
  leafName(id) {
    if (id === 0) return 'undefined';
    return `r${Math.floor((id - 1) / this.inputChunks)} i[${(id - 1) % this.inputChunks}]`;
  }
}

class ReductionView {
  constructor(node) {
    this.node = node;
    for (const id of ['cell-rank', 'cell-buffer', 'cell-index', 'cell-moves'])
      byId(id).addEventListener('change', () => this.draw());
    byId('cell').addEventListener('submit', (event) => event.preventDefault());
  }

    /** Shows the plan of \p view. */
  show(view) {
    this.view = view;
    this.plan = view.plan;
    const known = Boolean(this.plan.origin);
    byId('reduction').hidden = byId('nav-reduction').hidden = !known;
    if (!known) return;
    byId('cell-rank').max = String(this.plan.ranks - 1);
    if (!this.chosen) this.choose();
    this.draw();
  }
    /** Selects the initial cell: the first output or input cell that a step has written. */
  choose() {
    this.chosen = true;
    const { origin } = this.plan;
    for (const buffer of [1, 0])
      for (let rank = 0; rank < this.plan.ranks; ++rank)
        if (origin.chunks(rank, buffer) > 0 && origin.isAction(origin.of(rank, buffer, 0))) {
          byId('cell-rank').value = String(rank);
          byId('cell-buffer').value = String(buffer);
          return;
        }
  }

    /** The tree of value \p id; its root is the last step that wrote the cell. */
  tree(id) {
    const { plan } = this,
      { origin } = plan;
    const withMoves = byId('cell-moves').checked;
    const leaf = (value, moved) => {
      ++this.leaves;
      return {
        name: origin.leafName(value),
        moved,
        itemStyle: { color: theme.colours.causes.link },
      };
    };
    const node = (value, moved) => {
      const step = origin.step(value),
        operands = origin.operands(value);
      const op = plan.opOf(step),
        reduces = operands.length > 1;
      if (reduces) ++this.reductions;
      return {
        name: `${plan.threadblockName(plan.threadblockOf(step))} ${op.name}`,
        step,
        moved,
        operands,
        itemStyle: { color: reduces ? theme.colours.ops.rrc : theme.colours.baseline },
        children: [],
      };
    };
        /** The node of \p value, skipping steps that only move data. */
    const make = (value) => {
      const moved = [];
      let at = value;
      while (!withMoves && origin.isAction(at) && origin.operands(at).length === 1) {
        moved.push(origin.step(at));
        [at] = origin.operands(at);
      }
      return origin.isAction(at) ? node(at, moved) : leaf(at, moved);
    };
    const root = make(id),
      all = [root];
    for (let i = 0; i < all.length && all.length < mostNodes; ++i)
      for (const operand of all[i].operands ?? []) {
        const child = make(operand);
        all[i].children.push(child);
        all.push(child);
      }
    this.cut = all.length >= mostNodes;
    for (const at of all.reverse())
      at.chunks = at.children?.length ? sum(at.children.map((child) => child.chunks)) : 1;
    return root;
  }

    /** The part of the tree below \p root that fits into a readable drawing. A click on a collapsed
   *  node draws the tree below it. */
  visible(root) {
    const copy = (node) => ({ ...node, children: [] });
    const top = copy(root),
      open = [[top, root, 0]];
    let terminals = 1;
    for (let i = 0; i < open.length; ++i) {
      const [shown, node, level] = open[i];
      if (!node.children?.length) continue;
      if (terminals + node.children.length - 1 > mostTerminals || level === mostLevels) {
        shown.name = `\u2026 ${plural(node.chunks, 'chunk')}`;
        shown.behind = node;
        shown.itemStyle = { color: theme.colours.accent };
        continue;
      }
      terminals += node.children.length - 1;
      shown.children = node.children.map(copy);
      node.children.forEach((child, n) => open.push([shown.children[n], child, level + 1]));
    }
    this.terminals = terminals;
    return top;
  }

  draw() {
    const { plan } = this,
      { origin } = plan;
    const rank = Math.min(Math.max(Number(byId('cell-rank').value) || 0, 0), plan.ranks - 1);
    const buffer = Number(byId('cell-buffer').value),
      chunks = origin.chunks(rank, buffer);
    const index = Math.max(Number(byId('cell-index').value) || 0, 0);
    byId('cell-index').max = String(Math.max(chunks - 1, 0));
    const cell = `r${rank} ${bufferLetters[buffer]}[${index}]`;
    const note = byId('reduction-note');
    if (index >= chunks) {
      note.textContent = `There is no ${cell}: the buffer has ${plural(chunks, 'chunk')}.`;
      if (this.chart) this.chart.clear();
      return;
    }
    this.leaves = this.reductions = 0;
    this.cut = false;
    this.root = this.tree(origin.of(rank, buffer, index));
    this.summary =
      `${cell} is reduced from ${plural(this.leaves, 'initial chunk')} by ` +
      `${plural(this.reductions, 'reduction')}.` +
      (this.cut ? ' The tree is incomplete.' : '') +
      ' A click on a step shows it in the timeline.';
    this.paint(this.root);
    this.list();
  }

  paint(root) {
    const { ink, line, card } = theme.colours,
      data = this.visible(root);
    const note = byId('reduction-note'),
      back = element('button', { type: 'button' }, 'Back to the cell');
    back.addEventListener('click', () => this.paint(this.root));
    note.replaceChildren(this.summary, ...(root === this.root ? [] : [' ', back]));
    this.node.style.height = `${Math.min(Math.max(this.terminals * 26 + 60, 220), 1300)}px`;
    this.node.setAttribute('aria-label', this.summary);
    if (!this.chart) {
      this.chart = makeChart(this.node);
      this.chart.on('click', ({ data: node }) =>
        node.behind ? this.paint(node.behind) : this.reveal(node),
      );
    }
    this.chart.resize();
        // Without this the charts library looks for nodes of the previous tree.
    this.chart.clear();
    this.chart.setOption(
      {
        ...chartBase(),
        tooltip: {
          ...chartBase().tooltip,
          trigger: 'item',
          formatter: ({ data }) => this.tooltip(data),
        },
        series: [
          {
            type: 'tree',
            data: [data],
            orient: 'RL',
            left: 150,
            right: 110,
            top: 10,
            bottom: 10,
            symbol: 'circle',
            symbolSize: 9,
            roam: true,
            initialTreeDepth: -1,
            expandAndCollapse: false,
            edgeShape: 'polyline',
            edgeForkPosition: '50%',
            lineStyle: { color: line, width: 1.5, curveness: 0.4 },
            label: {
              position: 'top',
              color: ink,
              fontSize: 11,
              distance: 4,
              backgroundColor: card,
              padding: [1, 2],
            },
            leaves: { label: { position: 'left', distance: 6 } },
            emphasis: { focus: 'none' },
          },
        ],
      },
      { notMerge: true },
    );
  }

    /** Lists the reducing steps from the cell back; unlike the drawing it needs no mouse. */
  list() {
    const steps = [],
      open = [this.root];
    while (open.length > 0 && steps.length < 500) {
      const node = open.shift();
      open.push(...(node.children ?? []));
      if (node.step === undefined) continue;
      const button = element('button', { type: 'button' }, this.plan.stepName(node.step));
      button.addEventListener('click', () => this.reveal(node));
      steps.push(element('li', {}, button));
    }
    byId('reduction-steps').replaceChildren(...steps);
  }

  tooltip({ name, step, moved, behind }) {
    if (behind) return `${escapeHtml(name)} behind ${escapeHtml(this.plan.stepName(step))}`;
    const { plan } = this,
      lines = [`<strong>${escapeHtml(name)}</strong>`];
    if (step !== undefined)
      lines.push(
        escapeHtml(plan.stepName(step)),
        escapeHtml(operationText(plan, step)),
        escapeHtml(plan.locationOf(step)),
      );
    if (moved?.length)
      lines.push(
        `then moved by ${plural(moved.length, 'step')}, last by ` +
          escapeHtml(plan.stepName(moved[0])),
      );
    return lines.filter(Boolean).join('<br>');
  }

  reveal(data) {
    const step = data.step ?? data.moved?.at(-1),
      { view, plan } = this;
    if (step === undefined || !view.spans) return;
    const span = findSpan(view.run, plan.threadblockOf(step), step, 0);
    if (span === null) return;
    report.select({ view, span, reveal: true });
    byId('timeline').scrollIntoView();
  }
}
