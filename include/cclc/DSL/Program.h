//===- Program.h - The embedded language ------------------------*- C++ -*-===//
//
// A collective algorithm reads like the paper's pseudo-code: take a reference to chunks, copy it,
// reduce into it. The program runs once; every copy and reduce is recorded with its source line,
// and their sequence is the traced program.
//
//   for (int c = 0; c < p.ranks(); ++c) {
//     ChunkRef sum = p.chunk(c, Input, c);
//     for (int hop = 1; hop < p.ranks(); ++hop)
//       sum = p.chunk((c + hop) % p.ranks(), Input, c).reduce(sum);
//   }
//
// Misuse ends the program with an error at the line of the call: ranges out of
// bounds, reads of uninitialised cells, unequal counts, and stale references (any
// use after one of the cells was overwritten). Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_PROGRAM_H
#define CCL_DSL_PROGRAM_H

#include "cclc/DSL/ChunkRef.h"
#include "cclc/DSL/Params.h"
#include "cclc/DSL/Rotation.h"
#include "cclc/IR/Direction.h"
#include "cclc/IR/Geometry.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cclc::dsl {

class Tracer;

/// The program while it is traced.
class Program {
public:
  using Loc = SourceLocation;

  int ranks() const;
  /// Whether input and output may be the same memory.
  bool mayBeInPlace() const;
  /// The participating levels and the shape of each.
  const Geometry &geometry() const;
  /// The value of a parameter that the declaration names.
  int get(const IntParam &param, Loc loc = Loc::current()) const;
  bool get(const BoolParam &param, Loc loc = Loc::current()) const;
  std::string_view get(const ChoiceParam &param, Loc loc = Loc::current()) const;

  /// Sets the number of chunks F of the collective, from which the buffer sizes follow
  /// (IR/Collective.h). Must precede the first chunk(); the default is 1.
  void chunks(int perBuffer, Loc loc = Loc::current());
  /// Sets the root of a rooted collective, before the first chunk().
  void root(int rank, Loc loc = Loc::current());
  /// Makes a custom collective with \p inputs and \p outputs chunks per rank, before the first
  /// chunk().
  void custom(int inputs, int outputs, Loc loc = Loc::current());
  /// Requires that output chunk \p index of \p rank ends as the reduction over the (rank, input
  /// index) pairs \p contributions, or as a copy of the only one.
  void expect(int rank, int index, const std::vector<std::pair<int, int>> &contributions,
              Loc loc = Loc::current());

  /// The chunks [index, index + count) that \p rank holds now.
  ChunkRef chunk(int rank, Buffer buffer, int index, int count = 1, Loc loc = Loc::current());
  /// The scratch buffer \p name, which grows as it is written.
  Buffer scratch(const char *name, Loc loc = Loc::current());
  /// Labels the following operations as a stage of the algorithm.
  void phase(const char *name, Loc loc = Loc::current());
  /// Copies \p from to (\p buffer, \p index ...) of every rank of \p group, in one operation of a
  /// switch that multicasts, on other machines to one rank after the other.
  void multicast(const std::vector<int> &group, const ChunkRef &from, Buffer buffer, int index,
                 Loc loc = Loc::current());
  /// Adds (\p buffer, \p index ...) of the other ranks of \p group to \p into, likewise.
  ChunkRef reduceFrom(const std::vector<int> &group, ChunkRef into, Buffer buffer, int index,
                      Loc loc = Loc::current());

  /// Merges operations of \p body between the same two ranks on adjacent chunks into one, unless
  /// another operation of \p body must take place between them.
  template <class Fn> void aggregate(Fn body, Loc loc = Loc::current()) {
    beginAggregate(loc);
    AtEnd end([this] { endAggregate(); });
    body();
  }
  /// Splits each operation of \p body into \p parts equal parts, on separate channels.
  template <class Fn> void parallelize(int parts, Fn body, Loc loc = Loc::current()) {
    beginParallel(parts, loc);
    AtEnd end([this, parts] { endParallel(parts); });
    body();
  }

  /// Repeats \p body under all combinations of \p rotations. The repetitions are independent.
  template <class Fn>
  void orbit(const std::vector<Rotation> &rotations, Fn body, Loc loc = Loc::current()) {
    beginOrbit(rotations, loc);
    AtEnd end([this] { endOrbit(); });
    while (nextRepetition())
      body();
  }
  /// The scopes above without callbacks, for front ends in other languages. Each begin needs its
  /// end; the body of an orbit is run while nextRepetition() is true.
  void beginAggregate(Loc loc = Loc::current());
  void endAggregate();
  void beginParallel(int parts, Loc loc = Loc::current());
  void endParallel(int parts);
  void beginOrbit(const std::vector<Rotation> &rotations, Loc loc = Loc::current());
  bool nextRepetition();
  void endOrbit();
  /// The number of the current repetition; a program that calls this is not symmetric.
  int repetition(Loc loc = Loc::current()) const;

  /// Declares \p peer as the neighbour of \p rank in \p direction, and \p rank as the neighbour of
  /// \p peer in the opposite direction. The neighbour table is part of the plan.
  void neighbour(int rank, Direction direction, int peer, Loc loc = Loc::current());

  /// Makes a communicator of disjoint groups of ascending ranks, for calls (IR/Generations.h).
  Communicator communicator(const char *name, const std::vector<std::vector<int>> &groups,
                            Loc loc = Loc::current());
  /// Begins a call of \p collective with user generation \p generation, from 1; enter() begins its
  /// phases. The generations of a rank's calls on a communicator must ascend. See Hierarchy.h.
  void call(const char *collective, int generation, Loc loc = Loc::current());
  /// Begins phase \p name of the last call, on all groups of \p where. It uses the first, second or
  /// third (\p stage 1, 2, 3) of the call's generations.
  void enter(Communicator where, int stage, const char *name, Loc loc = Loc::current());
  /// Sets the number of generations that a call of two phases reserves: 3, or 2 to demonstrate the
  /// resulting error (2k-1 and 2k for call k).
  void generationStride(int stride, Loc loc = Loc::current());

  /// Ends the program with an error, for requests that it does not support.
  [[noreturn]] void refuse(const std::string &why, Loc loc = Loc::current());
  /// The same for contradictory requests, such as the misuse of a building block.
  [[noreturn]] void fail(const std::string &why, Loc loc = Loc::current());

private:
  friend class Tracer;
  friend class HierarchicalCommunicator;
  /// Ends a scope, also when its body ends with an exception.
  template <class Fn> struct AtEnd {
    explicit AtEnd(Fn fn) : fn(fn) {}
    ~AtEnd() { fn(); }
    Fn fn;
  };
  explicit Program(Tracer &tracer) : tracer(tracer) {}
  [[noreturn]] void fail(const std::string &why, Loc loc, const std::string &note, Loc noteLoc);
  Tracer &tracer;
};

} // namespace cclc::dsl

#endif // CCL_DSL_PROGRAM_H
