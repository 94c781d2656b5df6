//===- Names.h - Names of nodes and endpoints -------------------*- C++ -*-===//

#ifndef CCL_TARGET_NAMES_H
#define CCL_TARGET_NAMES_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// The class of a node's name: `*` for each number, "node*.gpu*".
std::string nodeNameClass(StringRef name);

/// Endpoints in the notation of `cclc --endpoints`: "0-7", "0-248:8", "3,1".
std::string endpointsText(ArrayRef<uint32_t> endpoints);

} // namespace cclc

#endif // CCL_TARGET_NAMES_H
