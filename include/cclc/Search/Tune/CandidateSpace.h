//===- CandidateSpace.h - The plans that the tuner may try ------*- C++ -*-===//
//
// Bundled and users' programs of a collective, and spanning trees or paths that are packed for the
// links of the machine, with the protocols of the target, and slots of several sizes where plans
// choose them. Properties that add parallelism (instances, and parameters such as chunks and
// channels, unless their declarations say otherwise) are ladders, on which each value is twice the
// one below; the space grows from the lowest values upwards. Other parameters have a few
// alternatives. The space of cclc -O3 has one program, whose parameters are fixed.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_CANDIDATESPACE_H
#define CCL_SEARCH_TUNE_CANDIDATESPACE_H

#include "cclc/DSL/Registry.h"
#include "cclc/Formats/Selection/NativeAlgorithms.h"
#include "cclc/Search/Tune/Candidate.h"

#include <memory>

namespace cclc {

class ParameterValues;

class CandidateSpace {
public:
  ~CandidateSpace();
  CandidateSpace(CandidateSpace &&) noexcept;

  /// \p names restricts the programs; empty: all of the collective. The name of a user's program is
  /// its file, and that of packed trees is that of cclc synth, such as "allgather_trees". Empty:
  /// without the programs for switches that the machine does not have. Fails if a name is unknown
  /// or of another collective, or if no program is left.
  static FailureOr<CandidateSpace> create(const TuneProblem &problem,
                                          const dsl::ProgramRegistry &programs,
                                          ArrayRef<std::string> names, DiagnosticEngine &diags);

  /// The variants of \p start, of which \p open varies. \p start compiles.
  static CandidateSpace ofProgram(const SearchProblem &problem, const Candidate &start,
                                  const SearchSpace &open);

  /// The candidates at the foot of all ladders, in a fixed order. Of an exhaustive search, those
  /// with all combinations of the values of other parameters.
  std::vector<Candidate> roots(bool exhaustive = false) const;

  /// A plan that keeps the links busy almost all the time with large buffers.
  struct Saturating {
    Candidate candidate;
    double secondsPerByte; ///< of the buffer, on the busiest link
  };
  ArrayRef<Saturating> saturating() const { return saturatingPlans; }

  /// A neighbour on a ladder; the ladder is that of a parameter or of the instances.
  struct Neighbour {
    size_t ladder;
    Candidate candidate;
  };
  std::vector<Neighbour> above(const Candidate &candidate) const;
  std::vector<Neighbour> below(const Candidate &candidate) const;

  /// The number of values above that of \p candidate on \p ladder.
  unsigned stepsAbove(const Candidate &candidate, size_t ladder) const;

  /// Properties with a few alternatives.
  enum class Axis : uint8_t {
    Protocol,
    Placement,
    SlotSize,
    Slots,
    Goal,
    Channels,
    Aggregation,
    Fusion,
    SlotsBetween ///< sizes between those of SlotSize, for the best plans
  };
  /// In the order in which they are refined; without SlotsBetween.
  ArrayRef<Axis> axes() const;
  /// \p candidate, whose plan has \p channels channels, with other values of a property.
  std::vector<Candidate> variants(const Candidate &candidate, Axis axis, uint32_t channels) const;

  /// Whether variants of a plan with \p steps are tried. Each of a large plan takes seconds, and if
  /// other programs are tried as well, it is the best only where these do not run, or by rounds
  /// that variants do not change.
  bool hasVariants(uint64_t steps) const { return start || steps <= mostStepsOfVaried; }

  /// All candidates that differ from \p candidate, whose plan has \p channels channels, in one
  /// property, by one step if it is a number.
  std::vector<Candidate> moves(const Candidate &candidate, uint32_t channels) const;
  /// \p first, a variant of \p origin, with what differs between \p origin and \p second.
  static Candidate combined(const Candidate &origin, const Candidate &first,
                            const Candidate &second);

  /// The algorithms of a runtime with choices that no program models, and that are not chosen.
  ArrayRef<std::string> algorithmsNotModelled() const { return notModelled; }
  /// The names of the programs for switches that were left out.
  ArrayRef<std::string> omittedPrograms() const { return omitted; }

  const SearchProblem &problem;

private:
  static constexpr uint64_t mostStepsOfVaried = 262'144;

  CandidateSpace(const SearchProblem &problem, SearchSpace open, ParameterValues values);
  std::vector<Neighbour> neighbours(const Candidate &candidate, int step,
                                    uint32_t mostInstances) const;
  bool hasChannels(const Candidate &candidate) const;
  std::optional<Candidate> onMostChannels(const Candidate &candidate) const;
  void addTrees(const TuneProblem &problem);
  struct Trees;
  void addRounds(const Trees &found, size_t transfers, double secondsPerByte);
  void addPaths(const TuneProblem &problem);
  /// Adds the algorithms of \p runtime, as far as \p names has their programs.
  LogicalResult addNatives(SelectingRuntime runtime, const dsl::ProgramRegistry &registry,
                           ArrayRef<std::string> names, DiagnosticEngine &diags);

  std::vector<Candidate> programs; ///< with default parameters
  std::vector<std::string> omitted;
  /// The algorithms of a runtime with choices, with all values that its files may set.
  std::vector<Candidate> natives;
  std::vector<std::string> notModelled;
  /// Programs of trees, and the arguments of cclc that find them.
  struct Trees {
    std::unique_ptr<dsl::Declaration> program;
    std::string source;
    std::optional<Protocol> protocol = {}; ///< unset: found without the costs of any
  };
  std::vector<Trees> trees;
  std::vector<Saturating> saturatingPlans;
  const TuneProblem *collective = nullptr; ///< null: there is one program
  std::optional<Candidate> start;          ///< that of the only program
  SearchSpace open;
  std::unique_ptr<const ParameterValues> values;
};

} // namespace cclc

#endif // CCL_SEARCH_TUNE_CANDIDATESPACE_H
