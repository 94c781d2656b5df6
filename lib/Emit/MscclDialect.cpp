#include "cclc/Emit/MscclDialect.h"

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
     .exclusiveMax = true},
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
     .exclusiveMax = false},
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
     .exclusiveMax = false},
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

ArrayRef<MscclDialect> cclc::mscclDialects() { return dialects; }

const MscclDialect *cclc::findMscclDialect(StringRef name) {
  const auto *found =
      llvm::find_if(dialects, [&](const MscclDialect &d) { return name == d.name; });
  return found == std::end(dialects) ? nullptr : found;
}
