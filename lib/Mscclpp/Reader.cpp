//===- Reader.cpp - Plans from the JSON of MSCCL++ ------------------------===//
//
// Reads the tree of JsonTree.h into a PlanBuilder, gpu by gpu. Keys that the executor ignores are
// accepted if they have no effect and rejected if they would change the meaning: a reduce_op that
// is not a sum, a kind of channel or an operation that the model does not have.
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
  LogicalResult readChannels(const Node &node, RankDraft &rank, ChannelCounts &counts);
  LogicalResult readRemotes(const Node &node, RankDraft &rank);
  LogicalResult readThreadblock(const Node &node, uint32_t id, RankId rankId, const RankDraft &rank,
                                const ChannelCounts &ofRank, ThreadblockDraft &tb);
  LogicalResult readReferences(const Node &node, StringRef key, ArrayRef<StringRef> keys,
                               uint32_t (&counts)[3], std::vector<uint32_t> &references,
                               const ChannelCounts *ofRank);
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

/// Reads the numbers of a threadblock's channels or remote buffers, memory channels first.
LogicalResult Reader::readReferences(const Node &node, StringRef key, ArrayRef<StringRef> keys,
                                     uint32_t (&counts)[3], std::vector<uint32_t> &references,
                                     const ChannelCounts *ofRank) {
  std::vector<uint32_t> byKind[3];
  if (failed(each(node, key, [&](const Node &entry) -> LogicalResult {
        ChannelKind kind = ChannelKind::Memory;
        if (failed(expectObject(entry, keys, {"buff"})) ||
            failed(readChannelKind(*this, *tree.find(entry, keys[0]), kind)))
          return failure();
        size_t before = byKind[size_t(kind)].size();
        if (failed(numbers(entry, keys[1], byKind[size_t(kind)])))
          return failure();
        for (uint32_t number : ArrayRef(byKind[size_t(kind)]).drop_front(before))
          if (ofRank && kind != ChannelKind::Memory && number >= ofRank->channels[size_t(kind)])
            return error(entry,
                         formatv("the rank has no {0} channel {1}", channelKindName(kind), number));
        return success();
      })))
    return failure();
  for (size_t kind = 0; kind < 3; ++kind)
    counts[kind] = byKind[kind].size();
  references = byKind[0];
  for (uint32_t port : byKind[1])
    references.push_back(ofRank ? ofRank->channels[0] + port : port);
  return success();
}

LogicalResult Reader::readThreadblock(const Node &node, uint32_t id, RankId rankId,
                                      const RankDraft &rank, const ChannelCounts &ofRank,
                                      ThreadblockDraft &tb) {
  uint32_t written = 0;
  if (failed(expectObject(node, {"id", "ops"}, {"channels", "remote_buffer_refs"})) ||
      failed(number(*tree.find(node, "id"), written)))
    return failure();
  if (written != id)
    return error(*tree.find(node, "id"),
                 formatv("found threadblock {0}, expected threadblock {1}", written, id));
  ChannelCounts counts;
  if (failed(readReferences(node, "channels", {"channel_type", "channel_ids"}, counts.channels,
                            tb.channels, &ofRank)) ||
      failed(readReferences(node, "remote_buffer_refs",
                            {"access_channel_type", "remote_buffer_ids"}, counts.remotes,
                            tb.remotes, nullptr)))
    return failure();
  OpReader ops(*this, locs, rankId, rank, counts, tb);
  return each(node, "ops", [&](const Node &element) { return ops.read(element); });
}

/// Reads the peers of memory channels, then those of port channels; switch channels are only
/// counted.
LogicalResult Reader::readChannels(const Node &node, RankDraft &rank, ChannelCounts &counts) {
  std::vector<RankId> ports;
  auto readEntry = [&](const Node &entry) -> LogicalResult {
    if (failed(expect(entry, Kind::Object)))
      return failure();
    ChannelKind kind = ChannelKind::Memory;
    if (const Node *type = tree.find(entry, "channel_type"))
      if (failed(readChannelKind(*this, *type, kind)))
        return failure();
    if (kind == ChannelKind::Switch) {
      Buffer of = Buffer::Scratch;
      if (failed(expectObject(entry, {"channel_type", "buffer_type", "rank_groups"})) ||
          failed(buffer(*tree.find(entry, "buffer_type"), of)))
        return failure();
      return each(entry, "rank_groups", [&](const Node &group) {
        ++counts.channels[size_t(kind)];
        std::vector<uint32_t> members;
        if (failed(expectObject(group, {"size", "ranks"})))
          return failure();
        return numbers(group, "ranks", members);
      });
    }
    std::vector<uint32_t> peers;
    if (failed(expectObject(entry, {"channel_type", "connected_to"})) ||
        failed(numbers(entry, "connected_to", peers)))
      return failure();
    counts.channels[size_t(kind)] += peers.size();
    for (uint32_t peer : peers)
      (kind == ChannelKind::Port ? ports : rank.channels).push_back(RankId(peer));
    return success();
  };
  if (failed(each(node, "channels", readEntry)))
    return failure();
  rank.channels.insert(rank.channels.end(), ports.begin(), ports.end());
  return success();
}

LogicalResult Reader::readRemotes(const Node &node, RankDraft &rank) {
  return each(node, "remote_buffers", [&](const Node &remote) -> LogicalResult {
    uint32_t peer = 0;
    Buffer type = Buffer::Scratch;
    if (failed(expectObject(remote, {"rank", "type", "access_channel_types"})) ||
        failed(number(*tree.find(remote, "rank"), peer)) ||
        failed(buffer(*tree.find(remote, "type"), type)))
      return failure();
    rank.remotes.push_back({RankId(peer), type});
    return each(remote, "access_channel_types", [&](const Node &element) {
      ChannelKind kind;
      return readChannelKind(*this, element, kind);
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
  ChannelCounts counts;
  if (failed(readChannels(node, rank, counts)) || failed(readRemotes(node, rank)))
    return failure();
  if (failed(each(node, "semaphores", [&](const Node &semaphore) -> LogicalResult {
        if (failed(expectObject(semaphore, {"init_value"})))
          return failure();
        return number(*tree.find(semaphore, "init_value"), rank.semaphores.emplace_back());
      })))
    return failure();
  uint32_t next = 0;
  return each(node, "threadblocks", [&](const Node &element) {
    return readThreadblock(element, next++, RankId(id), rank, counts,
                           rank.threadblocks.emplace_back());
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
