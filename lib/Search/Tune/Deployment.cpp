//===- Deployment.cpp - Names, tables and environments of runtimes --------===//
//
// The variables are those of the runtimes' sources: docs/Cookbook/Deploy.md names the versions, and
// says how to see that a plan runs.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Deployment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
struct Deployment {
  StringRef runtime, text;
};

constexpr Deployment deployments[] = {
    {"ahbm",
     "# KernBench: copy the modules to kernbench/ccl/algorithms. The install plan of each one\n"
     "# (INSTALL_PLAN) has its entries of ccl.yaml, the queues and the neighbours.\n"},
    {"mscclpp",
     "# MSCCL++ 0.6 to 0.8 reads every file of this folder. From 0.9 on, register the plans\n"
     "# in Python: AlgorithmCollectionBuilder.add_algorithm_builder.\n"
     "MSCCLPP_EXECUTION_PLAN_DIR=DIR/runtime/mscclpp\n"
     "LD_PRELOAD=libmscclpp_nccl.so\n"
     "# See the loading with MSCCLPP_LOG_LEVEL=INFO; a size that is no multiple of a plan's\n"
     "# granule, in its range, throws: the tables and ccl-sim lint name the granules.\n"},
    {"rccl",
     "# RCCL with MSCCL (classic packages of ROCm 5.7 to 7.2) loads every file of this folder\n"
     "# when a communicator is made.\n"
     "MSCCL_ALGO_DIR=DIR/runtime/rccl\n"
     "# On machines that RCCL does not flag for MSCCL:\n"
     "RCCL_MSCCL_FORCE_ENABLE=1\n"
     "# A plan runs if NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL prints mscclFuncAllReduce and the\n"
     "# like.\n"},
    {"msccl", "# MSCCL loads at most four files, in the order of the list.\n"
              "MSCCL_XML_FILES=$(echo DIR/runtime/msccl/*.xml | tr ' ' ':')\n"
              "NCCL_ALGO=MSCCL,RING,TREE\n"},
    {"msccl-executor",
     "# msccl-executor-nccl loads every file of this folder, with one GPU per process.\n"
     "MSCCL_ALGO_DIR=DIR/runtime/msccl-executor\n"},
    {"nccl",
     "# The example tuner plugin of NCCL, or the built-in tuner of RCCL from ROCm 7.13 on.\n"
     "NCCL_TUNER_PLUGIN=libnccl-tuner-example.so\n"
     "NCCL_TUNER_CONFIG_FILE=DIR/runtime/nccl/tuner.csv\n"
     "# NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING prints the choices.\n"},
    {"ompi", "OMPI_MCA_coll_tuned_use_dynamic_rules=1\n"
             "OMPI_MCA_coll_tuned_dynamic_rules_filename=DIR/runtime/ompi/rules.conf\n"
             "# From 5.0 on, the component han takes collectives first:\n"
             "OMPI_MCA_coll_han_priority=0\n"},
    {"mpich", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=DIR/runtime/mpich/tuning.json\n"
              "MPIR_CVAR_DEVICE_COLLECTIVES=none\n"
              "# MPIR_CVAR_DEBUG_SUMMARY=1 prints the files in force.\n"},
    {"run", "# ccl-run executes a file; the library for MPI reads portfolio.json.\n"
            "CCL_MPI_PLANS=DIR\n"
            "LD_PRELOAD=libccl-mpi.so\n"},
    {"sim", "# ccl-sim simulates a file, with the target that the plan names.\n"},
};

/// A file with choices of algorithms.
struct SelectionFormat {
  StringRef runtime, file;
  SelectionFile (*write)(ArrayRef<SelectionRow> rows);
};
constexpr SelectionFormat formats[] = {{"nccl", "tuner.csv", ncclTunerCsv},
                                       {"ompi", "rules.conf", openMpiRules},
                                       {"ompi", "rules.json", openMpiJson},
                                       {"mpich", "tuning.json", mpichTuning}};
} // namespace

std::string cclc::folderOf(const Runtime &runtime, StringRef folder) {
  return (folder + "/" + runtime.name).str();
}

std::string cclc::planNameOf(const Runtime &runtime, CollectiveKind kind, size_t number) {
  const bool isModule = runtime.form == RuntimeForm::Module; // whose name is one of Python
  return formatv("{0}{1}{2}", collectiveName(kind), isModule ? '_' : '-', number);
}

std::string cclc::fileOf(const Runtime &runtime, StringRef name, StringRef folder) {
  return (folderOf(runtime, folder) + "/" + name + runtime.extension).str();
}

std::string cclc::selectionFileOf(const Runtime &runtime) {
  for (const SelectionFormat &format : formats)
    if (format.runtime == runtime.name)
      return folderOf(runtime) + "/" + format.file.str();
  llvm_unreachable("the runtime has no choices");
}

void cclc::writeDeployment(const Runtime &runtime, raw_ostream &os) {
  for (const Deployment &each : deployments)
    if (each.runtime == runtime.name)
      os << each.text;
}

FailureOr<std::vector<DeliveredFile>> cclc::selectionTables(const Runtime &runtime,
                                                            ArrayRef<SelectionRow> rows,
                                                            DiagnosticEngine &diags) {
  std::vector<DeliveredFile> tables;
  for (const SelectionFormat &format : formats) {
    if (format.runtime != runtime.name)
      continue;
    SelectionFile file = format.write(rows);
    // Of two calls with one collective, a runtime may have the algorithm for one only.
    if (!file.selects)
      return diags
          .error({}, formatv("{0} selects nothing: {1}", format.file, file.notExpressed.front()))
          .as(Failure::Defect);
    tables.push_back({folderOf(runtime) + "/" + format.file.str(), std::move(file.text)});
  }
  return tables;
}
