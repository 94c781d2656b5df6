//===- CoarseSizes.h - The sizes that compare many candidates ---*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_COARSESIZES_H
#define CCL_LIB_SEARCH_TUNE_COARSESIZES_H

#include "cclc/Search/Tune/Tuner.h"

namespace cclc {

/// The sizes of the first rung: some of \p sizes, and smaller ones if these are large or far apart.
std::vector<uint64_t> coarseSizes(ArrayRef<uint64_t> sizes, const TuneOptions &options);

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_COARSESIZES_H
