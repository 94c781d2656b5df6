//===- NativeAlgorithms.h - What selecting runtimes execute -----*- C++ -*-===//
//
// NCCL, RCCL, Open MPI and MPICH execute algorithms of their own, among which they select by
// collective, communicator and size. This table lists these algorithms by the names in tuning
// files, with the bundled program that sends the same messages, as far as there is one. Readers and
// writers of tuning files and the search share it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_SELECTION_NATIVEALGORITHMS_H
#define CCL_FORMATS_SELECTION_NATIVEALGORITHMS_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// A runtime that selects among its own algorithms by a tuning file. NCCL and RCCL have the same
/// algorithms and files; they differ in what they do with rows that are wrong.
enum class SelectingRuntime : uint8_t { Nccl, RcclTuner, OpenMpi, Mpich };
inline constexpr unsigned numSelectingRuntimes = 4;

/// "nccl", "rccl-tuner", "ompi", "mpich": the spelling of options.
StringRef selectingRuntimeName(SelectingRuntime runtime);
std::optional<SelectingRuntime> parseSelectingRuntime(StringRef name);
/// "NCCL", "RCCL", "Open MPI", "MPICH": the spelling of messages.
StringRef selectingRuntimeTitle(SelectingRuntime runtime);

/// The communicator and machine of a call.
struct NativeSite {
  uint32_t ranks;
  uint32_t ranksPerNode;
  /// Whether switches multicast and add, and a node has all ranks behind one.
  bool hasReducingSwitches = false;

  uint32_t nodes() const { return (ranks + ranksPerNode - 1) / (ranksPerNode ? ranksPerNode : 1); }
};

/// The conditions under which a runtime executes an algorithm, and not another one in its place.
/// All hold together.
struct NativeGuard {
  bool powerOfTwo = false;        ///< the number of ranks is a power of two
  bool evenRanks = false;         ///< the number of ranks is even
  bool twoRanks = false;          ///< there are two ranks
  bool commutative = false;       ///< the operator commutes
  bool oneNode = false;           ///< all ranks are in one node
  bool severalNodes = false;      ///< the ranks are in two nodes or more
  bool oneRankPerNode = false;    ///< no two ranks are in one node, and there are two nodes or more
  bool oneLevel = false;          ///< there is one node, or no two ranks are in one node
  bool twoLevels = false;         ///< there are several nodes, with several ranks each
  bool reducingSwitches = false;  ///< NativeSite::hasReducingSwitches
  bool smallCountsDiffer = false; ///< not for fewer elements than the largest power of two of ranks

  /// Whether the conditions on communicator and machine hold.
  bool admits(const NativeSite &site) const;
};

/// How a runtime divides a message into parts that are pipelined.
enum class NativeDivision : uint8_t {
  None,     ///< the message is sent whole
  Segments, ///< into segments of a size in the tuning file; whole without one
  Own       ///< by a rule of the runtime, which no file changes
};

/// A parameter of a bundled program and its value.
struct NativeSetting {
  StringRef name, value;
};

struct NativeAlgorithm {
  CollectiveKind collective;
  StringRef call;     ///< the collective in tuning files, such as "reduce_scatter_block"
  StringRef name;     ///< the algorithm in tuning files; of MPICH without "MPIR_..._intra_"
  uint8_t number = 0; ///< of Open MPI's parameter coll_tuned_<call>_algorithm
  NativeGuard guard = {};
  /// The program that sends the same messages; empty: the algorithm is not modelled.
  StringRef program = {};
  /// The parameters of the program that differ from their defaults, without "chunks" if the
  /// message is divided, and without those that add channels.
  ArrayRef<NativeSetting> settings = {};
  /// If not None, the parameter "chunks" of the program is the number of parts.
  NativeDivision division = NativeDivision::None;
  /// Whether all protocols, not only Simple, may be selected.
  bool allProtocols = false;
  /// Whether a tuning file sets the number of channels: the parallel instances of the program, each
  /// with this number of channels. 0: the algorithm has one channel.
  uint32_t channelsPerInstance = 0;
  /// The parameter of the program that multiplies the channels of an instance, up to the number of
  /// ranks in a node; empty: none.
  StringRef channelsParameter = {};
  /// Whether the program has the messages of the algorithm with one channel only.
  bool onOneChannel = false;

  bool isModelled() const { return !program.empty(); }
  bool has(Protocol protocol) const { return allProtocols || protocol == Protocol::Simple; }
  /// Whether the program with \p parameters, those that differ from their defaults, sends the
  /// messages of this algorithm.
  bool models(StringRef name, ArrayRef<std::pair<std::string, std::string>> parameters) const;
};

/// The algorithms of \p runtime, by collective. Of those with one program, the first is preferred.
ArrayRef<NativeAlgorithm> nativeAlgorithms(SelectingRuntime runtime);

/// The largest number of channels that a tuning file may set; 1 if it cannot.
uint32_t mostNativeChannels(SelectingRuntime runtime);

} // namespace cclc

#endif // CCL_FORMATS_SELECTION_NATIVEALGORITHMS_H
