//===- OpReader.cpp - Operations from the JSON of MSCCL++ -----------------===//
//
// Reads the fields that the traits of an operation require. Operations that only the executor
// supports are read like a similar operation of the model, so that their structure is checked, and
// recorded as unsupported.
//
//===----------------------------------------------------------------------===//

#include "OpReader.h"

using namespace cclc;
using namespace cclc::mscclpp;
using llvm::formatv;

const char *mscclpp::channelKindName(ChannelKind kind) {
  return kind == ChannelKind::Memory ? "memory" : kind == ChannelKind::Port ? "port" : "switch";
}

LogicalResult mscclpp::readChannelKind(Fields &fields, const JsonTree::Node &node,
                                       ChannelKind &kind) {
  std::string name;
  if (failed(fields.text(node, name)))
    return failure();
  kind = ChannelKind::Memory;
  for (ChannelKind foreign : {ChannelKind::Port, ChannelKind::Switch})
    if (name == channelKindName(foreign))
      kind = foreign;
  if (kind != ChannelKind::Memory)
    fields.unsupported(node, name + " channels are not supported, only memory channels are");
  else if (name != "memory" && name != "none")
    return fields.error(node, "unknown kind of channel '" + name + "'");
  return success();
}

/// The operation of the model with the same fields as an unsupported one.
static std::optional<OpKind> likeness(StringRef name) {
  if (name == "pws" || name == "pwsf")
    return OpKind::Put;
  if (name == "flush")
    return OpKind::Signal;
  return std::nullopt;
}
static bool isOnSwitch(StringRef name) {
  return name == "glres" || name == "gstore" || name == "gstorepkt";
}

LogicalResult OpReader::readSwitchPlace(const Node &node) {
  uint32_t channel = 0, index = 0, count = 0;
  if (failed(fields.expectObject(node, {"switch_channel_id", "index", "size"})) ||
      failed(fields.number(*fields.tree.find(node, "switch_channel_id"), channel)) ||
      failed(fields.number(*fields.tree.find(node, "index"), index)) ||
      failed(fields.number(*fields.tree.find(node, "size"), count)))
    return failure();
  if (channel >= counts.channels[size_t(ChannelKind::Switch)])
    return fields.error(node, formatv("the threadblock has no switch channel {0}", channel));
  return success();
}

LogicalResult OpReader::readPlace(const Node &node, ChannelKind kind, Place &place) {
  const Node *remote = fields.tree.find(node, "buffer_id");
  SmallVector<StringRef, 1> ignored;
  if (!remote)
    ignored.push_back("rank");
  if (failed(
          fields.expectObject(node, {remote ? "buffer_id" : "type", "index", "size"}, ignored)) ||
      failed(fields.number(*fields.tree.find(node, "index"), place.index)) ||
      failed(fields.number(*fields.tree.find(node, "size"), place.count)))
    return failure();
  uint32_t number = id.index();
  if (!remote) {
    // The executor treats a local chunk as its own, whatever its rank field.
    if (failed(fields.optionally(node, "rank", number)))
      return failure();
    if (number != id.index())
      return fields.error(*fields.tree.find(node, "rank"),
                          formatv("a local chunk is of rank {0}, not {1}", id.index(), number));
    return fields.buffer(*fields.tree.find(node, "type"), place.buffer);
  }
  if (failed(fields.number(*remote, number)))
    return failure();
  uint32_t first = kind == ChannelKind::Port ? counts.remotes[size_t(ChannelKind::Memory)] : 0;
  if (number >= counts.remotes[size_t(kind)] || tb.remotes[first + number] >= rank.remotes.size())
    return fields.error(*remote, formatv("the threadblock has no remote buffer {0}", number));
  place.remote = first + number;
  place.buffer = rank.remotes[tb.remotes[first + number]].buffer;
  return success();
}

LogicalResult OpReader::readPlaces(const Node &node, StringRef key, ChannelKind kind, bool onSwitch,
                                   SmallVectorImpl<Place> &places) {
  return fields.each(node, key, [&](const Node &element) -> LogicalResult {
    if (failed(fields.expect(element, JsonTree::Kind::Object)))
      return failure();
    const Node *channel = fields.tree.find(element, "switch_channel_id");
    if (!channel)
      return readPlace(element, kind, places.emplace_back());
    if (!onSwitch)
      return fields.error(*channel, "the operation takes no switch channel");
    return readSwitchPlace(element);
  });
}

LogicalResult OpReader::readChannels(const Node &node, ChannelKind kind, Op &op) {
  std::vector<uint32_t> ids;
  if (failed(fields.numbers(node, "channel_ids", ids)))
    return failure();
  uint32_t first = kind == ChannelKind::Port ? counts.channels[size_t(ChannelKind::Memory)] : 0;
  for (uint32_t id : ids) {
    // If there are only memory channels, the numbers are checked with the structure of the plan.
    if (id >= counts.channels[size_t(kind)] && counts.channels[size_t(kind)] != tb.channels.size())
      return fields.error(
          *fields.tree.find(node, "channel_ids"),
          formatv("the threadblock has no {0} channel {1}", channelKindName(kind), id));
    op.ids.push_back(first + id);
  }
  return success();
}

/// Reads part `tb_id` of `tbg_size`.
LogicalResult OpReader::readSharing(const Node &node) {
  uint32_t part = 0, parts = 0;
  if (failed(fields.expectObject(node, {"tb_id", "tbg_size"})) ||
      failed(fields.number(*fields.tree.find(node, "tb_id"), part)) ||
      failed(fields.number(*fields.tree.find(node, "tbg_size"), parts)))
    return failure();
  if (part >= parts)
    return fields.error(node, formatv("there is no part {0} of {1}", part, parts));
  fields.unsupported(node, "operations that threadblocks share ('tbg_info') are not supported");
  return success();
}

LogicalResult OpReader::readPipeline(const Node &node) {
  if (failed(fields.expectObject(node, {"name", "iter_context", "ops"})))
    return failure();
  uint64_t unit = 0, chunks = 0;
  const Node &context = *fields.tree.find(node, "iter_context");
  if (failed(fields.expectObject(context, {"unit_size", "num_chunks"})) ||
      failed(fields.number(*fields.tree.find(context, "unit_size"), unit)) ||
      failed(fields.number(*fields.tree.find(context, "num_chunks"), chunks)))
    return failure();
  if (unit == 0)
    return fields.error(context, "a pipeline of pieces of 0 bytes does not end");
  return fields.each(node, "ops",
                     [&](const Node &element) { return read(element, /*inPipeline=*/true); });
}

FailureOr<bool> OpReader::readForeign(const Node &node, StringRef name, bool inPipeline) {
  const Node &nameNode = *fields.tree.find(node, "name");
  if (name == "pipeline") {
    if (inPipeline)
      return fields.error(nameNode, "a pipeline in a pipeline");
    fields.unsupported(nameNode, "operation 'pipeline' is not supported: only memory channels are, "
                                 "without pipelines");
    if (failed(readPipeline(node)))
      return failure();
    return true;
  }
  if (name == "glre" || name == "start") {
    // Operations of the DSL, with different keys.
    fields.unsupported(nameNode,
                       "operation '" + name.str() + "' is not supported, not even by the executor");
    return true;
  }
  if (likeness(name) || isOnSwitch(name))
    fields.unsupported(nameNode, "operation '" + name.str() +
                                     "' is not supported: only memory channels are, without "
                                     "pipelines");
  return false;
}

LogicalResult OpReader::readBody(const Node &node, ChannelKind kind, bool onSwitch, Op &op) {
  if (failed(readPlaces(node, "src_buff", kind, onSwitch, op.src)) ||
      failed(readPlaces(node, "dst_buff", kind, onSwitch, op.dst)))
    return failure();
  const OpTraits &does = traits(op.op);
  std::vector<uint32_t> ids;
  if (does.ids == IdKind::Channels)
    return readChannels(node, kind, op);
  if (does.ids == IdKind::Semaphores && failed(fields.numbers(node, "semaphore_ids", ids)))
    return failure();
  if (does.ids == IdKind::Barrier) {
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
  FailureOr<bool> isForeign = readForeign(node, name, inPipeline);
  if (failed(isForeign))
    return failure();
  if (*isForeign)
    return success();
  std::optional<OpKind> op = likeness(name) ? likeness(name) : parseOpKind(name);
  if (!op && !isOnSwitch(name))
    return fields.error(*nameNode, "unknown operation '" + name + "'");
  Op made{op.value_or(OpKind::Nop),
          locs.append(locs.internFile(fields.fileName), node.line, node.column)};
  if (failed(fields.expectObject(node, {"name"},
                                 {"channel_type", "channel_ids", "src_buff", "dst_buff",
                                  "semaphore_ids", "barrier_id", "num_threadblocks", "reduce_op",
                                  "tbg_info"})))
    return failure();
  if (const Node *sharing = fields.tree.find(node, "tbg_info"))
    if (failed(readSharing(*sharing)))
      return failure();
  ChannelKind kind = ChannelKind::Memory;
  if (const Node *type = fields.tree.find(node, "channel_type"))
    if (failed(readChannelKind(fields, *type, kind)))
      return failure();
  if (const Node *reduce = fields.tree.find(node, "reduce_op"))
    if (reduce->text != "add" && reduce->text != "sum")
      return fields.error(*reduce,
                          "reduce_op '" + reduce->text + "': the executor ignores it and sums");
  if (failed(readBody(node, kind, isOnSwitch(name), made)))
    return failure();
  if (op)
    tb.ops.push_back(std::move(made));
  return success();
}
