//===- Nodes.cpp - The nodes of processes ---------------------------------===//
//
// The communicator of a node exists only while nodes are compared: MPI libraries have few.
//
//===----------------------------------------------------------------------===//

#include "Nodes.h"

using namespace cclc;
using namespace cclc::run;

Nodes Nodes::find(MPI_Comm comm) {
  int process, processes;
  PMPI_Comm_rank(comm, &process);
  PMPI_Comm_size(comm, &processes);
  MPI_Comm node;
  PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, process, MPI_INFO_NULL, &node);
  int mine = process;
  PMPI_Bcast(&mine, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  std::vector<int> first(processes);
  PMPI_Allgather(&mine, 1, MPI_INT, first.data(), 1, MPI_INT, comm);
  return Nodes(std::move(first));
}

Nodes Nodes::simulated(uint32_t processes, uint32_t number) {
  std::vector<int> first;
  auto nodeOf = [&](uint32_t process) { return uint64_t(process) * number / processes; };
  for (uint32_t p = 0; p < processes; ++p)
    first.push_back(p > 0 && nodeOf(p) == nodeOf(p - 1) ? first.back() : int(p));
  return Nodes(std::move(first));
}

uint32_t Nodes::number() const {
  uint32_t nodes = 0;
  for (size_t p = 0; p < first.size(); ++p)
    nodes += first[p] == int(p);
  return nodes;
}

RingLayout Nodes::layout(const PreparedPlan &plan, uint32_t shift, int process) const {
  auto nodeOf = [&](RankId rank) { return first[(rank.index() + shift) % first.size()]; };
  return RingLayout(plan, [&](RankId sender, RankId receiver) {
    return nodeOf(sender) == first[process] && nodeOf(receiver) == first[process];
  });
}

uint64_t Nodes::mostBytes(const PreparedPlan &plan, uint32_t shift) const {
  uint64_t most = 0;
  for (size_t p = 0; p < first.size(); ++p)
    if (first[p] == int(p))
      most = std::max(most, layout(plan, shift, int(p)).bytes());
  return most;
}
