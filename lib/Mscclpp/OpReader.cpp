//===- OpReader.cpp - Operations from the JSON of MSCCL++ -----------------===//
//
// Reads the fields that the traits of an operation require. References into the tables of the rank
// and the threadblock are resolved as far as a place needs its buffer; PlanBuilder checks the rest.
//
//===----------------------------------------------------------------------===//

#include "OpReader.h"

namespace cclc::mscclpp {

using llvm::formatv;

LogicalResult readChannelKind(Fields &fields, const JsonTree::Node &node, ChannelKind &kind) {
  std::string name;
  if (failed(fields.text(node, name)))
    return failure();
  kind = ChannelKind::Memory;
  if (name == "none")
    return success();
  for (ChannelKind known : {ChannelKind::Memory, ChannelKind::Port, ChannelKind::Switch})
    if (name == channelKindName(known)) {
      kind = known;
      return success();
    }
  return fields.error(node, "unknown kind of channel '" + name + "'");
}

LogicalResult OpReader::readLocalPlace(const Node &node, Place &place) {
  // The executor treats a local chunk as its own, whatever its rank field.
  uint32_t number = id.index();
  if (failed(fields.optionally(node, "rank", number)))
    return failure();
  if (number != id.index())
    return fields.error(*fields.tree.find(node, "rank"),
                        formatv("a local chunk is of rank {0}, not {1}", id.index(), number));
  return fields.buffer(*fields.tree.find(node, "type"), place.buffer);
}

LogicalResult OpReader::readRemotePlace(const Node &node, ChannelKind kind, Place &place) {
  uint32_t number = 0;
  const Node &remote = *fields.tree.find(node, "buffer_id");
  if (failed(fields.number(remote, number)))
    return failure();
  const std::vector<uint32_t> &known = tb.remotes[kind == ChannelKind::Port];
  if (number >= known.size() || known[number] >= rank.remotes.size())
    return fields.error(remote, formatv("the threadblock has no remote buffer {0}", number));
  place.remote = number;
  place.buffer = rank.remotes[known[number]].buffer;
  return success();
}

LogicalResult OpReader::readSwitchPlace(const Node &node, const Op &op, Place &place) {
  const Node &channel = *fields.tree.find(node, "switch_channel_id");
  if (!traits(op.op).usesSwitch())
    return fields.error(channel, "the operation takes no switch channel");
  uint32_t number = 0;
  if (failed(fields.number(channel, number)))
    return failure();
  if (number >= tb.switches.size() || tb.switches[number] >= rank.switches.size())
    return fields.error(node, formatv("the threadblock has no switch channel {0}", number));
  place.group = number;
  place.buffer = rank.switches[tb.switches[number]].buffer;
  return success();
}

LogicalResult OpReader::readPlace(const Node &node, const Op &op, Place &place) {
  if (failed(fields.expect(node, JsonTree::Kind::Object)))
    return failure();
  StringRef where = "type";
  for (StringRef key : {"buffer_id", "switch_channel_id"})
    if (fields.tree.find(node, key))
      where = key;
  SmallVector<StringRef, 1> ignored;
  if (where == "type")
    ignored.push_back("rank");
  if (failed(fields.expectObject(node, {where, "index", "size"}, ignored)) ||
      failed(fields.number(*fields.tree.find(node, "index"), place.index)) ||
      failed(fields.number(*fields.tree.find(node, "size"), place.count)))
    return failure();
  return where == "type"        ? readLocalPlace(node, place)
         : where == "buffer_id" ? readRemotePlace(node, op.channel, place)
                                : readSwitchPlace(node, op, place);
}

LogicalResult OpReader::readPlaces(const Node &node, StringRef key, Op &op,
                                   SmallVectorImpl<Place> &places) {
  return fields.each(node, key, [&](const Node &element) {
    return readPlace(element, op, places.emplace_back());
  });
}

/// Reads part `tb_id` of `tbg_size`.
LogicalResult OpReader::readShare(const Node &node, Share &share) {
  if (failed(fields.expectObject(node, {"tb_id", "tbg_size"})) ||
      failed(fields.number(*fields.tree.find(node, "tb_id"), share.part)) ||
      failed(fields.number(*fields.tree.find(node, "tbg_size"), share.parts)))
    return failure();
  if (share.part >= share.parts)
    return fields.error(node, formatv("there is no part {0} of {1}", share.part, share.parts));
  return success();
}

LogicalResult OpReader::readPipeline(const Node &node, LocId loc) {
  if (failed(fields.expectObject(node, {"name", "iter_context", "ops"})))
    return failure();
  Pieces pieces;
  const Node &context = *fields.tree.find(node, "iter_context");
  if (failed(fields.expectObject(context, {"unit_size", "num_chunks"})) ||
      failed(fields.number(*fields.tree.find(context, "unit_size"), pieces.bytes)) ||
      failed(fields.number(*fields.tree.find(context, "num_chunks"), pieces.chunks)))
    return failure();
  if (pieces.bytes == 0)
    return fields.error(context, "a pipeline of pieces of 0 bytes does not end");
  size_t at = tb.ops.size();
  tb.ops.push_back({OpKind::Pipeline, loc});
  if (failed(fields.each(node, "ops",
                         [&](const Node &element) { return read(element, /*inPipeline=*/true); })))
    return failure();
  pieces.bodySize = tb.ops.size() - at - 1;
  tb.ops[at].pieces = pieces;
  return success();
}

LogicalResult OpReader::readBody(const Node &node, Op &op) {
  if (failed(readPlaces(node, "src_buff", op, op.src)) ||
      failed(readPlaces(node, "dst_buff", op, op.dst)))
    return failure();
  bool isByProxy = op.channel == ChannelKind::Port && traits(op.op).movesData();
  IdKind kind = isByProxy ? IdKind::Channels : traits(op.op).ids;
  std::vector<uint32_t> ids;
  if ((kind == IdKind::Channels && failed(fields.numbers(node, "channel_ids", ids))) ||
      (kind == IdKind::Semaphores && failed(fields.numbers(node, "semaphore_ids", ids))))
    return failure();
  if (kind == IdKind::Barrier) {
    const Node *id = fields.tree.find(node, "barrier_id");
    const Node *count = fields.tree.find(node, "num_threadblocks");
    if (!id || !count)
      return fields.error(node, "a barrier needs 'barrier_id' and 'num_threadblocks'");
    if (failed(fields.number(*id, ids.emplace_back())) ||
        failed(fields.number(*count, op.participants)))
      return failure();
  }
  op.ids.assign(ids.begin(), ids.end());
  return success();
}

LogicalResult OpReader::read(const Node &node, bool inPipeline) {
  if (failed(fields.expect(node, JsonTree::Kind::Object)))
    return failure();
  const Node *nameNode = fields.tree.find(node, "name");
  if (!nameNode)
    return fields.error(node, "'name' is missing");
  std::string name;
  if (failed(fields.text(*nameNode, name)))
    return failure();
  if (name == "glre" || name == "start") {
    // Operations of the DSL, with different keys.
    fields.unsupported(*nameNode,
                       "operation '" + name + "' is not supported, not even by the executor");
    return success();
  }
  std::optional<OpKind> op = parseOpKind(name);
  if (!op)
    return fields.error(*nameNode, "unknown operation '" + name + "'");
  Op made{*op, locs.append(locs.internFile(fields.fileName), node.line, node.column)};
  if (*op == OpKind::Pipeline)
    return inPipeline ? LogicalResult(fields.error(*nameNode, "a pipeline in a pipeline"))
                      : readPipeline(node, made.loc);
  if (failed(fields.expectObject(node, {"name"},
                                 {"channel_type", "channel_ids", "src_buff", "dst_buff",
                                  "semaphore_ids", "barrier_id", "num_threadblocks", "reduce_op",
                                  "tbg_info"})))
    return failure();
  if (const Node *share = fields.tree.find(node, "tbg_info"))
    if (failed(readShare(*share, made.share)))
      return failure();
  made.channel = traits(*op).usesSwitch() ? ChannelKind::Switch : ChannelKind::Memory;
  if (const Node *type = fields.tree.find(node, "channel_type"))
    if (failed(readChannelKind(fields, *type, made.channel)))
      return failure();
  if (const Node *reduce = fields.tree.find(node, "reduce_op"))
    if (reduce->text != "add" && reduce->text != "sum")
      return fields.error(*reduce,
                          "reduce_op '" + reduce->text + "': the executor ignores it and sums");
  if (failed(readBody(node, made)))
    return failure();
  tb.ops.push_back(std::move(made));
  return success();
}

} // namespace cclc::mscclpp
