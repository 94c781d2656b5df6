//===- CallData.cpp - The data of a call, as plans have them --------------===//
//
// What is known of a type of MPI is asked once, since a call of the MPI library costs as much as a
// small message.
//
//===----------------------------------------------------------------------===//

#include "CallData.h"

#include "CallReduction.h"

#include <array>

using namespace cclc;
using namespace cclc::run;

namespace {
TypeFacts findFacts(MPI_Datatype type) {
  TypeFacts facts;
  int integers, addresses, types, combiner;
  MPI_Aint lowest, extent;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  PMPI_Type_size(type, &facts.size);
  if (combiner != MPI_COMBINER_NAMED) // its handle is not kept, so that each call comes here
    return facts;
  PMPI_Type_get_extent(type, &lowest, &extent);
  facts.isElementary = lowest == 0 && extent == facts.size;
  return facts;
}
} // namespace

/// MPI's own types are never freed, so that their handles remain theirs.
TypeFacts run::factsOf(MPI_Datatype type) {
  struct Known {
    MPI_Datatype type;
    TypeFacts facts;
  };
  static thread_local std::array<Known, 16> known = {};
  static thread_local size_t number = 0, next = 0;
  for (size_t i = 0; i < number; ++i)
    if (known[i].type == type)
      return known[i].facts;
  TypeFacts facts = findFacts(type);
  if (facts.isElementary) {
    known[next] = {type, facts};
    next = (next + 1) % known.size();
    number = std::min(number + 1, known.size());
  }
  return facts;
}

KeptType::KeptType(MPI_Datatype original)
    : type(original), isCopy(original != MPI_DATATYPE_NULL && !factsOf(original).isElementary) {
  if (!isCopy)
    return;
  PMPI_Type_contiguous(1, original, &type);
  PMPI_Type_commit(&type);
}

KeptType::~KeptType() {
  if (isCopy)
    PMPI_Type_free(&type);
}

uint64_t run::bytesOf(const CollectiveCall &call) {
  if (call.isBarrier || call.comm == MPI_COMM_NULL)
    return 0;
  int ranks = 1, rank = 0;
  if (call.hasBlocks())
    PMPI_Comm_size(call.comm, &ranks);
  if (call.isOfRoot())
    PMPI_Comm_rank(call.comm, &rank);
  const TypedData &data = call.data(rank);
  if (data.type == MPI_DATATYPE_NULL || data.count <= 0)
    return 0;
  uint64_t bytes = factsOf(data.type).size;
  if (call.reduces()) // pairs have gaps, which plans move as well
    if (const auto &reduction = factsOf(data.type, call.op).reduction)
      bytes = uint64_t(reduction->size) * reduction->units;
  return bytes * data.count * ranks;
}

/// A message of this process to itself, as MPICH 4.0 does not pack from or to MPI_BOTTOM.
static int copyByMessage(const void *from, const TypedData &sent, void *to,
                         const TypedData &received, MPI_Comm comm) {
  constexpr int tag = 1 << 17; // above those of connections
  int self;
  PMPI_Comm_rank(comm, &self);
  return PMPI_Sendrecv(from, sent.count, sent.type, self, tag, to, received.count, received.type,
                       self, tag, comm, MPI_STATUS_IGNORE);
}

int PackedData::pack(const void *from, const TypedData &data, MPI_Comm comm) {
  original = data;
  bytes.resize(size_t(factsOf(data.type).size) * data.count);
  if (from == MPI_BOTTOM)
    return copyByMessage(from, data, bytes.data(), {MPI_PACKED, int(bytes.size())}, comm);
  int end = 0;
  return PMPI_Pack(from, data.count, data.type, bytes.data(), int(bytes.size()), &end, comm);
}

int PackedData::unpack(void *to, MPI_Comm comm) const {
  if (to == MPI_BOTTOM)
    return copyByMessage(bytes.data(), {MPI_PACKED, int(bytes.size())}, to, original, comm);
  int end = 0;
  return PMPI_Unpack(bytes.data(), int(bytes.size()), &end, to, original.count, original.type,
                     comm);
}

void PackedData::copy(const void *from, size_t size) {
  auto *begin = static_cast<const std::byte *>(from);
  bytes.assign(begin, begin + size);
}
