//===- Dialect.h - The MSCCL runtimes ---------------------------*- C++ -*-===//
//
// The three runtimes that execute MSCCL-IR read nearly the same XML. Their differences are
// described by the fields of MscclDialect: names, required attributes, the meaning of size ranges,
// limits. They have these limits in common:
//
//   32    threadblocks of a rank that send (that receive) on one channel
//   71    chunks of a step
//   127   largest number of a threadblock to wait for: a signed byte 32767 index of a first chunk:
//   16 bits with a sign
//   16    consecutive reductions that are merged into one
//   4095  XML elements that are held for a rank (algo, every gpu, its own tb and step)
//   1024  children of an element
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_MSCCL_DIALECT_H
#define CCL_FORMATS_MSCCL_DIALECT_H

#include "cclc/IR/ProgramInfo.h"
#include "cclc/Limits/Constraints.h"

namespace cclc {

/// The transmissions by which a runtime moves the chunks of a step in one protocol. A transmission
/// has at most MscclDialect::count whole chunks or a part of one, and a connection buffers several.
struct MscclTransmissions {
  uint32_t slots;
  uint64_t slotBytes; ///< payload of a slot
};

struct MscclDialect {
  const char *name;    ///< value of --xml-dialect
  const char *runtime; ///< the repository
  /// The valid values of the attribute `coll`.
  ArrayRef<const char *> collectives;
  /// The required attributes of `algo`.
  ArrayRef<const char *> required;
  uint32_t steps; ///< steps of a threadblock; also the size of its table of waits
  uint32_t threadblocks;
  uint32_t channels;
  uint32_t algorithms;      ///< maximum number of loaded algorithms
  uint32_t nameCharacters;  ///< longer names are truncated or overwrite memory
  uint32_t valueCharacters; ///< maximum length of attribute values
  /// Whether kernels exist for rcs, rrs, rrc and rrcs.
  bool fusedOps;
  /// Whether `ra`, the residual add, is supported.
  bool residualAdd;
  /// Whether i_chunks and o_chunks must match nchunksperloop, peers must be existing ranks, and
  /// nthreads must be a multiple of the warp size.
  bool checksSizes;
  /// Whether `outofplace` is read; otherwise `inplace` alone selects in place or out of place.
  bool hasOutOfPlace;
  /// Whether maxBytes is an exclusive bound without a value for "unlimited"; otherwise it is
  /// inclusive, and 0 means unlimited.
  bool exclusiveMax;
  MscclTransmissions transmissions[numProtocols]; ///< by protocol

  static constexpr uint32_t perChannel = 32;
  static constexpr uint32_t count = 71;
  static constexpr uint32_t waitTarget = 127;
  static constexpr uint32_t offset = 32767;
  static constexpr uint32_t reductions = 16;
  static constexpr uint32_t elements = 4095;
  static constexpr uint32_t children = 1024;
  /// Below this size, microsoft/msccl uses a file without maxBytes.
  static constexpr uint64_t defaultMaxBytes = uint64_t(1) << 27;

  const MscclTransmissions &transmissionsOf(Protocol protocol) const {
    return transmissions[static_cast<size_t>(protocol)];
  }
  /// The runtime's name of a collective; null if it does not support the collective.
  const char *spelling(CollectiveKind kind) const;
  /// The factor between the sizes and chunks of plans and those of the runtime, which counts the
  /// smaller buffer of gather and scatter.
  static uint32_t sizeDivisor(const Collective &collective);
};

/// The limits of the runtime; with \p protocol also the slots of a connection.
Constraints constraintsOf(const MscclDialect &dialect, std::optional<Protocol> protocol = {});

/// microsoft/msccl, ROCm/rccl, Azure/msccl-executor-nccl.
ArrayRef<MscclDialect> mscclDialects();
/// The dialect "msccl", "rccl" or "msccl-executor"; null for other names.
const MscclDialect *findMscclDialect(StringRef name);

/// Whether a runtime or a compiler of MSCCL XML gives a meaning to attribute \p name of an element
/// `algo`, `gpu`, `tb` or `step`.
bool isMscclAttribute(StringRef element, StringRef name);

} // namespace cclc

#endif // CCL_FORMATS_MSCCL_DIALECT_H
