//===- PlanBehaviour.cpp - Executions and races by definition -------------===//
//
// A plan with any slots either completes in all orders or in none, because a step that can be
// executed stays so until it is. Races are found in the plan whose steps are split into chunks, the
// smallest transmissions that a runtime may choose. Sums are modulo 2^64 of random inputs and of
// random initial contents, so that a wrong contribution changes the result.
//
//===----------------------------------------------------------------------===//

#include "PlanBehaviour.h"

#include "NaivePlan.h"
#include "RandomPlan.h"

using namespace cclc;
using namespace cclc::test;

static uint64_t inputOf(uint32_t rank, uint32_t index) {
  return Random((uint64_t(rank) << 32) + index + 1).next();
}

/// The value of an output cell by the table in Collective.h; none if it is unconstrained.
static std::optional<uint64_t> expected(const Collective &collective, uint32_t r, uint32_t index) {
  const uint32_t F = collective.chunks(), R = collective.ranks();
  const uint32_t root = collective.root().index();
  auto sumBefore = [&](uint32_t end, uint32_t chunk) {
    uint64_t total = 0;
    for (uint32_t q = 0; q < end; ++q)
      total += inputOf(q, chunk);
    return total;
  };
  auto sum = [&](uint32_t chunk) { return sumBefore(R, chunk); };
  auto onRoot = [&](uint64_t value) {
    return r == root ? std::optional<uint64_t>(value) : std::nullopt;
  };
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
    return sum(index);
  case CollectiveKind::AllGather:
    return inputOf(index / F, index % F);
  case CollectiveKind::ReduceScatter:
    return sum(r * F + index);
  case CollectiveKind::AllToAll:
    return inputOf(index / F, r * F + index % F);
  case CollectiveKind::AllToNext:
    return r == 0 ? std::nullopt : std::optional<uint64_t>(inputOf(r - 1, index));
  case CollectiveKind::Broadcast:
    return inputOf(root, index);
  case CollectiveKind::Reduce:
    return onRoot(sum(index));
  case CollectiveKind::Gather:
    return onRoot(inputOf(index / F, index % F));
  case CollectiveKind::Scatter:
    return inputOf(root, r * F + index);
  case CollectiveKind::SendRecv:
    return inputOf((r + R - 1) % R, index);
  case CollectiveKind::Scan:
    return sumBefore(r + 1, index);
  case CollectiveKind::Exscan:
    return r == 0 ? std::nullopt : std::optional(sumBefore(r, index));
  case CollectiveKind::Custom:
    for (const CustomSpec::Output &output : collective.custom()->outputs)
      if (output.rank.index() == r && output.index == index) {
        uint64_t total = 0;
        for (const Contribution &part : output.contributions)
          total += inputOf(part.rank.index(), part.index);
        return total;
      }
    return std::nullopt;
  }
  return std::nullopt;
}

static bool isExpected(const Collective &collective, const Outputs &outputs) {
  for (uint32_t r = 0; r < collective.ranks(); ++r)
    for (uint32_t c = 0; c < collective.outputChunks(); ++c)
      if (std::optional<uint64_t> value = expected(collective, r, c)) {
        auto found = outputs.find({r, c});
        if (found == outputs.end() || found->second != *value)
          return false;
      }
  return true;
}

static bool overwritesInput(const ExecPlan &plan) {
  if (!plan.info().placements.allowsOutOfPlace() || !plan.info().collective.hasPostCondition())
    return false;
  NaivePlan naive(plan);
  for (uint32_t s = 0; s < plan.steps().size(); ++s)
    for (auto [memory, index] : naive.writes(s, Placement::OutOfPlace))
      if (memory == 'i')
        return true;
  return false;
}

static bool hasUnorderedAccesses(const ExecPlan &plan) {
  ExecPlan split = splitIntoChunks(plan);
  NaivePlan naive(split);
  auto ordered = naive.closure(naive.edges(0));
  for (uint32_t a = 0; a < split.steps().size(); ++a)
    for (uint32_t b = a + 1; b < split.steps().size(); ++b)
      if (!ordered[a][b] && !ordered[b][a] && naive.conflict(a, b))
        return true;
  return false;
}

PlanBehaviour test::observe(const ExecPlan &plan, Slots slots, uint32_t orders, uint64_t seed) {
  PlanBehaviour seen;
  for (Placement placement : plan.info().placements.list()) {
    std::optional<Outputs> first;
    for (uint32_t order = 0; order < orders; ++order) {
      std::optional<Outputs> outputs = executePlan(plan, placement, slots, seed + order, inputOf);
      seen.completes &= outputs.has_value();
      if (!outputs)
        continue;
      seen.isRight &= isExpected(plan.info().collective, *outputs);
      seen.varies |= first && *first != *outputs;
      first = std::move(outputs);
    }
  }
  if (seen.completes)
    seen.isUnordered = hasUnorderedAccesses(plan);
  seen.isRight &= !overwritesInput(plan);
  return seen;
}

std::string test::contradiction(StringRef verdict, const PlanBehaviour &behaviour) {
  if (verdict == "deadlock")
    return behaviour.completes ? "a plan with a deadlock completes" : "";
  if (!behaviour.completes)
    return "a plan without a deadlock is blocked";
  if (verdict == "race")
    return behaviour.isUnordered ? "" : "a plan with a race orders all accesses";
  if (behaviour.isUnordered)
    return "a plan without a race does not order its accesses";
  if (behaviour.varies)
    return "a plan without a race has several results";
  if (verdict == "wrong-result")
    return behaviour.isRight ? "a plan with a wrong result computes the right one" : "";
  if (verdict == "ok")
    return behaviour.isRight ? "" : "a correct plan computes a wrong result";
  return ("no behaviour is known for the verdict " + verdict).str();
}
