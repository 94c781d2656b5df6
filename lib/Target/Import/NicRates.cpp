//===- NicRates.cpp - Rates of NICs that files do not have ----------------===//

#include "Readers.h"

#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

LogicalResult cclc::setRatesOfNics(nccl::Server &server, const ForeignFile &file,
                                   const ImportOptions &options, DiagnosticEngine &diags) {
  if (server.nics.empty() || options.nicRate) {
    for (nccl::Nic &nic : server.nics)
      nic.rate = *options.nicRate;
    return success();
  }
  if (options.nodes.value_or(1) > 1)
    return diags.error({file.name}, "has no rates of NICs, which connect nodes: state the rate of "
                                    "a NIC by --nic-bandwidth");
  diags.warning(
      {file.name},
      formatv("{0} ignored: the file has no rate of NICs (--nic-bandwidth states it)",
              server.nics.size() == 1 ? "1 NIC is" : counted(server.nics.size(), "NIC") + " are"));
  server.nics.clear();
  return success();
}
