//===- Dialect.cpp - The table of MSCCL runtimes --------------------------===//
//
// One row for each runtime, with the values that its loader and kernels have as constants:
// microsoft/msccl, ROCm/rccl and Azure/msccl-executor-nccl.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/Msccl/Dialect.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

static constexpr const char *mscclCollectives[] = {
    "allreduce", "allgather", "reduce", "broadcast", "alltoall", "reduce_scatter", "custom"};
static constexpr const char *rcclCollectives[] = {
    "allreduce", "allgather", "reduce", "broadcast", "alltoall", "reducescatter",
    "gather",    "scatter",   "send",   "recv",      "alltoallv"};
static constexpr const char *mscclRequired[] = {"name",  "ngpus", "nchunksperloop", "nchannels",
                                                "proto", "coll",  "inplace"};
static constexpr const char *rcclRequired[] = {"nchunksperloop", "nchannels", "ngpus",
                                               "proto",          "coll",      "minBytes",
                                               "maxBytes",       "inplace",   "outofplace"};

// Simple: half of a buffer of 4 MiB. The other two depend on the threads of a threadblock: 512 (LL)
// and 640 (LL128) on NVIDIA's GPUs, 256 on AMD's, of which flags take a half or a sixteenth.
static constexpr MscclTransmissions simple{2, 2097152};
static constexpr MscclTransmissions nvidiaLL{8, 32768}, nvidiaLL128{8, 576000};
static constexpr MscclTransmissions amdLL{8, 16384}, amdLL128{8, 230400};

static constexpr MscclDialect dialects[] = {
    {.name = "msccl",
     .runtime = "microsoft/msccl",
     .collectives = mscclCollectives,
     .required = mscclRequired,
     .steps = 256,
     .threadblocks = 216,
     .channels = 32,
     .algorithms = 4,
     .nameCharacters = 63,
     .valueCharacters = 254,
     .fusedOps = true,
     .residualAdd = true,
     .checksSizes = true,
     .hasOutOfPlace = false,
     .exclusiveMax = true,
     .transmissions = {simple, nvidiaLL, nvidiaLL128}},
    {.name = "rccl",
     .runtime = "ROCm/rccl",
     .collectives = rcclCollectives,
     .required = rcclRequired,
     .steps = 64,
     .threadblocks = 64,
     .channels = 128,
     .algorithms = 1024,
     .nameCharacters = 254,
     .valueCharacters = 254,
     .fusedOps = false,
     .residualAdd = false,
     .checksSizes = false,
     .hasOutOfPlace = true,
     .exclusiveMax = false,
     .transmissions = {simple, amdLL, amdLL128}},
    {.name = "msccl-executor",
     .runtime = "Azure/msccl-executor-nccl",
     .collectives = rcclCollectives,
     .required = rcclRequired,
     .steps = 64,
     .threadblocks = 1024,
     .channels = 32,
     .algorithms = 1024,
     .nameCharacters = 254,
     .valueCharacters = 254,
     .fusedOps = true,
     .residualAdd = false,
     .checksSizes = false,
     .hasOutOfPlace = true,
     .exclusiveMax = false,
     .transmissions = {simple, nvidiaLL, nvidiaLL128}},
};

const char *MscclDialect::spelling(CollectiveKind kind) const {
  std::string name(collectiveName(kind));
  if (kind == CollectiveKind::AllToNext || kind == CollectiveKind::SendRecv)
    name = "custom";
  for (const char *known : collectives)
    if (name == known || (kind == CollectiveKind::ReduceScatter && parseCollective(known) == kind))
      return known;
  return nullptr;
}

uint32_t MscclDialect::sizeDivisor(const Collective &collective) {
  bool apart =
      collective.kind() == CollectiveKind::Gather || collective.kind() == CollectiveKind::Scatter;
  return apart ? collective.ranks() : 1;
}

Constraints cclc::constraintsOf(const MscclDialect &dialect, std::optional<Protocol> protocol) {
  Constraints result(dialect.name);
  result.atMost(Limit::Ranks, dialect.children)
      .atMost(Limit::Channels, dialect.channels)
      .atMost(Limit::ChannelNumber, dialect.channels - 1)
      .atMost(Limit::Threadblocks, dialect.threadblocks)
      .atMost(Limit::Steps, dialect.steps)
      .atMost(Limit::Count, dialect.count)
      .atMost(Limit::ConnectionsOfChannel, dialect.perChannel)
      .atMost(Limit::WaitTarget, dialect.waitTarget)
      .atMost(Limit::ChunkIndex, dialect.offset)
      .atMost(Limit::MergedReductions, dialect.reductions)
      .atMost(Limit::Elements, dialect.elements)
      .atMost(Limit::NameCharacters, dialect.nameCharacters)
      .atMost(Limit::ValueCharacters, dialect.valueCharacters);
  if (!dialect.fusedOps)
    result.forbid(Limit::FusedReceives);
  if (!dialect.residualAdd)
    result.forbid(Limit::ResidualAdds);
  if (protocol)
    result.atMost(Limit::Slots, dialect.transmissionsOf(*protocol).slots);
  return result;
}

ArrayRef<MscclDialect> cclc::mscclDialects() { return dialects; }

const MscclDialect *cclc::findMscclDialect(StringRef name) {
  const auto *found =
      llvm::find_if(dialects, [&](const MscclDialect &d) { return name == d.name; });
  return found == std::end(dialects) ? nullptr : found;
}

bool cclc::isMscclAttribute(StringRef element, StringRef name) {
  static constexpr StringRef ofAlgo[] = {
      "name",       "nchannels", "nchunksperloop", "proto",    "ngpus", "coll", "inplace",
      "outofplace", "minBytes",  "maxBytes",       "nthreads", "redop", "root"};
  static constexpr StringRef ofGpu[] = {"id", "i_chunks", "o_chunks", "s_chunks"};
  static constexpr StringRef ofTb[] = {"id", "send", "recv", "chan"};
  static constexpr StringRef ofStep[] = {"s",      "type", "srcbuf", "srcoff", "dstbuf",
                                         "dstoff", "cnt",  "depid",  "deps",   "hasdep"};
  ArrayRef<StringRef> known = element == "step"  ? ArrayRef(ofStep)
                              : element == "tb"  ? ArrayRef(ofTb)
                              : element == "gpu" ? ArrayRef(ofGpu)
                                                 : ArrayRef(ofAlgo);
  return llvm::is_contained(known, name);
}
