//===- MachineDescription.h - The figures of a machine ----------*- C++ -*-===//
//
// A summary of a machine for `cclc targets describe`: nodes and links by class, the longest route,
// the bisection, and the rates of an endpoint. docs/CommandGuide/cclc.md defines the figures.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_MACHINEVIEW_MACHINEDESCRIPTION_H
#define CCL_VIEWS_MACHINEVIEW_MACHINEDESCRIPTION_H

#include "cclc/Target/Machine.h"

namespace cclc {

struct MachineDescription {
  /// Nodes with equal names apart from numbers, of one kind and with equal overheads.
  struct NodeClass {
    std::string name; ///< "node*.gpu*"
    uint32_t number = 0;
    bool isEndpoint = false;
    SimTime overhead;
    bool reassembles = false;
  };
  /// Links with equal values between nodes of two classes of names.
  struct LinkClass {
    std::string from, to;
    uint64_t number = 0;
    Bandwidth bandwidth;
    SimTime propagation;
    SimTime latency; ///< with the overhead of the node at the end
    bool present = true;
  };
  /// The longest of the routes from the first \c sources endpoints to all others.
  struct Diameter {
    uint32_t sources = 0;
    uint32_t hops = 0; ///< links of the route with the most links
    EndpointId hopsFrom{0}, hopsTo{0};
    SimTime latency; ///< of an empty message on the slowest route
    EndpointId latencyFrom{0}, latencyTo{0};
    uint64_t unreachable = 0; ///< pairs without a route
  };
  /// The minimum cut between the first and the second half of the endpoints.
  struct Bisection {
    uint32_t firstHalf = 0;               ///< number of endpoints
    std::optional<Bandwidth> there, back; ///< unset: no path
  };
  /// The smallest and the largest sum of the rates of the links of an endpoint by which routes
  /// leave or enter it; unset: there is none. If not all routes were compared, all links count.
  struct Rates {
    std::optional<Bandwidth> least, most;
  };

  std::string family;
  std::string slotMemory; ///< memory of the slots of queues; empty if there is only one
  std::vector<NodeClass> nodes;
  std::vector<LinkClass> links;
  std::optional<Diameter> diameter;   ///< unset: fewer than two endpoints or too long routes
  std::optional<Bisection> bisection; ///< unset: fewer than two endpoints or too many links
  Rates out, in;
};

/// \p resolved is the resolved target file of the machine.
MachineDescription describe(const Machine &machine, StringRef resolved);

void printDescription(const Machine &machine, const MachineDescription &description,
                      raw_ostream &os);
void writeDescriptionJson(const Machine &machine, const MachineDescription &description,
                          raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_MACHINEVIEW_MACHINEDESCRIPTION_H
