//===- Neighbourhood.h - Ranks close to each other --------------*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_NEIGHBOURHOOD_H
#define CCL_LIB_SEARCH_TUNE_NEIGHBOURHOOD_H

#include "cclc/Target/Machine.h"

namespace cclc {

/// Whether some members of a level are closer to each other than to others.
bool hasGrid(const Machine &machine);

/// Whether other mappings of ranks to endpoints than the linear one may be faster: not behind
/// switches, where ranks of a node are neighbours, unless links differ or are missing.
bool mayGainByPlacement(const Machine &machine);

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_NEIGHBOURHOOD_H
