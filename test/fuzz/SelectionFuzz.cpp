//===- SelectionFuzz.cpp - Arbitrary bytes, read as a tuning file ---------===//
//
// The bytes are a tuning file of each runtime. Reading ends in rules or in an error. A rule that is
// in force for a call belongs to its collective, has an algorithm of the runtime, and is not among
// those that never apply.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Formats/Selection/TuningFile.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::fuzz;

static void checkCall(const TuningFile &file, SelectionCall call, StringRef input) {
  const DiagnosticEngine none;
  const std::vector<TuningFile::Unused> unused = file.unusedRules(call);
  for (const TuningFile::Unused &each : unused)
    if (each.reason.empty())
      defect("a rule never applies without a reason", input, none);
  for (uint64_t bytes : {uint64_t(0), uint64_t(4), uint64_t(1000), uint64_t(1) << 20, UINT64_MAX}) {
    call.bytes = bytes;
    const Selected selected = file.select(call);
    if (!selected.rule)
      continue;
    if (selected.rule->collective != call.collective)
      defect("a rule of another collective is in force", input, none);
    if (selected.algorithm && selected.algorithm->name != selected.rule->algorithm)
      defect("a rule selects another algorithm than it names", input, none);
    if (llvm::any_of(unused, [&](const auto &each) { return each.rule == selected.rule; }))
      defect("a rule that never applies is in force", input, none);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const StringRef input(reinterpret_cast<const char *>(data), size);
  bool isAccepted = false;
  for (const std::string &name : tuningReaderNames()) {
    DiagnosticEngine diags;
    FailureOr<TuningFile> file = TuningFile::read(input, "tuning", parseTuningReader(name), diags);
    if (failed(file) != diags.hasErrors())
      defect("the result and the errors disagree", input, diags);
    // The search for rules that never apply is quadratic.
    if (failed(file) || file->rules().size() > 500)
      continue;
    isAccepted |= !file->rules().empty();
    for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                CollectiveKind::ReduceScatter, CollectiveKind::Broadcast})
      for (NativeSite site : {NativeSite{1, 1}, NativeSite{8, 8, true}, NativeSite{6, 2}})
        checkCall(*file, {kind, site, 0}, input);
  }
  return isAccepted ? 0 : -1;
}
