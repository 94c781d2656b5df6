//===- NativeAlgorithms.cpp - What selecting runtimes execute -------------===//
//
// Algorithms have the names and numbers that the runtimes read: plugins/tuner/example of NCCL, the
// parameters coll_tuned_<call>_algorithm of Open MPI, src/mpi/coll/src/csel_container.c of MPICH.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/Selection/NativeAlgorithms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace cclc;
using enum CollectiveKind;
using enum NativeDivision;

namespace {
constexpr NativeSetting chain[] = {{"arity", "1"}};
constexpr NativeGuard always = {}, commutes = {.commutative = true},
                      powerOfTwo = {.powerOfTwo = true}, twoRanks = {.twoRanks = true},
                      inNode = {.oneNode = true}, overNodes = {.oneRankPerNode = true},
                      severalNodes = {.severalNodes = true}, oneLevel = {.oneLevel = true},
                      twoLevels = {.twoLevels = true},
                      nvls = {.oneNode = true, .reducingSwitches = true};

// The rings of NCCL enter and leave nodes by the ranks of their channels; one alone is that of the
// program with one ring. Its trees are chains within nodes and double binary trees between them.
// Those of several nodes with several ranks each, and rings of broadcasts there, are not modelled.
constexpr NativeAlgorithm nccl[] = {
    {AllReduce, "allreduce", "ring", 0, oneLevel, "allreduce_ring", {}, None, true, 1},
    {AllReduce, "allreduce", "ring", 0, twoLevels, "allreduce_ring", {}, None, true, 1, "", true},
    {AllReduce,
     "allreduce",
     "ring",
     0,
     twoLevels,
     "allreduce_rotated_rings",
     {},
     None,
     true,
     2,
     "rings"},
    {AllReduce, "allreduce", "tree", 0, inNode, "allreduce_tree", chain, Own, true, 1},
    {AllReduce,
     "allreduce",
     "tree",
     0,
     overNodes,
     "allreduce_double_binary_tree",
     {},
     Own,
     true,
     2},
    {AllReduce, "allreduce", "tree", 0, twoLevels, {}, {}, None, true, 1},
    {AllReduce, "allreduce", "nvls", 0, nvls, "allreduce_nvls", {}, None, false, 1},
    {AllReduce, "allreduce", "nvls_tree", 0, {.severalNodes = true, .reducingSwitches = true}},
    {AllReduce, "allreduce", "collnet_direct", 0, severalNodes},
    {AllReduce, "allreduce", "collnet_chain", 0, severalNodes},
    {AllGather, "allgather", "ring", 0, oneLevel, "allgather_ring", {}, None, true, 1},
    {AllGather, "allgather", "ring", 0, twoLevels, "allgather_ring", {}, None, true, 1, "", true},
    {AllGather,
     "allgather",
     "ring",
     0,
     twoLevels,
     "allgather_rotated_rings",
     {},
     None,
     true,
     2,
     "rings"},
    {AllGather, "allgather", "nvls", 0, nvls, "allgather_nvls", {}, None, false, 1},
    {AllGather, "allgather", "pat", 0, overNodes},
    {AllGather, "allgather", "collnet_direct", 0, severalNodes},
    {ReduceScatter, "reducescatter", "ring", 0, oneLevel, "reducescatter_ring", {}, None, true, 1},
    {ReduceScatter,
     "reducescatter",
     "ring",
     0,
     twoLevels,
     "reducescatter_ring",
     {},
     None,
     true,
     1,
     "",
     true},
    {ReduceScatter,
     "reducescatter",
     "ring",
     0,
     twoLevels,
     "reducescatter_rotated_rings",
     {},
     None,
     true,
     2,
     "rings"},
    {ReduceScatter, "reducescatter", "nvls", 0, nvls},
    {ReduceScatter, "reducescatter", "pat", 0, overNodes},
    {ReduceScatter, "reducescatter", "collnet_direct", 0, severalNodes},
    {Broadcast, "broadcast", "ring", 0, oneLevel, "broadcast_pipeline", {}, Own, true, 1},
    {Broadcast, "broadcast", "ring", 0, twoLevels, {}, {}, None, true, 1},
    {Reduce, "reduce", "ring", 0, always, {}, {}, None, true, 1},
};

constexpr NativeAlgorithm openMpi[] = {
    {AllGather, "allgather", "linear", 1},
    {AllGather, "allgather", "bruck", 2, always, "allgather_bruck"},
    {AllGather, "allgather", "recursive_doubling", 3, powerOfTwo, "allgather_recursive_doubling"},
    {AllGather, "allgather", "ring", 4, always, "allgather_ring"},
    {AllGather, "allgather", "neighbor", 5, {.evenRanks = true}},
    {AllGather, "allgather", "two_proc", 6, twoRanks, "allgather_ring"},
    {AllGather, "allgather", "sparbit", 7},
    {AllGather, "allgather", "direct-messaging", 8},
    {AllReduce, "allreduce", "basic_linear", 1, always, "allreduce_centralized"},
    {AllReduce, "allreduce", "nonoverlapping", 2},
    {AllReduce, "allreduce", "recursive_doubling", 3, always, "allreduce_recursive_doubling"},
    {AllReduce, "allreduce", "ring", 4, commutes, "allreduce_ring"},
    {AllReduce, "allreduce", "segmented_ring", 5, commutes},
    {AllReduce,
     "allreduce",
     "rabenseifner",
     6,
     {.commutative = true, .smallCountsDiffer = true},
     "allreduce_halving_doubling"},
    {AllReduce, "allreduce", "allgather_reduce", 7},
    {AllToAll, "alltoall", "linear", 1, always, "alltoall_direct"},
    {AllToAll, "alltoall", "pairwise", 2},
    {AllToAll, "alltoall", "modified_bruck", 3, always, "alltoall_bruck"},
    {AllToAll, "alltoall", "linear_sync", 4},
    {AllToAll, "alltoall", "two_proc", 5, twoRanks, "alltoall_direct"},
    {Broadcast, "bcast", "basic_linear", 1, always, "broadcast_direct"},
    {Broadcast, "bcast", "chain", 2},
    {Broadcast, "bcast", "pipeline", 3, always, "broadcast_pipeline", {}, Segments},
    {Broadcast, "bcast", "split_binary_tree", 4},
    {Broadcast, "bcast", "binary_tree", 5},
    {Broadcast, "bcast", "binomial", 6, always, "broadcast_binomial", {}, Segments},
    {Broadcast, "bcast", "knomial", 7},
    {Broadcast, "bcast", "scatter_allgather", 8},
    {Broadcast, "bcast", "scatter_allgather_ring", 9},
    {Gather, "gather", "basic_linear", 1},
    {Gather, "gather", "binomial", 2, always, "gather_binomial"},
    {Gather, "gather", "linear_sync", 3},
    {Reduce, "reduce", "linear", 1},
    {Reduce, "reduce", "chain", 2, commutes},
    {Reduce, "reduce", "pipeline", 3, commutes},
    {Reduce, "reduce", "binary", 4, commutes},
    {Reduce, "reduce", "binomial", 5, commutes, "reduce_binomial", {}, Segments},
    {Reduce, "reduce", "in-order_binary", 6},
    {Reduce, "reduce", "rabenseifner", 7, commutes},
    {Reduce, "reduce", "knomial", 8, commutes},
    {ReduceScatter, "reduce_scatter", "non-overlapping", 1},
    {ReduceScatter, "reduce_scatter", "recursive_halving", 2, commutes, "reducescatter_halving"},
    {ReduceScatter, "reduce_scatter", "ring", 3, commutes, "reducescatter_ring"},
    {ReduceScatter, "reduce_scatter", "butterfly", 4},
    {ReduceScatter, "reduce_scatter_block", "basic_linear", 1},
    {ReduceScatter, "reduce_scatter_block", "recursive_doubling", 2},
    {ReduceScatter, "reduce_scatter_block", "recursive_halving", 3, commutes,
     "reducescatter_halving"},
    {ReduceScatter, "reduce_scatter_block", "butterfly", 4},
    {Scatter, "scatter", "basic_linear", 1},
    {Scatter, "scatter", "binomial", 2, always, "scatter_binomial"},
    {Scatter, "scatter", "linear_nb", 3},
};

constexpr NativeAlgorithm mpich[] = {
    {AllGather, "allgather", "brucks", 0, always, "allgather_bruck"},
    {AllGather, "allgather", "recursive_doubling", 0, powerOfTwo, "allgather_recursive_doubling"},
    {AllGather, "allgather", "ring", 0, always, "allgather_ring"},
    {AllGather, "allgather", "k_brucks"},
    {AllGather, "allgather", "recexch_doubling"},
    {AllGather, "allgather", "recexch_halving"},
    {AllReduce, "allreduce", "recursive_doubling", 0, always, "allreduce_recursive_doubling"},
    {AllReduce,
     "allreduce",
     "reduce_scatter_allgather",
     0,
     {.commutative = true, .smallCountsDiffer = true},
     "allreduce_halving_doubling"},
    {AllReduce, "allreduce", "ring", 0, commutes},
    {AllReduce, "allreduce", "smp", 0, commutes},
    {AllReduce, "allreduce", "tree", 0, commutes},
    {AllReduce, "allreduce", "recexch"},
    {AllReduce, "allreduce", "recursive_multiplying"},
    {AllReduce, "allreduce", "k_reduce_scatter_allgather", 0, commutes},
    {AllReduce, "allreduce", "ccl"},
    {AllToAll, "alltoall", "brucks", 0, always, "alltoall_bruck"},
    {AllToAll, "alltoall", "scattered", 0, always, "alltoall_direct"},
    {AllToAll, "alltoall", "pairwise"},
    {AllToAll, "alltoall", "pairwise_sendrecv_replace"},
    {AllToAll, "alltoall", "k_brucks"},
    // The tree has the same shape, with other ranks next to the root.
    {Broadcast, "bcast", "binomial", 0, inNode, "broadcast_binomial"},
    {Broadcast, "bcast", "binomial"},
    {Broadcast, "bcast", "scatter_recursive_doubling_allgather", 0, powerOfTwo},
    {Broadcast, "bcast", "scatter_ring_allgather"},
    {Broadcast, "bcast", "smp"},
    {Broadcast, "bcast", "tree"},
    {Broadcast, "bcast", "pipelined_tree"},
    {Gather, "gather", "binomial", 0, always, "gather_binomial"},
    {Reduce, "reduce", "binomial", 0, always, "reduce_binomial"},
    {Reduce,
     "reduce",
     "reduce_scatter_gather",
     0,
     {.commutative = true, .smallCountsDiffer = true}},
    {Reduce, "reduce", "smp", 0, commutes},
    {ReduceScatter, "reduce_scatter", "pairwise", 0, commutes, "reducescatter_direct"},
    {ReduceScatter, "reduce_scatter", "recursive_halving", 0, commutes, "reducescatter_halving"},
    {ReduceScatter, "reduce_scatter", "recursive_doubling"},
    {ReduceScatter, "reduce_scatter", "noncommutative", 0, powerOfTwo},
    {ReduceScatter, "reduce_scatter_block", "pairwise", 0, commutes, "reducescatter_direct"},
    {ReduceScatter, "reduce_scatter_block", "recursive_halving", 0, commutes,
     "reducescatter_halving"},
    {ReduceScatter, "reduce_scatter_block", "recursive_doubling"},
    {ReduceScatter, "reduce_scatter_block", "noncommutative", 0, powerOfTwo},
    {Scatter, "scatter", "binomial", 0, always, "scatter_binomial"},
};

struct Native {
  StringRef name, title;
  ArrayRef<NativeAlgorithm> algorithms;
  uint32_t mostChannels;
};
constexpr Native runtimes[numSelectingRuntimes] = {{"nccl", "NCCL", nccl, 64},
                                                   {"rccl-tuner", "RCCL", nccl, 128},
                                                   {"ompi", "Open MPI", openMpi, 1},
                                                   {"mpich", "MPICH", mpich, 1}};

const Native &of(SelectingRuntime runtime) { return runtimes[static_cast<size_t>(runtime)]; }
} // namespace

StringRef cclc::selectingRuntimeName(SelectingRuntime runtime) { return of(runtime).name; }
StringRef cclc::selectingRuntimeTitle(SelectingRuntime runtime) { return of(runtime).title; }
uint32_t cclc::mostNativeChannels(SelectingRuntime runtime) { return of(runtime).mostChannels; }

std::optional<SelectingRuntime> cclc::parseSelectingRuntime(StringRef name) {
  const auto *found =
      llvm::find_if(runtimes, [&](const Native &each) { return each.name == name; });
  if (found == std::end(runtimes))
    return std::nullopt;
  return static_cast<SelectingRuntime>(found - std::begin(runtimes));
}

ArrayRef<NativeAlgorithm> cclc::nativeAlgorithms(SelectingRuntime runtime) {
  return of(runtime).algorithms;
}

bool NativeGuard::admits(const NativeSite &site) const {
  const uint32_t nodes = site.nodes();
  return (!powerOfTwo || llvm::isPowerOf2_32(site.ranks)) && (!evenRanks || site.ranks % 2 == 0) &&
         (!twoRanks || site.ranks == 2) && (!oneNode || nodes == 1) &&
         (!severalNodes || nodes > 1) &&
         (!oneRankPerNode || (nodes > 1 && site.ranksPerNode == 1)) &&
         (!oneLevel || nodes == 1 || site.ranksPerNode == 1) &&
         (!twoLevels || (nodes > 1 && site.ranksPerNode > 1)) &&
         (!reducingSwitches || site.hasReducingSwitches);
}

bool NativeAlgorithm::models(StringRef name,
                             ArrayRef<std::pair<std::string, std::string>> parameters) const {
  size_t found = 0;
  for (const auto &[key, value] : parameters) {
    if (key == "channels" || key == channelsParameter || (key == "chunks" && division != None))
      continue;
    if (llvm::none_of(settings, [&](const NativeSetting &setting) {
          return setting.name == key && setting.value == value;
        }))
      return false;
    ++found;
  }
  return isModelled() && name == program && found == settings.size();
}
