//===- MpichTuning.cpp - The tuning file of MPICH -------------------------===//
//
// The format is that of src/mpi/coll/src/csel.c of github.com/pmodels/mpich, with the names of
// MPICH 4.0: nested objects, whose keys are conditions; the keys of one object are tried in order,
// and a leaf names a function. MPICH aborts if no leaf holds for a call, or if a chain of
// comparisons does not end in "any". Therefore the file has every collective, with an algorithm
// that is always applicable for calls that no row covers.
//
// Bounds have 31 bits, and the sizes of gather and scatter are counted in elements. Each of these
// has one algorithm, which needs no rule.
//
//===----------------------------------------------------------------------===//

#include "JsonText.h"
#include "SelectionTable.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
/// The algorithms of a collective that are always applicable. Those of intra-communicators may
/// depend on a property of the call.
struct Fallback {
  const char *collective; ///< as in keys
  const char *function;   ///< as in names of functions
  const char *intra;      ///< if \c property does not hold
  const char *inter = nullptr;
  const char *property = nullptr;
  const char *special = nullptr; ///< if \c property holds
};

constexpr char inPlace[] = "is_sendbuf_inplace", commutes[] = "is_commutative";

constexpr Fallback fallbacks[] = {
    {"allgather", "Allgather", "intra_brucks", "inter_local_gather_remote_bcast"},
    {"allgatherv", "Allgatherv", "intra_brucks", "inter_remote_gather_local_bcast"},
    {"allreduce", "Allreduce", "intra_recursive_doubling", "inter_reduce_exchange_bcast"},
    {"alltoall", "Alltoall", "intra_scattered", "inter_pairwise_exchange", inPlace,
     "intra_pairwise_sendrecv_replace"},
    {"alltoallv", "Alltoallv", "intra_scattered", "inter_pairwise_exchange", inPlace,
     "intra_pairwise_sendrecv_replace"},
    {"alltoallw", "Alltoallw", "intra_scattered", "inter_pairwise_exchange", inPlace,
     "intra_pairwise_sendrecv_replace"},
    {"barrier", "Barrier", "intra_dissemination", "inter_bcast"},
    {"bcast", "Bcast", "intra_binomial", "inter_remote_send_local_bcast"},
    {"exscan", "Exscan", "intra_recursive_doubling"},
    {"gather", "Gather", "intra_binomial", "inter_linear"},
    {"gatherv", "Gatherv", "allcomm_linear", "allcomm_linear"},
    {"reduce", "Reduce", "intra_binomial", "inter_local_reduce_remote_send"},
    {"reduce_scatter", "Reduce_scatter", "intra_recursive_doubling",
     "inter_remote_reduce_local_scatter", commutes, "intra_pairwise"},
    {"reduce_scatter_block", "Reduce_scatter_block", "intra_recursive_doubling",
     "inter_remote_reduce_local_scatter", commutes, "intra_pairwise"},
    {"scan", "Scan", "intra_recursive_doubling"},
    {"scatter", "Scatter", "intra_binomial", "inter_linear"},
    {"scatterv", "Scatterv", "allcomm_linear", "allcomm_linear"},
    {"neighbor_allgather", "Neighbor_allgather", "allcomm_nb"},
    {"neighbor_allgatherv", "Neighbor_allgatherv", "allcomm_nb"},
    {"neighbor_alltoall", "Neighbor_alltoall", "allcomm_nb"},
    {"neighbor_alltoallv", "Neighbor_alltoallv", "allcomm_nb"},
    {"neighbor_alltoallw", "Neighbor_alltoallw", "allcomm_nb"},
    {"iallgather", "Iallgather", "intra_sched_brucks", "inter_sched_local_gather_remote_bcast"},
    {"iallgatherv", "Iallgatherv", "intra_sched_brucks", "inter_sched_remote_gather_local_bcast"},
    {"iallreduce", "Iallreduce", "intra_sched_recursive_doubling",
     "inter_sched_remote_reduce_local_bcast"},
    {"ialltoall", "Ialltoall", "intra_sched_permuted_sendrecv", "inter_sched_pairwise_exchange",
     inPlace, "intra_sched_inplace"},
    {"ialltoallv", "Ialltoallv", "intra_sched_blocked", "inter_sched_pairwise_exchange", inPlace,
     "intra_sched_inplace"},
    {"ialltoallw", "Ialltoallw", "intra_sched_blocked", "inter_sched_pairwise_exchange", inPlace,
     "intra_sched_inplace"},
    {"ibarrier", "Ibarrier", "intra_sched_recursive_doubling", "inter_sched_bcast"},
    {"ibcast", "Ibcast", "intra_sched_binomial", "inter_sched_flat"},
    {"iexscan", "Iexscan", "intra_sched_recursive_doubling"},
    {"igather", "Igather", "intra_sched_binomial", "inter_sched_long"},
    {"igatherv", "Igatherv", "allcomm_sched_linear", "allcomm_sched_linear"},
    {"ireduce", "Ireduce", "intra_sched_binomial", "inter_sched_local_reduce_remote_send"},
    {"ireduce_scatter", "Ireduce_scatter", "intra_sched_recursive_doubling",
     "inter_sched_remote_reduce_local_scatterv", commutes, "intra_sched_pairwise"},
    {"ireduce_scatter_block", "Ireduce_scatter_block", "intra_sched_recursive_doubling",
     "inter_sched_remote_reduce_local_scatterv", commutes, "intra_sched_pairwise"},
    {"iscan", "Iscan", "intra_sched_recursive_doubling"},
    {"iscatter", "Iscatter", "intra_sched_binomial", "inter_sched_linear"},
    {"iscatterv", "Iscatterv", "allcomm_sched_linear", "allcomm_sched_linear"},
    {"ineighbor_allgather", "Ineighbor_allgather", "allcomm_sched_linear"},
    {"ineighbor_allgatherv", "Ineighbor_allgatherv", "allcomm_sched_linear"},
    {"ineighbor_alltoall", "Ineighbor_alltoall", "allcomm_sched_linear"},
    {"ineighbor_alltoallv", "Ineighbor_alltoallv", "allcomm_sched_linear"},
    {"ineighbor_alltoallw", "Ineighbor_alltoallw", "allcomm_sched_linear"},
};

/// A collective with rules: its kind and the key that compares its size with `--bytes`.
struct Sized {
  const char *collective;
  CollectiveKind kind;
  const char *size; ///< null: there is a single algorithm
};
constexpr Sized sized[] = {
    {"allgather", CollectiveKind::AllGather, "total_msg_size"},
    {"allreduce", CollectiveKind::AllReduce, "avg_msg_size"},
    {"alltoall", CollectiveKind::AllToAll, "total_msg_size"},
    {"bcast", CollectiveKind::Broadcast, "avg_msg_size"},
    {"gather", CollectiveKind::Gather, nullptr},
    {"reduce", CollectiveKind::Reduce, "avg_msg_size"},
    {"reduce_scatter", CollectiveKind::ReduceScatter, "total_msg_size"},
    {"reduce_scatter_block", CollectiveKind::ReduceScatter, "total_msg_size"},
    {"scatter", CollectiveKind::Scatter, nullptr},
};

constexpr uint64_t largestBound = INT32_MAX;

/// An empty object, and not the null of a default value.
Json object() { return Json::object(); }

Json leaf(const Fallback &of, const std::string &algorithm) {
  Json json = object();
  json[formatv("algorithm=MPIR_{0}_{1}", of.function, algorithm)] = object();
  return json;
}

/// \p holds under the property of the collective for which a row's algorithm applies.
Json always(const Fallback &of) {
  if (!of.property)
    return leaf(of, of.intra);
  Json json = object();
  json[std::string(of.property) + "=yes"] = leaf(of, of.special);
  json[std::string(of.property) + "=no"] = leaf(of, of.intra);
  return json;
}

/// The algorithm of a row where it is applicable, else the fallback.
Json choice(const Fallback &of, StringRef algorithm) {
  Json chosen = leaf(of, "intra_" + algorithm.str());
  if (of.property == inPlace || of.property == commutes) {
    bool normal = of.property == inPlace; // the property is the exception
    Json json = object();
    json[std::string(of.property) + "=yes"] = normal ? leaf(of, of.special) : chosen;
    json[std::string(of.property) + "=no"] = normal ? chosen : leaf(of, of.intra);
    return json;
  }
  if (algorithm == "reduce_scatter_allgather") {
    Json builtIn = object(), json = object();
    builtIn["is_op_built_in=yes"] = chosen;
    builtIn["is_op_built_in=no"] = always(of);
    json["count<pow2"] = always(of);
    json["count=any"] = builtIn;
    return json;
  }
  return chosen;
}

/// The rules of one number of ranks.
Json rules(const Fallback &of, const Sized &how, const RowGroup &group, bool report,
           SelectionFile &file) {
  Json json = object();
  auto until = [&](uint64_t bytes) { return formatv("{0}<={1}", how.size, bytes).str(); };
  Json last = always(of);
  uint64_t next = 0;
  for (const SelectionRow *row : group) {
    const NativeAlgorithm *algorithm = findNative(SelectingRuntime::Mpich, *row, how.collective);
    if (report && !algorithm)
      addMissing(*row, "MPICH", file);
    else if (report)
      addMissingProtocol(*row, "MPICH", file);
    file.selects |= algorithm && (!how.size || row->minBytes <= largestBound);
    if (!how.size)
      continue;
    if (row->minBytes > largestBound) {
      if (report && algorithm)
        file.notExpressed.push_back(rowText(*row) + "MPICH compares sizes up to 2147483647 bytes");
      continue;
    }
    if (row != group.front() && row->minBytes > next)
      json[until(row->minBytes - 1)] = always(of);
    last = algorithm ? choice(of, algorithm->name) : always(of);
    if (row != group.back() && row->maxBytes < largestBound)
      json[until(row->maxBytes)] = last;
    next = row->maxBytes + 1;
  }
  if (json.empty())
    return last;
  json[std::string(how.size) + "=any"] = last;
  return json;
}
} // namespace

/// The rules of a collective by number of ranks.
static Json intra(const Fallback &of, const std::map<GroupKey, RowGroup> &groups,
                  SelectionFile &file) {
  Json json = object();
  uint32_t next = 1; // the first number of ranks that no key has covered
  for (const Sized &how : sized) {
    if (StringRef(how.collective) != of.collective)
      continue;
    bool report = StringRef(how.collective) != "reduce_scatter_block"; // once for both
    for (const auto &[key, group] : groups) {
      if (key.collective != how.kind)
        continue;
      if (key.ranks > next)
        json[formatv("comm_size<={0}", key.ranks - 1)] = always(of);
      json[formatv("comm_size<={0}", key.ranks)] = rules(of, how, group, report, file);
      next = key.ranks + 1;
    }
  }
  if (json.empty())
    return always(of);
  json["comm_size=any"] = always(of);
  return json;
}

SelectionFile cclc::mpichTuning(ArrayRef<SelectionRow> rows) {
  SelectionFile file;
  const std::map<GroupKey, RowGroup> groups = groupRows(rows, false);
  Json json = object();
  for (const Fallback &of : fallbacks) {
    Json &collective = json[std::string("collective=") + of.collective] = object();
    collective["comm_type=intra"] = intra(of, groups, file);
    if (of.inter)
      collective["comm_type=inter"] = leaf(of, of.inter);
  }
  for (const auto &[key, group] : groups)
    if (std::none_of(std::begin(sized), std::end(sized),
                     [&](const Sized &known) { return known.kind == key.collective; }))
      for (const SelectionRow *row : group)
        addMissing(*row, "MPICH", file);
  file.text = jsonText(json, 1) + "\n";
  // MPICH reads the mapped file as a text that ends in zero, which follows in the last page only.
  if (file.text.size() % 4096 == 0)
    file.text += '\n';
  return file;
}
