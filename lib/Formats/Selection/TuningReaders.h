//===- TuningReaders.h - The readers of tuning files ------------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_SELECTION_TUNINGREADERS_H
#define CCL_LIB_FORMATS_SELECTION_TUNINGREADERS_H

#include "JsonNode.h"

#include "cclc/Formats/Selection/TuningFile.h"

namespace cclc {

using TuningRules = FailureOr<std::vector<TuningRule>>;

/// Each reads a file named \p path as its runtime does.
TuningRules readNcclRows(StringRef text, const std::string &path, bool isRccl,
                         DiagnosticEngine &diags);
TuningRules readOpenMpiRules(StringRef text, const std::string &path, bool isOpenMpi6,
                             DiagnosticEngine &diags);
TuningRules readOpenMpiJson(const JsonNode &root, const std::string &path, DiagnosticEngine &diags);
TuningRules readMpichTree(const JsonNode &root, const std::string &path, DiagnosticEngine &diags);

/// The first algorithm of \p runtime with this name, whatever its conditions; null: there is none.
const NativeAlgorithm *findNamed(SelectingRuntime runtime, StringRef call, StringRef name);

} // namespace cclc

#endif // CCL_LIB_FORMATS_SELECTION_TUNINGREADERS_H
