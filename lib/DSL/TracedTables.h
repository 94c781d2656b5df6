//===- TracedTables.h - The tables of a traced program ----------*- C++ -*-===//

#ifndef CCL_LIB_DSL_TRACEDTABLES_H
#define CCL_LIB_DSL_TRACEDTABLES_H

#include "cclc/IR/ProgramInfo.h"

namespace cclc::dsl {

struct TracedTables {
  std::vector<Phase> phases;   ///< without the unnamed phase
  uint16_t firstOpenPhase = 0; ///< index in `phases` after the last gate
  std::vector<Neighbour> neighbours;
  std::vector<cclc::Communicator> communicators;
  struct CallSite {
    std::string collective;
    uint32_t generation;
    SourceLocation where;
  };
  std::vector<CallSite> calls;
  int generationStride = 3;
};

} // namespace cclc::dsl

#endif // CCL_LIB_DSL_TRACEDTABLES_H
