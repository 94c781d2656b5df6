//===- DialectTest.cpp - The limits of each MSCCL runtime -----------------===//
//
// Every limit is met exactly and exceeded by one, for each runtime. Constructs that
// the runtimes interpret differently from the file format are written so that the
// interpretations agree.
//
//===----------------------------------------------------------------------===//

#include "../../../support/Lines.h"

#include "Plans.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {

const MscclDialect &msccl = *findMscclDialect("msccl");
const MscclDialect &rccl = *findMscclDialect("rccl");
const MscclDialect &executor = *findMscclDialect("msccl-executor");

std::string limitsOf(const ExecPlan &plan, const MscclDialect &dialect) {
  DiagnosticEngine diags;
  LogicalResult result = checkMscclLimits(plan, dialect, diags);
  CHECK(succeeded(result) == !diags.hasErrors());
  return textOf(diags);
}

/// A plan whose first rank has threadblocks of \p steps copies each.
ExecPlan copies(uint32_t threadblocks, uint32_t steps, uint32_t count = 1,
                std::string name = "copies", uint32_t ranks = 1) {
  ProgramInfo info(Collective(CollectiveKind::AllReduce, ranks, 80));
  info.name = name;
  info.placements = Placements::outOfPlace();
  LocId loc = info.locs.intern("a.cpp", 5);
  ExecPlanBuilder builder(info);
  for (uint32_t t = 0; t < threadblocks; ++t) {
    builder.beginThreadblock(RankId(0), {}, {}, ChannelId(0));
    for (uint32_t s = 0; s < steps; ++s)
      builder.addStep(Step(OpKind::Copy, Operand(Buffer::Input, 0), Operand(Buffer::Output, 0),
                           count, loc, loc));
  }
  DiagnosticEngine diags;
  return std::move(*std::move(builder).finish(diags));
}

/// A plan in which every other rank sends a message to r0.
ExecPlan receives(uint32_t peers) {
  ProgramInfo info(Collective(CollectiveKind::Reduce, peers + 1, 1));
  info.placements = Placements::outOfPlace();
  ExecPlanBuilder builder(info);
  LocId loc = LocTable::unknown();
  for (uint32_t p = 1; p <= peers; ++p) {
    builder.beginThreadblock(RankId(0), {}, RankId(p), ChannelId(0));
    builder.addStep(Step(OpKind::Recv, {}, Operand(Buffer::Output, 0), 1, loc, loc));
  }
  for (uint32_t p = 1; p <= peers; ++p) {
    builder.beginThreadblock(RankId(p), RankId(0), {}, ChannelId(0));
    builder.addStep(Step(OpKind::Send, Operand(Buffer::Input, 0), {}, 1, loc, loc));
  }
  DiagnosticEngine diags;
  return std::move(*std::move(builder).finish(diags));
}

/// A message from r0 to r1 on each of \p channels channels, and messages to more peers.
ExecPlan sends(uint32_t peers, uint32_t channels) {
  ProgramInfo info(Collective(CollectiveKind::Broadcast, peers + 1, 1));
  info.placements = Placements::outOfPlace();
  ExecPlanBuilder builder(info);
  LocId loc = LocTable::unknown();
  for (uint32_t p = 1; p <= peers; ++p)
    for (uint32_t c = 0; c < channels; ++c) {
      builder.beginThreadblock(RankId(0), RankId(p), {}, ChannelId(c));
      builder.addStep(Step(OpKind::Send, Operand(Buffer::Input, 0), {}, 1, loc, loc));
    }
  for (uint32_t p = 1; p <= peers; ++p)
    for (uint32_t c = 0; c < channels; ++c) {
      builder.beginThreadblock(RankId(p), {}, RankId(0), ChannelId(c));
      builder.addStep(Step(OpKind::Recv, {}, Operand(Buffer::Output, 0), 1, loc, loc));
    }
  DiagnosticEngine diags;
  return std::move(*std::move(builder).finish(diags));
}

ExecPlan planOf(StringRef text) {
  return readGood(("ccl.version 3\nexec.program @p coll " + text).str());
}

std::string xmlOf(const ExecPlan &plan, const MscclDialect &dialect) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeMscclXml(plan, dialect, os);
  return os.str();
}

/// The attributes from \p first to \p last of every step, one line per step.
std::vector<std::string> stepsOf(const std::string &xml) {
  std::vector<std::string> lines;
  SmallVector<StringRef> all;
  StringRef(xml).split(all, '\n');
  auto value = [](StringRef line, StringRef name) {
    return line.split((" " + name + "=\"").str()).second.split('"').first.str();
  };
  for (StringRef line : all)
    if (line.contains("<step"))
      lines.push_back(value(line, "type") + (value(line, "depid") == "-1" ? "" : " waits") +
                      (value(line, "hasdep") == "1" ? " pub" : ""));
  return lines;
}

/// An out-of-place all-reduce of one rank that executes only \p steps.
ExecPlan local(StringRef steps, StringRef others = "") {
  return planOf(("allreduce ranks 1 chunks 80 outofplace {\n  rank 0 scratch 40 {\n" + others +
                 "    tb " + (others.empty() ? "0" : "1") + " ch 0 {\n" + steps + R"(
                       }
                     }
                   }
                   )"_lines)
                    .str());
}

const std::string publisher = R"(
      tb 0 ch 0 {
        0: cpy i[0] -> o[79] pub
      }
  )"_lines;

using Steps = std::vector<std::string>;
} // namespace

TEST_CASE("each limit may be met and is named when exceeded", "[msccl][limits]") {
  struct Case {
    const MscclDialect &dialect;
    uint32_t steps, threadblocks, channels, name;
  };
  const Case cases[] = {
      {msccl, 256, 216, 32, 63}, {rccl, 64, 64, 128, 254}, {executor, 64, 1024, 32, 254}};
  for (const Case &c : cases) {
    std::string illegal = std::string("illegal for ") + c.dialect.name + ": ";
    auto limits = [&](const ExecPlan &plan) { return limitsOf(plan, c.dialect); };
    auto over = [&](const char *location, uint32_t value, const char *what, uint32_t limit,
                    const char *remedy) {
      return std::string(location) + ": error: " + illegal + std::to_string(value) + " " + what +
             ", the limit is " + std::to_string(limit) + "; " + remedy + "\n";
    };
    CHECK(limits(copies(1, c.steps)) == "");
    CHECK(limits(copies(1, c.steps + 1)) ==
          over("a.cpp:5", c.steps + 1, "steps in one threadblock on r0", c.steps,
               "spread the work over more channels (cclc --max-channels)"));
    CHECK(limits(copies(c.threadblocks, 1)) == "");
    CHECK(limits(copies(c.threadblocks + 1, 1)) ==
          over("tool", c.threadblocks + 1, "threadblocks on r0", c.threadblocks,
               "use fewer channels or instances (cclc --max-threadblocks, --instances)"));
    CHECK(limits(copies(1, 1, 71)) == "");
    CHECK(limits(copies(1, 1, 72)) ==
          over("a.cpp:5", 72, "chunks in one step", 71, "split the operation"));
    CHECK(limits(copies(1, 1, 1, std::string(c.name, 'x'))) == "");
    CHECK(limits(copies(1, 1, 1, std::string(c.name + 1, 'x'))) ==
          over("tool", c.name + 1, "characters of the name", c.name, "rename the program"));
    if (c.channels < c.threadblocks)
      CHECK(limits(sends(1, c.channels)) == "");
    CHECK(limits(sends(1, c.channels + 1)) ==
          over("tool", c.channels + 1, "channels", c.channels,
               "use fewer channels or instances (cclc --max-channels, --instances)"));
    CHECK(limits(sends(32, 1)) == "");
    CHECK(limits(sends(33, 1)) == over("tool", 33, "outgoing connections of r0 on channel 0", 32,
                                       "use more channels (cclc --max-channels)"));
    CHECK(limits(receives(32)) == "");
    CHECK(limits(receives(33)) == over("tool", 33, "incoming connections of r0 on channel 0", 32,
                                       "use more channels (cclc --max-channels)"));
    CHECK(limits(copies(1, 1, 1, "copies", 1024)) == "");
    CHECK(limits(copies(1, 1, 1, "copies", 1025)) ==
          over("tool", 1025, "ranks", 1024, "use fewer ranks (cclc --ranks)"));
  }
  // 1 root, 2 gpus and 93 threadblocks of 44 elements are 4095 elements; a third gpu exceeds the
  // limit.
  CHECK(limitsOf(copies(93, 43, 1, "copies", 2), executor) == "");
  CHECK(limitsOf(copies(93, 43, 1, "copies", 3), executor) ==
        "tool: error: illegal for msccl-executor: 4096 XML elements for one rank, the limit is "
        "4095; use fewer ranks, chunks or instances (cclc --ranks, --instances)\n");
  CHECK(limitsOf(copies(23, 177), msccl) ==
        "tool: error: illegal for msccl: 4096 XML elements for one rank, the limit is 4095; use "
        "fewer ranks, chunks or instances (cclc --ranks, --instances)\n");
}

TEST_CASE("a chunk index has 15 bits", "[msccl][limits]") {
  auto at = [](uint32_t index) {
    return planOf(("allreduce ranks 1 chunks 40000 outofplace {\n  rank 0 {\n    tb 0 ch 0 {\n"
                   "      0: cpy i[0] -> o[" +
                   std::to_string(index) + R"(
          ]
              }
            }
          }
          )"_lines));
  };
  for (const MscclDialect &dialect : mscclDialects()) {
    CHECK(limitsOf(at(32767), dialect) == "");
    CHECK(limitsOf(at(32768), dialect) ==
          std::string("plan:5:7: error: illegal for ") + dialect.name +
              ": 32768 as the index of a destination in o, the limit is 32767; use fewer chunks or "
              "instances (cclc --instances)\n");
  }
}

TEST_CASE("the number of a threadblock that is waited for has 7 bits", "[msccl][limits]") {
  auto waitingFor = [](uint32_t target) {
    ProgramInfo info(Collective(CollectiveKind::AllReduce, 1, 300));
    info.placements = Placements::outOfPlace();
    LocId loc = info.locs.intern("a.cpp", 9);
    ExecPlanBuilder builder(info);
    auto copy = [&](uint32_t index) -> Step & {
      return builder.addStep(Step(OpKind::Copy, Operand(Buffer::Input, index),
                                  Operand(Buffer::Output, index), 1, loc, loc));
    };
    for (uint32_t t = 0; t <= target; ++t) {
      builder.beginThreadblock(RankId(0), {}, {}, ChannelId(0));
      copy(t).publishes = true;
    }
    builder.beginThreadblock(RankId(0), {}, {}, ChannelId(0));
    copy(299).setWait(Wait{ThreadblockId(target), StepIndex(0)});
    DiagnosticEngine diags;
    return std::move(*std::move(builder).finish(diags));
  };
  for (const MscclDialect *dialect : {&msccl, &executor}) {
    CHECK(limitsOf(waitingFor(127), *dialect) == "");
    CHECK(limitsOf(waitingFor(128), *dialect) ==
          std::string("a.cpp:9: error: illegal for ") + dialect->name +
              ": 128 as the number of a threadblock to wait for, the limit is 127; use fewer "
              "threadblocks of a rank (cclc --max-threadblocks)\n");
  }
}

TEST_CASE("a runtime supports its own collectives only", "[msccl][limits]") {
  auto plan = [](CollectiveKind kind) {
    ProgramInfo info(Collective(kind, 2, 1));
    info.placements = Placements::outOfPlace();
    ExecPlanBuilder builder(info);
    DiagnosticEngine diags;
    return std::move(*std::move(builder).finish(diags));
  };
  auto header = [&](CollectiveKind kind, const MscclDialect &dialect) {
    return StringRef(xmlOf(plan(kind), dialect)).split('\n').first.str();
  };
  CHECK(limitsOf(plan(CollectiveKind::Gather), msccl) ==
        "tool: error: illegal for msccl: 'gather' is not a collective of microsoft/msccl; "
        "ROCm/rccl supports it: --xml-dialect=rccl\n");
  for (CollectiveKind kind : {CollectiveKind::AllToNext, CollectiveKind::SendRecv}) {
    CHECK(limitsOf(plan(kind), msccl) == "");
    CHECK(limitsOf(plan(kind), rccl) ==
          "tool: error: illegal for rccl: 'custom' is not a collective of ROCm/rccl; "
          "microsoft/msccl supports it: --xml-dialect=msccl\n");
  }
  for (const MscclDialect &dialect : mscclDialects())
    CHECK(StringRef(limitsOf(plan(CollectiveKind::Exscan), dialect))
              .contains("'exscan' is not a collective of "));
  CHECK(header(CollectiveKind::ReduceScatter, msccl) ==
        "<algo name=\"\" proto=\"Simple\" nchannels=\"0\" nchunksperloop=\"2\" ngpus=\"2\" "
        "coll=\"reduce_scatter\" inplace=\"0\" minBytes=\"0\" maxBytes=\"9223372036854775807\">");
  CHECK(header(CollectiveKind::ReduceScatter, rccl) ==
        "<algo name=\"\" proto=\"Simple\" nchannels=\"0\" nchunksperloop=\"2\" ngpus=\"2\" "
        "coll=\"reducescatter\" inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"0\">");
  // Chunks of gather and scatter are counted in the smaller buffer.
  CHECK(header(CollectiveKind::Scatter, executor) ==
        "<algo name=\"\" proto=\"Simple\" nchannels=\"0\" nchunksperloop=\"1\" ngpus=\"2\" "
        "coll=\"scatter\" inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"0\">");
}

TEST_CASE("microsoft/msccl executes an all-to-all out of place", "[msccl][limits]") {
  ExecPlan plan = compiled({"alltoall_direct", {{"buffers", "in_place"}}, 4});
  CHECK(limitsOf(plan, msccl) ==
        "tool: error: illegal for msccl: an all-to-all is always used out of place; inplace is "
        "ignored; compile it with -p buffers=out_of_place\n");
  CHECK(limitsOf(plan, rccl) == "");
}

TEST_CASE("RCCL has no fused receives", "[msccl][limits]") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  CHECK(limitsOf(plan, executor) == "");
  CHECK(limitsOf(plan, rccl) ==
        "programs/allreduce_ring.cpp:24: error: illegal for rccl: there is no "
        "kernel for 'rrs'; compile it with --fused-ops=lower\n");
}

TEST_CASE("sizes are written as the runtime compares them", "[msccl]") {
  auto sizes = [](CollectiveKind kind, uint64_t low, std::optional<uint64_t> high,
                  const MscclDialect &dialect) {
    ProgramInfo info(Collective(kind, 4, 1));
    info.minBytes = low;
    info.maxBytes = high;
    ExecPlanBuilder builder(info);
    DiagnosticEngine diags;
    std::string xml = xmlOf(*std::move(builder).finish(diags), dialect);
    return StringRef(xml).split(" minBytes").second.split('>').first.str();
  };
  constexpr CollectiveKind reduce = CollectiveKind::AllReduce, scatter = CollectiveKind::Scatter;
  CHECK(sizes(reduce, 5, 8, msccl) == "=\"5\" maxBytes=\"9\"");
  CHECK(sizes(reduce, 5, 8, rccl) == "=\"5\" maxBytes=\"8\"");
  CHECK(sizes(reduce, 5, {}, msccl) == "=\"5\" maxBytes=\"9223372036854775807\"");
  CHECK(sizes(reduce, 5, ~uint64_t(0), msccl) == "=\"5\" maxBytes=\"9223372036854775807\"");
  CHECK(sizes(reduce, 5, {}, executor) == "=\"5\" maxBytes=\"0\"");
  // Of 4 ranks; with 8 and 12 bytes in total, the sizes in the range.
  CHECK(sizes(scatter, 5, 15, rccl) == "=\"2\" maxBytes=\"3\"");
}

TEST_CASE("steps that the runtimes interpret differently are rejected", "[msccl][limits]") {
  auto limits = [](const ExecPlan &plan) { return limitsOf(plan, executor); };
  CHECK(limits(local("      0: nop dep tb0:0\n      1: cpy i[1] -> o[1]\n", publisher)) ==
        "plan:9:7: error: illegal for msccl-executor: 'cpy' follows nops that wait, but does not "
        "wait "
        "itself; move the wait of the last nop to the step\n");
  CHECK(limits(local("      0: nop dep tb0:0\n      1: cpy i[1] -> o[1] dep tb0:0\n", publisher)) ==
        "");
  CHECK(limits(local("      0: nop\n      1: cpy i[1] -> o[1] pub\n")) ==
        "plan:5:7: error: illegal for msccl-executor: a nop without a wait is not counted: later "
        "steps "
        "publish too low a number; leave it out\n");
  CHECK(limits(local("      0: nop pub\n      1: cpy i[1] -> o[1] pub\n")) ==
        "plan:5:7: error: illegal for msccl-executor: a nop does not publish its completion: steps "
        "that wait for it hang; publish in the step before or after it\n");
  // A wait at the end orders nothing.
  ExecPlan trailing = local("      0: cpy i[1] -> o[1]\n      1: nop dep tb0:0\n", publisher);
  CHECK(limits(trailing) == "");
  CHECK(stepsOf(xmlOf(trailing, executor)) == Steps{"cpy pub", "cpy"});
}

TEST_CASE("reductions are merged only into equivalent ones", "[msccl]") {
  auto written = [](StringRef steps) {
    ExecPlan plan = local(steps, publisher);
    CHECK(limitsOf(plan, msccl) == "");
    Steps all = stepsOf(xmlOf(plan, msccl));
    return Steps(all.begin() + 1, all.end());
  };
  // Two operands of one buffer into the same destination: one reduction of the runtime.
  CHECK(written("      0: re i[0] -> o[0]\n      1: re i[1] -> o[0]\n") == Steps{"re", "re"});
  CHECK(written("      0: re i[0:2] -> o[0:2]\n      1: re i[2:4] -> o[0:2]\n") ==
        Steps{"re", "re"});
  // Different counts, an operand that is modified in between, a wait in between.
  CHECK(written("      0: re i[0:2] -> o[0:2]\n      1: re i[2] -> o[0]\n") ==
        Steps{"re pub", "re"});
  CHECK(written("      0: re s[0] -> s[1]\n      1: re s[1] -> s[1]\n").size() == 2);
  CHECK(written("      0: re s[0] -> s[2]\n      1: re s[2:4] -> s[2:4]\n").size() == 2);
  CHECK(written("      0: re i[0] -> o[0]\n      1: re i[1] -> o[0] dep tb0:0\n") ==
        Steps{"re", "re waits"});
  // With other destinations or buffers the reductions are not merged.
  CHECK(written("      0: re i[0] -> o[0]\n      1: re i[1] -> o[1]\n") == Steps{"re", "re"});
  CHECK(written("      0: re i[0] -> o[0]\n      1: re s[1] -> o[0]\n") == Steps{"re", "re"});
  // After sixteen reductions the next chain begins.
  std::string many;
  for (int i = 0; i < 40; ++i)
    many += "      " + std::to_string(i) + ": re i[" + std::to_string(i) + "] -> o[0]\n";
  Steps chain = written(many);
  for (int i = 0; i < 40; ++i)
    CHECK(chain[i] == (i % 16 == 15 ? "re pub" : "re"));
}
