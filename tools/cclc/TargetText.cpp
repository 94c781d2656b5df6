//===- TargetText.cpp - Machines of texts that are no files ---------------===//

#include "TargetText.h"

#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Temporary.h"

using namespace cclc;

FailureOr<Machine> cclc::loadTargetText(const std::string &target, DiagnosticEngine &diags,
                                        ArrayRef<TargetOverride> overrides) {
  TemporaryFolder folder;
  if (failed(folder.create(diags)))
    return failure();
  const std::string path = folder / "target.json";
  if (failed(writeFile(path, [&](raw_ostream &os) { os << target; }, diags)))
    return failure();
  return loadTarget({path, "", overrides.vec(), std::nullopt}, diags);
}
