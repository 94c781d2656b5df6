//===- Agreement.h - Settings that all processes must share -----*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_RUN_AGREEMENT_H
#define CCL_TOOLS_CCL_RUN_AGREEMENT_H

#include "cclc/Run/Group.h"

namespace cclc {

/// A value on which messages or control flow of an execution depend.
struct Setting {
  std::string name, value;
};

/// Compares \p settings, the same list in all processes, before any data are sent. Fails in all
/// processes if they differ; the process that leads reports each difference with the ranks.
LogicalResult agreeOn(run::Group &group, ArrayRef<Setting> settings, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_AGREEMENT_H
