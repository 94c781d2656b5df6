//===- Tracer.h - Recording the operations of a program ---------*- C++ -*-===//

#ifndef CCL_LIB_DSL_TRACER_H
#define CCL_LIB_DSL_TRACER_H

#include "CellTimes.h"
#include "OrbitCall.h"
#include "TracedTables.h"

#include "cclc/DSL/Program.h"
#include "cclc/DSL/Trace.h"

#include <map>

namespace cclc::dsl {

/// The state behind Program and ChunkRef. Time is counted in operations.
class Tracer {
public:
  using Loc = SourceLocation;
  Tracer(const Declaration &declaration, const TraceOptions &options, DiagnosticEngine &diags,
         Orbits orbits);

  TraceResult run();
  Program program() { return Program(*this); }
  /// Ends a trace whose calls came from outside.
  TraceResult finish();
  const TraceOptions &options() const { return theOptions; }
  const Geometry &geometry() {
    readsGeometry = true;
    return theOptions.geometry;
  }

  /// Records that the program has reached \p where.
  Tracer &at(const Loc &where) {
    reached.set(where);
    return *this;
  }
  template <class Param> auto get(const Param &param, const Loc &where) {
    if (!theOptions.parameters.has(param.name))
      fail(where, "parameter '" + std::string(param.name) +
                      "' is not declared: add it to CCLC_PROGRAM with .param(...)");
    return theOptions.parameters.get(param);
  }

  void setChunks(int chunks, const Loc &where);
  void setRoot(int root, const Loc &where);
  void setCustom(int inputs, int outputs, const Loc &where);
  void expect(int rank, int index, const std::vector<std::pair<int, int>> &contributions,
              const Loc &where);
  Buffer scratch(const char *name, const Loc &where);
  void phase(const char *name, const Loc &where);
  void beginAggregate(const Loc &where);
  void endAggregate();
  void beginParallel(int parts, const Loc &where);
  void endParallel(int parts);
  void beginOrbit(const std::vector<Rotation> &rotations, const Loc &where);
  bool nextRepetition();
  void endOrbit();
  int repetition(const Loc &where);
  void neighbour(int rank, Direction direction, int peer, const Loc &where);
  Communicator communicator(const char *name, const std::vector<std::vector<int>> &groups,
                            const Loc &where);
  void call(const char *collective, int generation, const Loc &where);
  void enter(Communicator communicator, int stage, const char *name, const Loc &where);
  void setGenerationStride(int stride, const Loc &where);

  ChunkRef chunk(int rank, Buffer buffer, int index, int count, const Loc &where);
  ChunkRef part(const ChunkRef &ref, int index, int count) const;
  ChunkRef group(const ChunkRef &one, const ChunkRef &other, const Loc &where);
  ChunkRef copy(const ChunkRef &from, int rank, Buffer buffer, int index, const Via &via,
                const Loc &where);
  ChunkRef append(const ChunkRef &from, int rank, Buffer scratch, const Via &via, const Loc &where);
  void reduce(ChunkRef &into, const ChunkRef &from, const Via &via, const Loc &where);
  /// Calls \p each with the ranks of \p group except \p rank, as one operation of a switch.
  void inSwitch(const std::vector<int> &group, int rank, const Loc &where,
                llvm::function_ref<void(int)> each);
  [[noreturn]] void fail(const Loc &where, const std::string &text);
  [[noreturn]] void fail(const Loc &where, const std::string &text, const std::string &note,
                         const Loc &noteWhere);
  /// The same for requests that the algorithm does not support.
  [[noreturn]] void refuse(const Loc &where, const std::string &text);

private:
  /// Ends the program after an error.
  [[noreturn]] void giveUp();

  /// The place that the program calls by these numbers: another one if an orbit renumbers it.
  Place place(const Place &named, const Loc &where) {
    return orbit ? renumbered(named, where) : named;
  }
  Place renumbered(const Place &named, const Loc &where);
  Place placeOf(const ChunkRef &ref, const Loc &where);
  /// Checks that no other repetition of the orbit has written the place.
  void checkIndependent(const Place &at, const char *verb, const Loc &where);
  void checkSameOrder(const Place &from, const Place &to, const Loc &where);
  void checkAccess(const Place &at, bool write, const Loc &where);
  void checkOutsideOrbit(const char *what, const Loc &where);
  void checkAsymmetry(const std::string &why, const Loc &where);
  uint32_t storedRanks() const { return symmetric ? 1 : theOptions.ranks; }
  std::optional<SymmetricProgram> takeSymmetric();

  void begin(const Loc &where);
  void recordWhole();
  void addPhase(Phase phase, const Loc &where);
  void addTables(ProgramInfo &info);
  void checkRank(int rank, const Loc &where);
  void checkBeforeBegin(const Loc &where, const char *what);
  void checkRange(const Place &at, const Loc &where);
  /// Checks that the reference is not stale, and returns its place.
  Place checkCurrent(const ChunkRef &ref, const Loc &where);
  uint32_t bufferSize(int rank, Buffer buffer) const;
  std::string name(const Place &at) const;
  /// The error for a read of an uninitialised range.
  std::string uninitialised(const Place &at) const;
  LocId locate(const Loc &where);
  /// The recorded operations; that of time t+2 is number t.
  ArrayRef<ChunkOp> ops() const { return symmetric ? ArrayRef(symmetric->ops) : builder->ops(); }
  DirectiveIndex intern(const Via &via, const Loc &where);
  void record(ChunkOpKind, const Place &from, const Place &to, const Via &via, const Loc &where);

  const Declaration &declaration;
  const TraceOptions &theOptions;
  DiagnosticEngine &diags;

  TraceCursor reached;
  // The properties of the collective, until begin() creates it.
  std::optional<int> theChunks;
  int theRoot = 0;
  SourceLocation begun; ///< the first chunk()
  std::optional<CustomSpec> custom;

  std::optional<ChunkProgramBuilder> builder; ///< set by begin()
  CellTimes cells;
  uint64_t numCells = 0; ///< input, output and scratch, of all ranks that are stored
  std::vector<std::string> scratchNames;
  std::optional<OrbitCall> orbit;                     ///< in progress
  std::optional<SymmetricTrace> symmetric;            ///< if the program is to be symmetric
  uint32_t currentRepetition = 0, lastRepetition = 0; ///< of all orbits, from 1; 0 outside of them
  uint32_t now = 1;                                   ///< initial chunks were written at time 1
  uint16_t currentPhase = 0;
  bool aborted = false, refused = false, readsGeometry = false;
  TracedTables tables;
  SourceLocation last; ///< of the last call, since most calls come from the same line
  LocId lastLoc = LocTable::unknown();
  std::map<Directive, DirectiveIndex> directiveIndex;
  Directive scope; ///< the settings of the scopes around the current operation
  uint32_t lastAggregate = 0, lastInSwitch = 0; ///< numbers of the last ones
};

} // namespace cclc::dsl

#endif // CCL_LIB_DSL_TRACER_H
