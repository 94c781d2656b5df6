//===- DataExecutor.h - Real data through a simulated plan ------*- C++ -*-===//
//
// A listener that moves and reduces real elements as the steps execute, and
// compares the outputs with what the collective says, computed directly.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATAEXECUTOR_H
#define CCL_SIM_DATAEXECUTOR_H

#include "cclc/Sim/Engine.h"

#include <functional>

namespace cclc {

/// The initial values of the inputs. Every partial reduction of these is exact in the
/// type, in whatever order; with a seed they are random instead.
class InputData {
public:
  InputData(const Collective &collective, DataType type, ReduceOp op, std::optional<uint64_t> seed)
      : ranks(collective.ranks()), reduces(isReduction(collective)), type(type), op(op),
        seed(seed) {}

  bool isRandom() const { return seed.has_value(); }
  /// Stores \p count elements of the input of \p rank, from \p element on.
  void store(void *place, RankId rank, uint64_t element, uint64_t count = 1) const;

private:
  static bool isReduction(const Collective &collective);
  void exactValues(MutableArrayRef<int32_t> values, uint32_t rank, uint64_t element) const;

  uint32_t ranks;
  bool reduces;
  DataType type;
  ReduceOp op;
  std::optional<uint64_t> seed;
};

/// The first element that is not what it must be.
struct DataMismatch {
  RankId rank;
  uint32_t chunk;
  uint64_t element; ///< of the output buffer
  std::string expected, got;
  uint64_t more; ///< further wrong elements
};

/// Ends a reduction: for an average, divides \p elements of a sum, of which
/// \p expectation says how many contributions it has.
void finishReduction(const Collective &collective, const Expectation &expectation, DataType type,
                     ReduceOp op, void *sum, size_t elements);

class DataExecutor : public SimListener {
public:
  DataExecutor(const BoundPlan &plan, const Sizing &sizing, ReduceOp op, Placement placement,
               std::optional<uint64_t> seed);

  void stepBegins(uint32_t threadblock, uint32_t step, uint32_t piece, SimTime now) override;

  /// Divides the reduced outputs when the operator is an average. Called once,
  /// after the simulation.
  void finish();

  /// Compares every output that the collective is about. \p expectedChunk returns
  /// the elements that an output chunk must hold, or null to have them computed
  /// from the collective's definition.
  using ExpectedChunk = std::function<const std::byte *(RankId rank, uint32_t chunk)>;
  std::optional<DataMismatch> check(const ExpectedChunk &expectedChunk = nullptr) const;

  /// The elements of one chunk. Before the simulation inputs may be given other values,
  /// of which check() knows nothing.
  const std::byte *chunk(RankId rank, Operand operand) const;
  std::byte *chunk(RankId rank, Operand operand) { return place(rank, operand, 0, 0); }
  const InputData &input() const { return inputs; }
  size_t chunkBytes() const { return bytesPerChunk; }

private:
  std::byte *place(RankId rank, Operand operand, uint32_t chunk, uint32_t piece);
  void fillInputs();
  void computeExpected(const Expectation &expectation, std::byte *to) const;

  const BoundPlan &bound;
  const Sizing &sizing;
  ReduceOp op;
  CellSpace space;
  InputData inputs;
  ReduceFn reduce;
  size_t elementSize, bytesPerChunk;
  std::vector<std::vector<std::byte>> memory; ///< by rank
  /// What a reduction over all ranks gives, by input chunk; empty where the collective
  /// asks for none, and with a seed.
  std::vector<std::byte> sums;
  struct Fifo {
    std::vector<std::vector<std::byte>> messages;
    size_t first = 0;
  };
  std::vector<Fifo> fifos; ///< by connection
  std::vector<std::vector<std::byte>> spare;
};

} // namespace cclc

#endif // CCL_SIM_DATAEXECUTOR_H
