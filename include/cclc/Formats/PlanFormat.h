//===- PlanFormat.h - The table of plan formats -----------------*- C++ -*-===//
//
// One row for each file format of plans: its name, its file extensions, its detection, its reader
// and its writer. The tools use the members of a row and never test its name, so a new format needs
// only a row and the files of its reader and writer.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANFORMAT_H
#define CCL_FORMATS_PLANFORMAT_H

#include "cclc/Formats/AhbmModule.h"
#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Limits/Constraints.h"
#include "cclc/Mscclpp/Plan.h"

#include <string>
#include <vector>

namespace cclc {

struct PlanWriteOptions {
  /// The runtime, for a format that has dialects.
  const MscclDialect *dialect = nullptr;
  /// Whether text IR has source locations, which the other formats always have.
  bool locations = false;
};

/// The reader and the writer of a format for one model of plans; null if not supported.
template <class Plan> struct PlanCodec {
  FailureOr<Plan> (*read)(StringRef text, StringRef fileName, DiagnosticEngine &diags) = nullptr;
  void (*write)(const Plan &plan, const PlanWriteOptions &options, raw_ostream &os) = nullptr;
};

struct PlanFormat {
  const char *name;  ///< value of --emit
  const char *title; ///< "JSON"
  /// File extensions, with the dot. If there are none, the format must be requested by name.
  ArrayRef<const char *> extensions;
  /// Whether a file begins like this format. At most one format matches.
  bool (*sniff)(StringRef text);
  /// A format supports plans of one model.
  PlanCodec<ExecPlan> exec;
  PlanCodec<mscclpp::Plan> mscclpp;
  PlanCodec<kernbench::AlgorithmModule> ahbm = {};
  /// Whether the format represents plans of the model completely.
  bool isComplete;
  /// Whether the format is written for one of mscclDialects().
  bool hasDialects;
  /// The limits of the destination: the runtime of the dialect, or the executor of MSCCL++. Null if
  /// unlimited.
  Constraints (*constraints)(const MscclDialect *dialect);
  /// A description of such a file, and of the tools that accept it: "a plan", "'ccl-sim FILE' runs
  /// it".
  const char *kind, *use;

  bool matchesName(StringRef path) const;
  /// Whether plans of some model can be written.
  bool isWritten() const { return exec.write || mscclpp.write || ahbm.write; }
  /// Whether fused receives are split for the destination.
  bool splitsFused(const MscclDialect *dialect) const;
};

ArrayRef<PlanFormat> planFormats();
/// The format with the name \p name of --emit; null if there is none.
const PlanFormat *findPlanFormat(StringRef name);
/// The format of \p text, detected from its beginning; null if it is none of them.
const PlanFormat *sniffPlanFormat(StringRef text);
/// The format for a file extension; JSON for other extensions.
const PlanFormat &planFormatForFile(StringRef path);
/// The values of --emit.
std::vector<std::string> planFormatNames();

} // namespace cclc

#endif // CCL_FORMATS_PLANFORMAT_H
