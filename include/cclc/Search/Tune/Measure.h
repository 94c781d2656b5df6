//===- Measure.h - Measures of a candidate ----------------------*- C++ -*-===//
//
// A measure is stored in a file that is named after a hash of the problem and the candidate. The
// file contains the results of every simulated size, so that an interrupted search continues, and
// searches on several machines are merged. A result depends on nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_MEASURE_H
#define CCL_SEARCH_TUNE_MEASURE_H

#include "cclc/Search/Tune/Candidate.h"

#include <map>

namespace cclc {

struct Measure {
  /// Why the candidate is not compiled for the problem, or not right; empty if it is.
  std::string refusal;
  /// The error in a candidate that has a refusal.
  enum class Fault : uint8_t {
    None,    ///< nothing: the machine, the runtime or the program does not admit it
    Program, ///< the user's program is wrong with its parameters
    Tool     ///< the plan is wrong although the user's program is right: a defect
  };
  Fault fault = Fault::None;
  std::string plan;          ///< a hash of the plan but for the size of its slots
  uint32_t threadblocks = 0; ///< of the rank with most
  uint32_t channels = 0;
  uint64_t steps = 0;
  uint64_t multiple = 1;     ///< the runtime executes sizes that are multiples of these bytes
  uint32_t largestCount = 1; ///< the chunks of the largest step
  /// The time that the chunks of the plan take at least on one of the links: \c loadChunks over its
  /// rate, of which the protocol leaves a part. Without a rate there is no such limit.
  uint64_t loadChunks = 0, bufferChunks = 1;
  Bandwidth loadRate;
  /// The reduction order, if the problem requires a uniform one.
  std::optional<uint64_t> order = {};

  struct Run {
    /// SimTime::max() if the plan does not run with this size: it does not fit into memory, could
    /// deadlock, or takes too many steps.
    SimTime time;
    uint64_t messages = 0;
    /// How often the plan is executed, each time with a piece of the buffer.
    uint32_t pieces = 1;
    friend bool operator==(const Run &, const Run &) = default;
  };
  std::map<uint64_t, Run> runs; ///< by buffer size
  /// The plan takes longer than this: its simulation was stopped.
  struct Longer {
    SimTime than;
    friend bool operator==(const Longer &, const Longer &) = default;
  };
  std::map<uint64_t, Longer> longer; ///< by buffer size; of sizes without a run
  bool isCompiled = false;           ///< whether all fields but \c runs and \c longer are known

  bool isUsable() const { return isCompiled && refusal.empty(); }
  /// The time with \p size; unset if it was not simulated or does not run.
  std::optional<SimTime> time(uint64_t size) const;
  /// A lower bound on the time with \p size.
  SimTime load(uint64_t size) const;
  /// Whether the plan is known to take longer than \p until with \p size.
  bool takesLonger(uint64_t size, SimTime until) const;
  void add(uint64_t size, const Run &run);
  void add(uint64_t size, Longer found);
  /// Adds the results of \p size that \p other has of an equal plan. Returns whether any is new.
  bool adopt(const Measure &other, uint64_t size);
  /// Adds what \p other knows of the same candidate.
  void merge(const Measure &other);

  friend bool operator==(const Measure &, const Measure &) = default;
};

/// The files of measures in a folder, and in others that are only read.
class MeasureStore {
public:
  /// Stores nothing.
  MeasureStore() = default;
  /// That of the user's cache, which keeps the results of the problems used last: those of this
  /// executable alone, since another one may have other results. What cannot be read or written
  /// there is computed again. Without a cache folder nothing is stored.
  static MeasureStore cached();
  /// Without \p folder nothing is stored. Creates the folder.
  static FailureOr<MeasureStore> open(std::optional<std::string> folder,
                                      std::vector<std::string> others, DiagnosticEngine &diags);

  /// What the files know about \p candidate. A file of another problem or candidate, and one that
  /// is damaged, is an error.
  FailureOr<Measure> read(const SearchProblem &problem, const Candidate &candidate,
                          DiagnosticEngine &diags) const;
  LogicalResult write(const SearchProblem &problem, const Candidate &candidate,
                      const Measure &measure, DiagnosticEngine &diags) const;

private:
  std::string pathInCache(StringRef problem, const Candidate &candidate) const;

  std::optional<std::string> folder;
  std::vector<std::string> others;
  std::string cache, executable; ///< the folder of all problems, and a name of the tool; or empty
};

} // namespace cclc

#endif // CCL_SEARCH_TUNE_MEASURE_H
