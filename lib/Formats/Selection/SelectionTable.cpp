//===- SelectionTable.cpp - The algorithms of bundled programs ------------===//
//
// A program is in the table if a runtime has an algorithm with the same messages. Numbers are those
// of Open MPI's parameters coll_tuned_<collective>_algorithm, names those of MPICH's functions.
//
//===----------------------------------------------------------------------===//

#include "SelectionTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

// clang-format off
static constexpr ProgramAlgorithms table[] = {
    // program                       NCCL     Open MPI  block  MPICH
    {"allgather_bruck",              nullptr, 2,        0,     "brucks"},
    {"allgather_recursive_doubling", nullptr, 3,        0,     "recursive_doubling", true},
    {"allgather_ring",               "ring",  4,        0,     "ring"},
    {"allreduce_centralized",        nullptr, 1,        0,     nullptr},
    {"allreduce_double_binary_tree", "tree",  0,        0,     nullptr},
    {"allreduce_halving_doubling",   nullptr, 6,        0,     "reduce_scatter_allgather"},
    {"allreduce_recursive_doubling", nullptr, 3,        0,     "recursive_doubling"},
    {"allreduce_ring",               "ring",  4,        0,     nullptr},
    {"alltoall_bruck",               nullptr, 3,        0,     "brucks"},
    {"alltoall_direct",              nullptr, 1,        0,     "scattered"},
    {"broadcast_binomial",           nullptr, 6,        0,     "binomial"},
    {"broadcast_direct",             nullptr, 1,        0,     nullptr},
    {"broadcast_pipeline",           "ring",  3,        0,     nullptr},
    {"gather_binomial",              nullptr, 2,        0,     "binomial"},
    {"reduce_binomial",              nullptr, 5,        0,     "binomial"},
    {"reducescatter_direct",         nullptr, 0,        0,     "pairwise"},
    {"reducescatter_halving",        nullptr, 2,        3,     "recursive_halving"},
    {"reducescatter_ring",           "ring",  3,        0,     nullptr},
    {"scatter_binomial",             nullptr, 2,        0,     "binomial"},
};
// clang-format on

const ProgramAlgorithms *cclc::findAlgorithms(StringRef program) {
  const auto *row =
      llvm::find_if(table, [&](const ProgramAlgorithms &row) { return program == row.program; });
  return row == std::end(table) ? nullptr : row;
}

std::map<GroupKey, RowGroup> cclc::groupRows(ArrayRef<SelectionRow> rows, bool byNodes) {
  std::map<GroupKey, RowGroup> groups;
  for (const SelectionRow &row : rows)
    groups[{row.collective, row.ranks, byNodes ? row.ranksPerNode : 0}].push_back(&row);
  for (auto &[key, group] : groups)
    llvm::sort(group, [](const SelectionRow *a, const SelectionRow *b) {
      return a->minBytes < b->minBytes;
    });
  return groups;
}

std::string cclc::rowText(const SelectionRow &row) {
  return formatv("{0} over {1} {2}, {3} to {4} bytes: ", StringRef(collectiveName(row.collective)),
                 row.ranks, row.ranks == 1 ? "rank" : "ranks", row.minBytes, row.maxBytes);
}

void cclc::addMissing(const SelectionRow &row, StringRef runtime, SelectionFile &file) {
  file.notExpressed.push_back(
      formatv("{0}{1} has no algorithm like {2}", rowText(row), runtime, row.program));
}

void cclc::addMissingProtocol(const SelectionRow &row, StringRef runtime, SelectionFile &file) {
  if (row.protocol == Protocol::Simple && row.channels <= 1)
    return;
  file.notExpressed.push_back(formatv("{0}{1} cannot select {2} and {3} {4}", rowText(row), runtime,
                                      protocolName(row.protocol), row.channels,
                                      row.channels == 1 ? "channel" : "channels"));
}
