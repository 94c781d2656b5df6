//===- Writer.cpp - Plans as the JSON of MSCCL++ --------------------------===//
//
// Streams the tables of a plan, one operation per line.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Json.h"

#include "cclc/Support/Json/JsonEvents.h"
#include "cclc/Support/Watch.h"

#include "llvm/Support/raw_ostream.h"

namespace cclc::mscclpp {

namespace {
class Writer {
public:
  Writer(const Plan &plan, raw_ostream &os) : plan(plan), os(os) {}

  void write() {
    const Header &header = plan.header();
    os << "{\n\"name\": " << jsonQuoted(header.name)
       << ",\n\"collective\": " << jsonQuoted(header.collectiveName) << ",\n\"protocol\": \""
       << protocolName(header.protocol) << "\",\n\"inplace\": " << boolean(header.inPlace)
       << ",\n\"reuse_resources\": " << boolean(header.reuseResources)
       << ",\n\"use_double_scratch_buffer\": " << boolean(header.doubleScratch)
       << ",\n\"buffer_alignment\": " << header.bufferAlignment
       << ",\n\"num_threads_per_block\": " << header.threadsPerBlock
       << ",\n\"min_message_size\": " << header.minBytes;
    if (header.maxBytes)
      os << ",\n\"max_message_size\": " << *header.maxBytes;
    if (header.collective.isRooted() && header.collective.root() != RankId(0))
      os << ",\n\"root\": " << header.collective.root().index();
    os << ",\n\"gpus\": ";
    list("\n", plan.ranks(), [&](const Rank &rank) { gpu(rank); });
    os << "\n}\n";
  }

private:
  static const char *boolean(bool value) { return value ? "true" : "false"; }

  /// Writes elements separated by a comma and \p separator, which also follows the opening bracket.
  template <class Elements, class Fn>
  void list(const char *separator, const Elements &elements, Fn write) {
    os << '[';
    bool first = true;
    for (const auto &element : elements) {
      os << (first ? (*separator == '\n' ? separator : "") : ",") << (first ? "" : separator);
      write(element);
      first = false;
    }
    os << ']';
  }
  void numbers(ArrayRef<uint32_t> values) {
    list("", values, [&](uint32_t value) { os << value; });
  }

  void gpu(const Rank &rank) {
    os << "{\"id\": " << &rank - plan.ranks().data() << ", \"input_chunks\": " << rank.inputChunks
       << ", \"output_chunks\": " << rank.outputChunks
       << ", \"scratch_chunks\": " << rank.scratchChunks << ",\n\"channels\": [";
    bool first = true;
    auto begin = [&](const char *kind) {
      os << (first ? "" : ",\n") << "{\"channel_type\": \"" << kind << '"';
      first = false;
    };
    for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port}) {
      if (plan.channels(rank, kind).empty())
        continue;
      begin(channelKindName(kind));
      os << ", \"connected_to\": ";
      list("", plan.channels(rank, kind), [&](RankId peer) { os << peer.index(); });
      os << '}';
    }
    for (const SwitchChannel &channel : plan.switches(rank)) {
      begin("switch");
      os << ", \"buffer_type\": \"" << bufferLetter(channel.buffer)
         << "\", \"rank_groups\": [{\"size\": " << channel.members.count << ", \"ranks\": ";
      list("", plan.members(channel), [&](RankId member) { os << member.index(); });
      os << "}]}";
    }
    os << "],\n\"remote_buffers\": ";
    list("\n", plan.remotes(rank), [&](const RemoteBuffer &buffer) {
      os << "{\"rank\": " << buffer.rank.index() << ", \"type\": \"" << bufferLetter(buffer.buffer)
         << "\", \"access_channel_types\": [" << (buffer.byMemory ? "\"memory\"" : "")
         << (buffer.byMemory && buffer.byPort ? "," : "") << (buffer.byPort ? "\"port\"" : "")
         << "]}";
    });
    os << ",\n\"semaphores\": ";
    list("", plan.semaphores(rank),
         [&](uint32_t value) { os << "{\"init_value\": " << value << '}'; });
    os << ",\n\"threadblocks\": ";
    uint32_t id = 0;
    list("\n", plan.threadblocks(rank), [&](const Threadblock &tb) { threadblock(id++, tb); });
    os << '}';
  }

  void threadblock(uint32_t id, const Threadblock &tb) {
    Watch::look();
    os << "{\"id\": " << id << ", \"channels\": [";
    bool first = true;
    auto entry = [&](const char *keyOfKind, const char *kind, const char *key,
                     ArrayRef<uint32_t> references) {
      if (references.empty())
        return;
      os << (first ? "" : ",") << "{\"" << keyOfKind << "\": \"" << kind << "\", \"" << key
         << "\": ";
      numbers(references);
      os << '}';
      first = false;
    };
    for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port})
      entry("channel_type", channelKindName(kind), "channel_ids", plan.channels(tb, kind));
    entry("channel_type", "switch", "channel_ids", plan.switches(tb));
    os << "], \"remote_buffer_refs\": [";
    first = true;
    for (ChannelKind kind : {ChannelKind::Memory, ChannelKind::Port})
      entry("access_channel_type", channelKindName(kind), "remote_buffer_ids",
            plan.remotes(tb, kind));
    os << "], \"ops\": ";
    operations(plan.ops(tb));
    os << '}';
  }

  /// Writes operations, with the body of a pipeline inside it.
  void operations(ArrayRef<Operation> ops) {
    os << '[';
    for (size_t i = 0; i < ops.size(); ++i) {
      os << (i == 0 ? "\n" : ",\n");
      operation(ops[i]);
      if (ops[i].op != OpKind::Pipeline)
        continue;
      os << ", \"iter_context\": {\"unit_size\": " << ops[i].pieces.bytes
         << ", \"num_chunks\": " << ops[i].pieces.chunks << "}, \"ops\": ";
      operations(ops.slice(i + 1, ops[i].pieces.bodySize));
      os << '}';
      i += ops[i].pieces.bodySize;
    }
    os << ']';
  }

  /// Writes an operation; that of a pipeline remains open.
  void operation(const Operation &op) {
    const OpTraits &does = traits(op.op);
    os << "{\"name\": \"" << does.mnemonic << '"';
    if (op.op == OpKind::Pipeline)
      return;
    if (does.movesData()) {
      buffers("src_buff", plan.sources(op));
      buffers("dst_buff", plan.destinations(op));
    }
    ArrayRef<uint32_t> ids = plan.ids(op);
    if (op.idKind() == IdKind::Barrier) {
      os << ", \"barrier_id\": " << ids.front() << ", \"num_threadblocks\": " << op.participants;
    } else if (op.idKind() != IdKind::None) {
      os << (op.idKind() == IdKind::Channels ? ", \"channel_ids\": " : ", \"semaphore_ids\": ");
      numbers(ids);
    }
    if (does.usesChannels())
      os << ", \"channel_type\": \"" << channelKindName(op.channel) << '"';
    if (op.share != Share())
      os << ", \"tbg_info\": {\"tb_id\": " << op.share.part << ", \"tbg_size\": " << op.share.parts
         << '}';
    os << '}';
  }

  void buffers(const char *key, ArrayRef<Place> places) {
    os << ", \"" << key << "\": ";
    list("", places, [&](const Place &place) {
      if (place.remote)
        os << "{\"buffer_id\": " << *place.remote;
      else if (place.group)
        os << "{\"switch_channel_id\": " << *place.group;
      else
        os << "{\"type\": \"" << bufferLetter(place.buffer) << '"';
      os << ", \"index\": " << place.index << ", \"size\": " << place.count << '}';
    });
  }

  const Plan &plan;
  raw_ostream &os;
};
} // namespace

void writeJson(const Plan &plan, raw_ostream &os) { Writer(plan, os).write(); }

} // namespace cclc::mscclpp
