//===- InPlaceTest.cpp - Custom collectives in place ----------------------===//
//
// In place, input and output of a custom collective begin at the same chunk. Random
// plans for random post-conditions are executed here on arrays that are shared
// accordingly, with multisets of contributions as values; the result is compared
// with the verdict of the proof.
//
//===----------------------------------------------------------------------===//

#include "../support/RandomProgram.h"
#include "../unit/Plans.h"

#include "cclc/Proof/PlanVerifier.h"

#include <map>

using namespace cclc;
using namespace cclc::test;

namespace {
/// The multiplicity of each contribution; empty: never written.
using Value = std::map<Contribution, uint32_t>;

/// Steps in one order for all ranks, with one threadblock each: there are no races, and one slot is
/// sufficient.
class Case {
public:
  Case(uint64_t seed, Placement placement);
  ExecPlan plan() const;
  bool isRight() const;

private:
  Value &cell(uint32_t rank, Operand operand, uint32_t chunk) {
    bool shared = placement == Placement::InPlace && operand.buffer() == Buffer::Output;
    return memory[rank][shared ? Buffer::Input : operand.buffer()][operand.index() + chunk];
  }
  uint32_t chunksOf(Buffer buffer) const {
    return buffer == Buffer::Input    ? spec.inputChunks
           : buffer == Buffer::Output ? spec.outputChunks
                                      : scratch;
  }
  Operand place(uint32_t count) {
    Buffer buffer;
    do
      buffer = Buffer(random.below(3));
    while (chunksOf(buffer) < count);
    return Operand(buffer, random.below(chunksOf(buffer) - count + 1));
  }
  void addStep();
  void expect();

  static constexpr uint32_t scratch = 2, ranks = 2;
  Random random;
  Placement placement;
  CustomSpec spec;
  std::map<Buffer, std::map<uint32_t, Value>> memory[ranks];
  std::vector<Step> steps[ranks];
};

Case::Case(uint64_t seed, Placement placement) : random(seed), placement(placement) {
  spec.inputChunks = random.between(1, 3);
  spec.outputChunks = random.between(1, 3);
  for (uint32_t r = 0; r < ranks; ++r)
    for (uint32_t c = 0; c < spec.inputChunks; ++c)
      memory[r][Buffer::Input][c] = {{{RankId(r), c}, 1}};
  for (uint32_t n = random.between(1, 5); n > 0; --n)
    addStep();
  expect();
}

/// A copy or reduction on one rank, or between two. It reads no unwritten cells.
void Case::addStep() {
  LocId nowhere = LocTable::unknown();
  uint32_t from = random.below(ranks), to = random.below(ranks), count = random.between(1, 2);
  if (spec.inputChunks < 2 && spec.outputChunks < 2)
    count = 1;
  Operand src = place(count), dst = place(count);
  bool reduces = random.chance(40), identical = true, apart = true;
  std::vector<Value> values;
  for (uint32_t c = 0; c < count; ++c) {
    Value &into = cell(to, dst, c);
    if (cell(from, src, c).empty() || (reduces && into.empty()))
      return;
    values.push_back(cell(from, src, c));
    for (uint32_t other = 0; other < count; ++other)
      apart &= &cell(from, src, other) != &into;
    identical &= &cell(from, src, c) == &into;
    if (reduces)
      for (const auto &[contribution, times] : into)
        values.back()[contribution] += times;
  }
  if (!identical && !apart)
    return;
  // A value has two names in place, and a runtime does not write the input out of place.
  if (placement == Placement::OutOfPlace && dst.buffer() == Buffer::Input)
    return;
  for (uint32_t c = 0; c < count; ++c)
    cell(to, dst, c) = values[c];
  if (from == to) {
    steps[to].emplace_back(reduces ? OpKind::Reduce : OpKind::Copy, src, dst, count, nowhere,
                           nowhere);
    return;
  }
  steps[from].emplace_back(OpKind::Send, src, Operand(), count, nowhere, nowhere);
  if (reduces)
    steps[to].emplace_back(OpKind::RecvReduceCopy, dst, dst, count, nowhere, nowhere);
  else
    steps[to].emplace_back(OpKind::Recv, Operand(), dst, count, nowhere, nowhere);
}

/// Some expectations are the actual values, if a custom collective can express them; a few are
/// others.
void Case::expect() {
  for (uint32_t r = 0; r < ranks; ++r)
    for (uint32_t c = 0; c < spec.outputChunks; ++c) {
      CustomSpec::Output output{RankId(r), c, {}};
      for (const auto &[contribution, times] : cell(r, Operand(Buffer::Output, c), 0))
        output.contributions.push_back(contribution);
      if (random.chance(10))
        output.contributions = {{RankId(random.below(ranks)), random.below(spec.inputChunks)}};
      if (!output.contributions.empty() && random.chance(70))
        spec.outputs.push_back(std::move(output));
    }
}

bool Case::isRight() const {
  for (const CustomSpec::Output &output : spec.outputs) {
    Value expected;
    for (const Contribution &contribution : output.contributions)
      expected[contribution] = 1;
    if (const_cast<Case *>(this)->cell(output.rank.index(), Operand(Buffer::Output, output.index),
                                       0) != expected)
      return false;
  }
  return true;
}

ExecPlan Case::plan() const {
  ProgramInfo info(Collective(ranks, spec));
  info.name = "p";
  info.placements =
      placement == Placement::InPlace ? Placements::inPlace() : Placements::outOfPlace();
  ExecPlanBuilder builder(std::move(info));
  builder.setSlots(Slots(8));
  for (uint32_t r = 0; r < ranks; ++r) {
    auto peerIf = [&](bool wanted) {
      return wanted ? OptionalId<RankId>(RankId(1 - r)) : OptionalId<RankId>();
    };
    builder.setScratch(RankId(r), scratch);
    builder.beginThreadblock(
        RankId(r), peerIf(llvm::any_of(steps[r], [](auto &s) { return traits(s.op).sends; })),
        peerIf(llvm::any_of(steps[r], [](auto &s) { return traits(s.op).receives; })),
        ChannelId(0));
    for (const Step &step : steps[r])
      builder.addStep(step);
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> plan = std::move(builder).finish(diags);
  INFO(textOf(diags));
  REQUIRE(succeeded(plan));
  return std::move(*plan);
}

Verdict verdictOf(const ExecPlan &plan) {
  DiagnosticEngine diags;
  return verifyPlan(plan, Slots(8), diags).verdict;
}

Verdict verdictOf(const std::string &file) {
  DiagnosticEngine diags;
  FailureOr<ExecPlan> plan = readPlan(file, "p", diags);
  return succeeded(plan) ? verdictOf(*plan) : Verdict::Malformed;
}
} // namespace

TEST_CASE("the proof of custom plans respects the offsets of input and output", "[property]") {
  uint32_t right = 0, wrong = 0;
  for (uint32_t seed = 0; seed < scaled(1500); ++seed)
    for (Placement placement : {Placement::InPlace, Placement::OutOfPlace}) {
      Case c(seed, placement);
      ExecPlan plan = c.plan();
      Verdict expected = c.isRight() ? Verdict::Ok : Verdict::WrongResult;
      INFO("seed " << seed << "\n" << textOf(Module(plan)));
      CHECK(verdictOf(plan) == expected);
      CHECK(verdictOf(textOf(Module(plan))) == expected);
      CHECK(verdictOf(jsonOf(plan)) == expected);
      CHECK(verdictOf(binaryOf(plan)) == expected);
      (c.isRight() ? right : wrong) += placement == Placement::InPlace;
    }
  CHECK(right > 100);
  CHECK(wrong > 100);
}
