//===- Geometry.h - The arrangement of ranks --------------------*- C++ -*-===//
//
// The part of the machine that is visible to a program: the levels of its hierarchy, from the
// outermost to the innermost, each with the shape of its grid. It relates coordinates to ranks and
// contains no link costs. Standard library only: users' programs include this header.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_GEOMETRY_H
#define CCL_IR_GEOMETRY_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cclc {

/// The topology that connects the members of one level.
enum class GridKind : uint8_t {
  Flat,         ///< behind a switch, all pairs at equal distance
  Ring1D,       ///< w members in a ring
  Torus2D,      ///< w x h with wrap-around
  Mesh2DNoWrap, ///< w x h without wrap-around
};

/// "flat", "ring_1d", "torus_2d", "mesh_2d_no_wrap".
std::string_view gridKindName(GridKind kind);
std::optional<GridKind> parseGridKind(std::string_view name);

/// One level: \p width x \p height members, member id = row * width + column.
struct GridLevel {
  std::string name;
  GridKind kind = GridKind::Flat;
  uint32_t width = 1;
  uint32_t height = 1;

  uint32_t size() const { return width * height; }
  friend bool operator==(const GridLevel &, const GridLevel &) = default;
};

/// The participating levels, outermost first. Rank numbers vary fastest in the innermost level: on
/// levels sip, cube, pe the rank of (s, c, p) is (s * cubes + c) * pes + p.
struct Geometry {
  std::vector<GridLevel> levels;

  bool isFlat() const { return levels.size() <= 1; }
  /// The product of all level sizes.
  uint64_t ranks() const;
  const GridLevel *find(std::string_view name) const;
  friend bool operator==(const Geometry &, const Geometry &) = default;
};

/// The members of the machine's hierarchy that participate as ranks.
enum class Mapper : uint8_t {
  LeaderOnly,  ///< the first PE of every outermost member (of every SIP)
  CubeLeaders, ///< the first PE of every group of PEs (of every cube)
  AllPes,      ///< every PE
};
/// "leader_only", "cube_leaders", "all_pes".
std::string_view mapperName(Mapper mapper);
std::optional<Mapper> parseMapper(std::string_view name);

} // namespace cclc

#endif // CCL_IR_GEOMETRY_H
