#include "cclc/DSL/Program.h"

#include "Tracer.h"

namespace cclc::dsl {

ChunkRef ChunkRef::copy(int rank, Buffer buffer, int index, Via via, Loc loc) const {
  return tracer->copy(*this, rank, buffer, index, via, loc);
}

ChunkRef ChunkRef::copy(int rank, Buffer scratch, Via via, Loc loc) const {
  return tracer->append(*this, rank, scratch, via, loc);
}

ChunkRef ChunkRef::copy(int rank, Via via, Loc loc) const {
  return tracer->copy(*this, rank, theBuffer, theIndex, via, loc);
}

ChunkRef ChunkRef::reduce(const ChunkRef &other, Via via, Loc loc) {
  tracer->reduce(*this, other, via, loc);
  return *this;
}

std::vector<ChunkRef> ChunkRef::split(int parts, Loc loc) const {
  if (parts < 1 || theCount % parts != 0)
    tracer->fail(loc, std::to_string(theCount) + " chunks do not split into " +
                          std::to_string(parts) + " equal parts");
  int size = theCount / parts;
  std::vector<ChunkRef> result;
  for (int part = 0; part < parts; ++part)
    result.push_back(tracer->part(*this, theIndex + part * size, size));
  return result;
}

ChunkRef ChunkRef::group(const ChunkRef &other, Loc loc) const {
  return tracer->group(*this, other, loc);
}

int Program::ranks() const { return tracer.options().ranks; }

bool Program::mayBeInPlace() const { return tracer.options().placements.allowsInPlace(); }

const Geometry &Program::geometry() const { return tracer.geometry(); }

int Program::get(const IntParam &param) const { return tracer.options().parameters.get(param); }

bool Program::get(const BoolParam &param) const { return tracer.options().parameters.get(param); }

std::string_view Program::get(const ChoiceParam &param) const {
  return tracer.options().parameters.get(param);
}

void Program::chunks(int perBuffer, Loc loc) { tracer.setChunks(perBuffer, loc); }

void Program::root(int rank, Loc loc) { tracer.setRoot(rank, loc); }

void Program::custom(int inputs, int outputs, Loc loc) { tracer.setCustom(inputs, outputs, loc); }

void Program::expect(int rank, int index, std::vector<std::pair<int, int>> contributions, Loc loc) {
  tracer.expect(rank, index, contributions, loc);
}

ChunkRef Program::chunk(int rank, Buffer buffer, int index, int count, Loc loc) {
  return tracer.chunk(rank, buffer, index, count, loc);
}

Buffer Program::scratch(const char *name) { return tracer.scratch(name); }

void Program::phase(const char *name, Loc loc) { tracer.phase(name, loc); }

void Program::beginAggregate(Loc loc) { tracer.beginAggregate(loc); }

void Program::endAggregate() { tracer.endAggregate(); }

void Program::beginParallel(int parts, Loc loc) { tracer.beginParallel(parts, loc); }

void Program::endParallel(int parts) { tracer.endParallel(parts); }

void Program::neighbour(int rank, Direction direction, int peer, Loc loc) {
  tracer.neighbour(rank, direction, peer, loc);
}

Communicator Program::communicator(const char *name, const std::vector<std::vector<int>> &groups,
                                   Loc loc) {
  return tracer.communicator(name, groups, loc);
}

void Program::call(const char *collective, int generation, Loc loc) {
  tracer.call(collective, generation, loc);
}

void Program::enter(Communicator where, int stage, const char *name, Loc loc) {
  tracer.enter(where, stage, name, loc);
}

void Program::generationStride(int stride, Loc loc) { tracer.setGenerationStride(stride, loc); }

void Program::fail(const std::string &why, Loc loc) { tracer.fail(loc, why); }

void Program::refuse(const std::string &why, Loc loc) { tracer.refuse(loc, why); }

} // namespace cclc::dsl
