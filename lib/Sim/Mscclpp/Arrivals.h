//===- Arrivals.h - The packets that a rank has received --------*- C++ -*-===//

#ifndef CCL_LIB_SIM_MSCCLPP_ARRIVALS_H
#define CCL_LIB_SIM_MSCCLPP_ARRIVALS_H

#include "cclc/Support/Units.h"

#include <map>

namespace cclc::mscclpp {

/// A range of the bytes of a buffer; of packets, those of the payload.
struct Extent {
  uint64_t begin = 0, end = 0;
};

/// The execution of an operation that another one waits for, and the time when it sent a message.
struct Origin {
  uint64_t execution;
  SimTime sent, contention;
};

/// The packets of one launch in the scratch of a rank. Every packet is written once.
class Arrivals {
public:
  void add(Extent extent, const Origin &origin) { ranges[extent.begin] = {extent.end, origin}; }

  /// The origin of the packets of \p extent that were sent last; null if some have not arrived, of
  /// which \p missing then is the first byte.
  const Origin *find(Extent extent, uint64_t &missing) const {
    const Origin *last = nullptr;
    auto it = ranges.upper_bound(extent.begin);
    missing = extent.begin;
    if (it == ranges.begin())
      return nullptr;
    for (--it; extent.begin < extent.end; ++it) {
      missing = extent.begin;
      if (it == ranges.end() || it->first > extent.begin || it->second.end <= extent.begin)
        return nullptr;
      extent.begin = it->second.end;
      if (!last || it->second.origin.sent > last->sent)
        last = &it->second.origin;
    }
    return last;
  }

private:
  struct Range {
    uint64_t end;
    Origin origin;
  };
  std::map<uint64_t, Range> ranges; ///< by their beginning
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_SIM_MSCCLPP_ARRIVALS_H
