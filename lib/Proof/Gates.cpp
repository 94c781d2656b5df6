//===- Gates.cpp - Replaying the gates of each rank -----------------------===//
//
// Entries are (rank, phase) pairs in one sorted array without duplicates. The gates of each rank
// are replayed in the order of the phases, with a counter for each communicator. The violation with
// the first phase is reported. Plans are checked by message and by threadblock as well. The time is
// O(n log n) in the steps; programs without gates are skipped.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Gates.h"

#include "cclc/IR/StepNames.h"
#include "cclc/IR/Verifier.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// "r0 r4 r8"; long groups are abbreviated to the first few ranks and the last.
std::string membersText(ArrayRef<RankId> group) {
  std::string text;
  for (size_t i = 0; i < group.size(); ++i) {
    if (group.size() > 6 && i == 3) {
      text += " ...";
      i = group.size() - 1;
    }
    text += formatv("{0}r{1}", text.empty() ? "" : " ", group[i].index());
  }
  return text;
}

bool hasGates(const ProgramInfo &info) {
  return llvm::any_of(info.phases, [](const Phase &phase) { return phase.gate.has_value(); });
}

class PlanGates {
public:
  PlanGates(const ExecPlan &plan, DiagnosticEngine &diags)
      : plan(plan), info(plan.info()), diags(diags) {}

  LogicalResult checkThreadblock(uint32_t t) {
    std::vector<std::pair<uint32_t, uint32_t>> reached; // (communicator, step)
    const Threadblock &tb = plan.threadblocks()[t];
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      const std::optional<Gate> &gate = gateOf(s);
      if (!gate)
        continue;
      auto it =
          llvm::find_if(reached, [&](auto &pair) { return pair.first == gate->communicator; });
      if (it == reached.end()) {
        reached.emplace_back(gate->communicator, s);
        continue;
      }
      if (*gate->generation < *gateOf(it->second)->generation)
        return diags
            .error(info.locate(plan.steps()[s].loc),
                   formatv("{0} goes back to generation {1} of communicator '{2}'",
                           stepName(plan, PlanThreadblockId(t), StepId(s)), *gate->generation,
                           nameOf(*gate)))
            .note(info.locate(plan.steps()[it->second].loc),
                  formatv("{0} has generation {1}",
                          stepName(plan, PlanThreadblockId(t), StepId(it->second)),
                          *gateOf(it->second)->generation));
      it->second = s;
    }
    return success();
  }

  LogicalResult checkMessage(const Connection &connection, uint32_t send, uint32_t recv) {
    const std::optional<Gate> &out = gateOf(send), &in = gateOf(recv);
    bool same =
        out.has_value() == in.has_value() &&
        (!out || (out->communicator == in->communicator && *out->generation == *in->generation));
    if (!same)
      return diags
          .error(info.locate(plan.steps()[recv].loc),
                 formatv("{0} receives in {1} a message sent in {2}: it waits forever",
                         stepName(plan, PlanThreadblockId(connection.receiverTb), StepId(recv)),
                         text(in), text(out)))
          .note(info.locate(plan.steps()[send].loc),
                stepName(plan, PlanThreadblockId(connection.senderTb), StepId(send)) + " sends it");
    return success();
  }

private:
  const std::optional<Gate> &gateOf(uint32_t step) const {
    return info.phases[plan.steps()[step].phase].gate;
  }
  std::string nameOf(const Gate &gate) const { return info.communicators[gate.communicator].name; }
  std::string text(const std::optional<Gate> &gate) const {
    if (!gate)
      return "no generation";
    return formatv("generation {0} of communicator '{1}'", *gate->generation, nameOf(*gate));
  }

  const ExecPlan &plan;
  const ProgramInfo &info;
  DiagnosticEngine &diags;
};

/// The set of (rank, phase) pairs in which the rank enters the phase. Pairs may be added in any
/// order and repeatedly.
class Entries {
public:
  explicit Entries(const ProgramInfo &info) : info(info) {}

  void add(RankId rank, uint32_t phase) {
    uint64_t entry = uint64_t(rank.index()) << 32 | phase;
    if (info.phases[phase].gate && (entries.empty() || entries.back() != entry))
      entries.push_back(entry);
  }

  std::optional<ClosedGate> findClosed() && {
    llvm::sort(entries);
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    std::optional<ClosedGate> first;
    for (size_t begin = 0, end; begin < entries.size(); begin = end) {
      for (end = begin; end < entries.size() && entries[end] >> 32 == entries[begin] >> 32;)
        ++end;
      std::optional<ClosedGate> closed = ofRank(ArrayRef(entries).slice(begin, end - begin));
      if (closed && (!first || closed->phase < first->phase))
        first = closed;
    }
    return first;
  }

private:
  /// The gate of a rank on a communicator.
  struct Counter {
    uint32_t expected = 0;
    std::optional<uint32_t> before; ///< the last phase that was entered
  };

  /// The first violation of one rank, whose phases ascend.
  std::optional<ClosedGate> ofRank(ArrayRef<uint64_t> phases) const {
    llvm::SmallDenseMap<uint32_t, Counter> counters;
    for (uint64_t entry : phases) {
      RankId rank(entry >> 32);
      uint32_t phase = uint32_t(entry);
      const Gate &gate = *info.phases[phase].gate;
      Counter &counter = counters[gate.communicator];
      if (gate.generation && *gate.generation < counter.expected)
        return ClosedGate{rank, phase, counter.expected, *counter.before};
      if (counter.before) {
        uint32_t call = info.phases[*counter.before].gate->call;
        uint32_t last = info.calls[call].generation;
        if (call != gate.call && info.calls[gate.call].generation <= last)
          return ClosedGate{rank, phase, last + 1, *counter.before, /*ofUser=*/true};
      }
      counter = {gate.generation ? *gate.generation + 1 : counter.expected, phase};
    }
    return std::nullopt;
  }

  const ProgramInfo &info;
  std::vector<uint64_t> entries; ///< rank * 2^32 + phase
};
} // namespace

std::optional<ClosedGate> cclc::findClosedGate(const ChunkProgram &program) {
  if (!hasGates(program.info()))
    return std::nullopt;
  Entries entries(program.info());
  for (const ChunkOp &op : program.ops())
    for (RankId rank : {op.srcRank, op.dstRank})
      entries.add(rank, op.phase);
  return std::move(entries).findClosed();
}

std::optional<ClosedGate> cclc::findClosedGate(const InstrProgram &program) {
  if (!hasGates(program.info()))
    return std::nullopt;
  Entries entries(program.info());
  for (const Instr &instr : program.instrs())
    entries.add(instr.rank, instr.phase);
  return std::move(entries).findClosed();
}

std::optional<ClosedGate> cclc::findClosedGate(const ExecPlan &plan) {
  if (!hasGates(plan.info()))
    return std::nullopt;
  Entries entries(plan.info());
  for (const Threadblock &tb : plan.threadblocks())
    for (const Step &step : plan.steps(tb))
      entries.add(tb.rank, step.phase);
  return std::move(entries).findClosed();
}

/// ", group 1 (r3 r4 r5)", the group of the rank, or " of r3" if it is in no group.
static std::string memberText(const Communicator &communicator, RankId rank) {
  for (size_t g = 0; g < communicator.groups.size(); ++g)
    if (llvm::is_contained(communicator.groups[g], rank))
      return formatv(", group {0} ({1})", g, membersText(communicator.groups[g]));
  return formatv(" of r{0}", rank.index());
}

void cclc::reportClosedGate(const ProgramInfo &info, const ClosedGate &closed,
                            DiagnosticEngine &diags) {
  const Phase &phase = info.phases[closed.phase], &last = info.phases[closed.before];
  const Communicator &communicator = info.communicators[phase.gate->communicator];
  StringRef of = closed.ofUser ? "user generation" : "generation";
  uint32_t got = closed.ofUser ? info.calls[phase.gate->call].generation : *phase.gate->generation;
  DiagnosticEngine::InFlight error =
      diags.error(info.locate(info.calls[phase.gate->call].loc),
                  formatv("the gate of communicator '{0}'{1} expects {2} {3} or later, got {4}: "
                          "{5} enters it in phase '{6}'",
                          communicator.name, memberText(communicator, closed.rank), of,
                          closed.expected, got, callText(info, phase), phase.name));
  Location before = info.locate(info.calls[last.gate->call].loc);
  if (last.gate->generation)
    error.note(before, formatv("{0} has set it to {1} in phase '{2}' of generation {3}",
                               callText(info, last), *last.gate->generation + 1, last.name,
                               *last.gate->generation));
  else
    error.note(before,
               formatv("{0} has entered it in phase '{1}'", callText(info, last), last.name));
}

template <class Program>
static LogicalResult checkOrder(const Program &program, DiagnosticEngine &diags) {
  std::optional<ClosedGate> closed = findClosedGate(program);
  if (!closed)
    return success();
  reportClosedGate(program.info(), *closed, diags);
  return failure();
}

LogicalResult cclc::checkGates(const ChunkProgram &program, DiagnosticEngine &diags) {
  return checkOrder(program, diags);
}

LogicalResult cclc::checkGates(const InstrProgram &program, DiagnosticEngine &diags) {
  return checkOrder(program, diags);
}

LogicalResult cclc::checkGates(const ExecPlan &plan, const ConnectionTable &connections,
                               DiagnosticEngine &diags) {
  const ProgramInfo &info = plan.info();
  if (!hasGates(info))
    return success();
  if (failed(checkOrder(plan, diags)))
    return failure();
  PlanGates gates(plan, diags);
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
    if (failed(gates.checkThreadblock(t)))
      return failure();
  for (const Connection &connection : connections.connections()) {
    LogicalResult good = success();
    forEachMessage(plan, connection, [&](uint32_t send, uint32_t recv) {
      if (succeeded(good))
        good = gates.checkMessage(connection, send, recv);
    });
    if (failed(good))
      return failure();
  }
  return success();
}
