//===- Access.h - Between the interface and the libraries -------*- C++ -*-===//

#ifndef CCL_LIB_TOOLS_API_ACCESS_H
#define CCL_LIB_TOOLS_API_ACCESS_H

#include "cclc/Tools/Api/Toolchain.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Formats/Selection/Selection.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Sim/ShownPlan.h"
#include "cclc/Target/Loader.h"

namespace cclc {
struct CompileRequest;
} // namespace cclc

namespace cclc::api {

struct Plan::Content {
  ExecutablePlan plan;
  std::string file = {};
  bool isComplete = true; ///< whether the form of the file has all attributes
  /// Of the bundled targets, if a toolchain compiled the plan.
  std::string folder = {};

  /// Null: it has steps.
  const mscclpp::Plan *mscclpp() const { return std::get_if<mscclpp::Plan>(&plan); }
  const ExecPlan &steps() const { return std::get<ExecPlan>(plan); }
  ShownPlan shown() const { return plan; }
  const ProgramInfo &info() const { return shown().info(); }
  std::string name() const { return file.empty() ? info().name : file; }
};

class PlanAccess {
public:
  using Content = Plan::Content;
  static Plan make(Content content) {
    return Plan(std::make_shared<const Content>(std::move(content)));
  }
  static const ExecPlan &of(const Plan &plan) { return plan.content->steps(); }
  /// The plan with its file; keeps it alive.
  static std::shared_ptr<const Content> content(const Plan &plan) { return plan.content; }
};

struct Report::Content {
  virtual ~Content() = default;
  virtual void text(raw_ostream &os) const = 0;
  virtual void json(raw_ostream &os) const = 0;
};

class ReportAccess {
public:
  using Content = Report::Content;
  static Report make(std::shared_ptr<const Content> content) {
    Report report;
    report.content = std::move(content);
    return report;
  }
};

std::vector<Message> messagesOf(const DiagnosticEngine &diags);
Failure failureOf(cclc::Failure kind);

/// The failure of a request with the errors of \p diags.
struct Failed {
  const DiagnosticEngine &diags;
  template <class T> operator Result<T>() const {
    return {failureOf(diags.failure()), messagesOf(diags)};
  }
};

/// Reports a plan of MSCCL++ to which \p what does not apply.
LogicalResult checkSteps(const Plan &plan, const char *what, DiagnosticEngine &diags);

struct Selections {
  std::vector<SelectionRow> rows;
};

/// The choice of a row, whose plan is in its file.
Choice choiceOf(const PortfolioFileRow &row);
Gap gapOf(const PortfolioGap &gap);

/// Thrown by stagesOf(); the libraries let it pass.
struct Cancelled {};
/// Calls \p progress, which may be empty, and ends a call that is to be cancelled.
std::function<void(StringRef)> stagesOf(const Progress &progress,
                                        const std::optional<Cancellation> &cancellation);
/// The result of \p call, or that of a call that was cancelled.
template <class Call> auto unlessCancelled(Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const Cancelled &) {
    return {Failure::Interrupted, {Message{Severity::Error, {}, "the call was cancelled", {}}}};
  }
}

FailureOr<TargetRequest> requestOf(const Target &target, const std::string &folder,
                                   DiagnosticEngine &diags);
/// The machine of \p target, large enough for \p plan; without a name, the one that the plan records.
FailureOr<Machine> machineFor(const ProgramInfo &plan, const Target &target,
                              const std::string &folder, DiagnosticEngine &diags);
/// The request of options of a compilation; \p folder has the bundled targets.
LogicalResult readOptions(const CompileOptions &options, const std::string &folder,
                          CompileRequest &request, DiagnosticEngine &diags);
FailureOr<DataType> typeOf(const std::string &name, DiagnosticEngine &diags);
FailureOr<ReduceOp> operatorOf(const std::string &name, DiagnosticEngine &diags);
std::optional<Slots> slotsOf(std::optional<uint32_t> number);

} // namespace cclc::api

#endif // CCL_LIB_TOOLS_API_ACCESS_H
