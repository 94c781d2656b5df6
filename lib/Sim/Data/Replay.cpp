//===- Replay.cpp - Evaluating symbolic values on data --------------------===//
//
// Evaluates the expression of an output bottom up with an explicit stack, since a sum of a thousand
// terms may be a thousand deep. Partial results are cached by value, so that a shared subexpression
// is computed once. The outputs of a run are cached until the next run.
//
// Implements rule 34.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Data/Replay.h"

using namespace cclc;

Replay::Replay(const ExecPlan &plan, const ConnectionTable &connections, const InputData &input,
               DataType type, ReduceOp op, uint64_t chunkElements, Placement placement)
    : collective(plan.info().collective), input(input), type(type), op(op),
      chunkElements(chunkElements), runner(plan, connections),
      execution(plan, connections, runner, placement) {}

Replay::Elements Replay::load(Contribution from) const {
  Elements elements(chunkElements * sizeOf(type));
  input.store(elements.data(), from.rank, from.index * chunkElements, chunkElements, outputsOf);
  return elements;
}

const Replay::Elements &Replay::evaluate(ValueId root) {
  const ValueTable &values = execution.memory().values;
  ReduceFn reduce = reduceFunction(type, op);
  partial.clear();
  // Depth first without recursion, because expressions may be thousands deep.
  std::vector<ValueId> stack = {root};
  while (!stack.empty()) {
    ValueId value = stack.back();
    if (partial.count(value.index())) {
      stack.pop_back();
    } else if (values.isContribution(value)) {
      partial.emplace(value.index(), load(values.asContribution(value)));
      stack.pop_back();
    } else {
      auto lhs = partial.find(values.lhs(value).index());
      auto rhs = partial.find(values.rhs(value).index());
      if (lhs == partial.end()) {
        stack.push_back(values.lhs(value));
      } else if (rhs == partial.end()) {
        stack.push_back(values.rhs(value));
      } else {
        Elements sum(lhs->second.size());
        reduce(sum.data(), lhs->second.data(), rhs->second.data(), chunkElements);
        partial.emplace(value.index(), std::move(sum));
        stack.pop_back();
      }
    }
  }
  return partial.at(root.index());
}

const std::byte *Replay::expected(RankId rank, uint32_t chunk, uint32_t run) {
  if (run != outputsOf)
    outputs.clear();
  outputsOf = run;
  ValueId value = execution.memory().at(rank, Operand(Buffer::Output, chunk)).value;
  auto [it, inserted] = outputs.try_emplace(value.index());
  if (inserted) {
    it->second = evaluate(value);
    finishReduction(collective.expected(rank, chunk), type, op, it->second.data(), chunkElements);
  }
  return it->second.data();
}
