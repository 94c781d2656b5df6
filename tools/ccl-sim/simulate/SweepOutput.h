//===- SweepOutput.h - Incremental simulation reports -----------*- C++ -*-===//
//
// A sweep may take hours, so each row of the table is printed when its size and the previous ones
// are complete. After an interrupt or the failure of a size, the JSON report has the completed rows
// as well.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_SIMULATE_SWEEPOUTPUT_H
#define CCL_TOOLS_CCL_SIM_SIMULATE_SWEEPOUTPUT_H

#include "cclc/Support/Interrupts.h"
#include "cclc/Tools/Cli/Output.h"

#include "cclc/Sim/SweepResult.h"

#include <mutex>

namespace cclc {

class SweepOutput {
public:
  struct Form {
    bool summarise = true;           ///< whether to print the text report
    std::optional<std::string> json; ///< path of the JSON file
    MessageForm messages = MessageForm::Text;
  };

  /// \p head is a report without sizes. \p diags is printed on an interrupt.
  SweepOutput(SweepResult head, const PlanOnMachine &bound, Form form, Progress &progress,
              DiagnosticEngine &diags)
      : report(std::move(head)), bound(bound), form(std::move(form)), progress(progress),
        diags(diags) {}

  /// Begins a simulation of \p sizes sizes. Interrupts are caught until close(), so only this
  /// object may add to the diagnostics.
  void begin(size_t sizes);
  /// Adds the next size. \p costs are those of its critical path, if it is the last size, and
  /// \p messages its diagnostics.
  void add(SizeResult row, std::vector<Cost> costs, DiagnosticEngine messages);
  void setWhatIf(WhatIfResult result);
  void setAdvice(AdviceResult result);
  const SweepResult &get() const { return report; }

  /// Restores the default handling of interrupts.
  void close() { interrupts.reset(); }
  /// Writes the JSON file and the text after the table. To be called after close().
  LogicalResult finish();
  /// Writes the JSON file of a sweep that ends with the last error, with the completed rows. To be
  /// called after close().
  LogicalResult abandon();

private:
  void save();
  LogicalResult writeJsonFile();

  SweepResult report;
  const PlanOnMachine &bound;
  Form form;
  Progress &progress;
  DiagnosticEngine &diags;
  size_t sizes = 0;
  std::mutex changing;
  std::optional<InterruptScope> interrupts; ///< the last member, because its thread uses the others
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMULATE_SWEEPOUTPUT_H
