//===- TracerTables.cpp - Recording phases, scopes and calls --------------===//
//
// Records the phases and scopes that operations belong to, neighbours, communicators and calls.
//
//===----------------------------------------------------------------------===//

#include "Tracer.h"

#include "cclc/IR/Verifier.h"

#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace cclc::dsl {

// --- Phases -----------------------------------------------------------------------

void Tracer::addPhase(Phase phase, const SourceLocation &where) {
  if (tables.phases.size() == 0xffff)
    fail(where, "more than 65535 phases");
  tables.phases.push_back(std::move(phase));
  currentPhase = tables.phases.size();
}

/// The same name before and after a gate denotes different phases.
void Tracer::phase(const char *name, const SourceLocation &where) {
  for (size_t p = tables.firstOpenPhase; p < tables.phases.size(); ++p)
    if (tables.phases[p].name == name && !tables.phases[p].gate) {
      currentPhase = p + 1;
      return;
    }
  addPhase({name}, where);
}

// --- Scopes -----------------------------------------------------------------------

/// Scopes that follow each other directly have different numbers.
void Tracer::beginAggregate(const SourceLocation &where) {
  if (scope.aggregate)
    fail(where, "aggregate() inside aggregate(): an operation belongs to one scope");
  lastAggregate = lastAggregate == 1 ? 2 : 1;
  scope.aggregate = lastAggregate;
}

void Tracer::endAggregate() { scope.aggregate = 0; }

void Tracer::beginParallel(int parts, const SourceLocation &where) {
  if (parts < 1 || uint64_t(parts) * scope.parallel > maxParallel)
    fail(where,
         formatv("{0} parts: an operation has at least 1 and, over all nested scopes, at most {1}",
                 parts, maxParallel));
  scope.parallel *= parts;
}

void Tracer::endParallel(int parts) { scope.parallel /= parts; }

// --- Neighbours, calls ----------------------------------------------------------

void Tracer::neighbour(int rank, Direction direction, int peer, const SourceLocation &where) {
  checkOutsideOrbit("neighbour()", where);
  checkRank(rank, where);
  checkRank(peer, where);
  if (rank == peer)
    fail(where, formatv("r{0} cannot be its own neighbour", rank));
  tables.neighbours.push_back({RankId(rank), direction, RankId(peer)});
  tables.neighbours.push_back({RankId(peer), opposite(direction), RankId(rank)});
}

Communicator Tracer::communicator(const char *name, const std::vector<std::vector<int>> &groups,
                                  const SourceLocation &where) {
  checkOutsideOrbit("communicator()", where);
  cclc::Communicator result;
  result.name = name;
  for (const std::vector<int> &group : groups) {
    std::vector<RankId> &members = result.groups.emplace_back();
    for (int rank : group) {
      checkRank(rank, where);
      members.push_back(RankId(rank));
    }
  }
  tables.communicators.push_back(std::move(result));
  return Communicator(tables.communicators.size() - 1);
}

void Tracer::call(const char *collective, int generation, const SourceLocation &where) {
  checkOutsideOrbit("call()", where);
  if (generation < 1 || uint32_t(generation) > maxGeneration)
    fail(where,
         formatv("{0} with generation {1}: generations count from 1", collective, generation));
  tables.calls.push_back({collective, uint32_t(generation), where});
}

void Tracer::enter(Communicator communicator, int stage, const char *name,
                   const SourceLocation &where) {
  checkOutsideOrbit("enter()", where);
  if (tables.calls.empty())
    fail(where, "enter() needs call() before it");
  if (communicator.raw >= tables.communicators.size())
    fail(where, "enter() needs a communicator of this program");
  if (stage < 1 || uint32_t(stage) > Gate::numStages)
    fail(where, formatv("a call has the stages 1 to {0}, not {1}", Gate::numStages, stage));
  addPhase(
      {name, Gate{uint32_t(tables.calls.size() - 1), communicator.raw, uint32_t(stage - 1), {}}},
      where);
  tables.firstOpenPhase = tables.phases.size();
}

void Tracer::setGenerationStride(int stride, const SourceLocation &where) {
  if (stride != 2 && stride != 3)
    fail(where, formatv("the generations of a call can have stride 2 or 3, not {0}", stride));
  tables.generationStride = stride;
}

/// Adds the recorded tables to \p info.
void Tracer::addTables(ProgramInfo &info) {
  info.phases.insert(info.phases.end(), tables.phases.begin(), tables.phases.end());
  std::sort(tables.neighbours.begin(), tables.neighbours.end());
  tables.neighbours.erase(std::unique(tables.neighbours.begin(), tables.neighbours.end()),
                          tables.neighbours.end());
  info.neighbours = std::move(tables.neighbours);
  info.communicators = std::move(tables.communicators);
  for (const TracedTables::CallSite &call : tables.calls)
    info.calls.push_back({call.collective, call.generation, locate(call.where)});
}

} // namespace cclc::dsl
