#include "cclc/Semantics/Gates.h"

#include "cclc/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// "r0 r4 r8"; of long groups the first few and the last.
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

std::string callText(const ProgramInfo &info, const Phase &phase) {
  const Call &call = info.calls[phase.gate->call];
  return formatv("{0} with user generation {1}", call.collective, call.generation);
}

/// Which group of its communicator each rank is in.
class Groups {
public:
  explicit Groups(const ProgramInfo &info) {
    for (const Communicator &communicator : info.communicators) {
      std::vector<uint32_t> &group = groupOf.emplace_back(info.ranks(), none);
      for (uint32_t g = 0; g < communicator.groups.size(); ++g)
        for (RankId rank : communicator.groups[g])
          group[rank.index()] = g;
    }
  }
  bool together(uint32_t communicator, RankId a, RankId b) const {
    const std::vector<uint32_t> &group = groupOf[communicator];
    return group[a.index()] != none && group[a.index()] == group[b.index()];
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  std::vector<std::vector<uint32_t>> groupOf; ///< [communicator][rank]
};

LogicalResult strayMessage(const ProgramInfo &info, const Phase &phase, RankId from, RankId to,
                           LocId loc, DiagnosticEngine &diags) {
  return diags.error(info.locate(loc),
                     formatv("phase '{0}' of {1} sends from r{2} to r{3}, which are not in one "
                             "group of communicator '{4}'",
                             phase.name, callText(info, phase), from.index(), to.index(),
                             info.communicators[phase.gate->communicator].name));
}

bool hasGates(const ProgramInfo &info) {
  return llvm::any_of(info.phases, [](const Phase &phase) { return phase.gate.has_value(); });
}

class PlanGates {
public:
  PlanGates(const ExecPlan &plan, DiagnosticEngine &diags)
      : plan(plan), info(plan.info()), diags(diags), groups(info) {}

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
                           stepName(plan, t, s), *gate->generation, nameOf(*gate)))
            .note(info.locate(plan.steps()[it->second].loc),
                  formatv("{0} has generation {1}", stepName(plan, t, it->second),
                          *gateOf(it->second)->generation));
      it->second = s;
    }
    return success();
  }

  LogicalResult checkMessage(const Connection &connection, uint32_t send, uint32_t recv) {
    const std::optional<Gate> &out = gateOf(send), &in = gateOf(recv);
    const Threadblock &sender = plan.threadblocks()[connection.senderTb];
    const Threadblock &receiver = plan.threadblocks()[connection.receiverTb];
    bool same =
        out.has_value() == in.has_value() &&
        (!out || (out->communicator == in->communicator && *out->generation == *in->generation));
    if (!same)
      return diags
          .error(info.locate(plan.steps()[recv].loc),
                 formatv("{0} receives in {1} what was sent in {2}: it waits for ever",
                         stepName(plan, connection.receiverTb, recv), text(in), text(out)))
          .note(info.locate(plan.steps()[send].loc),
                stepName(plan, connection.senderTb, send) + " sends it");
    if (out && !groups.together(out->communicator, sender.rank, receiver.rank))
      return strayMessage(info, info.phases[plan.steps()[send].phase], sender.rank, receiver.rank,
                          plan.steps()[send].loc, diags);
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
  Groups groups;
};
} // namespace

std::optional<ClosedGate> cclc::findClosedGate(const ProgramInfo &info) {
  // All groups of a communicator enter its phases, so their gates agree.
  std::vector<uint32_t> counter(info.communicators.size()), before(info.communicators.size());
  for (uint32_t p = 0; p < info.phases.size(); ++p) {
    const std::optional<Gate> &gate = info.phases[p].gate;
    if (!gate || !gate->generation)
      continue;
    uint32_t &expected = counter[gate->communicator];
    if (*gate->generation < expected)
      return ClosedGate{p, expected, before[gate->communicator]};
    expected = *gate->generation + 1;
    before[gate->communicator] = p;
  }
  return std::nullopt;
}

void cclc::reportClosedGate(const ProgramInfo &info, const ClosedGate &closed,
                            DiagnosticEngine &diags) {
  const Phase &phase = info.phases[closed.phase], &last = info.phases[closed.before];
  const Communicator &communicator = info.communicators[phase.gate->communicator];
  std::string group =
      communicator.groups.empty()
          ? ""
          : formatv(", group 0 ({0})", membersText(communicator.groups.front())).str();
  diags
      .error(info.locate(info.calls[phase.gate->call].loc),
             formatv("the gate of communicator '{0}'{1} expects generation {2} or later, got {3}: "
                     "{4} enters it there for its phase '{5}'",
                     communicator.name, group, closed.expected, *phase.gate->generation,
                     callText(info, phase), phase.name))
      .note(info.locate(info.calls[last.gate->call].loc),
            formatv("{0} has left it at {1}, with its phase '{2}' of generation {3}",
                    callText(info, last), closed.expected, last.name, *last.gate->generation));
}

LogicalResult cclc::checkGates(const ChunkProgram &program, DiagnosticEngine &diags) {
  const ProgramInfo &info = program.info();
  if (!hasGates(info))
    return success();
  if (std::optional<ClosedGate> closed = findClosedGate(info)) {
    reportClosedGate(info, *closed, diags);
    return failure();
  }
  Groups groups(info);
  for (const ChunkOp &op : program.ops()) {
    const Phase &phase = info.phases[op.phase];
    if (phase.gate && !op.isLocal() &&
        !groups.together(phase.gate->communicator, op.srcRank, op.dstRank))
      return strayMessage(info, phase, op.srcRank, op.dstRank, op.loc, diags);
  }
  return success();
}

LogicalResult cclc::checkGates(const ExecPlan &plan, const ConnectionTable &connections,
                               DiagnosticEngine &diags) {
  const ProgramInfo &info = plan.info();
  if (!hasGates(info))
    return success();
  for (const Phase &phase : info.phases)
    if (phase.gate && !phase.gate->generation)
      return diags.error(
          {}, formatv("phase '{0}' of {1} has no generation", phase.name, callText(info, phase)));
  if (std::optional<ClosedGate> closed = findClosedGate(info)) {
    reportClosedGate(info, *closed, diags);
    return failure();
  }
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
