//===- DiffTest.cpp - Renumbered and mutated plans ------------------------===//
//
// A plan is equivalent to itself under any numbering of its threadblocks and
// channels. Every change of a single field that leaves a well-formed plan is
// detected, and the entry names it; the semantics of each change are decided here,
// from the definitions of the fields.
//
//===----------------------------------------------------------------------===//

#include "../unit/Plans.h"

#include "cclc/Diff/Differences.h"
#include "cclc/IR/Connections.h"

#include <numeric>
#include <set>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::diff;

namespace {

uint32_t numTries() {
  const char *text = std::getenv("CCLC_PROPERTY_PROGRAMS");
  return text ? std::atoi(text) : 1000;
}

/// A plan as rows that can be modified individually.
struct Draft {
  struct Block {
    Threadblock head;
    std::vector<Step> steps;
  };
  ProgramInfo info;
  std::optional<Slots> slots;
  std::vector<uint32_t> scratch;
  std::vector<std::vector<Block>> ranks;

  explicit Draft(const ExecPlan &plan)
      : info(plan.info()), slots(plan.slots()), scratch(plan.scratchChunks().vec()),
        ranks(plan.ranks()) {
    for (const Threadblock &tb : plan.threadblocks())
      ranks[tb.rank.index()].push_back({tb, plan.steps(tb).vec()});
  }

  std::optional<ExecPlan> build() const {
    ExecPlanBuilder builder(info);
    builder.setSlots(slots);
    for (uint32_t r = 0; r < ranks.size(); ++r)
      builder.setScratch(RankId(r), scratch[r]);
    for (uint32_t r = 0; r < ranks.size(); ++r)
      for (const Block &block : ranks[r]) {
        builder.beginThreadblock(RankId(r), block.head.sendPeer, block.head.recvPeer,
                                 block.head.channel);
        for (const Step &step : block.steps)
          builder.addStep(step);
      }
    DiagnosticEngine diags;
    FailureOr<ExecPlan> plan = std::move(builder).finish(diags);
    if (failed(plan))
      return std::nullopt;
    return std::move(*plan);
  }
};

std::vector<uint32_t> shuffled(uint32_t n, Random &random) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (uint32_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// The same plan with other numbers for threadblocks and channels.
ExecPlan renumbered(const ExecPlan &plan, Random &random) {
  Draft draft(plan);
  std::vector<uint32_t> channel = shuffled(plan.channels(), random);
  for (std::vector<Draft::Block> &blocks : draft.ranks) {
    std::vector<uint32_t> number = shuffled(blocks.size(), random); // new by old
    std::vector<Draft::Block> placed = blocks;
    for (uint32_t old = 0; old < blocks.size(); ++old) {
      Draft::Block &block = placed[number[old]] = blocks[old];
      block.head.channel = ChannelId(channel[block.head.channel.index()]);
      for (Step &step : block.steps)
        if (std::optional<Wait> wait = step.wait())
          step.setWait(Wait{ThreadblockId(number[wait->tb.index()]), wait->step});
    }
    blocks = std::move(placed);
  }
  std::optional<ExecPlan> result = draft.build();
  REQUIRE(result);
  return std::move(*result);
}

std::string describe(const PlanDiff &diff) {
  std::string text = verdict(diff, false);
  forEachDifference(diff, false, [&](const Difference &d) {
    text += "\n  " + aspectName(d.aspect).str() +
            (d.rank ? " r" + std::to_string(d.rank->index()) : "") + " " + d.subject + " " +
            d.field + ": " + d.before + " -> " + d.after;
  });
  return text;
}

/// Plans of all kinds, small enough to be compared a thousand times.
std::vector<ExecPlan> samples() {
  std::vector<ExecPlan> plans;
  for (const Recipe &recipe : allRecipes())
    if (recipe.target.empty())
      plans.push_back(compiled(recipe));
  for (uint64_t seed = 0; seed < 40; ++seed)
    plans.push_back(randomPlan(seed));
  return plans;
}

/// A mutation, and the entries by which the comparison has to report it.
struct Mutation {
  std::string what;
  /// Differences at least one of which must be reported: aspect, rank, part of the subject, field.
  struct Expected {
    Aspect aspect;
    std::optional<uint32_t> rank;
    std::string subject, field;
  };
  std::vector<Expected> any;
  bool nothing = false; ///< the change has no effect
};

bool names(const PlanDiff &diff, const Mutation &mutation) {
  bool found = false;
  forEachDifference(diff, false, [&](const Difference &d) {
    for (const Mutation::Expected &e : mutation.any)
      found |= d.aspect == e.aspect && (!e.rank || (d.rank && d.rank->index() == *e.rank)) &&
               StringRef(d.subject).contains(e.subject) && (e.field.empty() || d.field == e.field);
  });
  return found;
}

class Mutator {
public:
  Mutator(const ExecPlan &plan, Random &random) : plan(plan), random(random), draft(plan) {}

  /// Changes one field of the draft; none if there is no such field.
  std::optional<Mutation> mutate() {
    switch (random.below(6)) {
    case 0:
      return mutateHeader();
    case 1:
      return mutateThreadblock();
    default:
      return mutateStep();
    }
  }
  std::optional<ExecPlan> build() const { return draft.build(); }

private:
  static Mutation attribute(StringRef name, std::optional<uint32_t> rank = {}) {
    return {("attribute " + name).str(), {{Aspect::Attribute, rank, name.str(), ""}}};
  }

  std::optional<Mutation> mutateHeader() {
    ProgramInfo &info = draft.info;
    switch (random.below(14)) {
    case 0:
      info.name += "x";
      return attribute("name");
    case 1: {
      info.placements =
          info.placements == Placements::both() ? Placements::inPlace() : Placements::both();
      return attribute("placements");
    }
    case 2:
      info.protocol = info.protocol == Protocol::LL ? Protocol::LL128 : Protocol::LL;
      return attribute("protocol");
    case 3:
      info.instances += 1 + random.below(3);
      return attribute("instances");
    case 4:
      draft.slots = draft.slots == Slots(3) ? Slots(5) : Slots(3);
      return attribute("slots");
    case 5:
      info.minBytes += 1;
      return attribute("min_bytes");
    case 6:
      info.maxBytes = info.maxBytes ? std::nullopt : std::optional<uint64_t>(1 << 30);
      return attribute("max_bytes");
    case 7:
      if (info.parameters.empty())
        return std::nullopt;
      info.parameters[random.below(info.parameters.size())].second += "1";
      return attribute("parameter");
    case 8:
      info.target.name += "x";
      return attribute("target");
    case 9:
      if (info.geometry.levels.empty())
        return std::nullopt;
      info.geometry.levels[random.below(info.geometry.levels.size())].name += "x";
      return attribute("level");
    case 10: {
      uint32_t rank = random.below(draft.ranks.size());
      draft.scratch[rank] += 1;
      return attribute("scratch", rank);
    }
    case 11: {
      const Collective &old = info.collective;
      if (old.kind() == CollectiveKind::AllReduce) {
        info.collective = Collective(CollectiveKind::Reduce, old.ranks(), old.chunks());
        return attribute("collective");
      }
      if (old.isRooted()) {
        info.collective = Collective(old.kind(), old.ranks(), old.chunks(),
                                     RankId((old.root().index() + 1) % old.ranks()));
        return attribute("root");
      }
      return std::nullopt;
    }
    case 12:
      if (info.phases.size() < 2)
        return std::nullopt;
      info.phases[1 + random.below(info.phases.size() - 1)].name += "x";
      return attribute("phase");
    default:
      info.placementOnTarget.assign(draft.ranks.size(), 7);
      return attribute("endpoint", random.below(draft.ranks.size()));
    }
  }

  std::optional<Mutation> mutateThreadblock() {
    uint32_t r = random.below(draft.ranks.size());
    if (draft.ranks[r].empty())
      return std::nullopt;
    uint32_t t = random.below(draft.ranks[r].size());
    Draft::Block &block = draft.ranks[r][t];
    std::string name = "tb" + std::to_string(t);
    auto other = [&](OptionalId<RankId> peer) {
      OptionalId<RankId> next = RankId(random.below(draft.ranks.size()));
      return next == peer ? OptionalId<RankId>() : next;
    };
    switch (random.below(3)) {
    case 0: {
      auto old = block.head.sendPeer;
      block.head.sendPeer = other(old);
      Mutation m{"send peer", {{Aspect::Threadblock, r, name, "send peer"}}};
      m.nothing = old == block.head.sendPeer;
      return m;
    }
    case 1: {
      auto old = block.head.recvPeer;
      block.head.recvPeer = other(old);
      Mutation m{"receive peer", {{Aspect::Threadblock, r, name, "receive peer"}}};
      m.nothing = old == block.head.recvPeer;
      return m;
    }
    default:
      return mutateChannel(plan.firstThreadblock(RankId(r)) + t);
    }
  }

  /// Changes the channel of a threadblock and of all its connections, so that messages still match.
  std::optional<Mutation> mutateChannel(uint32_t threadblock) {
    ConnectionTable connections(plan);
    std::set<uint32_t> all = {threadblock};
    std::vector<uint32_t> open = {threadblock};
    while (!open.empty()) {
      uint32_t t = open.back();
      open.pop_back();
      for (const Connection &c : connections.connections())
        for (auto [from, to] : {std::pair(c.senderTb, c.receiverTb), {c.receiverTb, c.senderTb}})
          if (from == t && all.insert(to).second)
            open.push_back(to);
    }
    uint32_t now = random.below(plan.channels() + 1);
    for (uint32_t t : all)
      draft.ranks[plan.threadblocks()[t].rank.index()][plan.localId(t).index()].head.channel =
          ChannelId(now);
    Mutation m{"channel", {{Aspect::Connection, {}, "", ""}, {Aspect::Limit, {}, "channels", ""}}};
    // A renumbering only, if each old channel corresponds to one new channel and vice versa.
    std::map<uint32_t, std::set<uint32_t>> newOf, oldOf;
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      if (connections.sendOf(t) || connections.recvOf(t)) {
        uint32_t old = plan.threadblocks()[t].channel.index(), is = all.count(t) ? now : old;
        newOf[old].insert(is);
        oldOf[is].insert(old);
      }
    auto one = [](const auto &entry) { return entry.second.size() == 1; };
    m.nothing = llvm::all_of(newOf, one) && llvm::all_of(oldOf, one);
    return m;
  }

  std::optional<Mutation> mutateStep() {
    uint32_t r = 0, t = 0, s = 0;
    std::optional<Mutation> mutation = mutateAnyStep(r, t, s);
    if (!mutation || mutation->any.front().aspect != Aspect::Step)
      return mutation;
    // If another step is equal to the old or the new step, this one is reported as new or removed.
    const Step &old = plan.steps(plan.threadblocks(RankId(r))[t])[s],
               &now = draft.ranks[r][t].steps[s];
    uint32_t alike = 0;
    for (const Step &step : draft.ranks[r][t].steps)
      alike += sameWork(step, old) || sameWork(step, now);
    if (alike > 1)
      mutation->any.push_back({Aspect::Step, r, "tb" + std::to_string(t), ""});
    return mutation;
  }

  std::optional<Mutation> mutateAnyStep(uint32_t &r, uint32_t &t, uint32_t &s) {
    r = random.below(draft.ranks.size());
    if (draft.ranks[r].empty())
      return std::nullopt;
    t = random.below(draft.ranks[r].size());
    Draft::Block &block = draft.ranks[r][t];
    if (block.steps.empty())
      return std::nullopt;
    s = random.below(block.steps.size());
    Step &step = block.steps[s];
    const OpTraits op = traits(step.op);
    // The step itself, at its new position; removed or added if it has no counterpart.
    std::string name = "tb" + std::to_string(t) + " step " + std::to_string(s);
    auto entry = [&](const char *field, Aspect aspect = Aspect::Step) {
      return Mutation{field, {{aspect, r, name, field}}};
    };
    switch (random.below(8)) {
    case 0: {
      OpKind old = step.op;
      step.op = static_cast<OpKind>(random.below(numOpKinds));
      if (traits(step.op).readsSrc && step.src.isNone())
        step.src = step.dst;
      if (traits(step.op).writesDst && step.dst.isNone())
        step.dst = step.src;
      if (!traits(step.op).readsSrc)
        step.src = {};
      if (!traits(step.op).writesDst)
        step.dst = {};
      if (step.count == 0)
        step.count = 1;
      Mutation m = entry("op");
      m.any.push_back({Aspect::Step, r, name, ""});
      m.nothing = old == step.op;
      return m;
    }
    case 1:
    case 2: {
      bool source = op.readsSrc && (!op.writesDst || random.chance(50));
      Operand &operand = source ? step.src : step.dst;
      if (operand.isNone())
        return std::nullopt;
      Operand old = operand;
      operand = random.chance(50) ? Operand(static_cast<Buffer>(random.below(3)), old.index())
                                  : Operand(old.buffer(), random.below(old.index() + 3));
      Mutation m = entry(source ? "src" : "dst");
      m.nothing = old == operand;
      return m;
    }
    case 3: {
      if (step.op == OpKind::Nop)
        return std::nullopt;
      uint32_t old = step.count;
      step.count = 1 + random.below(old + 2);
      Mutation m = entry("count");
      m.nothing = old == step.count;
      return m;
    }
    case 4: {
      std::optional<Wait> old = step.wait();
      if (old && random.chance(30))
        step.setWait(std::nullopt);
      else {
        uint32_t other = random.below(draft.ranks[r].size());
        if (draft.ranks[r][other].steps.empty())
          return std::nullopt;
        step.setWait(Wait{ThreadblockId(other),
                          StepIndex(random.below(draft.ranks[r][other].steps.size()))});
      }
      Mutation m = entry("wait", Aspect::Dependence);
      // Of two consecutive nops either may be the one with the other wait.
      if (step.op == OpKind::Nop) {
        m.any.push_back({Aspect::Step, r, name, ""});
        m.any.push_back({Aspect::Dependence, r, "(nop)", "wait"});
      }
      m.nothing = announcer(r, old) == announcer(r, step.wait());
      return m;
    }
    case 5:
      step.publishes = !step.publishes;
      return entry("publishes", Aspect::Dependence);
    case 6: {
      uint16_t old = step.phase;
      step.phase = random.below(draft.info.phases.size());
      Mutation m = entry("phase");
      m.nothing = old == step.phase;
      return m;
    }
    default: {
      // Order: the step and the next one are exchanged; waits keep their numbers.
      if (s + 1 == block.steps.size())
        return std::nullopt;
      Step &next = block.steps[s + 1];
      bool equal = step.op == next.op && step.src == next.src && step.dst == next.dst &&
                   step.count == next.count && step.phase == next.phase &&
                   announcer(r, step.wait()) == announcer(r, next.wait()) &&
                   step.publishes == next.publishes;
      std::swap(step, next);
      Mutation m{"order", {{Aspect::Order, r, "tb" + std::to_string(t), ""}}};
      if (step.op == OpKind::Nop || next.op == OpKind::Nop || sameWork(step, next))
        m.any.push_back({Aspect::Dependence, r, "tb" + std::to_string(t), ""});
      m.nothing = equal;
      return m;
    }
    }
  }

  static bool sameWork(const Step &a, const Step &b) {
    return a.op == b.op && a.src == b.src && a.dst == b.dst && a.count == b.count &&
           a.phase == b.phase;
  }

  /// The step whose completion a wait needs: the first published one from there on.
  std::optional<std::pair<uint32_t, uint32_t>> announcer(uint32_t rank,
                                                         std::optional<Wait> wait) const {
    if (!wait)
      return std::nullopt;
    const std::vector<Step> &steps = draft.ranks[rank][wait->tb.index()].steps;
    for (uint32_t s = wait->step.index(); s < steps.size(); ++s)
      if (steps[s].publishes)
        return std::pair(wait->tb.index(), s);
    return std::pair(wait->tb.index(), uint32_t(steps.size()));
  }

  const ExecPlan &plan;
  Random &random;
  Draft draft;
};
} // namespace

TEST_CASE("a plan is equivalent to itself under any numbering") {
  std::vector<ExecPlan> plans = samples();
  Random random(1);
  uint32_t changed = 0;
  for (uint32_t n = 0; n < numTries(); ++n) {
    const ExecPlan &plan = plans[n % plans.size()];
    ExecPlan other = renumbered(plan, random);
    PlanDiff diff = comparePlans(plan, other);
    INFO(plan.info().name << ", try " << n << '\n' << describe(diff));
    REQUIRE(diff.equivalent());
    // Equal numbers are not reported, and other numbers are if they can be determined.
    changed += !diff.numbering.empty();
    // The reverse comparison is equivalent as well.
    REQUIRE(comparePlans(other, plan).equivalent());
  }
  CHECK(changed > numTries() / 2);
}

TEST_CASE("unrelated plans are compared as well") {
  std::vector<ExecPlan> plans = samples();
  Random random(3);
  uint32_t compared = 0;
  for (uint32_t n = 0; n < numTries(); ++n) {
    const ExecPlan &a = plans[random.below(plans.size())], &b = plans[random.below(plans.size())];
    PlanDiff diff = comparePlans(a, b), back = comparePlans(b, a);
    INFO(a.info().name << " and " << b.info().name << ", try " << n << '\n' << describe(diff));
    REQUIRE(diff.equivalent() == back.equivalent());
    REQUIRE(diff.equivalent() == (&a == &b));
    if (!diff.comparable)
      continue;
    ++compared;
    // No step is lost: the steps before that are not removed are those after that are not added.
    auto count = [](const PlanDiff &d, bool gone) {
      return llvm::count_if(d.steps, [&](const StepChange &c) {
        return gone ? !c.after.has_value() : !c.before.has_value();
      });
    };
    REQUIRE(a.steps().size() - count(diff, true) == b.steps().size() - count(diff, false));
    uint64_t differently = 0;
    for (const KindChange &kind : diff.kinds)
      differently += kind.after > kind.before ? kind.after - kind.before : 0;
    // Additional steps of a kind are new, or were of another kind.
    uint64_t explained = llvm::count_if(diff.steps, [&](const StepChange &c) {
      return c.after &&
             (!c.before || a.steps()[(*c.before).index()].op != b.steps()[(*c.after).index()].op);
    });
    REQUIRE(differently <= explained);
  }
  CHECK(compared > numTries() / 40);
}

TEST_CASE("every change of one field is detected and named") {
  std::vector<ExecPlan> plans = samples();
  Random random(2);
  std::map<std::string, uint32_t> tried;
  uint32_t loaded = 0;
  for (uint64_t n = 0; loaded < numTries(); ++n) {
    const ExecPlan &plan = plans[n % plans.size()];
    Mutator mutator(plan, random);
    std::optional<Mutation> mutation = mutator.mutate();
    if (!mutation)
      continue;
    std::optional<ExecPlan> other = mutator.build();
    if (!other)
      continue;
    ++loaded;
    PlanDiff diff = comparePlans(plan, *other);
    INFO(plan.info().name << ", try " << n << ", " << mutation->what << '\n' << describe(diff));
    if (mutation->nothing) {
      REQUIRE(diff.equivalent());
      continue;
    }
    REQUIRE(!diff.equivalent());
    REQUIRE(names(diff, *mutation));
    ++tried[mutation->what];
  }
  // Every field was mutated.
  std::string all;
  for (const auto &[what, count] : tried)
    all += what + ": " + std::to_string(count) + "\n";
  INFO(all);
  CHECK((numTries() < 1000 || tried.size() >= 25));
}
