//===- ProgramInfo.cpp - Names of enumerators and derived numbers ---------===//
//
// Names are arrays in the order of the enumerators: files, options and messages have one
// spelling. Grid kinds and mappers are parsed by searching the array; protocols are parsed in
// either case.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/ProgramInfo.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <array>

using namespace cclc;

std::string TargetStamp::title() const {
  return settings.empty() ? name : name + " with " + llvm::join(settings, ", ");
}

ProgramInfo::ProgramInfo(Collective collective) : collective(std::move(collective)) {}
ProgramInfo::ProgramInfo(const ProgramInfo &) = default;
ProgramInfo::ProgramInfo(ProgramInfo &&) noexcept = default;
ProgramInfo &ProgramInfo::operator=(const ProgramInfo &) = default;
ProgramInfo &ProgramInfo::operator=(ProgramInfo &&) noexcept = default;
ProgramInfo::~ProgramInfo() = default;

uint32_t ProgramInfo::room() const {
  uint32_t room = ranks();
  for (uint32_t endpoint : placementOnTarget)
    room = std::max(room, endpoint + 1);
  return room;
}

StringRef cclc::protocolName(Protocol protocol) {
  constexpr std::array<StringRef, 3> names = {"Simple", "LL", "LL128"};
  return names[static_cast<size_t>(protocol)];
}

std::optional<Protocol> cclc::parseProtocol(StringRef name) {
  return llvm::StringSwitch<std::optional<Protocol>>(name)
      .CaseLower("simple", Protocol::Simple)
      .CaseLower("ll", Protocol::LL)
      .CaseLower("ll128", Protocol::LL128)
      .Default(std::nullopt);
}

static constexpr std::array<std::string_view, 4> gridNames = {"flat", "ring_1d", "torus_2d",
                                                              "mesh_2d_no_wrap"};

std::string_view cclc::gridKindName(GridKind kind) { return gridNames[static_cast<size_t>(kind)]; }

std::optional<GridKind> cclc::parseGridKind(std::string_view name) {
  return enumeratorOf<GridKind>(gridNames, name);
}

static constexpr std::array<std::string_view, 3> mapperNames = {"leader_only", "cube_leaders",
                                                                "all_pes"};

std::string_view cclc::mapperName(Mapper mapper) {
  return mapperNames[static_cast<size_t>(mapper)];
}

std::optional<Mapper> cclc::parseMapper(std::string_view name) {
  return enumeratorOf<Mapper>(mapperNames, name);
}

uint64_t Geometry::ranks() const {
  uint64_t product = 1;
  for (const GridLevel &level : levels)
    product *= level.size();
  return product;
}

const GridLevel *Geometry::find(std::string_view name) const {
  for (const GridLevel &level : levels)
    if (level.name == name)
      return &level;
  return nullptr;
}
