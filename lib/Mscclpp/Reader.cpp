//===- Reader.cpp - Plans from the JSON of MSCCL++ ------------------------===//
//
// Reads the tree of JsonTree.h into a PlanBuilder, gpu by gpu. Keys that the executor ignores are
// accepted if they have no effect and rejected if they would change the meaning, such as a
// reduce_op that is not a sum.
//
//===----------------------------------------------------------------------===//

#include "OpReader.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Support/Text.h"

using llvm::formatv;

namespace cclc::mscclpp {
namespace {
class Reader : Fields {
public:
  using Fields::Fields;

  FailureOr<Plan> read(Verdict *why);

private:
  FailureOr<Header> readHeader(const Node &root);
  FailureOr<Collective> readCollective(const Node &root, const Node &gpu, uint32_t ranks);
  LogicalResult readRank(const Node &node, uint32_t id, RankDraft &rank);
  LogicalResult readChannels(const Node &node, RankDraft &rank);
  LogicalResult readGroups(const Node &node, RankDraft &rank);
  LogicalResult readRemotes(const Node &node, RankDraft &rank);
  LogicalResult readThreadblock(const Node &node, uint32_t id, RankId rankId, const RankDraft &rank,
                                ThreadblockDraft &tb);
  LogicalResult readReferences(const Node &node, StringRef key, ArrayRef<StringRef> keys,
                               std::vector<uint32_t> *(&places)[3]);
  /// Files before v0.8.0 have different keys throughout.
  bool isOfOldSchema(const Node &root);

  LocTable locs;
};

FailureOr<Collective> Reader::readCollective(const Node &root, const Node &gpu, uint32_t ranks) {
  std::string name;
  uint32_t input = 0, output = 0, rootRank = 0;
  const Node &nameNode = *tree.find(root, "collective");
  if (failed(text(nameNode, name)) || failed(optionally(gpu, "input_chunks", input)) ||
      failed(optionally(gpu, "output_chunks", output)) ||
      failed(optionally(root, "root", rootRank)))
    return failure();
  if (input == 0 && output == 0)
    return error(gpu, "the plan has no input and no output chunks");
  if (rootRank >= ranks)
    return error(*tree.find(root, "root"), formatv("there is no rank {0}", rootRank));
  std::optional<CollectiveKind> kind = parseCollective(name);
  if (!kind || *kind == CollectiveKind::Custom)
    return Collective(ranks, CustomSpec{input, output, {}});
  // Derive the chunks per rank from the size of the buffer.
  Collective unit(*kind, ranks, 1, RankId(rootRank));
  uint32_t have = input ? input : output;
  uint32_t per = input ? unit.inputChunks() : unit.outputChunks();
  if (have % per != 0)
    return error(gpu, formatv("{0} {1} chunks are not divisible by the {2} ranks, as {3} requires",
                              have, input ? "input" : "output", ranks, name));
  return Collective(*kind, ranks, have / per, RankId(rootRank));
}

FailureOr<Header> Reader::readHeader(const Node &root) {
  const Node &gpus = *tree.find(root, "gpus");
  const Node *first = tree.firstChild(gpus);
  if (!first)
    return error(gpus, "the plan has no gpus");
  uint64_t ranks = 0;
  for (const Node *gpu = first; gpu; gpu = tree.nextSibling(*gpu))
    ++ranks;
  if (ranks > maxRanks)
    return error(gpus, formatv("{0} gpus exceed the limit of {1}", ranks, maxRanks));
  if (failed(expect(*first, Kind::Object)))
    return failure();
  FailureOr<Collective> collective = readCollective(root, *first, ranks);
  if (failed(collective))
    return failure();
  Header header(std::move(*collective));
  header.file = fileName.str();
  std::string protocol;
  const Node &protocolNode = *tree.find(root, "protocol");
  if (failed(text(*tree.find(root, "name"), header.name)) ||
      failed(text(*tree.find(root, "collective"), header.collectiveName)) ||
      failed(text(protocolNode, protocol)) ||
      failed(boolean(*tree.find(root, "inplace"), header.inPlace)) ||
      failed(optionally(root, "reuse_resources", header.reuseResources)) ||
      failed(optionally(root, "use_double_scratch_buffer", header.doubleScratch)) ||
      failed(optionally(root, "buffer_alignment", header.bufferAlignment)) ||
      failed(optionally(root, "num_threads_per_block", header.threadsPerBlock)) ||
      failed(optionally(root, "min_message_size", header.minBytes)))
    return failure();
  if (protocol != "Simple" && protocol != "LL")
    return error(protocolNode,
                 "protocol '" + protocol +
                     "': the executor supports Simple and LL, and treats other values as Simple");
  header.protocol = *parseProtocol(protocol);
  if (const Node *node = tree.find(root, "max_message_size"))
    if (failed(number(*node, header.maxBytes.emplace())))
      return failure();
  return header;
}

/// Reads the numbers of a threadblock's channels or remote buffers into the list of their kind.
LogicalResult Reader::readReferences(const Node &node, StringRef key, ArrayRef<StringRef> keys,
                                     std::vector<uint32_t> *(&places)[3]) {
  return each(node, key, [&](const Node &entry) -> LogicalResult {
    ChannelKind kind = ChannelKind::Memory;
    if (failed(expectObject(entry, keys, {"buff"})) ||
        failed(readChannelKind(*this, *tree.find(entry, keys[0]), kind)))
      return failure();
    if (!places[size_t(kind)])
      return error(entry, "switch channels have no remote buffers");
    return numbers(entry, keys[1], *places[size_t(kind)]);
  });
}

LogicalResult Reader::readThreadblock(const Node &node, uint32_t id, RankId rankId,
                                      const RankDraft &rank, ThreadblockDraft &tb) {
  uint32_t written = 0;
  if (failed(expectObject(node, {"id", "ops"}, {"channels", "remote_buffer_refs"})) ||
      failed(number(*tree.find(node, "id"), written)))
    return failure();
  if (written != id)
    return error(*tree.find(node, "id"),
                 formatv("found threadblock {0}, expected threadblock {1}", written, id));
  std::vector<uint32_t> *channels[] = {&tb.channels[0], &tb.channels[1], &tb.switches};
  std::vector<uint32_t> *remotes[] = {&tb.remotes[0], &tb.remotes[1], nullptr};
  if (failed(readReferences(node, "channels", {"channel_type", "channel_ids"}, channels)) ||
      failed(readReferences(node, "remote_buffer_refs",
                            {"access_channel_type", "remote_buffer_ids"}, remotes)))
    return failure();
  OpReader ops(*this, locs, rankId, rank, tb);
  return each(node, "ops", [&](const Node &element) { return ops.read(element); });
}

/// Reads an entry with groups of ranks, each of which is a switch channel.
LogicalResult Reader::readGroups(const Node &node, RankDraft &rank) {
  Buffer of = Buffer::Scratch;
  if (failed(expectObject(node, {"channel_type", "buffer_type", "rank_groups"})) ||
      failed(buffer(*tree.find(node, "buffer_type"), of)))
    return failure();
  return each(node, "rank_groups", [&](const Node &group) -> LogicalResult {
    std::vector<uint32_t> members;
    if (failed(expectObject(group, {"size", "ranks"})) || failed(numbers(group, "ranks", members)))
      return failure();
    RankDraft::Switch &made = rank.switches.emplace_back();
    made.buffer = of;
    for (uint32_t member : members)
      made.members.push_back(RankId(member));
    return success();
  });
}

LogicalResult Reader::readChannels(const Node &node, RankDraft &rank) {
  return each(node, "channels", [&](const Node &entry) -> LogicalResult {
    if (failed(expect(entry, Kind::Object)))
      return failure();
    ChannelKind kind = ChannelKind::Memory;
    if (const Node *type = tree.find(entry, "channel_type"))
      if (failed(readChannelKind(*this, *type, kind)))
        return failure();
    if (kind == ChannelKind::Switch)
      return readGroups(entry, rank);
    std::vector<uint32_t> peers;
    if (failed(expectObject(entry, {"channel_type", "connected_to"})) ||
        failed(numbers(entry, "connected_to", peers)))
      return failure();
    for (uint32_t peer : peers)
      rank.channels[size_t(kind)].push_back(RankId(peer));
    return success();
  });
}

LogicalResult Reader::readRemotes(const Node &node, RankDraft &rank) {
  return each(node, "remote_buffers", [&](const Node &remote) -> LogicalResult {
    uint32_t peer = 0;
    Buffer type = Buffer::Scratch;
    if (failed(expectObject(remote, {"rank", "type", "access_channel_types"})) ||
        failed(number(*tree.find(remote, "rank"), peer)) ||
        failed(buffer(*tree.find(remote, "type"), type)))
      return failure();
    RemoteBuffer &made = rank.remotes.emplace_back(RemoteBuffer{RankId(peer), type, false, false});
    return each(remote, "access_channel_types", [&](const Node &element) -> LogicalResult {
      ChannelKind kind = ChannelKind::Memory;
      if (failed(readChannelKind(*this, element, kind)))
        return failure();
      (kind == ChannelKind::Port ? made.byPort : made.byMemory) = true;
      return success();
    });
  });
}

LogicalResult Reader::readRank(const Node &node, uint32_t id, RankDraft &rank) {
  uint32_t written = 0;
  if (failed(expectObject(node,
                          {"id", "input_chunks", "output_chunks", "scratch_chunks", "threadblocks"},
                          {"channels", "remote_buffers", "semaphores"})) ||
      failed(number(*tree.find(node, "id"), written)))
    return failure();
  if (written != id)
    return error(*tree.find(node, "id"), formatv("found gpu {0}, expected gpu {1}", written, id));
  if (failed(number(*tree.find(node, "input_chunks"), rank.inputChunks)) ||
      failed(number(*tree.find(node, "output_chunks"), rank.outputChunks)) ||
      failed(number(*tree.find(node, "scratch_chunks"), rank.scratchChunks)))
    return failure();
  if (failed(readChannels(node, rank)) || failed(readRemotes(node, rank)))
    return failure();
  if (failed(each(node, "semaphores", [&](const Node &semaphore) -> LogicalResult {
        if (failed(expectObject(semaphore, {"init_value"})))
          return failure();
        return number(*tree.find(semaphore, "init_value"), rank.semaphores.emplace_back());
      })))
    return failure();
  uint32_t next = 0;
  return each(node, "threadblocks", [&](const Node &element) {
    return readThreadblock(element, next++, RankId(id), rank, rank.threadblocks.emplace_back());
  });
}

bool Reader::isOfOldSchema(const Node &root) {
  const Node *gpus = root.kind == Kind::Object ? tree.find(root, "gpus") : nullptr;
  const Node *first = gpus && gpus->kind == Kind::Array ? tree.firstChild(*gpus) : nullptr;
  const Node *chunks =
      first && first->kind == Kind::Object ? tree.find(*first, "inputChunks") : nullptr;
  if (chunks)
    unsupported(*chunks, "plans of MSCCL++ before v0.8.0 are not supported ('inputChunks' is "
                         "'input_chunks' now)");
  return chunks;
}

FailureOr<Plan> Reader::read(Verdict *why) {
  auto refuse = [&]() -> FailureOr<Plan> {
    if (why)
      *why = Verdict::Unsupported;
    reportUnsupported();
    return failure();
  };
  const Node &root = tree.root();
  if (isOfOldSchema(root))
    return refuse();
  if (failed(expectObject(root, {"name", "collective", "protocol", "inplace", "gpus"},
                          {"reuse_resources", "use_double_scratch_buffer", "buffer_alignment",
                           "num_threads_per_block", "min_message_size", "max_message_size", "root",
                           "nranks_per_node", "world_size", "tags"})) ||
      failed(expect(*tree.find(root, "gpus"), Kind::Array)))
    return failure();
  FailureOr<Header> header = readHeader(root);
  if (failed(header))
    return failure();
  std::vector<RankDraft> ranks;
  if (failed(each(root, "gpus", [&](const Node &gpu) {
        uint32_t id = ranks.size();
        return readRank(gpu, id, ranks.emplace_back());
      })))
    return failure();
  header->locs = std::move(locs);
  PlanBuilder builder(std::move(*header));
  for (const RankDraft &rank : ranks)
    builder.addRank(rank);
  FailureOr<Plan> plan = std::move(builder).finish(diags);
  if (succeeded(plan) && !isSupported())
    return refuse();
  return plan;
}
} // namespace

FailureOr<Plan> readJson(StringRef text, StringRef fileName, DiagnosticEngine &diags,
                         Verdict *why) {
  if (why)
    *why = Verdict::Malformed;
  text = withoutByteOrderMark(text);
  FailureOr<JsonTree> tree = JsonTree::parse(text, fileName, diags);
  if (failed(tree))
    return failure();
  return Reader(*tree, fileName, diags).read(why);
}
} // namespace cclc::mscclpp
