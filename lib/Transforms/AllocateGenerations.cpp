//===- AllocateGenerations.cpp - Internal generations of calls ------------===//
//
// User generation k reserves 3k-2, 3k-1 and 3k. A call of three phases uses all of them, one of two
// phases the first and the last, one of a single phase the first. The next call starts at 3k+1,
// above all of them, so calls with different numbers of phases can follow each other on the same
// gates.
//
// Stride 2 is the former mapping of HPX: 2k-1 and 2k for calls of two phases. Mixed with calls of
// three phases, it enters gates whose counter is already higher.
//
//===----------------------------------------------------------------------===//

#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

using namespace cclc;

FailureOr<ChunkProgram> cclc::allocateGenerations(ChunkProgram &&program, uint32_t stride,
                                                  PassContext &context) {
  std::vector<bool> hasMiddle(program.info().calls.size());
  for (const Phase &phase : program.info().phases)
    if (phase.gate && phase.gate->stage == 1)
      hasMiddle[phase.gate->call] = true;
  ChunkProgramBuilder builder(std::move(program));
  for (Phase &phase : builder.info().phases) {
    if (!phase.gate)
      continue;
    uint32_t k = builder.info().calls[phase.gate->call].generation;
    bool wide = stride == 3 || hasMiddle[phase.gate->call];
    phase.gate->generation =
        wide ? 3 * k - 2 + phase.gate->stage : 2 * k - 1 + phase.gate->stage / 2;
    context.count("allocate-generations", "gates", 1);
  }
  return std::move(builder).finish(context.diags);
}
