//===- Differences.cpp - Describing the entries of a PlanDiff -------------===//
//
// Converts every change to a Difference: a subject, a field, an old and a new value in the notation
// of the text IR, and a location, in the new plan if the line still exists. Also forms the verdict
// in one sentence.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/Differences.h"

#include "cclc/IR/StepNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;

StringRef diff::aspectName(Aspect aspect) {
  constexpr StringRef names[numAspects] = {"attribute", "proof",      "limit",      "step_kinds",
                                           "transfer",  "reduction",  "connection", "threadblock",
                                           "step",      "dependence", "order",      "numbering"};
  return names[static_cast<size_t>(aspect)];
}

static std::string rangeText(Operand operand, uint32_t count) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printRange(os, operand, count);
  return text;
}

std::string diff::stepText(const Step &step) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printOperation(os, step.op, step.src, step.dst, step.count);
  return text;
}

namespace {
/// A step and its position.
struct Place {
  const ExecPlan &plan;
  uint32_t step;

  uint32_t threadblock() const { return threadblockOf(plan, StepId(step)).index(); }
  RankId rank() const { return plan.threadblocks()[threadblock()].rank; }
  const Step &get() const { return plan.steps()[step]; }
  /// "tb1 step 3".
  std::string number() const {
    uint32_t tb = threadblock();
    return "tb" + std::to_string(plan.localId(tb).index()) + " step " +
           std::to_string(step - plan.threadblocks()[tb].firstStep);
  }
  /// "tb1 step 3 (rrc)".
  std::string name() const { return number() + " (" + traits(get().op).mnemonic + ")"; }
  Location location() const { return stepLocation(plan, StepId(step)); }
};

class Words {
public:
  Words(const PlanDiff &diff, llvm::function_ref<void(const Difference &)> visit)
      : diff(diff), visit(visit) {}

  void attributes() {
    for (const AttributeChange &change : diff.attributes)
      visit({Aspect::Attribute, change.rank, change.name, "", change.before, change.after, {}});
  }

  void proof() {
    auto text = [](const Figures &figures) {
      std::string name = verdictName(figures.proof.verdict).str();
      return figures.flaw.empty() ? name : name + " (" + figures.flaw + ")";
    };
    if (diff.figuresBefore.proof.verdict != diff.figuresAfter.proof.verdict)
      visit({Aspect::Proof,
             {},
             "verdict",
             "",
             text(diff.figuresBefore),
             text(diff.figuresAfter),
             {}});
  }

  void limits() {
    for (unsigned f = 0; f < numFigures; ++f) {
      auto figure = static_cast<Figure>(f);
      auto before = diff.figuresBefore[figure], after = diff.figuresAfter[figure];
      auto text = [](std::optional<uint64_t> value) {
        return value ? std::to_string(*value) : "no number suffices";
      };
      if (before != after)
        visit({Aspect::Limit, {}, figureMeaning(figure).str(), "", text(before), text(after), {}});
    }
  }

  void kinds() {
    for (const KindChange &change : diff.kinds)
      visit({Aspect::StepKinds,
             change.rank,
             traits(change.op).mnemonic,
             "",
             std::to_string(change.before),
             std::to_string(change.after),
             {}});
  }

  /// Those of plans of MSCCL++.
  void operations(bool areKinds) {
    for (const OperationChange &change : diff.operations) {
      if (change.isKind != areKinds)
        continue;
      bool quotes = !areKinds && !change.before.empty() && !change.after.empty();
      auto text = [&](const std::string &op) { return quotes ? "'" + op + "'" : op; };
      visit({areKinds ? Aspect::StepKinds : Aspect::Step, change.rank, change.subject, "",
             text(change.before), text(change.after), change.location});
    }
  }

  void transfers() {
    for (const TransferChange &change : diff.transfers) {
      const ExecPlan &plan = change.isNew ? *diff.after.ofSteps() : *diff.before.ofSteps();
      Place send{plan, change.send.index()}, receive{plan, change.receive.index()};
      std::string text = transferText(send, receive, change);
      visit({Aspect::Transfer, send.rank(), "to r" + std::to_string(receive.rank().index()), "",
             change.isNew ? "" : text, change.isNew ? text : "",
             locate(change.isNew, send.get().sendLoc)});
    }
  }

  void reductions() {
    for (const ReductionChange &change : diff.reductions) {
      bool both = diff.before.info().placements == Placements::both();
      std::string where = both ? placementText(change.placement).str() : "";
      Location location =
          change.step ? stepLocation(*diff.after.ofSteps(), *change.step) : Location();
      for (const Contribution &cell : change.cells)
        visit({Aspect::Reduction, cell.rank, formatv("o[{0}]", cell.index), where, change.before,
               change.after, location});
    }
  }

  void connections() {
    for (const ConnectionChange &change : diff.connections) {
      auto channel = [](std::optional<ChannelId> id) {
        return id ? "channel " + std::to_string(id->index()) : std::string();
      };
      visit({Aspect::Connection,
             change.sender,
             "to r" + std::to_string(change.receiver.index()),
             "",
             channel(change.before),
             channel(change.after),
             {}});
    }
  }

  void threadblocks() {
    for (const ThreadblockChange &change : diff.threadblocks) {
      const ShownPlan plan = change.after ? diff.after : diff.before;
      uint32_t index = change.after ? *change.after : *change.before;
      const Threadblock tb = plan.threadblock(index);
      std::string subject = formatv("tb{0}", plan.localId(index).index());
      Location location =
          tb.numSteps ? locate(bool(change.after), plan.step(tb.firstStep).loc) : Location();
      auto steps = [](uint32_t n) {
        return formatv("{0} {1}", n, n == 1 ? "step" : "steps").str();
      };
      if (!change.before || !change.after) {
        visit({Aspect::Threadblock, tb.rank, subject, "", change.before ? steps(tb.numSteps) : "",
               change.after ? steps(tb.numSteps) : "", location});
        continue;
      }
      const Threadblock old = diff.before.threadblock(*change.before);
      auto compare = [&](const char *what, const Peers &before, const Peers &after) {
        auto names = [](const Peers &peers) { return peers.empty() ? "none" : peerNames(peers); };
        if (!(before == after))
          visit(
              {Aspect::Threadblock, tb.rank, subject, what, names(before), names(after), location});
      };
      compare("send peer", diff.before.sendPeers(old), plan.sendPeers(tb));
      compare("receive peer", diff.before.recvPeers(old), plan.recvPeers(tb));
    }
  }

  void steps() {
    for (const StepChange &change : diff.steps) {
      if (!change.before || !change.after) {
        Place place{change.after ? *diff.after.ofSteps() : *diff.before.ofSteps(),
                    change.after ? (*change.after).index() : (*change.before).index()};
        visit({Aspect::Step, place.rank(), place.number(), "",
               change.before ? stepText(place.get()) : "",
               change.after ? stepText(place.get()) : "",
               locate(bool(change.after), place.get().loc)});
        continue;
      }
      Place old{*diff.before.ofSteps(), (*change.before).index()},
          now{*diff.after.ofSteps(), (*change.after).index()};
      changedStep(change, old, now);
    }
  }

  void dependences() {
    for (const DependenceChange &change : diff.dependences) {
      Place old{*diff.before.ofSteps(), change.before.index()},
          now{*diff.after.ofSteps(), change.after.index()};
      bool waits = change.kind == DependenceChange::Kind::Wait;
      auto yes = [](bool on) { return on ? "yes" : "no"; };
      visit({Aspect::Dependence, now.rank(), now.name(), waits ? "wait" : "publishes",
             waits ? waitText(old, change.inOrder) : yes(old.get().publishes),
             waits ? waitText(now, change.inOrder) : yes(now.get().publishes), now.location()});
    }
  }

  void order() {
    for (const OrderChange &change : diff.order) {
      Place old{*diff.before.ofSteps(), change.before.index()},
          now{*diff.after.ofSteps(), change.after.index()};
      std::string what = "'" + stepText(now.get()) + "'";
      if (change.count > 1)
        what += formatv(" and the {0} {1} after it", change.count - 1,
                        change.count == 2 ? "step" : "steps")
                    .str();
      auto kept = [&](OptionalId<StepId> step) {
        return "'" + stepText(diff.after.ofSteps()->steps()[(*step).index()]) + "'";
      };
      std::string where = change.nextKept       ? "before " + kept(change.nextKept)
                          : change.previousKept ? "after " + kept(change.previousKept)
                                                : "elsewhere";
      auto at = [](const Place &place) {
        return formatv("step {0}",
                       place.step - place.plan.threadblocks()[place.threadblock()].firstStep)
            .str();
      };
      visit({Aspect::Order, now.rank(),
             formatv("tb{0}: {1}", diff.after.ofSteps()->localId(change.newThreadblock).index(),
                     what),
             "", at(old), at(now) + ", " + where, now.location()});
    }
  }

  void numbering() {
    for (const NumberingChange &change : diff.numbering) {
      const char *prefix = change.rank ? "tb" : "";
      visit({Aspect::Numbering,
             change.rank,
             change.rank ? "threadblock" : "channel",
             "",
             prefix + std::to_string(change.before),
             prefix + std::to_string(change.after),
             {}});
    }
  }

private:
  /// Maps a line of the old plan to the new one, if it still exists.
  Location locate(bool isNew, LocId loc) const {
    if (isNew)
      return diff.after.info().locate(loc);
    OptionalId<LocId> now =
        diff.newLocation.empty() ? OptionalId<LocId>() : diff.newLocation[loc.index()];
    return now ? diff.after.info().locate(*now) : diff.before.info().locate(loc);
  }

  /// "i[3] -> i[3]", with a note if the data are reduced or forwarded without being stored.
  static std::string transferText(const Place &send, const Place &receive,
                                  const TransferChange &change) {
    const OpTraits &sends = traits(send.get().op), &receives = traits(receive.get().op);
    auto part = [&](Operand operand) {
      return rangeText(operand.offsetBy(change.first), change.count);
    };
    std::string text =
        sends.receives && sends.writesDst ? part(send.get().dst) : part(send.get().src);
    if (sends.receives && !sends.writesDst)
      text += " + received";
    text += " -> " + part(receives.writesDst ? receive.get().dst : receive.get().src);
    if (receives.readsSrc)
      text += receives.writesDst ? ", reduced" : ", reduced and forwarded";
    return text;
  }

  void changedStep(const StepChange &change, const Place &old, const Place &now) {
    const Step &a = old.get(), &b = now.get();
    auto changed = [&](const char *field, std::string before, std::string after) {
      if (before != after)
        visit({Aspect::Step, now.rank(), now.name(), field, std::move(before), std::move(after),
               now.location()});
    };
    if (a.op != b.op) {
      changed("op", "'" + stepText(a) + "'", "'" + stepText(b) + "'");
    } else if (const OpTraits &op = traits(a.op); a.op != OpKind::Nop) {
      if (op.readsSrc)
        changed("src", rangeText(a.src, 1), rangeText(b.src, 1));
      if (op.writesDst)
        changed("dst", rangeText(a.dst, 1), rangeText(b.dst, 1));
      changed("count", std::to_string(a.count), std::to_string(b.count));
    }
    auto phase = [](const Place &place) {
      const Phase &phase = place.plan.info().phases[place.get().phase];
      return place.get().phase ? formatv("{0} '{1}'", place.get().phase, phase.name).str()
                               : std::string("none");
    };
    changed("phase", phase(old), phase(now));
    // For a step that moved to another threadblock, report only the threadblock; a change of its
    // index is not significant.
    if (change.otherThreadblock)
      visit({Aspect::Step, now.rank(), now.name(), "threadblock", old.number() + " of the old plan",
             now.number(), now.location()});
  }

  static std::string waitText(const Place &place, bool inOrder) {
    std::optional<Wait> wait = place.get().wait();
    if (!wait)
      return inOrder ? "none, its target is earlier in the threadblock" : "none";
    uint32_t other = place.plan.firstThreadblock(place.rank()) + wait->tb.index();
    Place target{place.plan, place.plan.threadblocks()[other].firstStep + wait->step.index()};
    return target.number() + " (" + stepText(target.get()) + ")";
  }

  const PlanDiff &diff;
  llvm::function_ref<void(const Difference &)> visit;
};
} // namespace

void diff::forEachDifference(const PlanDiff &diff, bool strict,
                             llvm::function_ref<void(const Difference &)> visit) {
  Words words(diff, visit);
  words.attributes();
  words.proof();
  words.limits();
  words.kinds();
  words.operations(/*areKinds=*/true);
  words.transfers();
  words.reductions();
  words.connections();
  words.threadblocks();
  words.steps();
  words.operations(/*areKinds=*/false);
  words.dependences();
  words.order();
  if (strict)
    words.numbering();
}

std::optional<std::string> diff::whyIncomparable(ShownPlan before, ShownPlan after) {
  const Collective &old = before.info().collective, &now = after.info().collective;
  // A collective without post-condition is comparable with any other.
  if (old.kind() != now.kind() && old.hasPostCondition() && now.hasPostCondition())
    return formatv("the plans are for different collectives, {0} and {1}",
                   StringRef(collectiveName(old.kind())), StringRef(collectiveName(now.kind())));
  if (before.ranks() != after.ranks())
    return formatv("the plans are for different numbers of ranks, {0} and {1}", before.ranks(),
                   after.ranks());
  return std::nullopt;
}

std::string diff::verdict(const PlanDiff &diff, bool strict) {
  bool numbering = strict && !diff.numbering.empty();
  if (diff.equivalent() && !numbering)
    return "equivalent";
  if (std::optional<std::string> why = whyIncomparable(diff.before, diff.after))
    return *why;
  std::vector<std::string> differ;
  auto add = [&](bool yes, const char *what) {
    if (yes)
      differ.push_back(what);
  };
  add(!diff.attributes.empty(), "attributes");
  add(diff.figuresBefore.proof.verdict != diff.figuresAfter.proof.verdict, "the verdicts");
  add(!diff.transfers.empty(), "transfers");
  add(!diff.reductions.empty(), "reductions");
  add(!diff.connections.empty(), "connections");
  add(!diff.threadblocks.empty(), "threadblocks");
  add(!diff.steps.empty(), "steps");
  add(!diff.operations.empty(), "operations");
  add(!diff.dependences.empty(), "dependences");
  add(!diff.order.empty(), "order");
  add(numbering, "numbering");
  if (differ.empty())
    differ.push_back("limits");
  std::string last = differ.back();
  differ.pop_back();
  std::string text = differ.empty() ? last : llvm::join(differ, ", ") + " and " + last;
  std::string same = diff.ofOperations() ? ""
                     : diff.transfers.empty() && diff.reductions.empty()
                         ? "same transfers, same reductions; "
                     : diff.transfers.empty()  ? "same transfers; "
                     : diff.reductions.empty() ? "same reductions; "
                                               : "";
  // A single name is singular, unless it ends in s.
  bool plural = !differ.empty() || StringRef(last).ends_with("s");
  return same + text + (plural ? " differ" : " differs");
}
