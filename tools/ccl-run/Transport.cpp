//===- Transport.cpp - The choice of a transport --------------------------===//
//
// Launchers are known by the variables that they set: Open MPI's by OMPI_COMM_WORLD_SIZE, those of
// MPICH (Hydra) and of Slurm with PMI by PMI_SIZE.
//
//===----------------------------------------------------------------------===//

#include "Transport.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace cclc;
using llvm::formatv;

/// The MPI library whose launcher has started this process; empty if none has.
static StringRef launcher() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE"))
    return "openmpi";
  return std::getenv("PMI_SIZE") ? "mpich" : "";
}

FailureOr<TransportChoice> TransportChoice::parse(const std::optional<std::string> &text,
                                                  DiagnosticEngine &diags) {
  StringRef started = launcher();
  if (!text)
    return TransportChoice{started.empty() ? "threads" : started.str()};
  if (*text == "threads")
    return TransportChoice();
  auto [way, library] = StringRef(*text).split(':');
  const bool sharesMemory = way == "node";
  const bool isNamed = StringRef(*text).contains(':');
  if ((way != "mpi" && !sharesMemory) || (isNamed && library != "openmpi" && library != "mpich"))
    return diags.error({}, "--transport takes threads, mpi or node, or with the MPI library "
                           "mpi:openmpi, mpi:mpich, node:openmpi or node:mpich, not '" +
                               *text + "'");
  if (!isNamed && started.empty())
    return diags.error({}, formatv("--transport {0} requires a launcher: 'mpirun -n RANKS ccl-run "
                                   "...', or name the library, as in --transport {0}:openmpi",
                                   way));
  return TransportChoice{isNamed ? library.str() : started.str(), sharesMemory};
}

FailureOr<std::unique_ptr<run::Group>>
cclc::createGroup(const TransportChoice &choice, StringRef folder, run::ThreadChoice threads,
                  const run::ProcessChoice &processes, DiagnosticEngine &diags) {
  if (!choice.isMpi())
    return run::createThreadGroup(threads);
  std::string path = (folder + "/" + choice.name + "/transport.so").str();
  if (!llvm::sys::fs::exists(path))
    return diags.error({}, formatv("this installation has no transport for {0}: it is built where "
                                   "the development package of {0} is installed ({1} is missing)",
                                   choice.name, path));
  // MPI libraries load modules that expect their symbols to be global.
  void *module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!module)
    return diags.error({},
                       formatv("cannot load the transport for {0}: {1}", choice.name, dlerror()));
  auto create = reinterpret_cast<run::CreateGroup *>(dlsym(module, run::createGroupName));
  if (!create)
    return diags.error({}, formatv("{0} is not a transport of ccl-run", path));
  return std::unique_ptr<run::Group>(create(processes));
}

static void set(const std::string &variable, StringRef value) {
  setenv(variable.c_str(), value.str().c_str(), 1);
}

LogicalResult cclc::preload(const TransportChoice &choice, StringRef modules,
                            const std::string &plans, char **argv, DiagnosticEngine &diags) {
  if (!choice.isMpi() || choice.sharesMemory)
    return diags.error({}, "--preload requires --transport mpi: start ccl-run by mpirun");
  if (dlsym(RTLD_DEFAULT, "cclc_use_plan"))
    return success();
  const std::string path = (modules + "/" + choice.name + "/libccl-mpi.so").str();
  const char *others = std::getenv("LD_PRELOAD");
  if (llvm::sys::fs::exists(path) && !(others && StringRef(others).contains(path))) {
    set("LD_PRELOAD", others ? path + ":" + others : path);
    set("CCL_MPI_PLANS", plans);
    execv("/proc/self/exe", argv);
  }
  return diags.error({}, "cannot preload " + path);
}

LogicalResult cclc::forceAlgorithm(const TransportChoice &choice, const Collective &collective,
                                   StringRef algorithm, DiagnosticEngine &diags) {
  if (!choice.isMpi())
    return diags.error({}, "--compare mpi requires MPI: start ccl-run by mpirun");
  if (algorithm.empty())
    return success();
  // The names of the variables are those of MPI's functions.
  StringRef name = llvm::StringSwitch<StringRef>(collectiveName(collective.kind()))
                       .Case("broadcast", "bcast")
                       .Case("reducescatter", "reduce_scatter_block")
                       .Default(collectiveName(collective.kind()));
  if (choice.name == "openmpi") {
    set("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    set("OMPI_MCA_coll_tuned_" + name.str() + "_algorithm", algorithm);
  } else {
    set("MPIR_CVAR_" + name.upper() + "_INTRA_ALGORITHM", algorithm);
    set("MPIR_CVAR_DEVICE_COLLECTIVES", "none");
  }
  return success();
}
