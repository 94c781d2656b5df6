//===- Chakra.cpp - Writing Chakra execution traces -----------------------===//
//
// The schema is `schema/protobuf/et_def.proto` of github.com/mlcommons/chakra; a file is a sequence
// of messages, each preceded by its length: the metadata, then the nodes. The nodes of a rank are
// numbered trip by trip, threadblock by threadblock, so that the number of a node that another
// threadblock awaits follows from its step. Node 0 is the launch.
//
// Durations are whole microseconds: the remainder of a node is added to the next node of its
// threadblock, so that the sum over a threadblock is exact to a microsecond.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Export/Chakra.h"

#include "StepParts.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Limits/PlanReads.h"
#include "cclc/Support/OutputFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <limits>
#include <map>

using namespace cclc;
using llvm::formatv;

namespace {

namespace field {
enum Metadata : protozero::pbf_tag_type { Version = 1, MetadataAttribute = 2 };
enum Node : protozero::pbf_tag_type {
  Id = 1,
  Name = 2,
  Type = 3,
  DataDependences = 5,
  Duration = 7,
  NodeAttribute = 10
};
enum Attribute : protozero::pbf_tag_type {
  AttributeName = 1,
  Int32 = 7,
  Int64 = 9,
  Bool = 27,
  String = 29
};
} // namespace field

enum class NodeType : int32_t { Compute = 4, Send = 5, Receive = 6 };

/// One message of the file.
class Record {
public:
  Record() : writer(buffer) {}
  Record(const Record &) = delete;
  /// A node.
  Record(uint64_t id, const std::string &name, NodeType type, ArrayRef<uint64_t> dependences)
      : Record() {
    writer.add_uint64(field::Id, id);
    writer.add_string(field::Name, name);
    writer.add_enum(field::Type, int32_t(type));
    writer.add_packed_uint64(field::DataDependences, dependences.begin(), dependences.end());
  }
  protozero::pbf_writer *operator->() { return &writer; }
  /// Calls \p add with the writer of another attribute.
  template <class Fn> void attribute(uint32_t tag, const char *name, Fn add) {
    protozero::pbf_writer attribute(writer, tag);
    attribute.add_string(field::AttributeName, name);
    add(attribute);
  }
  void int32(const char *name, uint32_t value) {
    attribute(field::NodeAttribute, name,
              [&](auto &writer) { writer.add_int32(field::Int32, int32_t(value)); });
  }
  void int64(const char *name, uint64_t value) {
    attribute(field::NodeAttribute, name,
              [&](auto &writer) { writer.add_int64(field::Int64, int64_t(value)); });
  }
  void boolean(const char *name, bool value) {
    attribute(field::NodeAttribute, name,
              [&](auto &writer) { writer.add_bool(field::Bool, value); });
  }
  void print(raw_ostream &os) const {
    std::string length;
    protozero::write_varint(std::back_inserter(length), buffer.size());
    os << length << buffer;
  }

private:
  std::string buffer;
  protozero::pbf_writer writer;
};

/// The nodes of a message of a step, or of a local step.
struct NodeChain {
  bool receives, computes, sends;
  SimTime cost;
  uint32_t size() const { return receives + computes + sends; }
};

NodeChain chainOf(const Step &step, ArrayRef<StepPart> parts) {
  const OpTraits &op = traits(step.op);
  NodeChain chain{bool(op.receives), false, bool(op.sends), SimTime()};
  for (const StepPart &part : parts)
    if (!part.isMessage())
      chain.cost += part.cost;
  // Only a plain send or receive may have no calculation.
  chain.computes = chain.cost > SimTime() || (step.op != OpKind::Send && step.op != OpKind::Recv);
  return chain;
}

} // namespace

/// Writes the nodes of one rank.
class ChakraTraces::RankWriter {
public:
  RankWriter(const ChakraTraces &traces, RankId rank, raw_ostream &os)
      : traces(traces), placed(traces.placed), plan(placed.plan), sizing(traces.sizing),
        parts(placed, sizing), rank(rank), first(plan.firstThreadblock(rank)), os(os) {
    uint32_t count = plan.numThreadblocks(rank);
    threads.resize(count);
    for (uint32_t t = 0; t < count; ++t) {
      firstStep.push_back(firstNode.size());
      for (const Step &step : plan.steps(plan.threadblocks()[first + t])) {
        firstNode.push_back(nodesPerTrip);
        nodesPerTrip += nodesOf(step);
      }
    }
    firstNode.push_back(nodesPerTrip);
  }

  void write() {
    metadata();
    launch();
    for (uint32_t trip = 0; trip < sizing.pieces; ++trip)
      for (uint32_t t = 0; t < threads.size(); ++t) {
        ArrayRef<Step> steps = plan.steps(plan.threadblocks()[first + t]);
        for (uint32_t s = 0; s < steps.size(); ++s)
          for (uint32_t n = 0; n < parts.messagesOf(steps[s]); ++n)
            message(trip, t, s, n);
      }
  }

private:
  struct Thread {
    uint64_t last = 0; ///< the previous node: that of the launch at first
    SimTime remainder; ///< costs that are not yet part of a duration
    uint64_t sent = 0, received = 0;
  };

  /// Nodes are counted for the first piece; a smaller last piece has the same nodes.
  uint32_t nodesOf(const Step &step) const {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < parts.messagesOf(step); ++n)
      sum += chainOf(step, parts.of(step, parts.sizeOf(0, step, n), n)).size();
    return sum;
  }
  /// The last node of step \p s of threadblock \p t.
  uint64_t lastNode(uint32_t trip, uint32_t t, uint32_t s) const {
    return 1 + trip * nodesPerTrip + firstNode[firstStep[t] + s + 1] - 1;
  }

  void metadata() {
    Record record;
    record->add_string(field::Version, "0.0.4");
    auto text = [&](const char *name, const std::string &value) {
      record.attribute(field::MetadataAttribute, name,
                       [&](auto &writer) { writer.add_string(field::String, value); });
    };
    text("plan", plan.info().name);
    text("collective", std::string(collectiveName(plan.info().collective.kind())));
    text("target", placed.machine.name);
    text("bytes", std::to_string(sizing.requested.count()));
    text("rank", std::to_string(rank.index()) + " of " + std::to_string(plan.ranks()));
    record.print(os);
  }

  /// Every rank has this node, since a trace without a node is an error.
  void launch() {
    SimTime remainder;
    Record node(id++, "launch", NodeType::Compute, {});
    compute(node, microseconds(parts.launch(), remainder), Bytes(), 0);
    for (Thread &thread : threads)
      thread.remainder = remainder;
  }

  void message(uint32_t trip, uint32_t t, uint32_t s, uint32_t n) {
    const Step &step = plan.steps(plan.threadblocks()[first + t])[s];
    Thread &thread = threads[t];
    Bytes size = parts.sizeOf(trip, step, n);
    NodeChain chain = chainOf(step, parts.of(step, size, n));
    SmallVector<uint64_t, 2> dependences = {thread.last};
    if (n == 0 && step.waits() && step.wait()->tb.index() != t)
      dependences.push_back(awaited(trip, *step.wait()));
    auto add = [&](NodeType type, char letter, auto fill) {
      Record node(id, formatv("t{0}_{1}_{2}{3}{4}", t, trip, s, letter, n ? std::to_string(n) : ""),
                  type, dependences);
      fill(node);
      thread.last = id++;
      dependences = {thread.last};
    };
    auto transfer = [&](Record &node, ConnectionId connection, uint64_t &number) {
      const PlacedConnection &ends = placed.placedConnections[connection.index()];
      node.boolean("is_cpu_op", false);
      node.int64("comm_size", parts.onWire(trip, step, n).count());
      node.int32("comm_src", rankOf(ends.senderTb).index());
      node.int32("comm_dst", rankOf(ends.receiverTb).index());
      node.int32("comm_tag", traces.firstTag[connection.index()] + number++);
      node.print(os);
    };
    if (chain.receives)
      add(NodeType::Receive, 'r', [&](Record &node) {
        transfer(node, *placed.connections.recvOf(first + t), thread.received);
      });
    if (chain.computes)
      add(NodeType::Compute, 'c', [&](Record &node) {
        uint64_t operations = traits(step.op).reduces() ? size.count() / sizeOf(sizing.type) : 0;
        compute(node, microseconds(chain.cost, thread.remainder), size, operations);
      });
    if (chain.sends)
      add(NodeType::Send, 's', [&](Record &node) {
        transfer(node, *placed.connections.sendOf(first + t), thread.sent);
      });
  }

  /// The last node of the step that satisfies \p wait.
  uint64_t awaited(uint32_t trip, Wait wait) const {
    uint32_t begin = plan.threadblocks()[first + wait.tb.index()].firstStep;
    uint32_t step = (*placed.publishers[begin + wait.step.index()]).index() - begin;
    return lastNode(trip, wait.tb.index(), step);
  }

  void compute(Record &node, uint64_t duration, Bytes size, uint64_t operations) {
    if (duration)
      node->add_uint64(field::Duration, duration);
    node.boolean("is_cpu_op", false);
    node.int64("num_ops", operations);
    node.int64("tensor_size", size.count());
    node.print(os);
  }

  static uint64_t microseconds(SimTime time, SimTime &remainder) {
    constexpr int64_t microsecond = 1'000'000;
    uint64_t all = (time + remainder).picoseconds();
    remainder = SimTime(int64_t(all % microsecond));
    return all / microsecond;
  }

  RankId rankOf(uint32_t threadblock) const { return plan.threadblocks()[threadblock].rank; }

  const ChakraTraces &traces;
  const PlacedPlan &placed;
  const ExecPlan &plan;
  const Sizing &sizing;
  StepParts parts;
  RankId rank;
  uint32_t first; ///< the first threadblock of the rank
  raw_ostream &os;
  std::vector<Thread> threads;
  std::vector<uint32_t> firstStep; ///< by threadblock: the number of its first step in the rank
  std::vector<uint64_t> firstNode; ///< by step of the rank, in the first trip; then the sum
  uint64_t nodesPerTrip = 0;
  uint64_t id = 0; ///< of the next node
};

ChakraTraces::ChakraTraces(const PlacedPlan &plan, const Sizing &sizing)
    : placed(plan), sizing(sizing) {
  StepParts parts(placed, sizing);
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> tags; // by pair of ranks
  ArrayRef<Threadblock> threadblocks = placed.plan.threadblocks();
  for (const Connection &connection : placed.connections.connections()) {
    uint64_t &next = tags[{threadblocks[connection.senderTb].rank.index(),
                           threadblocks[connection.receiverTb].rank.index()}];
    firstTag.push_back(next);
    forEachMessage(placed.plan, connection, [&](uint32_t send, uint32_t) {
      next += uint64_t(parts.messagesOf(placed.plan.steps()[send])) * sizing.pieces;
    });
    mostTags = std::max(mostTags, next);
  }
}

LogicalResult ChakraTraces::check(DiagnosticEngine &diags) const {
  if (failed(checkNoSwitches(placed.plan, "Chakra", diags)))
    return failure();
  if (hasReads(placed.plan, placed.machine.queue.reads))
    return diags.error({}, formatv("target {0} fetches messages with one-sided reads, which Chakra "
                                   "does not have: add --set queue.one_sided_reads=off",
                                   placed.machine.name));
  constexpr uint64_t limit = uint64_t(std::numeric_limits<int32_t>::max()) + 1;
  if (mostTags > limit)
    return diags.error({}, formatv("{0} messages from a rank to another one are more than the {1} "
                                   "tags of Chakra; choose a smaller size or larger slots",
                                   mostTags, limit));
  return success();
}

void ChakraTraces::write(RankId rank, raw_ostream &os) const {
  RankWriter(*this, rank, os).write();
}

std::string ChakraTraces::fileName(StringRef prefix, RankId rank) {
  return formatv("{0}.{1}.et", prefix, rank.index());
}

LogicalResult ChakraTraces::writeFiles(StringRef prefix, DiagnosticEngine &diags) const {
  if (failed(check(diags)))
    return failure();
  for (uint32_t r = 0; r < placed.plan.ranks(); ++r)
    if (failed(writeFile(
            fileName(prefix, RankId(r)), [&](raw_ostream &os) { write(RankId(r), os); }, diags)))
      return failure();
  return success();
}
