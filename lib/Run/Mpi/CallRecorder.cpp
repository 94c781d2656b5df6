//===- CallRecorder.cpp - The record of the calls of a job ----------------===//
//
// One process of each communicator counts its calls. At the end the records of all processes are
// added up along a binomial tree, as texts, and the first process writes the sum.
//
//===----------------------------------------------------------------------===//

#include "CallRecorder.h"

#include "CallReduction.h"

#include "cclc/Support/OutputFile.h"

#include <bit>

using namespace cclc;
using namespace cclc::run;

void CallRecorder::add(const CollectiveCall &call, bool byPlan, std::chrono::nanoseconds time) {
  if (call.isBarrier)
    return; // it has no data
  int rank, ranks, hasTwoGroups;
  PMPI_Comm_rank(call.comm, &rank);
  if (rank != 0)
    return;
  PMPI_Comm_test_inter(call.comm, &hasTwoGroups);
  PMPI_Comm_size(call.comm, &ranks);
  if (hasTwoGroups || ranks < 2)
    return;
  RecordedCall kind{call.kind, uint32_t(ranks), bytesOf(call)};
  if (kind.bytes == 0)
    return;
  if (call.reduces())
    if (const auto &reduction = factsOf(call.recvData.type, call.op).reduction) {
      kind.type = dataTypeName(reduction->type).str();
      kind.op = reduction->op.str();
    }
  std::lock_guard lock(mutex);
  auto known = record.calls.find(kind);
  if (known == record.calls.end()) {
    if (record.calls.size() >= mostCalls && !std::has_single_bit(kind.bytes)) {
      kind.bytes = std::bit_ceil(kind.bytes);
      record.isRounded = true;
    }
    known = record.calls.try_emplace(kind).first;
  }
  known->second += {1, byPlan, uint64_t(time.count())};
}

/// The text of a record that comes from \p from.
static std::string receive(int from, MPI_Comm comm) {
  MPI_Status status;
  int size;
  PMPI_Probe(from, 0, comm, &status);
  PMPI_Get_count(&status, MPI_CHAR, &size);
  std::string text(size, '\0');
  PMPI_Recv(text.data(), size, MPI_CHAR, from, 0, comm, MPI_STATUS_IGNORE);
  return text;
}

LogicalResult CallRecorder::write(DiagnosticEngine &diags) const {
  CallRecord all = record;
  MPI_Comm job; // without the application's attributes and messages
  PMPI_Comm_split(MPI_COMM_WORLD, 0, 0, &job);
  int rank, ranks;
  PMPI_Comm_rank(job, &rank);
  PMPI_Comm_size(job, &ranks);
  bool isSent = false;
  for (int step = 1; step < ranks && !isSent; step *= 2) {
    if ((rank & step) != 0) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      writeCallRecord(all, stream);
      PMPI_Send(text.data(), int(text.size()), MPI_CHAR, rank - step, 0, job);
      isSent = true;
    } else if (rank + step < ranks) {
      FailureOr<CallRecord> other = readCallRecord(receive(rank + step, job), path, diags);
      if (succeeded(other))
        all.add(*other);
    }
  }
  PMPI_Comm_free(&job);
  if (isSent)
    return success();
  return writeFile(path, [&](raw_ostream &os) { writeCallRecord(all, os); }, diags);
}
