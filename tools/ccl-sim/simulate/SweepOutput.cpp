//===- SweepOutput.cpp - Results that survive an interrupt ----------------===//
//
// Rows are added under a lock. The thread of an interrupt takes the same lock and holds it, writes
// the report and ends the tool, so no row is added while the report is written.
//
//===----------------------------------------------------------------------===//

#include "SweepOutput.h"

#include "cclc/Views/Report/Summary.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

void SweepOutput::begin(size_t count) {
  sizes = count;
  if (form.summarise) {
    progress.clear();
    printHead(report, bound.shown.info(), bound, llvm::outs());
    llvm::outs().flush();
  }
  interrupts.emplace([this] { save(); });
}

void SweepOutput::add(SizeResult row, std::vector<Cost> costs, DiagnosticEngine messages) {
  std::lock_guard lock(changing);
  if (form.summarise) {
    progress.clear();
    printRow(row, llvm::outs());
    llvm::outs().flush();
  }
  report.sizes.push_back(std::move(row));
  report.costs = std::move(costs);
  diags.append(std::move(messages));
}

void SweepOutput::setWhatIf(WhatIfResult result) {
  std::lock_guard lock(changing);
  report.whatIf = std::move(result);
}

void SweepOutput::setAdvice(AdviceResult result) {
  std::lock_guard lock(changing);
  report.advice = std::move(result);
}

LogicalResult SweepOutput::finish() {
  report.complete = true;
  progress.clear();
  if (failed(writeJsonFile()))
    return failure();
  if (form.summarise) {
    printDetails(report, bound, llvm::outs());
    if (report.advice.requested && !report.sizes.empty())
      printAdvice(report, llvm::outs());
    llvm::outs().flush();
  }
  return success();
}

LogicalResult SweepOutput::abandon() {
  if (report.sizes.empty())
    return success();
  // A closed pipe is no error, so it has no message.
  report.error = diags.all().empty() ? "standard output has no reader" : diags.all().back().text;
  return writeJsonFile();
}

/// Called by the thread of the interrupt. The lock is not released, so no row is added.
void SweepOutput::save() {
  changing.lock();
  progress.clear();
  if (size_t done = report.sizes.size()) {
    diags.warning({}, done == sizes
                          ? std::string("interrupted: results after the sizes are missing")
                          : formatv("interrupted: {0} of {1} sizes {2} done", done, sizes,
                                    done == 1 ? "is" : "are")
                                .str());
    (void)writeJsonFile();
  }
  cclc::report(diags, "ccl-sim", form.messages);
}

LogicalResult SweepOutput::writeJsonFile() {
  if (!form.json)
    return success();
  return writeFile(*form.json, [&](raw_ostream &os) { writeJson(report, bound, os); }, diags);
}
