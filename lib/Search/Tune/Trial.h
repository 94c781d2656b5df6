//===- Trial.h - Compiling and simulating a candidate -----------*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_TRIAL_H
#define CCL_LIB_SEARCH_TUNE_TRIAL_H

#include "EmittedPlan.h"
#include "cclc/Sim/Simulator.h"

namespace cclc {

/// No time of fewer pieces is extrapolated: a part has at least a quarter of them.
inline constexpr uint32_t fewestPiecesOfPart = 128, fewestExtrapolatedPieces = 512;

/// A plan, and that of MSCCL++ if it was made with it. Without a plan, \c fault says what is wrong.
struct CompiledPlans {
  std::optional<ExecPlan> plan = {};
  std::optional<mscclpp::Plan> mscclpp = {};
  std::optional<std::string> otherOrder = {}; ///< of mscclpp: a warning
  Measure::Fault fault = Measure::Fault::None;
};

/// One candidate with its plan, which is compiled when a result is missing, and proved when it is
/// compiled for the first time.
class Trial {
public:
  Trial(const SearchProblem &problem, Candidate candidate, Measure measure)
      : problem(problem), candidate(std::move(candidate)), measure(std::move(measure)) {}
  /// The trial of a plan of steps that is right.
  Trial(const SearchProblem &problem, ExecPlan plan);

  /// Compiles the candidate unless its measure is complete.
  void compile();
  /// Simulates \p size unless its result is known. The simulation of a plan that takes longer than
  /// \p until is stopped.
  void simulate(uint64_t size, std::optional<SimTime> until = {});
  /// Takes the result of \p size over, which is that of an equal run.
  void adopt(const Measure &other, uint64_t size) { isChanged |= measure.adopt(other, size); }
  /// Equal for candidates whose plans have the same run with \p size: messages do not fill a slot,
  /// or slots are equally large. The candidate is compiled.
  std::string runKey(uint64_t size) const;
  /// Frees the plan.
  void drop();
  uint64_t stepsInMemory() const { return plan ? plan->steps().size() : 0; }

  const SearchProblem &problem;
  const Candidate candidate;
  Measure measure;
  bool isChanged = false; ///< since its file was written
  uint64_t compilations = 0, simulations = 0;

private:
  void makePlan();
  LogicalResult bind(ExecPlan made, std::optional<mscclpp::Plan> lowered, DiagnosticEngine &diags);
  void refuse(const DiagnosticEngine &diags, Measure::Fault fault = Measure::Fault::None);
  void measurePlan();
  void measureLoad();
  std::optional<Measure::Run> run(uint64_t size, std::optional<SimTime> until);
  /// The run of a size with many pieces, from those of \p part of it and half of that, which are
  /// kept for other sizes. It takes at least as long as these.
  std::optional<Measure::Run> extrapolate(uint64_t size, uint64_t part, uint32_t pieces,
                                          std::optional<SimTime> until);
  /// The run if it is known, or else that of a simulation.
  std::optional<Measure::Run> known(uint64_t size, std::optional<SimTime> until);

  std::optional<ExecPlan> plan;
  std::unique_ptr<const PlacedPlan> placed;
  std::unique_ptr<Simulator> simulator;
  std::optional<EmittedPlan> emitted; ///< set if it is timed
};

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_TRIAL_H
