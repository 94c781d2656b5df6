//===- Agreement.cpp - Comparing the settings of processes ----------------===//
//
// One hash is compared first, so that agreement costs a single small collective; the values are
// gathered only to name a difference.
//
//===----------------------------------------------------------------------===//

#include "Agreement.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace cclc;
using llvm::formatv;

LogicalResult cclc::agreeOn(run::Group &group, ArrayRef<Setting> settings,
                            DiagnosticEngine &diags) {
  constexpr char separator = '\0';
  std::string mine;
  for (const Setting &setting : settings)
    mine += setting.value + separator;
  if (group.agree(llvm::xxh3_64bits(StringRef(mine))))
    return success();
  std::vector<std::string> texts = group.gather(mine);
  std::vector<SmallVector<StringRef>> values(texts.size()); // by rank
  for (size_t rank = 0; rank < texts.size(); ++rank)
    StringRef(texts[rank]).split(values[rank], separator, -1, /*KeepEmpty=*/true);
  for (size_t i = 0; i < settings.size(); ++i)
    for (size_t rank = 1; rank < values.size(); ++rank)
      if (values[rank][i] != values[0][i]) {
        diags.error({}, formatv("ranks 0 and {0} differ in {1}: {2} and {3}", rank,
                                settings[i].name, values[0][i], values[rank][i]));
        break;
      }
  return failure();
}
