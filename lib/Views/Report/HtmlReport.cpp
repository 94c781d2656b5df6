//===- HtmlReport.cpp - Writing the data of the report page ---------------===//
//
// Builds a JSON document with tables as columns (Columns.h), and inserts it and the title at the
// two marks in the page of assets/report. If the limit of spans is exceeded, time lines of the
// smaller sizes are omitted first.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/HtmlReport.h"

#include "JsonText.h"

#include "Columns.h"
#include "MachineDrawing.h"
#include "cclc/IR/StepNames.h"
#include "cclc/Views/Report/RunSettings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using nlohmann::ordered_json;

namespace {

/// Computes a column by applying a function to the rows of a table.
template <class Rows, class Fn> std::vector<uint64_t> column(const Rows &rows, Fn value) {
  std::vector<uint64_t> values;
  values.reserve(llvm::range_size(rows));
  for (const auto &row : rows)
    values.push_back(uint64_t(value(row)));
  return values;
}
template <class Rows, class Fn> std::vector<int64_t> signedColumn(const Rows &rows, Fn value) {
  std::vector<int64_t> values;
  values.reserve(llvm::range_size(rows));
  for (const auto &row : rows)
    values.push_back(int64_t(value(row)));
  return values;
}

/// The index plus one; 0 for none.
template <class IdT> uint64_t orZero(OptionalId<IdT> id) { return id ? (*id).index() + 1 : 0; }
uint64_t orZero(std::optional<SimTime> time) { return time ? time->picoseconds() + 1 : 0; }
/// A number for a buffer and an index in it; 0 for none.
uint64_t place(Operand operand) {
  if (operand.isNone())
    return 0;
  return 1 + uint64_t(operand.index()) * 3 + static_cast<uint64_t>(operand.buffer());
}

ordered_json causesOf(const CauseTimes &causes) {
  ordered_json list = ordered_json::array();
  for (SimTime time : causes)
    list.push_back(time.picoseconds());
  return list;
}

ordered_json toJson(const SizeBound &bound) {
  return {{"least", bound.time().picoseconds()},
          {"title", bound.title().str()},
          {"binds", boundName(bound.binds).str()},
          {"witness", bound.witness},
          {"completes", bound.capacity.has_value()}};
}

ordered_json toJson(const Cost &cost) {
  return {{"name", costName(cost.kind).str()},
          {"time", cost.time.picoseconds()},
          {"line", cost.line.index()},
          {"phase", cost.phase},
          {"time_of_line", cost.timeOfLine.picoseconds()},
          {"help", cost.help}};
}

/// Times are picoseconds, rates bytes per second.
class DocumentWriter {
public:
  ordered_json write(ArrayRef<ReportedPlan> plans) {
    ordered_json document;
    document["format"] = "ccl-html-report";
    document["version"] = 1;
    for (unsigned c = 0; c < numCauses; ++c)
      document["causes"].push_back(causeName(static_cast<Cause>(c)).str());
    for (const OpTraits &op : opTraitsTable)
      document["ops"].push_back({{"name", op.mnemonic},
                                 {"meaning", op.meaning},
                                 {"receives", op.receives},
                                 {"sends", op.sends},
                                 {"reduces", op.reduces()}});
    document["machine"] = drawingOf(plans.front().bound.machine, columns);
    for (const ReportedPlan &plan : plans)
      document["plans"].push_back(this->plan(plan));
    return document;
  }
  ColumnWriter columns;

private:
  ordered_json plan(const ReportedPlan &plan);
  ordered_json steps(ShownPlan plan);
  ordered_json size(const SizeResult &size);
  void spans(ArrayRef<Timeline::Span> spans, ordered_json &out);
  ordered_json timeline(const Timeline &timeline, const Machine &machine);
  ordered_json measured(const MeasuredTimeline &measured);
  ordered_json provenance(const Provenance &provenance, const ExecPlan &plan);
};

ordered_json DocumentWriter::steps(ShownPlan plan) {
  ordered_json out;
  auto tbs = llvm::map_range(llvm::seq(plan.numThreadblocks()),
                             [&](uint32_t t) { return plan.threadblock(t); });
  auto steps =
      llvm::map_range(llvm::seq(plan.numSteps()), [&](uint32_t s) { return plan.step(s); });
  auto add = [&](const char *name, const auto &rows, auto value) {
    out[name] = columns.deltas(signedColumn(rows, value));
  };
  add("tb_rank", tbs, [](const Threadblock &tb) { return tb.rank.index(); });
  add("tb_channel", tbs, [](const Threadblock &tb) { return tb.channel.index(); });
  add("tb_send", tbs, [](const Threadblock &tb) { return orZero(tb.sendPeer); });
  add("tb_recv", tbs, [](const Threadblock &tb) { return orZero(tb.recvPeer); });
  add("tb_steps", tbs, [](const Threadblock &tb) { return tb.numSteps; });
  add("op", steps, [](const Step &step) { return static_cast<unsigned>(step.op); });
  add("src", steps, [](const Step &step) { return place(step.src); });
  add("dst", steps, [](const Step &step) { return place(step.dst); });
  add("count", steps, [](const Step &step) { return step.count; });
  add("loc", steps, [](const Step &step) { return step.loc.index(); });
  add("send_loc", steps, [](const Step &step) { return step.sendLoc.index(); });
  add("phase", steps, [](const Step &step) { return step.phase; });
  add("wait_tb", steps,
      [](const Step &step) { return step.waits() ? step.wait()->tb.index() + 1 : 0; });
  add("wait_step", steps,
      [](const Step &step) { return step.waits() ? step.wait()->step.index() : 0; });
  return out;
}

/// By number of the threadblock: the names of its peers, if there are several.
static ordered_json severalPeers(ShownPlan plan,
                                 Peers (ShownPlan::*peers)(const Threadblock &) const) {
  ordered_json out = ordered_json::object();
  for (uint32_t t = 0; t < plan.numThreadblocks(); ++t)
    if (Peers list = (plan.*peers)(plan.threadblock(t)); list.size() > 1)
      out[std::to_string(t)] = peerNames(list);
  return out;
}

ordered_json DocumentWriter::plan(const ReportedPlan &reported) {
  const PlanOnMachine &bound = reported.bound;
  const ProgramInfo &info = bound.shown.info();
  const SweepResult &summary = reported.summary;
  ordered_json out;
  out["file"] = reported.file;
  out["name"] = info.name;
  out["collective"] = std::string(collectiveName(info.collective.kind()));
  out["ranks"] = bound.shown.ranks();
  out["several_send_peers"] = severalPeers(bound.shown, &ShownPlan::sendPeers);
  out["several_recv_peers"] = severalPeers(bound.shown, &ShownPlan::recvPeers);
  out["parameters"] = ordered_json::array();
  for (const auto &[key, value] : info.parameters)
    out["parameters"].push_back({key, value});
  out["protocol"] = protocolName(info.protocol).str();
  out["protocol_applies"] = bound.protocol != nullptr;
  out["instances"] = info.instances;
  out["channels"] = bound.shown.channels();
  out["target"] = summary.target.title();
  out["target_hash"] = summary.target.hash;
  out["endpoints"] = isPlacedInOrder(bound) ? "" : endpointsText(bound);
  out["network"] = summary.network;
  out["slots"] = summary.slots.phrase();
  out["dtype"] = dataTypeName(summary.type).str();
  out["op"] = reduceOpName(summary.op).str();
  out["repeat"] = summary.repeat;
  out["conditions"] = summary.conditions.text();
  out["files"] = ordered_json(info.locs.files().vec());
  ArrayRef<LocTable::Entry> locs = info.locs.entries();
  out["loc_file"] = columns.deltas(signedColumn(locs, [](auto &loc) { return loc.file.index(); }));
  out["loc_line"] = columns.deltas(signedColumn(locs, [](auto &loc) { return loc.line; }));
  out["phases"] = ordered_json::array();
  for (uint32_t p = 0; p < info.phases.size(); ++p)
    out["phases"].push_back(phaseName(info, p));
  out["steps"] = steps(bound.shown);
  out["conn_sender"] = columns.deltas(
      signedColumn(bound.placedConnections, [](const auto &c) { return c.senderTb; }));
  out["conn_receiver"] = columns.deltas(
      signedColumn(bound.placedConnections, [](const auto &c) { return c.receiverTb; }));
  std::vector<uint64_t> endpoints;
  endpoints.reserve(bound.endpointOf.size());
  for (EndpointId endpoint : bound.endpointOf)
    endpoints.push_back(bound.machine.endpointNode(endpoint).index());
  out["node_of_rank"] = columns.plain(endpoints);
  out["what_if"] = ordered_json::array();
  for (const WhatIf &one : summary.whatIf.rows)
    out["what_if"].push_back(
        {{"what", one.what},
         {"set", one.options()},
         {"time", one.time.picoseconds()},
         {"faster", one.faster ? ordered_json({one.faster->percent.picoseconds(),
                                               one.faster->tenPercent.picoseconds(),
                                               one.faster->twice.picoseconds()})
                               : nullptr}});
  out["provenance"] = nullptr;
  if (reported.provenance)
    out["provenance"] = provenance(*reported.provenance, *bound.shown.ofSteps());
  out["sizes"] = ordered_json::array();
  for (size_t s = 0; s < summary.sizes.size(); ++s) {
    ordered_json row = size(summary.sizes[s]);
    row["costs"] = ordered_json::array();
    for (const Cost &cost : reported.costs[s])
      row["costs"].push_back(toJson(cost));
    row["timeline"] = nullptr;
    if (reported.timelines[s])
      row["timeline"] = timeline(*reported.timelines[s], bound.machine);
    row["measured"] = nullptr;
    if (reported.measured && reported.measured->bytes == summary.sizes[s].bytes)
      row["measured"] = measured(*reported.measured);
    out["sizes"].push_back(std::move(row));
  }
  return out;
}

ordered_json DocumentWriter::size(const SizeResult &size) {
  ordered_json out;
  out["bytes"] = size.bytes.count();
  out["time"] = size.time.picoseconds();
  out["first_run"] = size.firstRun.picoseconds();
  out["further_run"] = size.furtherRun.picoseconds();
  out["alg"] = size.algorithmBandwidth;
  out["bus"] = size.busBandwidth;
  out["messages"] = size.messages;
  out["steps"] = size.steps;
  out["pieces"] = size.pieces;
  out["bound"] = size.bound ? toJson(*size.bound) : ordered_json(nullptr);
  out["causes"] = causesOf(size.causes);
  out["path_causes"] = causesOf(size.causesOnPath());
  out["phase_times"] = ordered_json::array();
  for (const PhaseTime &phase : size.phases)
    out["phase_times"].push_back({{"name", phase.phase}, {"time", phase.time.picoseconds()}});
  const auto &links = size.links;
  out["link"] = columns.plain(column(links, [](auto &l) { return l.link.index(); }));
  out["link_bytes"] = columns.plain(column(links, [](auto &l) { return l.use.bytes.count(); }));
  out["link_busy"] = columns.plain(column(links, [](auto &l) { return l.use.busy.picoseconds(); }));
  out["link_wait"] =
      columns.plain(column(links, [](auto &l) { return l.use.longestWait.picoseconds(); }));
  const auto &path = size.criticalPath;
  out["path_cause"] = columns.plain(column(path, [](auto &p) { return p.cause; }));
  out["path_length"] =
      columns.plain(column(path, [](auto &p) { return (p.end - p.begin).picoseconds(); }));
  out["path_tb"] = columns.deltas(signedColumn(path, [](auto &p) { return p.threadblock; }));
  out["path_step"] = columns.deltas(signedColumn(path, [](auto &p) { return p.step; }));
  return out;
}

/// Nodes are numbered as in Provenance, where the actions of a step on its chunks are consecutive.
/// The cells of a rank are those of its three buffers in sequence.
ordered_json DocumentWriter::provenance(const Provenance &provenance, const ExecPlan &plan) {
  const Collective &collective = plan.info().collective;
  ordered_json out;
  out["input_chunks"] = collective.inputChunks();
  std::vector<uint64_t> sizes;
  std::vector<int64_t> cells, lhs, rhs;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    for (Buffer buffer : {Buffer::Input, Buffer::Output, Buffer::Scratch}) {
      uint32_t chunks = bufferChunks(collective, plan.scratchChunks(), RankId(r), buffer);
      sizes.push_back(chunks);
      for (uint32_t c = 0; c < chunks; ++c)
        cells.push_back(provenance.of(RankId(r), Operand(buffer, c)).index());
    }
  for (uint32_t id = provenance.numContributions() + 1; id < provenance.size(); ++id) {
    Provenance::Operands operands = provenance.operands(ProvenanceId(id));
    lhs.push_back(operands.lhs.index());
    rhs.push_back(orZero(operands.rhs));
  }
  out["sizes"] = columns.plain(sizes);
  out["cells"] = columns.deltas(cells);
  out["lhs"] = columns.deltas(lhs);
  out["rhs"] = columns.deltas(rhs);
  return out;
}

void DocumentWriter::spans(ArrayRef<Timeline::Span> spans, ordered_json &out) {
  // Spans are contiguous from 0 in each threadblock, so lengths are sufficient.
  out["tb"] = columns.deltas(signedColumn(spans, [](auto &s) { return s.threadblock; }));
  out["step"] = columns.deltas(signedColumn(spans, [](auto &s) { return s.step; }));
  out["piece"] = columns.deltas(signedColumn(spans, [](auto &s) { return s.piece; }));
  out["cause"] = columns.plain(column(spans, [](auto &s) { return s.cause; }));
  out["length"] =
      columns.plain(column(spans, [](auto &s) { return (s.end - s.begin).picoseconds(); }));
}

ordered_json DocumentWriter::measured(const MeasuredTimeline &measured) {
  ordered_json out;
  out["time"] = measured.time.picoseconds();
  out["pieces"] = measured.pieces;
  out["transport"] = measured.transport;
  out["until"] = nullptr;
  spans(measured.spans, out);
  return out;
}

ordered_json DocumentWriter::timeline(const Timeline &timeline, const Machine &machine) {
  ordered_json out;
  out["until"] = nullptr;
  if (timeline.until())
    out["until"] = timeline.until()->picoseconds();
  spans(timeline.spans(), out);
  ArrayRef<Timeline::Message> messages = timeline.messages();
  auto add = [&](const char *name, auto value) {
    out[name] = columns.deltas(signedColumn(messages, value));
  };
  add("msg_conn", [](const auto &m) { return m.connection; });
  add("msg_size", [](const auto &m) { return m.size.count(); });
  add("msg_send_step", [](const auto &m) { return m.sendStep; });
  add("msg_sent", [](const auto &m) { return m.sent.picoseconds(); });
  add("msg_arrived", [](const auto &m) { return orZero(m.arrived); });
  add("msg_taken", [](const auto &m) { return orZero(m.taken); });
  add("msg_taken_step", [](const auto &m) { return m.takenStep; });
  const LinkActivity &activity = timeline.links();
  out["bin_width"] = activity.binWidth().picoseconds();
  std::vector<uint64_t> links, counts, bytes;
  for (uint32_t l = 0; l < machine.links().size(); ++l) {
    ArrayRef<uint64_t> bins = activity.bins(LinkId(l));
    if (bins.empty())
      continue;
    links.push_back(l);
    counts.push_back(bins.size());
    bytes.insert(bytes.end(), bins.begin(), bins.end());
  }
  out["bin_link"] = columns.plain(links);
  out["bin_count"] = columns.plain(counts);
  out["bin_bytes"] = columns.plain(bytes);
  return out;
}

void writeEscaped(StringRef text, raw_ostream &os) {
  for (char c : text)
    switch (c) {
    case '<':
      os << "&lt;";
      break;
    case '>':
      os << "&gt;";
      break;
    case '&':
      os << "&amp;";
      break;
    default:
      os << c;
    }
}
} // namespace

void cclc::limitTimelines(MutableArrayRef<ReportedPlan> plans, size_t maxSpans) {
  size_t sizes = plans.front().timelines.size(), spans = 0;
  for (size_t s = sizes; s-- > 0;) {
    for (const ReportedPlan &plan : plans)
      if (plan.timelines[s])
        spans += plan.timelines[s]->spans().size();
    if (spans > maxSpans && s + 1 < sizes)
      for (ReportedPlan &plan : plans)
        plan.timelines[s].reset();
  }
}

bool cclc::writeHtmlReport(ArrayRef<ReportedPlan> plans, StringRef page, raw_ostream &os) {
  constexpr StringRef titleMark = "<!--title-->", dataMark = "<!--data-->";
  auto [beforeTitle, afterTitle] = page.split(titleMark);
  auto [beforeData, afterData] = afterTitle.split(dataMark);
  if (afterTitle.empty() || afterData.empty())
    return false;
  os << beforeTitle;
  writeEscaped(plans.front().bound.shown.info().name, os);
  DocumentWriter writer;
  ordered_json document = writer.write(plans);
  // Base64 cannot contain a text that ends a script element.
  os << beforeData << writer.columns.pack(document) << afterData;
  return true;
}
