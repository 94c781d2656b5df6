//===- Access.h - Between the interface and the libraries -------*- C++ -*-===//

#ifndef CCL_LIB_API_ACCESS_H
#define CCL_LIB_API_ACCESS_H

#include "cclc/Api/Toolchain.h"

#include "cclc/Data/DataType.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Support/ExitCode.h"
#include "cclc/Target/Loader.h"

namespace cclc::api {

class PlanAccess {
public:
  static Plan make(ExecPlan plan) {
    return Plan(std::make_shared<const ExecPlan>(std::move(plan)));
  }
  static const ExecPlan &of(const Plan &plan) { return *plan.content; }
};

std::vector<Message> messagesOf(const DiagnosticEngine &diags);
Failure failureOf(ExitCode code);

/// The failure of a request with the errors of \p diags.
struct Failed {
  const DiagnosticEngine &diags;
  Failure failure = Failure::Unusable;
  template <class T> operator Result<T>() const { return {failure, messagesOf(diags)}; }
};

FailureOr<TargetRequest> requestOf(const Target &target, const std::string &folder,
                                   DiagnosticEngine &diags);
FailureOr<DataType> typeOf(const std::string &name, DiagnosticEngine &diags);
FailureOr<CollectiveKind> collectiveOf(const std::string &name, DiagnosticEngine &diags);

} // namespace cclc::api

#endif // CCL_LIB_API_ACCESS_H
