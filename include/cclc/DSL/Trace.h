//===- Trace.h - Runs a program once and records it -------------*- C++ -*-===//
//
// Stage 1 of the toolchain. Not part of what users include.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_TRACE_H
#define CCL_DSL_TRACE_H

#include "cclc/DSL/Declaration.h"
#include "cclc/IR/ChunkProgram.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <functional>
#include <source_location>

namespace cclc::dsl {

/// The last call of the DSL that the program has made; without a line before the first. May be
/// read by a signal handler.
using TraceCursor = std::atomic<std::source_location>;

struct TraceOptions {
  uint32_t ranks = 1;
  Geometry geometry;
  Placements placements = Placements::inPlace();
  ParamValues parameters;
  /// What the program is for; see ProgramInfo.
  Protocol protocol = Protocol::Simple;
  TargetStamp target;
  std::vector<uint32_t> placementOnTarget;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  /// Of a user's program.
  std::string file = {};
  /// Operations that the program may make.
  uint64_t limit = 100'000'000;
  /// Runs the body, if it is set: the program's code, which may crash or not end. The cursor
  /// says how far it is.
  std::function<void(llvm::function_ref<void()> body, const TraceCursor &reached)> around = {};
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

/// Calls \p code, which a user wrote. If an exception ends it, the result goes on a message about
/// that: ": WHAT", or "" where the exception has no text. std::bad_alloc passes, because memory
/// that is out is no mistake of the program.
std::optional<std::string> thrownBy(llvm::function_ref<void()> code);

/// Calls the body of \p declaration. Errors carry the user's file and line.
TraceResult trace(const Declaration &declaration, const TraceOptions &options,
                  DiagnosticEngine &diags);

} // namespace cclc::dsl

#endif // CCL_DSL_TRACE_H
