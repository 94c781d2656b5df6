//===- OpReader.h - Operations from the JSON of MSCCL++ ---------*- C++ -*-===//
//
// Reads the fields that the traits of an operation require. The body of a pipeline is appended to
// the threadblock behind it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_OPREADER_H
#define CCL_LIB_MSCCLPP_OPREADER_H

#include "Fields.h"

#include "cclc/Mscclpp/PlanBuilder.h"

namespace cclc::mscclpp {

/// Reads the kind of channel, where "none" means memory.
LogicalResult readChannelKind(Fields &fields, const JsonTree::Node &node, ChannelKind &kind);

class OpReader {
public:
  OpReader(Fields &fields, LocTable &locs, RankId id, const RankDraft &rank, ThreadblockDraft &tb)
      : fields(fields), locs(locs), id(id), rank(rank), tb(tb) {}

  /// Appends the operation, and those of a pipeline, to the threadblock.
  LogicalResult read(const JsonTree::Node &node, bool inPipeline = false);

private:
  using Node = JsonTree::Node;
  using Op = ThreadblockDraft::Op;

  LogicalResult readPipeline(const Node &node, LocId loc);
  LogicalResult readShare(const Node &node, Share &share);
  LogicalResult readPlaces(const Node &node, StringRef key, Op &op, SmallVectorImpl<Place> &places);
  LogicalResult readPlace(const Node &node, const Op &op, Place &place);
  LogicalResult readLocalPlace(const Node &node, Place &place);
  LogicalResult readRemotePlace(const Node &node, ChannelKind kind, Place &place);
  LogicalResult readSwitchPlace(const Node &node, const Op &op, Place &place);
  LogicalResult readBody(const Node &node, Op &op);

  Fields &fields;
  LocTable &locs;
  RankId id;
  const RankDraft &rank;
  ThreadblockDraft &tb;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_OPREADER_H
