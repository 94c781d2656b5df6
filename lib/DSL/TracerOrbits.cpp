//===- TracerOrbits.cpp - Repetitions under renumbering -------------------===//
//
// The body of an orbit runs once for each element of a group of renumberings. It names places by
// the numbers of the first repetition; the tracer renumbers them. A reference belongs to the
// repetition in which it was made.
//
// The repetitions of one call are independent: none accesses a cell that another has written. It
// suffices to compare an access with earlier writes. If one repetition reads a cell that a later
// one overwrites, then the pair of repetitions that differ by the same element and of which the
// writing one is the first of the call has its accesses in the other order.
//
//===----------------------------------------------------------------------===//

#include "Tracer.h"

#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace cclc::dsl {

void Tracer::beginOrbit(const std::vector<Rotation> &rotations, const SourceLocation &where) {
  checkOutsideOrbit("orbit()", where);
  if (!builder)
    begin(where);
  const Collective &collective = builder->info().collective;
  std::vector<RotationFactor> factors;
  for (const Rotation &rotation : rotations) {
    if (rotation.ranks < 1 || rotation.stride < 1 || rotation.chunks < 0)
      fail(where,
           formatv("a rotation of {0} ranks with stride {1} and chunks {2}: ranks and stride "
                   "must be at least 1, chunks at least 0",
                   rotation.ranks, rotation.stride, rotation.chunks));
    factors.push_back(
        RotationGroup::factorFor(collective, rotation.ranks, rotation.stride, rotation.chunks));
  }
  RotationGroup group(std::move(factors));
  if (std::string fault = group.findFault(collective); !fault.empty())
    fail(where, fault);
  if (symmetric) {
    checkAsymmetry(findAsymmetry(collective, group), where);
    if (symmetric->group && *symmetric->group != group)
      checkAsymmetry("its orbits have different rotations", where);
    symmetric->group = group;
    cells.setGroup(group);
    symmetric->accesses = CellTimes();
    symmetric->accesses.fold();
    symmetric->accesses.setGroup(group);
    symmetric->accesses.begin(collective, theOptions.placements, 0);
  }
  orbit.emplace(OrbitCall{group, group.identity(), 0, now, now});
}

bool Tracer::nextRepetition() {
  if (orbit->next == (symmetric ? 1 : orbit->group.order()))
    return false;
  orbit->by = orbit->group.element(orbit->next++);
  orbit->repetitionStart = now;
  currentRepetition = ++lastRepetition;
  orbit->named.reset();
  return true;
}

void Tracer::endOrbit() {
  orbit.reset();
  currentRepetition = 0;
}

int Tracer::repetition(const SourceLocation &where) {
  if (!orbit)
    fail(where, "repetition() outside of orbit()");
  if (symmetric)
    checkAsymmetry("it reads the number of the repetition", where);
  return orbit->next - 1;
}

/// The buffer of a place, for its renumbering.
static cclc::Buffer bufferOf(const Place &place) {
  return ChunkBuffer::fromRaw(place.buffer.raw).kind();
}

Place Tracer::renumbered(const Place &named, const SourceLocation &where) {
  if (named == orbit->named)
    return *orbit->place;
  checkRank(named.rank, where);
  Place at = named;
  at.rank = orbit->group.rotateRank(named.rank, orbit->by);
  if (named.buffer.raw >= 2)
    return at;
  checkRange(named, where);
  cclc::Buffer buffer = bufferOf(named);
  if (!orbit->group.keepsRange(buffer, named.index, named.count))
    fail(where,
         formatv("{0} consists of chunks that the orbit renumbers differently", name(named)));
  at.index = orbit->group.rotateIndex(buffer, named.index, orbit->by, named.count);
  orbit->named = named;
  orbit->place = at;
  return at;
}

void Tracer::checkSameOrder(const Place &from, const Place &to, const SourceLocation &where) {
  if (from.count > 1 &&
      !orbit->group.permutesAlike(bufferOf(from), from.index, bufferOf(to), to.index, from.count))
    fail(where, formatv("the orbit renumbers the chunks of {0} and {1} differently", name(from),
                        name(to)));
}

void Tracer::checkIndependent(const Place &at, const char *verb, const SourceLocation &where) {
  if (symmetric)
    return checkAccess(at, verb[0] == 'w', where);
  uint32_t written = 0;
  cells.forEach(at, [&](uint32_t &time) {
    if (time > orbit->start && time <= orbit->repetitionStart && !written)
      written = time;
  });
  if (!written)
    return;
  diags
      .error({where.file, where.line},
             formatv("repetition {0} of the orbit {1} {2}, which another repetition has written",
                     orbit->next - 1, verb, name(at)))
      .note(builder->info().locate(ops()[written - 2].loc), "it was written here");
  giveUp();
}

/// All accesses to a cell in all repetitions are those of the first repetition to all cells with
/// its relative index; those of different ranks are of different repetitions.
void Tracer::checkAccess(const Place &at, bool write, const SourceLocation &where) {
  using Trace = SymmetricTrace;
  bool dependent = false;
  auto note = [&](uint32_t &access) {
    uint32_t rank = access & ~(Trace::written | Trace::byOthers);
    if (rank != 0 && rank != uint32_t(at.rank) + 1)
      access |= Trace::byOthers;
    if (rank == 0)
      access = at.rank + 1;
    if (write)
      access |= Trace::written;
    dependent |= (access & Trace::byOthers) && (access & Trace::written);
  };
  if (at.buffer.raw >= 2)
    symmetric->accesses.growLike(cells, at.buffer, scratchNames.size());
  symmetric->accesses.forEach(at, note);
  if (dependent)
    checkAsymmetry("repetitions of an orbit access " + name(at) + ", and one writes it", where);
}

void Tracer::checkAsymmetry(const std::string &why, const SourceLocation &where) {
  if (!why.empty())
    fail(where, "the program is not symmetric: " + why);
}

/// Before the first chunk: records operations of all ranks.
void Tracer::recordWhole() {
  symmetric.reset();
  cells = CellTimes();
  for (size_t n = 0; n < scratchNames.size(); ++n)
    cells.addScratch(theOptions.ranks);
}

std::optional<SymmetricProgram> Tracer::takeSymmetric() {
  addTables(builder->info());
  ProgramInfo &info = builder->info();
  if (!symmetric->group || !info.neighbours.empty() || !info.communicators.empty()) {
    diags.error({}, std::string("the program is not symmetric: ") +
                        (symmetric->group ? "it has tables of ranks" : "it has no orbit"));
    return std::nullopt;
  }
  SymmetricProgram program{std::move(info), *symmetric->group, std::move(symmetric->ops), {}};
  for (size_t n = 0; n < scratchNames.size(); ++n)
    program.scratch.emplace_back(scratchNames[n],
                                 cells.scratchSize(0, Buffer(ChunkBuffer::scratch(n).raw())));
  return program;
}

void Tracer::checkOutsideOrbit(const char *what, const SourceLocation &where) {
  if (orbit)
    fail(where, formatv("{0} is not possible inside orbit()", what));
}

} // namespace cclc::dsl
