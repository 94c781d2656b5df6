//===- FormSwitchOperations.cpp - Operations that a switch performs -------===//
//
// The operations of one call of multicast() or reduceFrom() follow each other in the program and
// have one number; passes may have split them into parts and instances. Those with the same kind,
// instance and chunks of the common rank are one operation of a switch, if it can perform it: there
// are at least two other ranks, each once. They get a number of their own.
//
// Copies and reductions remain as they are. The scheduler makes one step of those with one number
// (Schedule/SwitchSteps.cpp), for which they need threadblocks and channels of their own: each
// common rank becomes an instance. If the numbers do not suffice, operations remain separate.
//
//===----------------------------------------------------------------------===//

#include "Refine.h"

#include "cclc/IR/PlanAttributes.h"
#include "cclc/IR/Verifier.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace cclc;

namespace {
class Former {
public:
  Former(const ChunkProgram &program, const SwitchOperations &which, PassContext &context)
      : program(program), which(which), context(context), builder(program.info()),
        named(program.info().directives) {
    // Without the marks, which belong to formed operations only from now on.
    builder.info().directives.clear();
    for (Directive directive : program.info().directives) {
      directive.inSwitch = 0;
      unmarked.push_back(intern(directive));
    }
  }

  FailureOr<ChunkProgram> run() {
    refineScratch(program, 1, builder);
    builder.reserve(program.ops().size());
    uint32_t size = program.ops().size();
    for (uint32_t begin = 0, end; begin < size; begin = end) {
      for (end = begin + 1; end < size && numberOf(end) == numberOf(begin);)
        ++end;
      if (numberOf(begin) != 0)
        formAll(begin, end);
      for (uint32_t k = begin; k < end; ++k)
        add(k);
    }
    context.count("form-switch-operations", "multicasts", multicasts);
    context.count("form-switch-operations", "reductions", reductions);
    return std::move(builder).finish(context.diags);
  }

private:
  const ChunkOp &op(uint32_t k) const { return program.ops()[k]; }
  const Directive &directive(uint32_t k) const {
    return program.info().directives[op(k).directive];
  }
  uint32_t numberOf(uint32_t k) const { return directive(k).inSwitch; }

  bool copies(uint32_t k) const { return op(k).kind == ChunkOpKind::Copy; }
  RankId commonRank(uint32_t k) const { return copies(k) ? op(k).srcRank : op(k).dstRank; }
  RankId otherRank(uint32_t k) const { return copies(k) ? op(k).dstRank : op(k).srcRank; }

  /// Forms the operations of one call, [begin, end).
  void formAll(uint32_t begin, uint32_t end) {
    // By kind, instance, place of the common chunks, count.
    std::map<std::tuple<ChunkOpKind, uint32_t, RankId, uint16_t, uint32_t, uint32_t>,
             std::vector<uint32_t>>
        groups;
    for (uint32_t k = begin; k < end; ++k)
      if (!op(k).isLocal())
        groups[{op(k).kind, directive(k).instance, commonRank(k),
                (copies(k) ? op(k).src : op(k).dst).raw(),
                copies(k) ? op(k).srcIndex : op(k).dstIndex, op(k).count}]
            .push_back(k);
    for (const auto &[key, ops] : groups)
      form(ops);
  }

  void form(ArrayRef<uint32_t> ops) {
    uint32_t first = ops.front();
    std::vector<RankId> members = {commonRank(first)};
    for (uint32_t k : ops)
      members.push_back(otherRank(k));
    llvm::sort(members);
    const char *why = nullptr;
    if (ops.size() < 2 || std::adjacent_find(members.begin(), members.end()) != members.end())
      why = "it has fewer than two other ranks, or one of them twice";
    else if (!(copies(first) ? which.multicasts : which.adds) ||
             (which.connects && !which.connects(members)))
      why = "no switch of the target performs it";
    else if (!number(ops))
      why = "there are too many channels or directives";
    if (!context.remarks)
      return;
    if (why)
      context.remarks->left("form-switch-operations", op(first).loc, why);
    else
      context.remarks->done("form-switch-operations", op(first).loc,
                            copies(first) ? "multicast" : "reduction");
  }

  /// Numbers an operation. Returns false if there are no numbers left.
  bool number(ArrayRef<uint32_t> ops) {
    uint32_t first = ops.front();
    auto [it, inserted] =
        instances.try_emplace({commonRank(first), directive(first).instance}, instances.size());
    uint32_t instance = named.instances + it->second;
    // Every number has a directive of its own.
    if (instance >= maxChannels || builder.info().directives.size() > maxInSwitch)
      return false;
    Directive marked = directive(first);
    marked.inSwitch = multicasts + reductions + 1;
    marked.instance = instance;
    DirectiveIndex index = intern(marked);
    for (uint32_t k : ops)
      formed[k] = index;
    ++(copies(first) ? multicasts : reductions);
    return true;
  }

  DirectiveIndex intern(const Directive &directive) {
    std::vector<Directive> &table = builder.info().directives;
    auto [it, inserted] = known.try_emplace(directive, table.size());
    if (inserted)
      table.push_back(directive);
    return it->second;
  }

  void add(uint32_t k) {
    ChunkOp copy = op(k);
    auto it = formed.find(k);
    copy.directive = it != formed.end() ? it->second : unmarked[copy.directive];
    builder.add(copy);
  }

  const ChunkProgram &program;
  const SwitchOperations &which;
  PassContext &context;
  ChunkProgramBuilder builder;
  NamedNumbers named;
  std::map<Directive, DirectiveIndex> known;
  std::vector<DirectiveIndex> unmarked; ///< by directive of the program
  /// By common rank and instance of the program.
  std::map<std::pair<RankId, uint32_t>, uint32_t> instances;
  std::map<uint32_t, DirectiveIndex> formed; ///< by operation of the program
  uint32_t multicasts = 0, reductions = 0;
};
} // namespace

FailureOr<ChunkProgram> cclc::formSwitchOperations(ChunkProgram &&program,
                                                   const SwitchOperations &which,
                                                   PassContext &context) {
  if (!marksSwitchOperations(program.info()))
    return std::move(program);
  return Former(program, which, context).run();
}
