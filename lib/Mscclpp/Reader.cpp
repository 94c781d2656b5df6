//===- Reader.cpp - A plan from the JSON of MSCCL++ -----------------------===//
//
// What the executor ignores is accepted where it cannot matter and refused where
// it would change the meaning: a reduce_op that is not a sum, a kind of channel or
// an operation that this model has not.
//
//===----------------------------------------------------------------------===//

#include "JsonTree.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/PlanBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace cclc::mscclpp {
namespace {
using Kind = JsonTree::Kind;
using Node = JsonTree::Node;

class Reader {
public:
  Reader(const JsonTree &tree, StringRef fileName, DiagnosticEngine &diags)
      : tree(tree), fileName(fileName), diags(diags) {}

  FailureOr<Plan> read();

private:
  // --- Values ------------------------------------------------------------------------

  DiagnosticEngine::InFlight error(const Node &node, const llvm::Twine &text) {
    return diags.error(tree.locate(node), text);
  }
  static std::string nameOf(const Node &node) {
    return node.key.empty() ? "this element" : "'" + node.key + "'";
  }

  LogicalResult expect(const Node &node, Kind kind) {
    if (node.kind == kind)
      return success();
    return error(node, nameOf(node) + " takes " + describe(kind) + ", not " + describe(node.kind));
  }
  /// An object with the keys of \p required and perhaps those of \p optional.
  LogicalResult expectObject(const Node &node, ArrayRef<StringRef> required,
                             ArrayRef<StringRef> optional = {}) {
    if (failed(expect(node, Kind::Object)))
      return failure();
    for (const Node *child = tree.firstChild(node); child; child = tree.nextSibling(*child))
      if (!llvm::is_contained(required, child->key) && !llvm::is_contained(optional, child->key))
        return error(*child, "unknown key '" + child->key + "'");
    for (StringRef key : required)
      if (!tree.find(node, key))
        return error(node, "'" + key + "' is missing");
    return success();
  }

  LogicalResult number(const Node &node, uint64_t &place, uint64_t limit = ~uint64_t(0)) {
    if (failed(expect(node, Kind::Number)))
      return failure();
    if (node.number > limit)
      return error(node,
                   formatv("{0}: {1} is above the limit of {2}", nameOf(node), node.number, limit));
    place = node.number;
    return success();
  }
  LogicalResult number(const Node &node, uint32_t &place, uint32_t limit = Operand::maxIndex) {
    uint64_t value = 0;
    if (failed(number(node, value, limit)))
      return failure();
    place = value;
    return success();
  }
  LogicalResult text(const Node &node, std::string &place) {
    if (failed(expect(node, Kind::String)))
      return failure();
    place = node.text;
    return success();
  }
  LogicalResult boolean(const Node &node, bool &place) {
    if (failed(expect(node, Kind::Bool)))
      return failure();
    place = node.number;
    return success();
  }
  /// The value under a key that may be missing.
  template <class T> LogicalResult optionally(const Node &object, StringRef key, T &place) {
    const Node *node = tree.find(object, key);
    if (!node)
      return success();
    if constexpr (std::is_same_v<T, bool>)
      return boolean(*node, place);
    else
      return number(*node, place);
  }
  /// Calls fn(element) for the elements of an array that may be missing.
  template <class Fn> LogicalResult each(const Node &object, StringRef key, Fn fn) {
    const Node *array = tree.find(object, key);
    if (!array)
      return success();
    if (failed(expect(*array, Kind::Array)))
      return failure();
    for (const Node *element = tree.firstChild(*array); element;
         element = tree.nextSibling(*element))
      if (failed(fn(*element)))
        return failure();
    return success();
  }
  LogicalResult numbers(const Node &object, StringRef key, std::vector<uint32_t> &places) {
    return each(object, key,
                [&](const Node &element) { return number(element, places.emplace_back()); });
  }
  LogicalResult buffer(const Node &node, Buffer &place) {
    if (failed(expect(node, Kind::String)))
      return failure();
    std::optional<Buffer> parsed = parseBuffer(node.text);
    if (!parsed)
      return error(node, "unknown buffer '" + node.text + "', known are i, o and s");
    place = *parsed;
    return success();
  }
  /// Only memory channels are known.
  LogicalResult channelType(const Node &node) {
    if (failed(expect(node, Kind::String)))
      return failure();
    if (node.text == "memory" || node.text == "none")
      return success();
    if (node.text == "port" || node.text == "switch")
      return error(node, node.text + " channels are not supported, only memory channels are");
    return error(node, "unknown kind of channel '" + node.text + "'");
  }

  // --- The parts of a plan ---------------------------------------------------------------

  FailureOr<Header> readHeader(const Node &root);
  FailureOr<Collective> readCollective(const Node &root, const Node &gpu, uint32_t ranks);
  LogicalResult readRank(const Node &node, uint32_t id, RankDraft &rank);
  LogicalResult readThreadblock(const Node &node, uint32_t id, const RankDraft &rank,
                                ThreadblockDraft &tb);
  LogicalResult readOp(const Node &node, const RankDraft &rank, const ThreadblockDraft &tb,
                       ThreadblockDraft::Op &op);
  LogicalResult readPlace(const Node &node, const RankDraft &rank, const ThreadblockDraft &tb,
                          Place &place);

  const JsonTree &tree;
  StringRef fileName;
  DiagnosticEngine &diags;
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
  // Chunks that go to or come from each rank, told from the buffer that is there.
  Collective unit(*kind, ranks, 1, RankId(rootRank));
  uint32_t have = input ? input : output;
  uint32_t per = input ? unit.inputChunks() : unit.outputChunks();
  if (have % per != 0)
    return error(gpu, formatv("{0} {1} chunks are not divisible by the {2} ranks, as {3} needs "
                              "them to be",
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
    return error(gpus, formatv("{0} gpus are above the limit of {1}", ranks, maxRanks));
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
    return error(protocolNode, "protocol '" + protocol +
                                   "': the executor knows Simple and LL, and takes anything else "
                                   "for Simple");
  header.protocol = *parseProtocol(protocol);
  if (const Node *node = tree.find(root, "max_message_size"))
    if (failed(number(*node, header.maxBytes.emplace())))
      return failure();
  // What a collective that is not known shares is not known either.
  header.inPlace &= header.collective.supports(Placement::InPlace);
  return header;
}

LogicalResult Reader::readPlace(const Node &node, const RankDraft &rank, const ThreadblockDraft &tb,
                                Place &place) {
  if (failed(expect(node, Kind::Object)))
    return failure();
  if (const Node *port = tree.find(node, "switch_channel_id"))
    return error(*port, "switch channels are not supported, only memory channels are");
  const Node *remote = tree.find(node, "buffer_id");
  if (failed(expectObject(node, {remote ? "buffer_id" : "type", "index", "size"})) ||
      failed(number(*tree.find(node, "index"), place.index)) ||
      failed(number(*tree.find(node, "size"), place.count)))
    return failure();
  if (!remote)
    return buffer(*tree.find(node, "type"), place.buffer);
  uint32_t id = 0;
  if (failed(number(*remote, id)))
    return failure();
  if (id >= tb.remotes.size() || tb.remotes[id] >= rank.remotes.size())
    return error(*remote, formatv("the threadblock has no remote buffer {0}", id));
  place.remote = id;
  place.buffer = rank.remotes[tb.remotes[id]].buffer;
  return success();
}

LogicalResult Reader::readOp(const Node &node, const RankDraft &rank, const ThreadblockDraft &tb,
                             ThreadblockDraft::Op &op) {
  if (failed(expect(node, Kind::Object)))
    return failure();
  const Node *nameNode = tree.find(node, "name");
  if (!nameNode)
    return error(node, "'name' is missing");
  if (failed(expect(*nameNode, Kind::String)))
    return failure();
  StringRef name = nameNode->text;
  std::optional<OpKind> kind = parseOpKind(name);
  if (!kind) {
    constexpr StringRef known[] = {"pws",    "pwsf",      "flush",   "glres",
                                   "gstore", "gstorepkt", "pipeline"};
    if (llvm::is_contained(known, name))
      return error(*nameNode,
                   "operation '" + name +
                       "' is not supported: only memory channels are, without pipelines");
    if (name == "glre" || name == "start")
      return error(*nameNode, "operation '" + name + "' is unknown to the executor");
    return error(*nameNode, "unknown operation '" + name + "'");
  }
  const OpTraits &does = traits(*kind);
  op.op = *kind;
  op.loc = locs.append(locs.internFile(fileName), node.line, node.column);
  if (const Node *tbg = tree.find(node, "tbg_info"))
    return error(*tbg, "operations that threadblocks share ('tbg_info') are not supported");
  if (failed(expectObject(node, {"name"},
                          {"channel_type", "channel_ids", "src_buff", "dst_buff", "semaphore_ids",
                           "barrier_id", "num_threadblocks", "reduce_op"})))
    return failure();
  if (const Node *type = tree.find(node, "channel_type"))
    if (failed(channelType(*type)))
      return failure();
  if (const Node *reduce = tree.find(node, "reduce_op"))
    if (reduce->text != "add" && reduce->text != "sum")
      return error(*reduce, "reduce_op '" + reduce->text + "': the executor ignores it and sums");
  auto places = [&](StringRef key, SmallVectorImpl<Place> &list) {
    return each(node, key, [&](const Node &element) {
      return readPlace(element, rank, tb, list.emplace_back());
    });
  };
  if (failed(places("src_buff", op.src)) || failed(places("dst_buff", op.dst)))
    return failure();
  std::vector<uint32_t> ids;
  if (does.ids == IdKind::Channels && failed(numbers(node, "channel_ids", ids)))
    return failure();
  if (does.ids == IdKind::Semaphores && failed(numbers(node, "semaphore_ids", ids)))
    return failure();
  if (does.ids == IdKind::Barrier) {
    const Node *id = tree.find(node, "barrier_id"), *count = tree.find(node, "num_threadblocks");
    if (!id || !count)
      return error(node, "a barrier needs 'barrier_id' and 'num_threadblocks'");
    if (failed(number(*id, ids.emplace_back())) || failed(number(*count, op.participants)))
      return failure();
  }
  op.ids.assign(ids.begin(), ids.end());
  return success();
}

LogicalResult Reader::readThreadblock(const Node &node, uint32_t id, const RankDraft &rank,
                                      ThreadblockDraft &tb) {
  uint32_t written = 0;
  if (failed(expectObject(node, {"id", "ops"}, {"channels", "remote_buffer_refs"})) ||
      failed(number(*tree.find(node, "id"), written)))
    return failure();
  if (written != id)
    return error(*tree.find(node, "id"),
                 formatv("threadblock {0} stands where threadblock {1} is expected", written, id));
  if (failed(each(node, "channels", [&](const Node &channels) -> LogicalResult {
        if (failed(expectObject(channels, {"channel_type", "channel_ids"}, {"buff"})) ||
            failed(channelType(*tree.find(channels, "channel_type"))))
          return failure();
        return numbers(channels, "channel_ids", tb.channels);
      })))
    return failure();
  if (failed(each(node, "remote_buffer_refs", [&](const Node &refs) -> LogicalResult {
        if (failed(expectObject(refs, {"access_channel_type", "remote_buffer_ids"})) ||
            failed(channelType(*tree.find(refs, "access_channel_type"))))
          return failure();
        return numbers(refs, "remote_buffer_ids", tb.remotes);
      })))
    return failure();
  return each(node, "ops", [&](const Node &element) {
    return readOp(element, rank, tb, tb.ops.emplace_back(ThreadblockDraft::Op{OpKind::Nop}));
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
    return error(*tree.find(node, "id"),
                 formatv("gpu {0} stands where gpu {1} is expected", written, id));
  if (failed(number(*tree.find(node, "input_chunks"), rank.inputChunks)) ||
      failed(number(*tree.find(node, "output_chunks"), rank.outputChunks)) ||
      failed(number(*tree.find(node, "scratch_chunks"), rank.scratchChunks)))
    return failure();
  if (failed(each(node, "channels", [&](const Node &channels) -> LogicalResult {
        if (failed(expect(channels, Kind::Object)))
          return failure();
        if (const Node *type = tree.find(channels, "channel_type"))
          if (failed(channelType(*type)))
            return failure();
        std::vector<uint32_t> peers;
        if (failed(expectObject(channels, {"channel_type", "connected_to"})) ||
            failed(numbers(channels, "connected_to", peers)))
          return failure();
        for (uint32_t peer : peers)
          rank.channels.push_back(RankId(peer));
        return success();
      })))
    return failure();
  if (failed(each(node, "remote_buffers", [&](const Node &remote) -> LogicalResult {
        uint32_t peer = 0;
        Buffer type = Buffer::Scratch;
        if (failed(expectObject(remote, {"rank", "type", "access_channel_types"})) ||
            failed(number(*tree.find(remote, "rank"), peer)) ||
            failed(buffer(*tree.find(remote, "type"), type)))
          return failure();
        rank.remotes.push_back({RankId(peer), type});
        return each(remote, "access_channel_types",
                    [&](const Node &element) { return channelType(element); });
      })))
    return failure();
  if (failed(each(node, "semaphores", [&](const Node &semaphore) -> LogicalResult {
        if (failed(expectObject(semaphore, {"init_value"})))
          return failure();
        return number(*tree.find(semaphore, "init_value"), rank.semaphores.emplace_back());
      })))
    return failure();
  uint32_t next = 0;
  return each(node, "threadblocks", [&](const Node &element) {
    return readThreadblock(element, next++, rank, rank.threadblocks.emplace_back());
  });
}

FailureOr<Plan> Reader::read() {
  const Node &root = tree.root();
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
  return std::move(builder).finish(diags);
}
} // namespace

FailureOr<Plan> readJson(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  text.consume_front("\xef\xbb\xbf");
  FailureOr<JsonTree> tree = JsonTree::parse(text, fileName, diags);
  if (failed(tree))
    return failure();
  return Reader(*tree, fileName, diags).read();
}
} // namespace cclc::mscclpp
