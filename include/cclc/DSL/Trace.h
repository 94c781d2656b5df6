//===- Trace.h - Tracing a program ------------------------------*- C++ -*-===//
//
// Stage 1 of the toolchain: runs a program once and records its operations. Users' programs do not
// include this header.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_TRACE_H
#define CCL_DSL_TRACE_H

#include "cclc/DSL/Declaration.h"
#include "cclc/DSL/SourceLocation.h"
#include "cclc/IR/ChunkProgram.h"
#include "cclc/Symmetry/SymmetricProgram.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>
#include <functional>
#include <memory>

namespace cclc::dsl {

/// The last call of the DSL that the program has made; line 0 before the first call. Signal
/// handlers and other threads may read it; these may get the file of one call and the line of the
/// next.
class TraceCursor {
public:
  void set(const SourceLocation &where) {
    file.store(where.file, std::memory_order_relaxed);
    line.store(where.line, std::memory_order_relaxed);
  }
  SourceLocation get() const {
    return {file.load(std::memory_order_relaxed), line.load(std::memory_order_relaxed)};
  }

private:
  std::atomic<const char *> file = "";
  std::atomic<uint32_t> line = 0;
};

struct TraceOptions {
  uint32_t ranks = 1;
  Geometry geometry;
  Placements placements = Placements::inPlace();
  ParamValues parameters;
  /// The configuration that is traced; see ProgramInfo.
  Protocol protocol = Protocol::Simple;
  TargetStamp target;
  std::vector<uint32_t> placementOnTarget;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  /// The file of a user's program.
  std::string file = {};
  /// The maximum number of operations.
  uint64_t limit = 100'000'000;
  /// If set, called to run the body, the program's code, which may crash or loop forever. The
  /// cursor shows its progress.
  std::function<void(llvm::function_ref<void()> body, const TraceCursor &reached)> around = {};
};

/// Without a program, the kind of the failure is Unusable if the algorithm does not support the
/// request (a number of ranks, a kind of grid), and Wrong if it has an error.
struct TraceResult {
  std::optional<ChunkProgram> program = {};
  /// Instead of `program`, by traceSymmetric(), and by traceSymmetricOrWhole() if there are orbits.
  std::optional<SymmetricProgram> symmetric = {};
  /// Whether the program read the geometry, so that it depends on the location of its ranks.
  bool readsGeometry = false;
  /// The stride that the program sets; see the pass allocate-generations.
  unsigned generationStride = 3;
};

/// Calls \p code, which a user wrote. If an exception ends it, returns the end of a message about
/// it: ": WHAT", or "" if the exception has no text. std::bad_alloc is rethrown, because a lack of
/// memory is no error of the program.
std::optional<std::string> thrownBy(llvm::function_ref<void()> code);

/// Calls the body of \p declaration. Errors carry the user's file and line.
TraceResult trace(const Declaration &declaration, const TraceOptions &options,
                  DiagnosticEngine &diags);

/// A trace without a body: the calls on program() are recorded as they are made, for front ends in
/// other languages. A call with an error reports it and throws a std::exception with the text and
/// the notes of the error.
class TraceSession {
public:
  /// \p declaration and \p diags must outlive the session.
  TraceSession(const Declaration &declaration, TraceOptions options, DiagnosticEngine &diags);
  ~TraceSession();
  TraceSession(const TraceSession &) = delete;

  Program &program();
  /// Ends the trace. To be called once, also after an error.
  TraceResult finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Calls the body of \p declaration, and that of each of its orbits once. Fails if the program is
/// not symmetric; the error says why.
TraceResult traceSymmetric(const Declaration &declaration, const TraceOptions &options,
                           DiagnosticEngine &diags);
/// The same, but traces a program that does not begin with an orbit as trace() does.
TraceResult traceSymmetricOrWhole(const Declaration &declaration, const TraceOptions &options,
                                  DiagnosticEngine &diags);

} // namespace cclc::dsl

#endif // CCL_DSL_TRACE_H
