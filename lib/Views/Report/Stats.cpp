//===- Stats.cpp - Plan statistics as text and as JSON --------------------===//
//
// Counts steps by kind, messages, connections and maxima by rank in one pass over the plan;
// counters of the passes and the result of the proof are taken from the compilation.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Stats.h"

#include "JsonText.h"

#include "cclc/Support/Text.h"

#include "cclc/IR/Connections.h"
#include "cclc/Support/Printable.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>

using namespace cclc;
using llvm::formatv;

namespace {
struct PlanCounts {
  explicit PlanCounts(const ExecPlan &plan);

  std::array<uint64_t, numOpKinds> steps{}; ///< by kind
  uint64_t total = 0, waits = 0, messages = 0, connections = 0, betweenNeighbours = 0;
  uint32_t threadblocks = 0, mostThreadblocks = 0, mostSteps = 0, scratch = 0;
};

PlanCounts::PlanCounts(const ExecPlan &plan) {
  total = plan.steps().size();
  for (const Step &step : plan.steps()) {
    ++steps[static_cast<size_t>(step.op)];
    waits += step.waits();
    messages += traits(step.op).sends;
  }
  const ConnectionTable table(plan);
  connections = table.size();
  std::vector<std::pair<RankId, RankId>> neighbours;
  for (const Neighbour &row : plan.info().neighbours)
    neighbours.emplace_back(row.rank, row.peer);
  std::sort(neighbours.begin(), neighbours.end());
  for (const Connection &connection : table.connections())
    betweenNeighbours +=
        std::binary_search(neighbours.begin(), neighbours.end(),
                           std::pair(plan.threadblocks()[connection.senderTb].rank,
                                     plan.threadblocks()[connection.receiverTb].rank));
  threadblocks = plan.threadblocks().size();
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    mostThreadblocks = std::max(mostThreadblocks, plan.numThreadblocks(RankId(r)));
    uint32_t onRank = 0;
    for (const Threadblock &tb : plan.threadblocks(RankId(r)))
      onRank += tb.numSteps;
    mostSteps = std::max(mostSteps, onRank);
    scratch = std::max(scratch, plan.scratchChunks()[r]);
  }
}

} // namespace

void cclc::printStats(const Compiled &compiled, raw_ostream &os) {
  const ExecPlan &plan = compiled.plan;
  const ProgramInfo &info = plan.info();
  PlanCounts counts(plan);
  os << printable(info.name) << ": " << StringRef(collectiveName(info.collective.kind()))
     << " over " << plan.ranks() << " ranks";
  if (!info.target.empty())
    os << " on " << printable(info.target.title());
  os << '\n';
  auto row = [&](StringRef what, uint64_t n, const std::string &more = "") {
    os << formatv("  {0,-28}{1,12}{2}{3}\n", what, n, more.empty() ? "" : "  ", more);
  };
  std::string kinds;
  for (unsigned op = 0; op < numOpKinds; ++op)
    if (counts.steps[op])
      kinds += (kinds.empty() ? "" : ", ") + std::string(traits(OpKind(op)).mnemonic) + ' ' +
               std::to_string(counts.steps[op]);
  row("operations", compiled.chunkOps);
  row("steps", counts.total, kinds);
  row("steps of a rank", counts.mostSteps, "at most");
  row("waits", counts.waits);
  row("messages", counts.messages);
  row("connections", counts.connections,
      info.neighbours.empty() ? ""
                              : std::to_string(counts.betweenNeighbours) + " between neighbours");
  row("channels", plan.channels());
  row("threadblocks", counts.threadblocks,
      "at most " + std::to_string(counts.mostThreadblocks) + " on a rank");
  row("scratch chunks", counts.scratch, "at most");
  for (const MemoryNeed &need : compiled.memory)
    if (need.capacity)
      row(("bytes of slots in " + memoryName(need.memory)).str(), need.total(),
          formatv("of {0}, on r{1}", need.capacity->count(), need.rank.index()));
  for (const QueueNeed &need : compiled.queues)
    row((queueGroupName(need.group) + " queues").str(), need.total,
        formatv("of {0}{1}, on r{2}", need.limit, need.total > need.limit ? " shared" : "",
                need.rank.index()));
  for (const auto &[name, n] : compiled.counters)
    row(name, n);
  if (!compiled.report) {
    os << "  not verified\n";
    return;
  }
  row("slots needed", compiled.report->slotsNeeded.value_or(0),
      "of " + plan.slots().value_or(Slots::unlimited()).str());
  os << formatv("  {0,-28}{1}\n", "reduction hash",
                hashText(compiled.report->reductionHash.value_or(0)));
  if (compiled.report->sameBits)
    os << formatv("  {0,-28}{1,10}\n", "same bits on all ranks",
                  *compiled.report->sameBits ? "yes" : "no");
  if (!compiled.report->note.empty())
    os << "  " << compiled.report->note << '\n';
}

void cclc::writeStatsJson(const Compiled &compiled, raw_ostream &os) {
  const ExecPlan &plan = compiled.plan;
  const ProgramInfo &info = plan.info();
  PlanCounts counts(plan);
  nlohmann::ordered_json out;
  out["format"] = "cclc-stats";
  out["version"] = 1;
  out["name"] = info.name;
  out["collective"] = std::string(collectiveName(info.collective.kind()));
  out["ranks"] = plan.ranks();
  out["target"] = info.target.empty() ? nlohmann::ordered_json(nullptr)
                                      : nlohmann::ordered_json(info.target.name);
  out["operations"] = compiled.chunkOps;
  out["steps"] = counts.total;
  nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
  for (unsigned op = 0; op < numOpKinds; ++op)
    kinds[std::string(traits(OpKind(op)).mnemonic)] = counts.steps[op];
  out["step_kinds"] = std::move(kinds);
  out["steps_max_per_rank"] = counts.mostSteps;
  out["waits"] = counts.waits;
  out["messages"] = counts.messages;
  out["connections"] = counts.connections;
  out["connections_between_neighbours"] = info.neighbours.empty()
                                              ? nlohmann::ordered_json(nullptr)
                                              : nlohmann::ordered_json(counts.betweenNeighbours);
  out["channels"] = plan.channels();
  out["threadblocks"] = counts.threadblocks;
  out["threadblocks_max_per_rank"] = counts.mostThreadblocks;
  out["scratch_max_per_rank"] = counts.scratch;
  out["memory"] = nlohmann::ordered_json::array();
  for (const MemoryNeed &need : compiled.memory)
    out["memory"].push_back(
        {{"memory", memoryName(need.memory).str()},
         {"rank", need.rank.index()},
         {"slots", need.slots},
         {"capacity", need.capacity ? nlohmann::ordered_json(need.capacity->count())
                                    : nlohmann::ordered_json(nullptr)}});
  out["queues"] = nlohmann::ordered_json::array();
  for (const QueueNeed &need : compiled.queues)
    out["queues"].push_back({{"group", queueGroupName(need.group).str()},
                             {"rank", need.rank.index()},
                             {"queues", need.total},
                             {"limit", need.limit}});
  nlohmann::ordered_json passes = nlohmann::ordered_json::object();
  for (const auto &[name, n] : compiled.counters)
    passes[name] = n;
  out["passes"] = std::move(passes);
  out["verdict"] = nullptr;
  out["slots_needed"] = nullptr;
  out["reduction_hash"] = nullptr;
  out["same_bits"] = nullptr;
  if (compiled.report) {
    out["verdict"] = verdictName(compiled.report->verdict).str();
    if (compiled.report->slotsNeeded)
      out["slots_needed"] = *compiled.report->slotsNeeded;
    if (compiled.report->reductionHash)
      out["reduction_hash"] = hashText(*compiled.report->reductionHash);
    if (compiled.report->sameBits)
      out["same_bits"] = *compiled.report->sameBits;
  }
  os << jsonText(out) << '\n';
}
