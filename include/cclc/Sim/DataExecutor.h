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

#include "cclc/Sim/Engine.h"

#include <functional>

namespace cclc {

/// The values of the inputs at the beginning of each run. Every partial reduction of these is exact
/// in the type, in any order; with a seed they are random instead.
class InputData {
public:
  InputData(const Collective &collective, DataType type, ReduceOp op, std::optional<uint64_t> seed)
      : ranks(collective.ranks()), reduces(isReduction(collective)), type(type), op(op),
        seed(seed) {}

  bool isRandom() const { return seed.has_value(); }
  /// Stores \p count elements of the input of \p rank in \p run, from \p element on.
  void store(void *place, RankId rank, uint64_t element, uint64_t count = 1,
             uint32_t run = 0) const;

private:
  static bool isReduction(const Collective &collective);
  void exactValues(MutableArrayRef<int32_t> values, uint32_t rank, uint64_t element,
                   uint32_t run) const;

  uint32_t ranks;
  bool reduces;
  DataType type;
  ReduceOp op;
  std::optional<uint64_t> seed;
};

/// The first wrong element.
struct DataMismatch {
  uint32_t run; ///< counted from 0
  RankId rank;
  uint32_t chunk;
  uint64_t element; ///< index in the output buffer
  std::string expected, got;
  uint64_t more; ///< number of further wrong elements
};

/// Completes a reduction: for an average, divides \p elements, a sum, by the number of
/// contributions in \p expectation.
void finishReduction(const Collective &collective, const Expectation &expectation, DataType type,
                     ReduceOp op, void *sum, size_t elements);

class DataExecutor : public SimListener {
public:
  DataExecutor(const BoundPlan &plan, const Sizing &sizing, ReduceOp op, Placement placement,
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
  /// The last computed value, which is the same for many chunks.
  struct Computed {
    Expectation expectation;
    uint32_t run = 0;
    std::vector<std::byte> elements;
  };

  std::byte *place(RankId rank, Operand operand, uint32_t chunk, uint32_t piece);
  uint64_t inputElements() const;
  void fill(RankId rank, uint32_t run);
  void addInput(const std::byte *input);
  void addUp(uint32_t run);
  void finish(RankId rank);
  void compare(RankId rank, uint32_t chunk, Computed &computed);
  void computeExpected(const Expectation &expectation, uint32_t run, std::byte *to);

  const BoundPlan &bound;
  const Sizing &sizing;
  ReduceOp op;
  CellSpace space;
  InputData inputs;
  ReduceFn reduce;
  size_t elementSize, bytesPerChunk;
  ExpectedChunk expectedChunk;
  std::vector<std::vector<std::byte>> memory; ///< by rank
  std::vector<uint32_t> runs;                 ///< by rank: its current run
  std::optional<DataMismatch> mismatch;       ///< the first one so far
  /// The reduction over all ranks in run sumsOf, by input chunk.
  std::vector<std::byte> sums;
  uint32_t sumsOf = 0;
  struct Fifo {
    std::vector<std::vector<std::byte>> messages;
    size_t first = 0;
  };
  std::vector<Fifo> fifos; ///< by connection
  std::vector<std::vector<std::byte>> spare;
};

} // namespace cclc

#endif // CCL_SIM_DATAEXECUTOR_H
