//===- PlanJsonReader.h - The state of the JSON reader ----------*- C++ -*-===//
//
// The functions of the schema store values here: those of the header in any order until `ranks`
// begins, then ranks, threadblocks and steps, which are passed to the builder one by one.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANJSONREADER_H
#define CCL_LIB_FORMATS_PLANJSONREADER_H

#include "PlanJsonWalker.h"

namespace cclc::json {

class PlanJsonReader final : public SchemaWalker {
public:
  PlanJsonReader(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : SchemaWalker(text, fileName, diags), diags(diags) {
    positions.file = fileName.str();
  }

  FailureOr<ExecPlan> takePlan();

  /// Stores an enumerator; \p noun is the kind of name, for the error message.
  template <class T>
  bool storeNamed(T &place, std::optional<T> parsed, const char *noun, StringRef name) {
    if (!parsed)
      return error(llvm::Twine("unknown ") + noun + " '" + name + "'");
    place = *parsed;
    return true;
  }
  /// Stores a location, given by its number in the file.
  bool storeLoc(LocId &place, uint64_t number);

  // --- The header ----------------------------------------------------------------------

  /// Checks that the header is complete, and creates the builder.
  bool finishHeader();

  ProgramInfo info{Collective(1, CustomSpec())}; ///< with a placeholder for the collective
  CollectiveKind kind = CollectiveKind::Custom;
  uint32_t numRanks = 0, chunks = 1, root = 0;
  CustomSpec spec;
  bool inPlace = false, outOfPlace = false;
  std::string parameter;                         ///< key of the next value
  std::vector<std::optional<uint32_t>> callLocs; ///< by call, numbers of locations
  std::vector<std::string> files;
  std::vector<std::array<uint32_t, 3>> locs; ///< file, line, column
  std::vector<LocId> locIds;

  // --- Ranks ---------------------------------------------------------------------------

  /// The position for structural errors.
  PlanPositions::Pos pos() {
    Location loc = here();
    return {loc.line, loc.column};
  }

  std::optional<ExecPlanBuilder> builder; ///< once the header is complete
  PlanPositions positions;
  uint32_t rank = 0, nextRank = 0, nextTb = 0;
  SmallVector<RankId, 8> sendPeers, recvPeers;
  uint32_t channel = 0;
  Step step{OpKind::Nop, {}, {}, 0, LocTable::unknown(), LocTable::unknown()};
  bool hasSendLoc = false; ///< the step has a location of its sending half
  Buffer operandBuffer = Buffer::Input;
  uint32_t waitTb = 0, waitStep = 0;

private:
  bool finishLocations();

  DiagnosticEngine &diags;
};

// --- Functions of the schema that store a member ---------------------------------------

inline Reader &self(Reader &at) { return at; }
inline bool requireAll(Reader &at) { return at.requireAll(); }

template <auto Object, auto Member, uint64_t Most = ~uint32_t(0)>
bool storeNumber(Reader &at, uint64_t n) {
  return at.store(Object(at).*Member, n, Most);
}

template <auto Object, auto Member> bool storeText(Reader &at, StringRef text) {
  Object(at).*Member = text.str();
  return true;
}

} // namespace cclc::json

#endif // CCL_LIB_FORMATS_PLANJSONREADER_H
