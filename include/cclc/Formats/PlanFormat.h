//===- PlanFormat.h - The table of plan formats -----------------*- C++ -*-===//
//
// One row for each form that a plan has in files: its name, its file names, how it is
// recognised, its reader and its writer. The tools look at the members of a row, never
// at its name: a new form is a row, and the two files of its reader and writer.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_PLANFORMAT_H
#define CCL_FORMATS_PLANFORMAT_H

#include "cclc/Constraints/Constraints.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Msccl/Dialect.h"
#include "cclc/Mscclpp/Plan.h"

#include <string>
#include <vector>

namespace cclc {

struct PlanWriteOptions {
  /// The runtime, for a format that has dialects.
  const MscclDialect *dialect = nullptr;
  /// Whether text IR has source locations, which the other forms have in any case.
  bool locations = false;
};

/// How plans of one model are read and written; null: they are not.
template <class Plan> struct PlanCodec {
  FailureOr<Plan> (*read)(StringRef text, StringRef fileName, DiagnosticEngine &diags) = nullptr;
  void (*write)(const Plan &plan, const PlanWriteOptions &options, raw_ostream &os) = nullptr;
};

struct PlanFormat {
  const char *name;  ///< of --emit
  const char *title; ///< "JSON"
  /// Of file names, with the dot. None: a file of this form is requested by name.
  ArrayRef<const char *> extensions;
  /// Whether a file begins in this form. At most one format says so.
  bool (*sniff)(StringRef text);
  /// A form holds plans of one model.
  PlanCodec<ExecPlan> exec;
  PlanCodec<mscclpp::Plan> mscclpp;
  /// Whether it has a place for everything that the model has.
  bool isComplete;
  /// Whether it is written for one of mscclDialects().
  bool hasDialects;
  /// What the destination accepts: the runtime of the dialect, the executor of MSCCL++. Null: any
  /// plan.
  Constraints (*constraints)(const MscclDialect *dialect);
  /// What a file of this form is, and which tool takes it: "a plan", "'ccl-sim FILE' runs it".
  const char *kind, *use;

  bool matchesName(StringRef path) const;
  /// Whether fused receives are split for the destination.
  bool splitsFused(const MscclDialect *dialect) const;
};

ArrayRef<PlanFormat> planFormats();
/// The one that --emit calls \p name; null if there is none.
const PlanFormat *findPlanFormat(StringRef name);
/// The one in which \p text begins; null if it is in none of them.
const PlanFormat *sniffPlanFormat(StringRef text);
/// The one that the name of a file calls for: JSON if none does.
const PlanFormat &planFormatForFile(StringRef path);
/// For --emit.
std::vector<std::string> planFormatNames();

} // namespace cclc

#endif // CCL_FORMATS_PLANFORMAT_H
