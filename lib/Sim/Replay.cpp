//===- Replay.cpp - Values of the symbolic proof on real data -------------===//
//
// Evaluates the expression of an output bottom up with an explicit stack, since a sum of a
// thousand terms is a thousand deep, and keeps partial results by value, so that a shared
// subexpression is computed once. Outputs of one run are kept until the next.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Replay.h"

using namespace cclc;

Replay::Replay(const BoundPlan &bound, const Sizing &sizing, const InputData &input, ReduceOp op,
               Placement placement)
    : collective(bound.plan.info().collective), sizing(sizing), input(input), op(op),
      runner(bound.plan, bound.connections),
      execution(bound.plan, bound.connections, runner, placement) {}

Replay::Elements Replay::load(Contribution from) const {
  Elements elements(sizing.chunkElements * sizeOf(sizing.type));
  input.store(elements.data(), from.rank, from.index * sizing.chunkElements, sizing.chunkElements,
              outputsOf);
  return elements;
}

const Replay::Elements &Replay::evaluate(ValueId root) {
  const ValueTable &values = execution.memory().values;
  ReduceFn reduce = reduceFunction(sizing.type, op);
  partial.clear();
  // Depth first without recursion: a sum of a thousand terms is a thousand deep.
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
        reduce(sum.data(), lhs->second.data(), rhs->second.data(), sizing.chunkElements);
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
    finishReduction(collective, collective.expected(rank, chunk), sizing.type, op,
                    it->second.data(), sizing.chunkElements);
  }
  return it->second.data();
}
