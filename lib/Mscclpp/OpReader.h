//===- OpReader.h - Operations from the JSON of MSCCL++ ---------*- C++ -*-===//
//
// References to port channels are read as memory channels after those of the threadblock, so that
// their structure is checked; the plan is rejected at the end.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_OPREADER_H
#define CCL_LIB_MSCCLPP_OPREADER_H

#include "Fields.h"

#include "cclc/Mscclpp/PlanBuilder.h"

namespace cclc::mscclpp {

enum class ChannelKind : uint8_t { Memory, Port, Switch };

/// The numbers of channels and remote buffers of each kind of a threadblock or a rank.
struct ChannelCounts {
  uint32_t channels[3] = {}, remotes[3] = {};
};

/// Reads the kind of channel, where "none" means memory. Records unsupported kinds.
LogicalResult readChannelKind(Fields &fields, const JsonTree::Node &node, ChannelKind &kind);
const char *channelKindName(ChannelKind kind);

class OpReader {
public:
  OpReader(Fields &fields, LocTable &locs, RankId id, const RankDraft &rank,
           const ChannelCounts &counts, ThreadblockDraft &tb)
      : fields(fields), locs(locs), id(id), rank(rank), counts(counts), tb(tb) {}

  /// Appends the operation, or those of a pipeline, to the threadblock.
  LogicalResult read(const JsonTree::Node &node, bool inPipeline = false);

private:
  using Node = JsonTree::Node;
  using Op = ThreadblockDraft::Op;

  /// Reads an operation that is valid but not supported. Returns whether it is one.
  FailureOr<bool> readForeign(const Node &node, StringRef name, bool inPipeline);
  LogicalResult readPipeline(const Node &node);
  LogicalResult readSharing(const Node &node);
  LogicalResult readPlaces(const Node &node, StringRef key, ChannelKind kind, bool onSwitch,
                           SmallVectorImpl<Place> &places);
  LogicalResult readPlace(const Node &node, ChannelKind kind, Place &place);
  LogicalResult readSwitchPlace(const Node &node);
  LogicalResult readChannels(const Node &node, ChannelKind kind, Op &op);
  LogicalResult readBody(const Node &node, ChannelKind kind, bool onSwitch, Op &op);

  Fields &fields;
  LocTable &locs;
  RankId id;
  const RankDraft &rank;
  const ChannelCounts &counts; ///< of the threadblock
  ThreadblockDraft &tb;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_OPREADER_H
