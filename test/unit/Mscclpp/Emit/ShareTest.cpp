//===- ShareTest.cpp - Groups of threadblocks -----------------------------===//
//
// The oracles are the proof, which lists the parts of operations for several sizes, and the
// emulation of the executor.
//
//===----------------------------------------------------------------------===//

#include "../../../support/MscclppMachine.h"
#include "../../../support/MscclppPlans.h"
#include "Mscclpp/Files.h"

#include "cclc/Mscclpp/Emit/Compact.h"
#include "cclc/Mscclpp/Emit/Lower.h"
#include "cclc/Mscclpp/Emit/Share.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::test;
using mscclpp::GroupNop;

namespace {
mscclpp::Plan shared(const mscclpp::Plan &plan, uint32_t members, GroupNop nops) {
  DiagnosticEngine diags;
  FailureOr<mscclpp::Plan> result = mscclpp::shareThreadblocks(plan, members, nops, diags);
  if (failed(result))
    FAIL(textOf(diags));
  return std::move(*result);
}

/// The forms of a plan for two nodes.
std::vector<mscclpp::Plan> formsOf(const ExecPlan &plan) {
  std::vector<uint32_t> nodeOf;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    nodeOf.push_back(2 * r / plan.ranks());
  mscclpp::NodeMap nodes(nodeOf);
  std::vector<mscclpp::Plan> forms;
  DiagnosticEngine diags;
  for (auto emit : {mscclpp::emitPackets, mscclpp::emitDirect})
    if (std::optional<mscclpp::Plan> compact = emit(plan, nodes))
      if (mscclpp::verify(*compact, diags).verdict == Verdict::Ok)
        forms.push_back(std::move(*compact));
  FailureOr<mscclpp::Plan> general = mscclpp::lower(plan, diags, nodes);
  REQUIRE(succeeded(general));
  forms.push_back(std::move(*general));
  return forms;
}

size_t count(const mscclpp::Plan &plan, mscclpp::OpKind kind) {
  return llvm::count_if(plan.ops(), [&](const mscclpp::Operation &op) { return op.op == kind; });
}

/// The text with a nop in place of every barrier.
std::string withoutBarriers(const std::string &text) {
  std::string changed = text;
  std::vector<OpLine> lines = opLines(text);
  for (const OpLine &line : llvm::reverse(lines))
    if (line.text.contains("\"barrier\""))
      changed = replaced(changed, line, "{\"name\": \"nop\"}");
  return changed;
}
} // namespace

TEST_CASE("groups of every form compute the same", "[mscclpp]") {
  size_t tried = 0, met[2] = {};
  for (const char *program : {"allreduce_allpairs", "allreduce_ring", "allgather_ring",
                              "alltoall_direct", "reducescatter_ring", "broadcast_binomial"})
    for (Protocol protocol : {Protocol::Simple, Protocol::LL})
      for (const mscclpp::Plan &form : formsOf(compiledAs({program, {}, 4}, protocol))) {
        INFO(program << " " << protocolName(protocol).str());
        for (GroupNop barriers : {GroupNop::WherePartsDiffer, GroupNop::Everywhere}) {
          mscclpp::Plan groups = shared(form, 3, barriers);
          CHECK(judge(textOf(groups)) == "ok");
          CHECK(runMscclpp(groups, {1 + tried, 3, 7}) == "");
          met[size_t(barriers)] += count(groups, mscclpp::OpKind::Barrier);
        }
        ++tried;
      }
  CHECK(tried >= 18);
  CHECK(met[0] < met[1]);
}

TEST_CASE("one member synchronises for its group", "[mscclpp]") {
  mscclpp::Plan before = readGoodMscclpp(gatherByPort);
  mscclpp::Plan after = shared(before, 4, GroupNop::WherePartsDiffer);
  CHECK(judge(textOf(after)) == "ok");
  CHECK(after.threadblocks().size() == 4 * before.threadblocks().size());
  for (mscclpp::OpKind kind : {mscclpp::OpKind::Signal, mscclpp::OpKind::Wait,
                               mscclpp::OpKind::PutSignal, mscclpp::OpKind::PutSignalFlush})
    CHECK(count(after, kind) == count(before, kind));
  CHECK(count(after, mscclpp::OpKind::Copy) == 4 * count(before, mscclpp::OpKind::Copy));
}

TEST_CASE("parts of different operations meet at barriers", "[mscclpp]") {
  // The second copy reads a half of what the first one wrote, or all of it.
  auto copies = [](uint32_t count) {
    std::string gpu = R"("input_chunks": 2, "output_chunks": 4, "scratch_chunks": 0,
"channels": [], "remote_buffers": [], "threadblocks": [
{"id": 0, "channels": [], "remote_buffer_refs": [], "ops": [
{"name": "copy", "src_buff": [{"type": "i", "index": 0, "size": 2}], "dst_buff": [{"type": "o", "index": 0, "size": 2}]},
{"name": "nop"},
{"name": "copy", "src_buff": [{"type": "o", "index": 0, "size": COUNT}], "dst_buff": [{"type": "o", "index": 2, "size": COUNT}]}]}]})";
    for (size_t at; (at = gpu.find("COUNT")) != std::string::npos;)
      gpu.replace(at, 5, std::to_string(count));
    return R"({"name": "copies", "collective": "copies", "protocol": "Simple", "inplace": false,
"gpus": [{"id": 0, )" +
           gpu + ", {\"id\": 1, " + gpu + "]}\n";
  };
  for (uint32_t chunks : {1u, 2u}) {
    mscclpp::Plan before = readGoodMscclpp(copies(chunks));
    std::string text = textOf(shared(before, 2, GroupNop::WherePartsDiffer));
    CHECK(judge(text) == "ok");
    CHECK(StringRef(text).contains("barrier") == (chunks == 1));
    CHECK(StringRef(judge(withoutBarriers(text))).starts_with(chunks == 1 ? "race" : "ok"));
  }
}

TEST_CASE("a signal follows the work of all members", "[mscclpp]") {
  std::string text = textOf(shared(readGoodMscclpp(gatherByPut), 2, GroupNop::WherePartsDiffer));
  CHECK(judge(text) == "ok");
  CHECK(StringRef(judge(withoutBarriers(text))).starts_with("race"));
}
