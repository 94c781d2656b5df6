//===- Dialect.h - What the MSCCL runtimes load -----------------*- C++ -*-===//
//
// The three runtimes that execute MSCCL-IR read nearly the same XML. What they
// differ in is one value each: names, attributes that must be there, what a range
// of sizes means, limits. All three agree on
//
//   32    threadblocks of a rank that send (that receive) on one channel
//   71    chunks of a step
//   127   number of a threadblock that is waited for: a signed byte
//   32767 index of a first chunk: 16 bits with a sign
//   16    consecutive reductions that are merged into one
//   4095  XML elements that are held for a rank (algo, every gpu, its own tb and step)
//   1024  children of an element
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCL_DIALECT_H
#define CCL_MSCCL_DIALECT_H

#include "cclc/Constraints/Constraints.h"
#include "cclc/IR/ProgramInfo.h"

namespace cclc {

/// How a runtime moves the chunks of a step in one protocol: in transmissions of at most
/// MscclDialect::count whole chunks, or of a part of one, of which a connection holds some.
struct MscclTransmissions {
  uint32_t slots;
  uint64_t slotBytes; ///< of payload
};

struct MscclDialect {
  const char *name;    ///< of --xml-dialect
  const char *runtime; ///< the repository
  /// What the attribute `coll` may say.
  ArrayRef<const char *> collectives;
  /// Attributes of `algo` that must be there.
  ArrayRef<const char *> required;
  uint32_t steps; ///< of a threadblock; also the size of its table of waits
  uint32_t threadblocks;
  uint32_t channels;
  uint32_t algorithms;      ///< loaded at a time
  uint32_t nameCharacters;  ///< of which more are cut off or overwrite memory
  uint32_t valueCharacters; ///< of any attribute
  /// Whether kernels exist for rcs, rrs, rrc and rrcs.
  bool fusedOps;
  /// Whether `ra`, the residual add, is known.
  bool residualAdd;
  /// Whether i_chunks and o_chunks must fit nchunksperloop, peers the number of ranks,
  /// and nthreads the size of a warp.
  bool checksSizes;
  /// Whether `outofplace` is looked at; else an algorithm is in place or out of place.
  bool hasOutOfPlace;
  /// Whether maxBytes is the first size that is too large, with no value for "any"; else
  /// it is the largest size, and 0 stands for any.
  bool exclusiveMax;
  MscclTransmissions transmissions[numProtocols]; ///< by protocol

  static constexpr uint32_t perChannel = 32;
  static constexpr uint32_t count = 71;
  static constexpr uint32_t waitTarget = 127;
  static constexpr uint32_t offset = 32767;
  static constexpr uint32_t reductions = 16;
  static constexpr uint32_t elements = 4095;
  static constexpr uint32_t children = 1024;
  /// microsoft/msccl uses a file that does not say maxBytes below this size only.
  static constexpr uint64_t defaultMaxBytes = uint64_t(1) << 27;

  const MscclTransmissions &transmissionsOf(Protocol protocol) const {
    return transmissions[static_cast<size_t>(protocol)];
  }
  /// How the runtime spells a collective; null if it has none of that name.
  const char *spelling(CollectiveKind kind) const;
  /// The sizes and chunks of an algorithm count this part of what ours count: of gather and
  /// scatter the smaller buffer, which every rank has.
  static uint32_t sizeDivisor(const Collective &collective);
};

/// What the runtime loads; with \p protocol also the slots of a connection.
Constraints constraintsOf(const MscclDialect &dialect, std::optional<Protocol> protocol = {});

/// microsoft/msccl, ROCm/rccl, Azure/msccl-executor-nccl.
ArrayRef<MscclDialect> mscclDialects();
/// The one called "msccl", "rccl" or "msccl-executor"; null if there is none.
const MscclDialect *findMscclDialect(StringRef name);

} // namespace cclc

#endif // CCL_MSCCL_DIALECT_H
