//===- PlanJsonHeader.h - Reading the header of a JSON plan -----*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_PLANJSONHEADER_H
#define CCL_LIB_FORMATS_PLANJSONHEADER_H

#include "PlanJsonWalker.h"

#include "cclc/IR/ProgramInfo.h"

namespace cclc::json {

/// Collects the header, whose keys come in any order, until `ranks` begins.
class PlanHeader {
public:
  explicit PlanHeader(SchemaWalker &walker) : at(walker) {}

  // The hooks of the walker for the header.
  bool onNumber(uint64_t n);
  bool onString(StringRef text);
  bool onParameter(StringRef name);
  bool beginObject(In object);
  void beginArray(In array);
  bool endObject(In object);

  /// Completes the header. None after an error.
  std::optional<ProgramInfo> finish();
  std::optional<Slots> slots() const { return theSlots; }
  /// Locations by number in the file; valid after finish().
  ArrayRef<LocId> locations() const { return locIds; }

private:
  bool numberOfElement(uint64_t n);
  bool numberOfCollective(uint64_t n);
  bool numberOfGenerations(uint64_t n);
  bool stringOfElement(StringRef text);
  bool finishCollective();
  bool finishLocations(ProgramInfo &info);
  bool addPhase(StringRef phaseName, std::optional<Gate> gate);

  SchemaWalker &at;
  CollectiveKind kind = CollectiveKind::Custom;
  uint32_t numRanks = 0, chunks = 1, root = 0;
  CustomSpec spec;
  std::optional<cclc::Collective> collective;
  std::string name;
  TargetStamp target;
  std::optional<Slots> theSlots;
  bool inPlace = false, outOfPlace = false;
  Protocol protocol = Protocol::Simple;
  uint32_t instances = 1;
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string parameterName;
  std::vector<GridLevel> levels;
  std::vector<uint32_t> endpoints;
  std::vector<Neighbour> neighbours;
  std::vector<Communicator> communicators;
  std::vector<Call> calls;
  std::vector<std::optional<uint32_t>> callLocs; ///< by call: number of its location
  std::vector<Phase> phases;
  std::vector<std::string> files;
  struct Loc {
    uint32_t file = 0, line = 0, column = 0;
  };
  std::vector<Loc> locs;
  std::vector<LocId> locIds;
};

} // namespace cclc::json

#endif // CCL_LIB_FORMATS_PLANJSONHEADER_H
