//===- Routing.h - Routing rules of machines --------------------*- C++ -*-===//

#ifndef CCL_TARGET_ROUTING_H
#define CCL_TARGET_ROUTING_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/LLVM.h"

namespace cclc {

class Machine;

/// A deterministic routing rule.
class Routing {
public:
  virtual ~Routing() = default;
  /// Appends the links from endpoint \p src to endpoint \p dst, in order, to the empty list
  /// \p links; none if there is no path.
  virtual void route(const Machine &machine, EndpointId src, EndpointId dst,
                     SmallVectorImpl<LinkId> &links) const = 0;
  /// An alternative path of equal cost; none if the route is unique.
  virtual void equalRoute(const Machine &, EndpointId /*src*/, EndpointId /*dst*/,
                          SmallVectorImpl<LinkId> &) const {}
};

} // namespace cclc

#endif // CCL_TARGET_ROUTING_H
