//===- UniformOrder.cpp - Reduction orders without chunks -----------------===//
//
// Values are hashed in the order of the table, operands before sums. The leaf of a contribution is
// its rank, without its index, and a sum is hashed symmetrically in its operands. Whether the
// indices are right is the post-condition's matter.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/UniformOrder.h"

#include "cclc/Proof/PlanExecution.h"

#include <algorithm>

using namespace cclc;

namespace {
uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

class OrderHashes {
public:
  explicit OrderHashes(const ValueTable &values) : values(values) {
    sums.reserve(values.numSums());
    values.forSums([&](ValueId lhs, ValueId rhs) {
      uint64_t a = of(lhs), b = of(rhs);
      sums.push_back(mixed(mixed(std::min(a, b)) * 3 + std::max(a, b)));
    });
  }

  uint64_t of(ValueId value) const {
    if (values.isSum(value))
      return sums[values.sumNumber(value)];
    if (!values.isContribution(value))
      return 0;
    return mixed(uint64_t(values.asContribution(value).rank.index()) + 1);
  }

private:
  const ValueTable &values;
  std::vector<uint64_t> sums;
};

/// Whether \p kind is a reduction.
bool isSum(Expectation::Kind kind) {
  return kind == Expectation::Kind::Sum || kind == Expectation::Kind::SumList;
}

/// The hash of the reductions of \p rank; zero if it has none, unset if they differ.
std::optional<uint64_t> orderOfRank(const Collective &collective, const SymbolicMemory &memory,
                                    const OrderHashes &hashes, RankId rank) {
  uint64_t order = 0;
  for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
    if (!isSum(collective.expected(rank, c).kind))
      continue;
    uint64_t hash = hashes.of(memory.at(rank, Operand(Buffer::Output, c)).value);
    if (order && order != hash)
      return std::nullopt;
    order = hash;
  }
  return order;
}
} // namespace

std::optional<uint64_t> cclc::findUniformOrder(const ExecPlan &plan) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  const Collective &collective = plan.info().collective;
  std::optional<uint64_t> order;
  for (Placement placement : plan.info().placements.list()) {
    PlanExecution execution(plan, connections, runner, placement);
    OrderHashes hashes(execution.memory().values);
    uint64_t common = 0;
    for (uint32_t r = 0; r < plan.ranks(); ++r) {
      std::optional<uint64_t> own = orderOfRank(collective, execution.memory(), hashes, RankId(r));
      if (!own)
        return std::nullopt;
      if (isScan(collective.kind()))
        common = mixed(common * 3 + *own);
      else if (common && *own && common != *own)
        return std::nullopt;
      else if (*own)
        common = *own;
    }
    if (order && *order != common)
      return std::nullopt;
    order = common;
  }
  return order.value_or(0);
}

bool cclc::hasSameBits(const Collective &collective, const SymbolicMemory &memory) {
  const std::vector<ValueId> first = memory.outputs(RankId(0));
  std::optional<OrderHashes> hashes; // most ranks have the same values
  for (uint32_t r = 1; r < collective.ranks(); ++r) {
    const std::vector<ValueId> other = memory.outputs(RankId(r));
    for (size_t c = 0; c < first.size(); ++c) {
      if (first[c] == other[c])
        continue;
      if (!hashes)
        hashes.emplace(memory.values);
      if (hashes->of(first[c]) != hashes->of(other[c]))
        return false;
    }
  }
  return true;
}
