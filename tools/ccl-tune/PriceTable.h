//===- PriceTable.h - What a tuning file costs, as text ---------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_PRICETABLE_H
#define CCL_TOOLS_CCL_TUNE_PRICETABLE_H

#include "TunedPlans.h"
#include "cclc/Search/Tune/Price.h"

namespace cclc {

/// Reads the file of --price: "FILE", or "READER:FILE".
FailureOr<TuningFile> readTuningFile(StringRef option, DiagnosticEngine &diags);

/// The collectives of the rules of \p file that plans have, each once, in their order.
std::vector<std::string> collectivesOf(const TuningFile &file);

/// Prints \p prices beside the best plans of \p tuned, and the rules that never apply.
void printPrices(const TunedPlans &tuned, const TuningFile &file, ArrayRef<SizePrice> prices,
                 raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_PRICETABLE_H
