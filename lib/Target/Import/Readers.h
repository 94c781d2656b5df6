//===- Readers.h - Readers of files of other tools --------------*- C++ -*-===//
//
// Each reader converts a file that begins as its format does, with the options that the table in
// ImportMachine.cpp names for it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_IMPORT_READERS_H
#define CCL_LIB_TARGET_IMPORT_READERS_H

#include "cclc/Target/Import/Import.h"

namespace cclc {

/// Network files of the analytical model of ASTRA-sim (YAML).
bool isAstraNetwork(StringRef text);
FailureOr<std::string> importAstraNetwork(const ForeignFile &file, const ImportOptions &options,
                                          DiagnosticEngine &diags);

/// Topology files of NCCL and RCCL (XML).
FailureOr<std::string> importNcclTopology(const ForeignFile &file, const ImportOptions &options,
                                          DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_READERS_H
