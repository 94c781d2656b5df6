//===- Writer.cpp - Plans as the JSON of MSCCL++ --------------------------===//
//
// Streams the tables of a plan, one operation per line.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Json.h"

#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using namespace cclc::mscclpp;

namespace {
class Writer {
public:
  Writer(const Plan &plan, raw_ostream &os) : plan(plan), os(os) {}

  void write() {
    const Header &header = plan.header();
    os << "{\n\"name\": " << quoted(header.name)
       << ",\n\"collective\": " << quoted(header.collectiveName) << ",\n\"protocol\": \""
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
  static std::string quoted(StringRef text) {
    return nlohmann::json(text.str())
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
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
    if (rank.channels.count) {
      os << "{\"channel_type\": \"memory\", \"connected_to\": ";
      list("", plan.channels(rank), [&](RankId peer) { os << peer.index(); });
      os << '}';
    }
    os << "],\n\"remote_buffers\": ";
    list("\n", plan.remotes(rank), [&](const RemoteBuffer &buffer) {
      os << "{\"rank\": " << buffer.rank.index() << ", \"type\": \"" << bufferLetter(buffer.buffer)
         << "\", \"access_channel_types\": [\"memory\"]}";
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
    os << "{\"id\": " << id << ", \"channels\": [";
    if (tb.channels.count) {
      os << "{\"channel_type\": \"memory\", \"channel_ids\": ";
      numbers(plan.channels(tb));
      os << '}';
    }
    os << "], \"remote_buffer_refs\": [";
    if (tb.remotes.count) {
      os << "{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": ";
      numbers(plan.remotes(tb));
      os << '}';
    }
    os << "], \"ops\": ";
    list("\n", plan.ops(tb), [&](const Operation &op) { operation(op); });
    os << '}';
  }

  void operation(const Operation &op) {
    const OpTraits &does = traits(op.op);
    os << "{\"name\": \"" << does.mnemonic << '"';
    if (does.movesData()) {
      buffers("src_buff", plan.sources(op));
      buffers("dst_buff", plan.destinations(op));
    }
    ArrayRef<uint32_t> ids = plan.ids(op);
    if (does.ids == IdKind::Barrier) {
      os << ", \"barrier_id\": " << ids.front() << ", \"num_threadblocks\": " << op.participants;
    } else if (does.ids != IdKind::None) {
      os << (does.ids == IdKind::Channels ? ", \"channel_ids\": " : ", \"semaphore_ids\": ");
      numbers(ids);
    }
    if (does.usesChannels())
      os << ", \"channel_type\": \"memory\"";
    os << '}';
  }

  void buffers(const char *key, ArrayRef<Place> places) {
    os << ", \"" << key << "\": ";
    list("", places, [&](const Place &place) {
      if (place.remote)
        os << "{\"buffer_id\": " << *place.remote;
      else
        os << "{\"type\": \"" << bufferLetter(place.buffer) << '"';
      os << ", \"index\": " << place.index << ", \"size\": " << place.count << '}';
    });
  }

  const Plan &plan;
  raw_ostream &os;
};
} // namespace

void mscclpp::writeJson(const Plan &plan, raw_ostream &os) { Writer(plan, os).write(); }
