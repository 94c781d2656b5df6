#include "cclc/Target/Runtime.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

// clang-format off
static constexpr Runtime table[] = {
    {"ahbm",           "KernBench",                  RuntimeForm::Module,  ".py"},
    {"mscclpp",        "microsoft/mscclpp",          RuntimeForm::Mscclpp, ".json"},
    {"rccl",           "ROCm/rccl",                  RuntimeForm::Xml,     ".xml"},
    {"msccl",          "microsoft/msccl",            RuntimeForm::Xml,     ".xml"},
    {"msccl-executor", "Azure/msccl-executor-nccl",  RuntimeForm::Xml,     ".xml"},
    {"nccl",           "NVIDIA/nccl",                RuntimeForm::Choices, ""},
    {"ompi",           "Open MPI",                   RuntimeForm::Choices, ""},
    {"mpich",          "MPICH",                      RuntimeForm::Choices, ""},
    {"run",            "ccl-run and libccl-mpi",     RuntimeForm::Steps,   ".json"},
    {"sim",            "ccl-sim",                    RuntimeForm::Steps,   ".json"},
};
// clang-format on

const Runtime *cclc::findRuntime(StringRef name) {
  const auto *found = llvm::find_if(table, [&](const Runtime &each) { return each.name == name; });
  return found == std::end(table) ? nullptr : found;
}

const Runtime &cclc::simulatorRuntime() { return *findRuntime("sim"); }

std::vector<std::string> cclc::runtimeNames() {
  std::vector<std::string> names;
  for (const Runtime &each : table)
    names.push_back(each.name.str());
  return names;
}
