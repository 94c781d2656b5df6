//===- Endpoints.h - The first ranks of a machine ---------------*- C++ -*-===//

#ifndef CCL_TEST_UNIT_SYNTH_ENDPOINTS_H
#define CCL_TEST_UNIT_SYNTH_ENDPOINTS_H

#include "cclc/Target/Machine.h"

namespace cclc::test {

inline std::vector<EndpointId> firstEndpoints(uint32_t ranks) {
  std::vector<EndpointId> endpoints;
  for (uint32_t r = 0; r < ranks; ++r)
    endpoints.push_back(EndpointId(r));
  return endpoints;
}

} // namespace cclc::test

#endif // CCL_TEST_UNIT_SYNTH_ENDPOINTS_H
