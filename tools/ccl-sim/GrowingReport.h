//===- GrowingReport.h - A simulation as its sizes are done -----*- C++ -*-===//
//
// A sweep may take hours: each row of the table is printed once its size and those
// before it are done, and an interrupt keeps them, in the JSON report as well.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_GROWINGREPORT_H
#define CCL_TOOLS_CCL_SIM_GROWINGREPORT_H

#include "cclc/Cli/Output.h"
#include "cclc/Support/Interrupts.h"

#include "cclc/Sim/SimReport.h"

#include <mutex>

namespace cclc {

class GrowingReport {
public:
  struct Form {
    bool summarise = true;           ///< print it for people
    std::optional<std::string> json; ///< a file
    bool github = false;             ///< messages are annotations
  };

  /// \p head is a report without sizes. What is in \p diags is printed on an interrupt.
  GrowingReport(SimReport head, const BoundPlan &bound, Form form, Progress &progress,
                DiagnosticEngine &diags)
      : report(std::move(head)), bound(bound), form(std::move(form)), progress(progress),
        diags(diags) {}

  /// \p sizes are going to be simulated. Nothing else adds to the diagnostics from here until
  /// close(): interrupts are caught.
  void begin(size_t sizes);
  /// The next size is done; \p costs are those of its critical path, if it is the last one, and
  /// \p messages are about it.
  void add(SizeReport row, std::vector<Cost> costs, DiagnosticEngine messages);
  void setWhatIf(std::vector<WhatIf> rows);
  const SimReport &get() const { return report; }

  /// From here on an interrupt ends the tool as ever.
  void close() { interrupts.reset(); }
  /// Writes the JSON file, and what is printed after the table, once it is closed.
  LogicalResult finish();

private:
  void save();
  LogicalResult writeJsonFile();

  SimReport report;
  const BoundPlan &bound;
  Form form;
  Progress &progress;
  DiagnosticEngine &diags;
  size_t sizes = 0;
  std::mutex changing;
  std::optional<InterruptScope> interrupts; ///< last: its thread uses the others
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_GROWINGREPORT_H
