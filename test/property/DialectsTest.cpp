//===- DialectsTest.cpp - Random programs in files of all runtimes --------===//
//
// The classes of programs with which MSCCLang's compiler was tested, and a
// combination of all features with instances and manual directives. Fused and
// unfused, every plan is written for each of the three runtimes (for RCCL with
// split fused steps), read back, verified and executed; the outputs must match
// those of the program. The reductions that the loaders merge must be what the
// file says.
//
//===----------------------------------------------------------------------===//

#include "../support/Interpreters.h"
#include "../support/RandomProgram.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace cclc;
using namespace cclc::test;

namespace {
/// A class of programs; everything() also replicates them and adds directives.
struct Class {
  const char *name;
  ProgramClass kind;
  bool everything = false;
};
const Slots slots(findMscclDialect("msccl")->transmissionsOf(Protocol::Simple).slots);

/// The number \p name of an element.
int64_t attribute(StringRef element, StringRef name) {
  StringRef rest = element.split((" " + name + "=\"").str()).second;
  int64_t value = 0;
  rest.take_until([](char c) { return c == '"'; }).getAsInteger(10, value);
  return value;
}

/// The reductions of a threadblock that a loader merges, by the rules of RCCL's: how often one is
/// added to the one before it.
class LoadedReductions {
public:
  /// The error in the step of \p line, or null.
  const char *add(StringRef line) {
    bool waits = attribute(line, "depid") >= 0;
    if (line.contains("type=\"nop\"")) {
      waitsBetween |= waits;
      return nullptr;
    }
    Places next{line.split(" srcbuf=\"").second.take_front(1),
                line.split(" dstbuf=\"").second.take_front(1), attribute(line, "srcoff"),
                attribute(line, "dstoff"), attribute(line, "cnt")};
    bool reduces = line.contains("type=\"re\"");
    const char *problem = nullptr;
    bool joins = reduces && isOpen && !waits && last.to == next.to && last.dst == next.dst &&
                 last.from == next.from;
    if (joins) {
      ++joined;
      bool overlaps = next.from == next.to && next.src < next.dst + next.count &&
                      next.dst < next.src + next.count;
      problem = waitsBetween               ? "a wait inside merged reductions is lost"
                : next.count != last.count ? "merged reductions have different counts"
                : overlaps                 ? "a merged reduction reads the destination"
                : ++size > 16              ? "more than 16 reductions are merged"
                                           : nullptr;
    } else {
      size = 1;
    }
    reductions += reduces;
    isOpen = reduces && attribute(line, "hasdep") == 0 && reductions != 16;
    last = next;
    waitsBetween = false;
    return problem;
  }

  uint32_t joined = 0;

private:
  struct Places {
    StringRef from, to;
    int64_t src, dst, count;
  };
  Places last{};
  bool isOpen = false, waitsBetween = false;
  uint32_t reductions = 0, size = 1;
};

class Case {
public:
  Case(const Class &which, uint64_t seed) : which(which), seed(seed) {}

  uint32_t merged = 0; ///< reductions that the loaders merge into others

  /// The number of files that were read back.
  uint32_t run() {
    ChunkProgram program = make();
    for (bool fused : {true, false}) {
      DiagnosticEngine diags;
      PassContext context(diags);
      FailureOr<ExecPlan> plan = compiled(program, fused, context);
      if (failed(plan))
        fail("does not compile", program, diags);
      for (const MscclDialect &dialect : mscclDialects())
        send(program, *plan, dialect);
    }
    return files;
  }

private:
  ChunkProgram make() {
    RandomProgramOptions options;
    options.programClass = which.kind;
    options.directives = which.everything;
    ChunkProgram program = randomProgram(seed, options);
    if (!which.everything)
      return program;
    DiagnosticEngine diags;
    PassContext context(diags);
    InstanceLayout layout = seed % 2 ? InstanceLayout::Interleaved : InstanceLayout::Blocked;
    FailureOr<ChunkProgram> copies = replicateInstances(program, 1 + seed % 3, layout, context);
    if (failed(copies))
      fail("is not replicated", program, diags);
    return std::move(*copies);
  }

  static FailureOr<ExecPlan> compiled(const ChunkProgram &program, bool fused,
                                      PassContext &context) {
    FailureOr<InstrProgram> instrs = lowerToInstr(ChunkProgram(program), context);
    if (succeeded(instrs) && fused)
      instrs = removeDeadCopies(std::move(*instrs), context);
    if (succeeded(instrs) && fused)
      instrs = fuseReceiveReduce(std::move(*instrs), context);
    if (succeeded(instrs) && fused)
      instrs = fuse(std::move(*instrs), {}, context);
    if (failed(instrs))
      return failure();
    ScheduleOptions options;
    options.slots = slots;
    options.mergesReductions = true;
    return scheduleProgram(std::move(*instrs), options, context);
  }

  /// The only limit that such small programs may exceed.
  static bool isRefused(const ProgramInfo &info, const MscclDialect &dialect) {
    return !dialect.hasOutOfPlace && info.collective.kind() == CollectiveKind::AllToAll &&
           info.placements.allowsInPlace();
  }

  void send(const ChunkProgram &program, const ExecPlan &plan, const MscclDialect &dialect) {
    DiagnosticEngine diags;
    PassContext context(diags);
    FailureOr<ExecPlan> sent(plan);
    if (!dialect.fusedOps)
      sent = lowerFused(ExecPlan(plan), context);
    if (succeeded(sent))
      sent = gatherWaits(std::move(*sent), context);
    if (failed(sent))
      fail("is not adapted", program, diags);
    if (isRefused(program.info(), dialect) != failed(checkMscclLimits(*sent, dialect, diags)))
      fail(dialect.name, program, diags);
    if (isRefused(program.info(), dialect))
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    writeMscclXml(*sent, dialect, os);
    if (const char *problem = load(text))
      fail(problem, program, diags);
    FailureOr<ExecPlan> read = readMscclXml(text, "file.xml", diags);
    if (failed(read))
      fail("is not read back", program, diags);
    // The program does not compute the collective that it declares, so its result is not checked.
    PlanProof report = verifyPlan(*read, slots, diags);
    if (report.verdict != Verdict::Ok && report.verdict != Verdict::WrongResult)
      fail(dialect.name, program, diags);
    for (Placement placement : read->info().placements.list())
      if (executePlan(*read, placement, slots, seed) != executeDirectly(program, placement))
        fail("computes something else", program, diags);
    ++files;
  }

  /// The first error in the merged reductions of a file, or null.
  const char *load(StringRef text) {
    LoadedReductions tb;
    for (StringRef line; !text.empty();) {
      std::tie(line, text) = text.split('\n');
      if (line.contains("<tb "))
        tb = {};
      uint32_t before = tb.joined;
      if (line.contains("<step "))
        if (const char *problem = tb.add(line))
          return problem;
      merged += tb.joined - before;
    }
    return nullptr;
  }

  [[noreturn]] void fail(const char *what, const ChunkProgram &program,
                         const DiagnosticEngine &diags) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << which.name << ", seed " << seed << ": " << what << '\n';
    print(os, program);
    diags.print(os, "error");
    FAIL(text);
    std::abort();
  }

  const Class &which;
  uint64_t seed;
  uint32_t files = 0;
};
} // namespace

// 24,000 programs, nearly 144,000 files; CCLC_PROPERTY_PROGRAMS overrides the number of programs
// per class.
static void checkClass(const Class &which, uint32_t leastMerged = 0) {
  const char *text = std::getenv("CCLC_PROPERTY_PROGRAMS");
  uint32_t programs = text ? std::atoi(text) : 4000;
  uint32_t files = 0, merged = 0;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    Case one(which, seed + 7'000'000);
    files += one.run();
    merged += one.merged;
  }
  CHECK(files > programs * 11 / 2); // six each, less all-to-alls in place for microsoft/msccl
  CHECK(merged >= leastMerged * programs);
}

TEST_CASE("random programs whose chunks keep their place pass through the files of every runtime",
          "[property][same-place]") {
  checkClass({"same place", ProgramClass::SamePlace});
}

TEST_CASE("random programs of copies pass through the files of every runtime",
          "[property][copies]") {
  checkClass({"copies only", ProgramClass::Copies});
}

TEST_CASE("random programs with ranges pass through the files of every runtime",
          "[property][sized]") {
  checkClass({"sized", ProgramClass::Sized});
}

TEST_CASE("random programs with any places pass through the files of every runtime",
          "[property][anywhere]") {
  checkClass({"anywhere", ProgramClass::Anywhere});
}

TEST_CASE("random programs of local sums pass through the files of every runtime",
          "[property][sums]") {
  checkClass({"sums", ProgramClass::Sums}, 5);
}

TEST_CASE("random programs with instances and directives pass through the files of every runtime",
          "[property][everything]") {
  checkClass({"everything", ProgramClass::Any, true});
}
