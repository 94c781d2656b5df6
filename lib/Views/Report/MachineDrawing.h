//===- MachineDrawing.h - The machine of a report page ----------*- C++ -*-===//
//
// The data from which the page draws a machine: its nodes, links and groups, and for some machines
// their positions (MachineLayout.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_REPORT_MACHINEDRAWING_H
#define CCL_LIB_VIEWS_REPORT_MACHINEDRAWING_H

#include "Columns.h"
#include "cclc/Target/Machine.h"

#include <nlohmann/json_fwd.hpp>

namespace cclc {

/// The JSON object of \p machine. Its tables are added to \p columns. Rates are bytes per second.
nlohmann::ordered_json drawingOf(const Machine &machine, ColumnWriter &columns);

} // namespace cclc

#endif // CCL_LIB_VIEWS_REPORT_MACHINEDRAWING_H
