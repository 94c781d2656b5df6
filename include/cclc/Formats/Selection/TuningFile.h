//===- TuningFile.h - Tuning files as runtimes read them --------*- C++ -*-===//
//
// A tuning file selects algorithms of NCCL, RCCL, Open MPI or MPICH by collective, communicator and
// size. It is read as its runtime reads it, and becomes a list of rules, of which the first that
// holds for a call is in force.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_SELECTION_TUNINGFILE_H
#define CCL_FORMATS_SELECTION_TUNINGFILE_H

#include "cclc/Formats/Selection/NativeAlgorithms.h"
#include "cclc/Support/Diagnostics.h"

#include <set>

namespace cclc {

/// A runtime, and the version of it whose reader has its own rules.
struct TuningReader {
  SelectingRuntime runtime;
  /// Of Open MPI: the reader of 6.0, which also reads JSON, and gives files without JSON another
  /// meaning.
  bool isOpenMpi6 = false;

  friend bool operator==(const TuningReader &, const TuningReader &) = default;
};

/// "NCCL", "Open MPI up to 5.0", "Open MPI 6.0".
std::string tuningReaderTitle(const TuningReader &reader);
/// The reader with the name of SelectingRuntime, or "ompi-6".
std::optional<TuningReader> parseTuningReader(StringRef name);
/// All names, in the order of SelectingRuntime.
std::vector<std::string> tuningReaderNames();

/// A call of a collective by an operator that commutes, out of place, with one thread.
struct SelectionCall {
  CollectiveKind collective;
  NativeSite site;
  /// That of `--bytes`: the output of all-gather and gather, else the input.
  uint64_t bytes;
  uint32_t elementBytes = 4;
  /// One of the collectives of the runtime with one CollectiveKind, such as "reduce_scatter_block";
  /// empty: the first one of nativeAlgorithms().
  StringRef call = "";
};

/// A property of a call that rules have conditions on. Those up to FewElementsOfRank depend on the
/// bytes, and never fall when they grow.
enum class CallProperty : uint8_t {
  Bytes,             ///< of SelectionCall
  BytesOfRank,       ///< divided by the ranks
  BytesOfAllRanks,   ///< multiplied by the ranks
  Elements,          ///< of SelectionCall
  ElementsOfRank,    ///< divided by the ranks
  FewElements,       ///< 0 for fewer elements than the largest power of two of ranks, else 1
  FewElementsOfRank, ///< the same of ElementsOfRank
  Ranks,
  Nodes,
  RanksPerNode,
  PowerOfTwo, ///< 1 if the number of ranks is one, else 0
  OneNode,    ///< 1 if all ranks are in one node, else 0
  Scattered,  ///< 1 if no two ranks are in one node, else 0
  Levels,     ///< 1 for several nodes with several ranks, else 0
  One         ///< 1
};

/// The value of \p property must be in [least, most], or outside of it.
struct CallCondition {
  CallProperty property;
  uint64_t least = 0, most = UINT64_MAX;
  bool isInside = true;

  bool holds(const SelectionCall &call) const;
};

/// What a file says about some calls.
struct TuningRule {
  Location loc;
  std::string text = {}; ///< as in the file, for messages
  CollectiveKind collective = CollectiveKind::Custom;
  std::string call = {};      ///< the collective in the file
  std::string algorithm = {}; ///< the name in NativeAlgorithm; empty: the selection of the runtime
  std::vector<CallCondition> conditions = {};
  Protocol protocol = Protocol::Simple;
  std::optional<uint32_t> channels = {}; ///< unset: those of the runtime
  uint64_t segmentBytes = 0;             ///< 0: the message is not divided
  /// Why the runtime drops the rule when it reads it; empty if it does not.
  std::string dropped = {};
  /// Not in the file: it keeps the selection of the runtime for a communicator.
  bool isImplicit = false;
};

/// What a runtime executes for a call.
struct Selected {
  /// The rule in force; null: there is none, and the runtime selects.
  const TuningRule *rule = nullptr;
  /// Null: the runtime selects the algorithm.
  const NativeAlgorithm *algorithm = nullptr;
  /// Unset: the runtime selects the number of channels.
  std::optional<uint32_t> channels = {};
};

class TuningFile {
public:
  /// Reads \p text, the content of \p path. Without \p reader, the form of the text decides: rows
  /// with commas are of NCCL, numbers of Open MPI up to 5.0, JSON of Open MPI 6.0 or MPICH. Fails
  /// if the runtime rejects the file, or ends on reading it. Warns of what it ignores.
  static FailureOr<TuningFile> read(StringRef text, const std::string &path,
                                    std::optional<TuningReader> reader, DiagnosticEngine &diags);

  const TuningReader &reader() const { return how; }
  ArrayRef<TuningRule> rules() const { return list; }

  Selected select(const SelectionCall &call) const;

  /// A rule that is in force for no size of the calls of one collective on one communicator, and
  /// the reason.
  struct Unused {
    const TuningRule *rule;
    std::string reason;
  };
  /// \p call without its bytes.
  std::vector<Unused> unusedRules(SelectionCall call) const;

private:
  TuningFile(TuningReader how, std::vector<TuningRule> list) : how(how), list(std::move(list)) {}
  const NativeAlgorithm *algorithmOf(const TuningRule &rule, const SelectionCall &call) const;
  bool isInForce(const TuningRule &rule, const SelectionCall &call) const;
  std::string reasonOf(const TuningRule &rule, SelectionCall call,
                       const std::set<uint64_t> &sizes) const;

  TuningReader how;
  std::vector<TuningRule> list;
};

} // namespace cclc

#endif // CCL_FORMATS_SELECTION_TUNINGFILE_H
