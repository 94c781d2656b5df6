//===- TypeNames.h - The words of --dtype and --op --------------*- C++ -*-===//

#ifndef CCL_SIM_DATA_TYPENAMES_H
#define CCL_SIM_DATA_TYPENAMES_H

#include <string>
#include <vector>

namespace cclc {

/// All names that parseDataType() and parseReduceOp() understand, in the order of documents.
std::vector<std::string> dataTypeNames();
std::vector<std::string> reduceOpNames();

} // namespace cclc

#endif // CCL_SIM_DATA_TYPENAMES_H
