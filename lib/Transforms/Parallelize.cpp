//===- Parallelize.cpp - Splitting operations over channels ---------------===//
//
// An operation in n parts becomes n operations, each on a contiguous n-th of its chunks. For this,
// every chunk is split into L, the least common multiple of all n: chunk c becomes the chunks c*L
// ... c*L + L-1, so that an operation in one part remains a single one, on L times as many chunks.
// Dependences between operations and parts follow from their ranges.
//
// Part k is an instance: it shares no connection with the other parts. Part 0 has the instance of
// the surrounding operations.
//
//===----------------------------------------------------------------------===//

#include "Refine.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>

using namespace cclc;
using llvm::formatv;

namespace {
class Parallelization {
public:
  Parallelization(const ChunkProgram &program, uint32_t cuts)
      : program(program), cuts(cuts), builder(program.info()) {
    builder.info().collective =
        refined(program.info().collective, cuts,
                [&](uint32_t index, uint32_t k, uint32_t) { return index * cuts + k; });
    builder.info().directives = {Directive{}};
  }

  FailureOr<ChunkProgram> run(DiagnosticEngine &diags) {
    refineScratch(program, cuts, builder);
    builder.reserve(program.ops().size());
    for (const ChunkOp &op : program.ops()) {
      const Directive &directive = program.info().directives[op.directive];
      for (uint32_t k = 0; k < directive.parallel; ++k)
        if (failed(addPart(op, directive, k, diags)))
          return failure();
    }
    return std::move(builder).finish(diags);
  }

private:
  LogicalResult addPart(const ChunkOp &op, const Directive &directive, uint32_t k,
                        DiagnosticEngine &diags) {
    ChunkOp part = op;
    part.count = op.count * (cuts / directive.parallel);
    part.srcIndex = op.srcIndex * cuts + k * part.count;
    part.dstIndex = op.dstIndex * cuts + k * part.count;
    Directive of = directive;
    of.parallel = 1;
    of.instance += k * named.instances;
    if (of.channel)
      *of.channel += k * named.channels;
    if (of.instance >= maxChannels || of.channel.value_or(0) >= maxChannels)
      return diags.error(program.info().locate(op.loc),
                         formatv("{0} parts of an operation on channel {1} need more channels than "
                                 "the limit of {2}",
                                 directive.parallel, directive.channel.value_or(0), maxChannels));
    std::vector<Directive> &table = builder.info().directives;
    auto [it, inserted] = directives.try_emplace(of, table.size());
    if (inserted) {
      if (table.size() >= maxDirectives)
        return diags.error({}, formatv("the parts of operations have more than {0} different "
                                       "directives",
                                       maxDirectives));
      table.push_back(of);
    }
    part.directive = it->second;
    builder.add(part);
    return success();
  }

  const ChunkProgram &program;
  uint32_t cuts;
  ChunkProgramBuilder builder;
  NamedNumbers named{program.info().directives};
  std::map<Directive, DirectiveIndex> directives = {{Directive{}, 0}};
};
} // namespace

FailureOr<ChunkProgram> cclc::parallelize(ChunkProgram &&program, PassContext &context) {
  // No overflow, because the loop stops at the limit.
  uint64_t cuts = 1, cells = countCells(program.info().collective, program.scratchChunks());
  for (const Directive &directive : program.info().directives) {
    cuts = std::lcm(cuts, uint64_t(directive.parallel));
    if (cells * cuts > maxCells)
      return context.diags.error({}, formatv("with every chunk split into {0} the program has {1} "
                                             "chunks, more than the limit of {2}",
                                             cuts, cells * cuts, maxCells));
  }
  if (cuts == 1)
    return std::move(program);
  context.count("parallelize", "cuts", cuts);
  return Parallelization(program, cuts).run(context.diags);
}
