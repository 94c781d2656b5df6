//===- Program.cpp - From the embedded language to the tracer -------------===//
//
// Functions record the source line of their call with Tracer::at() and forward to the tracer,
// which checks the operation and appends it to the chunk program. The tracer is only declared
// in the header, so that users' programs include nothing but the standard library.
//
//===----------------------------------------------------------------------===//

#include "cclc/DSL/Program.h"

#include "Tracer.h"

namespace cclc::dsl {

ChunkRef ChunkRef::copy(int rank, Buffer buffer, int index, Via via, Loc loc) const {
  return tracer->at(loc).copy(*this, rank, buffer, index, via, loc);
}

ChunkRef ChunkRef::copy(int rank, Buffer scratch, Via via, Loc loc) const {
  return tracer->at(loc).append(*this, rank, scratch, via, loc);
}

ChunkRef ChunkRef::copy(int rank, Via via, Loc loc) const {
  return tracer->at(loc).copy(*this, rank, theBuffer, theIndex, via, loc);
}

ChunkRef ChunkRef::reduce(const ChunkRef &other, Via via, Loc loc) {
  tracer->at(loc).reduce(*this, other, via, loc);
  return *this;
}

std::vector<ChunkRef> ChunkRef::split(int parts, Loc loc) const {
  tracer->at(loc);
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
  return tracer->at(loc).group(*this, other, loc);
}

void Program::multicast(const std::vector<int> &group, const ChunkRef &from, Buffer buffer,
                        int index, Loc loc) {
  tracer.at(loc).inSwitch(group, from.rank(), loc,
                          [&](int rank) { tracer.copy(from, rank, buffer, index, {}, loc); });
  tracer.copy(from, from.rank(), buffer, index, {}, loc); // none if it is the same place
}

ChunkRef Program::reduceFrom(const std::vector<int> &group, ChunkRef into, Buffer buffer, int index,
                             Loc loc) {
  tracer.at(loc).inSwitch(group, into.rank(), loc, [&](int rank) {
    ChunkRef other = tracer.chunk(rank, buffer, index, into.count(), loc);
    tracer.reduce(into, other, {}, loc);
  });
  return into;
}

int Program::ranks() const { return tracer.options().ranks; }

bool Program::mayBeInPlace() const { return tracer.options().placements.allowsInPlace(); }

const Geometry &Program::geometry() const { return tracer.geometry(); }

int Program::get(const IntParam &param, Loc loc) const { return tracer.at(loc).get(param, loc); }

bool Program::get(const BoolParam &param, Loc loc) const { return tracer.at(loc).get(param, loc); }

std::string_view Program::get(const ChoiceParam &param, Loc loc) const {
  return tracer.at(loc).get(param, loc);
}

void Program::chunks(int perBuffer, Loc loc) { tracer.at(loc).setChunks(perBuffer, loc); }

void Program::root(int rank, Loc loc) { tracer.at(loc).setRoot(rank, loc); }

void Program::custom(int inputs, int outputs, Loc loc) {
  tracer.at(loc).setCustom(inputs, outputs, loc);
}

void Program::expect(int rank, int index, const std::vector<std::pair<int, int>> &contributions,
                     Loc loc) {
  tracer.at(loc).expect(rank, index, contributions, loc);
}

ChunkRef Program::chunk(int rank, Buffer buffer, int index, int count, Loc loc) {
  return tracer.at(loc).chunk(rank, buffer, index, count, loc);
}

Buffer Program::scratch(const char *name, Loc loc) { return tracer.at(loc).scratch(name, loc); }

void Program::phase(const char *name, Loc loc) { tracer.at(loc).phase(name, loc); }

void Program::beginAggregate(Loc loc) { tracer.at(loc).beginAggregate(loc); }

void Program::endAggregate() { tracer.endAggregate(); }

void Program::beginParallel(int parts, Loc loc) { tracer.at(loc).beginParallel(parts, loc); }

void Program::endParallel(int parts) { tracer.endParallel(parts); }

void Program::beginOrbit(const std::vector<Rotation> &rotations, Loc loc) {
  tracer.at(loc).beginOrbit(rotations, loc);
}

bool Program::nextRepetition() { return tracer.nextRepetition(); }

void Program::endOrbit() { tracer.endOrbit(); }

int Program::repetition(Loc loc) const { return tracer.at(loc).repetition(loc); }

void Program::neighbour(int rank, Direction direction, int peer, Loc loc) {
  tracer.at(loc).neighbour(rank, direction, peer, loc);
}

Communicator Program::communicator(const char *name, const std::vector<std::vector<int>> &groups,
                                   Loc loc) {
  return tracer.at(loc).communicator(name, groups, loc);
}

void Program::call(const char *collective, int generation, Loc loc) {
  tracer.at(loc).call(collective, generation, loc);
}

void Program::enter(Communicator where, int stage, const char *name, Loc loc) {
  tracer.at(loc).enter(where, stage, name, loc);
}

void Program::generationStride(int stride, Loc loc) {
  tracer.at(loc).setGenerationStride(stride, loc);
}

void Program::fail(const std::string &why, Loc loc) { tracer.at(loc).fail(loc, why); }

void Program::fail(const std::string &why, Loc loc, const std::string &note, Loc noteLoc) {
  tracer.at(loc).fail(loc, why, note, noteLoc);
}

void Program::refuse(const std::string &why, Loc loc) { tracer.at(loc).refuse(loc, why); }

} // namespace cclc::dsl
