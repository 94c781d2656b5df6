//===- Trace.h - Runs a program once and records it -------------*- C++ -*-===//
//
// Stage 1 of the toolchain. Not part of what users include.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_TRACE_H
#define CCL_DSL_TRACE_H

#include "cclc/DSL/Declaration.h"
#include "cclc/IR/ChunkProgram.h"

namespace cclc::dsl {

struct TraceOptions {
  uint32_t ranks = 1;
  Geometry geometry;
  Placements placements = Placements::inPlace();
  ParamValues parameters;
  /// What the program is for; see ProgramInfo.
  Protocol protocol = Protocol::Simple;
  std::string target;
  std::vector<uint32_t> placementOnTarget;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
};

struct TraceResult {
  std::optional<ChunkProgram> program;
  /// Without a program: whether the algorithm cannot do what was asked for (a
  /// number of ranks, a kind of grid), rather than being wrong.
  bool refused = false;
  /// Whether the program asked for the geometry: then it knows where its ranks run.
  bool readsGeometry = false;
  /// That the program asks for; see the pass allocate-generations.
  unsigned generationStride = 3;
};

/// Calls the body of \p declaration. Errors carry the user's file and line.
TraceResult trace(const Declaration &declaration, const TraceOptions &options,
                  DiagnosticEngine &diags);

} // namespace cclc::dsl

#endif // CCL_DSL_TRACE_H
