//===- Shapes.h - The shapes of networks ------------------------*- C++ -*-===//
//
// Builders of networks with a regular structure, for the family `graph` and for the fabric of the
// family `switched`. Each reads the keys of its shape.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_SHAPES_H
#define CCL_LIB_TARGET_SHAPES_H

#include "Families.h"

namespace cclc {

/// The rate and the propagation of links of one kind.
struct LinkValues {
  Bandwidth rate;
  SimTime propagation;

  /// Reads the keys `bandwidth` and `propagation`, by default those of \p values, of an object
  /// without other keys.
  static LinkValues read(JsonObject object, LinkValues values);
};

/// `list`: nodes and links by name.
void buildLinkList(JsonObject &file, MachineBuilder &builder);
/// The grid of the numbers in the names of all endpoints, if every link is a step in it.
std::optional<EndpointGrid> gridOfNames(const Machine &machine);
/// `torus`, `mesh` and `composed`: endpoints in a grid, connected dimension by dimension.
void buildDimensions(JsonObject &file, StringRef shape, MachineBuilder &builder);
/// `hypercube`: endpoints are connected if their numbers differ in one bit.
void buildHypercube(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder);
/// `star`: endpoints around one switch.
void buildStar(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder);

/// `fat_tree`: connects \p ports by tiers of switches. \p link has the default values of all links,
/// and the switches next to the ports have tier \p firstTier. Returns the number of ports below a
/// switch of each tier, the lowest first; the tree may have more places than ports.
std::vector<uint64_t> buildFatTree(JsonObject &file, ArrayRef<NodeId> ports, LinkValues link,
                                   uint32_t firstTier, MachineBuilder &builder);

/// `dragonfly`: groups of routers. The links inside a group connect all its routers, and the global
/// links all groups.
struct Dragonfly {
  uint32_t groups = 1, routers = 1, endpoints = 1;
  uint32_t globalLinks = 1; ///< of a router
  LinkValues local, global;
  SimTime overhead;

  uint64_t ports() const { return uint64_t(groups) * routers * endpoints; }
  /// Reads the keys; \p link has the default values of all links.
  static Dragonfly read(JsonObject &file, LinkValues link);
  /// Connects \p ports, which may be fewer than ports(), to their routers by \p link.
  void build(ArrayRef<NodeId> ports, LinkValues link, MachineBuilder &builder) const;
};

} // namespace cclc

#endif // CCL_LIB_TARGET_SHAPES_H
