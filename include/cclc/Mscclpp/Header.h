//===- Header.h - The header of an MSCCL++ plan -----------------*- C++ -*-===//

#ifndef CCL_MSCCLPP_HEADER_H
#define CCL_MSCCLPP_HEADER_H

#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc::mscclpp {

/// The properties of a plan as a whole.
struct Header {
  std::string name;
  /// The collective that the plan must compute; without post-condition if the file does not name
  /// it.
  Collective collective;
  std::string collectiveName; ///< in the spelling of the file
  bool inPlace = false;
  Protocol protocol = Protocol::Simple; ///< Simple or LL
  bool reuseResources = false, doubleScratch = false;
  static constexpr uint32_t defaultAlignment = 16, defaultThreads = 1024;
  uint32_t bufferAlignment = defaultAlignment, threadsPerBlock = defaultThreads;
  /// The chunks of this plan that are one chunk of the file: more than 1 in an unrolled plan.
  uint32_t chunksPerChunk = 1;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  LocTable locs;
  std::string file; ///< the file that the plan was read from; empty for compiled plans

  explicit Header(Collective collective) : collective(std::move(collective)) {}
};

/// What a program or a plan of another model with this header has in common with it.
ProgramInfo programInfoOf(const Header &header);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_HEADER_H
