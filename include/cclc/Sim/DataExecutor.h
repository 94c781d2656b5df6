//===- DataExecutor.h - Executing a simulated plan on data ------*- C++ -*-===//
//
// A listener that moves and reduces real elements as the steps execute, and compares the outputs
// with a direct computation of the collective. Each run has different inputs: when a rank ends a
// run, its outputs are compared, and its inputs and outputs are initialised again. Scratch and
// messages are kept.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATAEXECUTOR_H
#define CCL_SIM_DATAEXECUTOR_H

#include "cclc/Sim/Data/DataMismatch.h"
#include "cclc/Sim/Data/ExpectedData.h"
#include "cclc/Sim/Engine.h"

#include <functional>

namespace cclc {

class DataExecutor : public SimListener {
public:
  DataExecutor(const PlacedPlan &plan, const Sizing &sizing, ReduceOp op, Placement placement,
               std::optional<uint64_t> seed);

  void stepBegins(const StepRun &step, SimTime now) override;
  void runBegins(RankId rank, uint32_t run, SimTime now) override;

  /// To be set before the simulation: \p expected returns the expected elements of an output chunk
  /// after a run. By default they are computed from the collective's definition.
  using ExpectedChunk = std::function<const std::byte *(RankId, uint32_t chunk, uint32_t run)>;
  void compareWith(ExpectedChunk expected) { expectedChunk = std::move(expected); }

  /// To be called once after the simulation: for an average, divides the outputs of the last run.
  void finish();
  /// To be called once after finish(): compares the constrained outputs of the last run, and
  /// returns the first difference of all runs.
  std::optional<DataMismatch> check();

  /// The elements of one chunk. Inputs may be modified before the simulation, but check() does not
  /// take this into account.
  const std::byte *chunk(RankId rank, Operand operand) const;
  std::byte *chunk(RankId rank, Operand operand) { return place(rank, operand, 0, 0); }
  const InputData &input() const { return inputs; }
  size_t chunkBytes() const { return bytesPerChunk; }

private:
  std::byte *place(RankId rank, Operand operand, uint32_t chunk, uint32_t piece);
  uint64_t inputElements() const;
  void fill(RankId rank, uint32_t run);
  /// The first message of a connection.
  std::vector<std::byte> take(ConnectionId connection);
  void finish(RankId rank);
  void compare(RankId rank, uint32_t chunk);

  const PlacedPlan &placed;
  const Sizing &sizing;
  ReduceOp op;
  CellSpace space;
  InputData inputs;
  ExpectedData expected;
  ReduceFn reduce;
  size_t elementSize, bytesPerChunk;
  ExpectedChunk expectedChunk;
  std::vector<std::vector<std::byte>> memory; ///< by rank
  std::vector<uint32_t> runs;                 ///< by rank: its current run
  std::optional<DataMismatch> mismatch;       ///< the first one so far
  struct Fifo {
    std::vector<std::vector<std::byte>> messages;
    size_t first = 0;
  };
  std::vector<Fifo> fifos; ///< by connection
  std::vector<std::vector<std::byte>> spare;
};

} // namespace cclc

#endif // CCL_SIM_DATAEXECUTOR_H
