//===- RunArguments.h - The command line of ccl-run -------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_RUN_RUNARGUMENTS_H
#define CCL_TOOLS_CCL_RUN_RUNARGUMENTS_H

#include "Agreement.h"

#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Sizes.h"

#include "cclc/IR/Slots.h"
#include "cclc/Run/Group.h"
#include "cclc/Run/PreparedPlan.h"
#include "cclc/Run/ThreadGroup.h"
#include "cclc/Sim/Data/DataType.h"

namespace cclc {

class CommandLine;

struct RunArguments {
  std::vector<std::string> files;
  std::vector<std::string> from; ///< results that --calibrate fits a target to
  SizeArguments sizeTexts;
  std::optional<std::string> typeText, opText, slotsText, slotSizeText, timeoutText, transport,
      threadsText;
  std::optional<std::string> json, trace, predict, compare, output;
  std::optional<uint64_t> iterations, warmup, seed, jitter, simulatedNodes;
  bool checkData = false, inPlace = false, unproved = false, calibrate = false, staleInputs = false,
       turns = false, preload = false;
  MessageForm format = MessageForm::Text;

  // The values of these texts.
  std::vector<uint64_t> sizes;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  std::optional<Slots> slots;
  std::optional<uint64_t> slotBytes; ///< of threads, unless it is given
  run::ThreadChoice threads;
  run::ProcessChoice processes;
  /// The algorithm that the MPI library is to take; unset without --compare, empty for its choice.
  std::optional<std::string> mpiAlgorithm;

  uint32_t numIterations() const { return iterations.value_or(20); }
  uint32_t numWarmups() const { return warmup.value_or(5); }

  run::RunOptions runOptions() const;
  /// With the slots and, unless --slot-size is given, the slot size of \p plan.
  run::RunSettings settingsOf(const ExecPlan &plan, uint32_t slots) const;

  void addTo(CommandLine &line);
  /// Parses and checks the texts.
  LogicalResult read(const Resources &resources, DiagnosticEngine &diags);
  /// What all processes must share, after read(): everything but the names of files.
  std::vector<Setting> settings() const;
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_RUNARGUMENTS_H
