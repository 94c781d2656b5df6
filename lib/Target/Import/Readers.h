//===- Readers.h - Readers of files of other tools --------------*- C++ -*-===//
//
// Each reader converts a file that begins as its format does, with the options that the table in
// ImportMachine.cpp names for it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_IMPORT_READERS_H
#define CCL_LIB_TARGET_IMPORT_READERS_H

#include "Fabric.h"
#include "NcclTopology.h"

#include "cclc/Target/Import/Import.h"

namespace cclc {

/// Network files of the analytical model of ASTRA-sim (YAML).
bool isAstraNetwork(StringRef text);
FailureOr<std::string> importAstraNetwork(const ForeignFile &file, const ImportOptions &options,
                                          DiagnosticEngine &diags);

/// The matrix that `nvidia-smi topo -m` prints.
bool isTopologyMatrix(StringRef text);
FailureOr<nccl::Server> readTopologyMatrix(const ForeignFile &file, const ImportOptions &options,
                                           DiagnosticEngine &diags);

/// The output of `rocm-smi --showtopo`.
bool isRocmTopology(StringRef text);
FailureOr<nccl::Server> readRocmTopology(const ForeignFile &file, const ImportOptions &options,
                                         DiagnosticEngine &diags);

/// Sets the rates of the NICs of \p server, which \p file does not have, to the stated one. Without
/// it they are removed with a warning, or with an error if they are needed.
LogicalResult setRatesOfNics(nccl::Server &server, const ForeignFile &file,
                             const ImportOptions &options, DiagnosticEngine &diags);

/// XML of hwloc, which lstopo writes.
bool isHwloc(StringRef text);
FailureOr<nccl::Server> readHwloc(const ForeignFile &file, const ImportOptions &options,
                                  DiagnosticEngine &diags);

/// The output of ibnetdiscover.
bool isIbNetDiscover(StringRef text);
FailureOr<Fabric> readIbNetDiscover(const ForeignFile &file, const ImportOptions &options,
                                    DiagnosticEngine &diags);

/// topology.conf and topology.yaml of SLURM.
bool isSlurmConf(StringRef text);
bool isSlurmYaml(StringRef text);
FailureOr<Fabric> readSlurmConf(const ForeignFile &file, const ImportOptions &options,
                                DiagnosticEngine &diags);
FailureOr<Fabric> readSlurmYaml(const ForeignFile &file, const ImportOptions &options,
                                DiagnosticEngine &diags);

/// Instances of topograph (JSON).
bool isTopograph(StringRef text);
FailureOr<Fabric> readTopograph(const ForeignFile &file, const ImportOptions &options,
                                DiagnosticEngine &diags);

namespace nccl {
/// The target of \p server, which has been read from \p file. With \p network, servers are the
/// hosts of a fabric, which has been read from options.fabric.
FailureOr<std::string> targetOf(Server server, const ForeignFile &file,
                                const ImportOptions &options, DiagnosticEngine &diags,
                                const Fabric *network = nullptr);
/// The rate of the NICs that the GPUs of \p server use.
uint64_t usedRate(const Server &server);
} // namespace nccl

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_READERS_H
