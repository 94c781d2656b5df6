//===- Geometry.h - How ranks are arranged, as data -------------*- C++ -*-===//
//
// What a program may know of the machine: the levels of its hierarchy, from
// the outermost to the innermost, each with the shape of its grid. Coordinates
// name ranks; nothing here says what a link costs. Standard library only: part
// of what a user's own algorithm is compiled with.
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

/// How the members of one level are joined.
enum class GridKind : uint8_t {
  Flat,         ///< behind a switch: every member reaches every other alike
  Ring1D,       ///< w members in a ring
  Torus2D,      ///< w x h with wrap-around
  Mesh2DNoWrap, ///< w x h without
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

/// The levels that take part, outermost first. Rank numbers run through the
/// innermost level fastest: on levels sip, cube, pe the rank of (s, c, p) is
/// (s * cubes + c) * pes + p.
struct Geometry {
  std::vector<GridLevel> levels;

  bool isFlat() const { return levels.size() <= 1; }
  /// The product of all level sizes.
  uint64_t ranks() const;
  const GridLevel *find(std::string_view name) const;
  friend bool operator==(const Geometry &, const Geometry &) = default;
};

/// Which members of the machine's hierarchy take part as ranks.
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
