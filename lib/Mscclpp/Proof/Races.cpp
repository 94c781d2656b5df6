//===- Races.cpp - Happens-before race detection --------------------------===//
//
// Replays two or three launches in one order that the control flow allows and compares every access
// of a cell with the last write and the reads since then. An access is an epoch, a threadblock and
// a segment, as in FastTrack (Flanagan and Freund, PLDI 2009), and is compared with the vector
// clock of the later access in constant time; if the clocks do not order the two, DataFlow.h
// searches. One order suffices, because the clocks contain only orders that the plan enforces in
// every interleaving.
//
//===----------------------------------------------------------------------===//

#include "Races.h"

#include "Knowledge.h"

#include "cclc/Mscclpp/Proof/Conflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

using llvm::formatv;

namespace {
class RaceFinder {
public:
  RaceFinder(const Plan &plan, const CellMap &cellMap, const Counters &counters,
             ArrayRef<Completed> order)
      : plan(plan), cellMap(cellMap), order(order), knowledge(plan, counters) {}

  /// Finds all races instead of the first.
  Conflicts findAll() {
    collected.emplace();
    std::vector<bool> contested(cellMap.space().size());
    DiagnosticEngine diags;
    if (find(contested, diags) != RaceCheck::Ordered)
      collected->others = true;
    return std::move(*collected);
  }

  RaceCheck find(std::vector<bool> &contested, DiagnosticEngine &diags) {
    do {
      knowledge.reset();
      cells.assign(cellMap.space().size(), {});
      readers.clear();
      race.reset();
      if (collected)
        collected.emplace();
      launch = -1;
      callers();
      const int32_t launches = plan.header().doubleScratch ? 3 : 2;
      for (launch = 0; launch < launches; ++launch) {
        knowledge.beginLaunch();
        packets.clear();
        for (Completed at : order)
          execute(at);
        callers();
      }
    } while (knowledge.mustRepeat());
    if (knowledge.addContested(contested))
      return RaceCheck::OtherOrder;
    if (knowledge.dataFlow().isExhausted()) {
      diags.error(plan.whole(),
                  "more accesses of the plan are ordered by packets alone than can be "
                  "proved free of races; use fewer ranks or chunks");
      return RaceCheck::TooLarge;
    }
    if (race)
      report(diags);
    return race ? RaceCheck::Race : RaceCheck::Ordered;
  }

private:
  /// An access by an operation of a launch, or by the caller after the launch.
  struct Access {
    OptionalIndex who; ///< actor of Knowledge.h
    uint32_t segment = 0;
    OptionalIndex op; ///< none for a caller
    int32_t launch = 0;
    OptionalId<DataFlow::Lane> lane = {}; ///< lane of the operation
    bool packets = false;                 ///< whether the access is in packet form
    bool waited = false;                  ///< whether it reads packets and waits for them
  };
  struct Cell {
    Access writer;
    OptionalIndex packet;  ///< what the packet shows, an index into `packets` of its launch
    OptionalIndex readers; ///< list linked by Reader::next
  };
  struct Reader {
    Access access;
    OptionalIndex next;
  };
  struct Race {
    std::string cell;
    Access earlier, later;
    bool earlierWrites, laterWrites;
    bool packets = false; ///< whether the race is between two indistinguishable packets
  };

  /// Adds the accesses of the callers, which read the outputs and write the next inputs.
  void callers() {
    for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
      RankId rank(r);
      knowledge.beginCaller(rank);
      uint32_t self = knowledge.caller(rank);
      Access access{self, knowledge.segment(self), {}, launch};
      const Collective &collective = plan.header().collective;
      auto whole = [&](Buffer buffer, uint32_t chunks) {
        return Span{rank, Operand(buffer, 0), chunks, mscclpp::Access::Local,
                    plan.header().chunksPerChunk};
      };
      if (launch >= 0)
        read(whole(Buffer::Output, collective.outputChunks()), access, false);
      write(whole(Buffer::Input, collective.inputChunks()), access);
      knowledge.endCaller(rank);
    }
  }

  /// The part of an operation that one actor performs: all of it, or the reads for which the
  /// threads of a threadblock wait, or the transfer to one destination.
  struct Part {
    bool onlyReads = false;
    OptionalIndex destination = {};
  };

  /// Calls fn(source spans, destination spans) for each lane, that is, chunk, of an operation.
  template <class Fn> void forEachLane(Completed at, Part part, Fn fn) {
    const Threadblock &tb = plan.threadblocks()[at.threadblock];
    const Operation &op = plan.ops()[at.op];
    SmallVector<Span, 10> sources, destinations;
    cellMap.forEachSource(tb, op, launch % 2, [&](const Span &span) { sources.push_back(span); });
    cellMap.forEachDestination(tb, op, launch % 2,
                               [&](const Span &span) { destinations.push_back(span); });
    bool paired = traits(op.op).paired;
    if (part.onlyReads)
      destinations.clear();
    if (part.destination && !paired) {
      // A proxy forwards packets for which the threads have waited.
      destinations = {destinations[*part.destination]};
      for (Span &source : sources)
        source.access = mscclpp::Access::Staged;
    }
    for (size_t i = 0; i < (paired ? sources.size() : 1); ++i) {
      if (paired && part.destination && i != *part.destination)
        continue;
      for (uint32_t chunk = 0; chunk < plan.sources(op)[i].count; ++chunk) {
        auto lane = [&](ArrayRef<Span> spans) {
          SmallVector<Span, 10> result(paired ? spans.slice(i, 1) : spans);
          for (Span &span : result)
            span = span.chunk(chunk);
          return result;
        };
        fn(lane(sources), lane(destinations));
      }
    }
  }

  void execute(Completed at) {
    const Operation &op = plan.ops()[at.op];
    if (op.isByProxy())
      transfer(at);
    knowledge.execute(at.threadblock, op);
    if (traits(op.op).movesData() && !op.isByProxy())
      perform(at, traits(op.op).usesSwitch() ? knowledge.switchOf(at.threadblock) : at.threadblock,
              {});
  }

  /// The threads wait for packets that they forward before they push the transfers.
  void transfer(Completed at) {
    const Operation &op = plan.ops()[at.op];
    if (op.op == OpKind::ReadPutPackets) {
      perform(at, at.threadblock, {/*onlyReads=*/true});
      knowledge.endSegment(at.threadblock);
    }
    for (uint32_t i = 0; i < op.dst.count; ++i) {
      uint32_t proxy = knowledge.proxy(at.threadblock, plan.ids(op)[i]);
      knowledge.beginTransfer(at.threadblock, proxy);
      perform(at, proxy, {false, i});
      knowledge.endTransfer(proxy);
    }
  }

  /// All reads are recorded before the writes, because the lanes may run in any order.
  void perform(Completed at, uint32_t who, Part part) {
    Access access{who, knowledge.segment(who), at.op, launch};
    // The packets that a proxy forwards have arrived, because the threads have waited for them.
    bool forwards = part.destination && !traits(plan.ops()[at.op].op).paired;
    // The lanes and what their packets show.
    SmallVector<std::pair<OptionalId<DataFlow::Lane>, OptionalIndex>, 8> lanes;
    Told last;
    forEachLane(at, part, [&](ArrayRef<Span> sources, ArrayRef<Span> destinations) {
      access.lane = addLane(at.threadblock, who, sources, last);
      for (const Span &span : sources) {
        access.packets = span.packets();
        access.waited = span.waits();
        read(span, access, span.waits() || forwards);
      }
      if (!last.packet &&
          llvm::any_of(destinations, [](const Span &span) { return span.packets(); }))
        last.packet = addPacket(who, last.sources);
      lanes.push_back({access.lane, last.packet});
    });
    size_t i = 0;
    access.waited = false;
    forEachLane(at, part, [&](ArrayRef<Span> sources, ArrayRef<Span> destinations) {
      access.lane = lanes[i].first;
      for (const Span &span : destinations) {
        if (repeats(at, sources, span))
          continue;
        access.packets = span.packets();
        if (span.packets())
          checkFlags(span, access);
        write(span, access);
        for (uint32_t c = 0; span.packets() && c < span.count; ++c)
          cells[cellMap.cell(span) + c].packet = lanes[i].second;
      }
      ++i;
    });
  }

  /// Whether a multicast brings the packet that it has read to its own place again: readers get the
  /// same data from both, and who writes there later comes after the read.
  bool repeats(Completed at, ArrayRef<Span> sources, const Span &destination) const {
    return plan.ops()[at.op].op == OpKind::SwitchStorePackets &&
           llvm::any_of(sources, [&](const Span &source) {
             return source.count == destination.count &&
                    cellMap.cell(source) == cellMap.cell(destination);
           });
  }

  /// What the lanes of an operation show in packets, which lanes that read the same packets share.
  struct Told {
    SmallVector<uint32_t, 8> sources;
    OptionalIndex packet;
  };

  DataFlow::Lane addLane(uint32_t threadblock, uint32_t who, ArrayRef<Span> sources, Told &told) {
    SmallVector<DataFlow::Lane, 16> waitsFor, values;
    SmallVector<uint32_t, 8> packetsRead;
    for (const Span &span : sources)
      for (uint32_t i = 0; i < span.count; ++i) {
        const Cell &cell = cells[cellMap.cell(span) + i];
        if (!cell.writer.op || cell.writer.launch != launch ||
            cell.writer.packets != span.packets())
          continue;
        if (!span.waits()) {
          values.push_back(*cell.writer.lane);
        } else if (!llvm::is_contained(waitsFor, *cell.writer.lane)) {
          waitsFor.push_back(*cell.writer.lane);
          packetsRead.push_back(*cell.packet);
        }
      }
    DataFlow::Lane lane = knowledge.dataFlow().addLane(knowledge.moment(who), waitsFor, values);
    if (!waitsFor.empty())
      knowledge.wait(threadblock, lane);
    if (told.sources != packetsRead) {
      for (uint32_t packet : packetsRead)
        knowledge.readPacket(threadblock, packets[packet]);
      told = {packetsRead, {}};
    }
    return lane;
  }

  uint32_t addPacket(uint32_t who, ArrayRef<uint32_t> sources) {
    Progress told = knowledge.packet(who);
    for (uint32_t source : sources)
      told.join(packets[source]);
    packets.push_back(std::move(told));
    return packets.size() - 1;
  }

  /// Two packets in the same place have the same flag within a launch.
  void checkFlags(const Span &span, const Access &access) {
    for (uint32_t i = 0; i < span.count && !race; ++i) {
      const Cell &cell = cells[cellMap.cell(span) + i];
      if (cell.packet && cell.writer.launch == launch)
        race = Race{span.name(i), cell.writer, access, true, true, true};
    }
  }

  /// A packet that a reader has waited for has the flag of its launch, so no other ordering is
  /// needed.
  void read(const Span &span, const Access &access, bool hasWaited) {
    for (uint32_t i = 0; i < span.count; ++i) {
      Cell &cell = cells[cellMap.cell(span) + i];
      if (!hasWaited || !cell.packet || cell.writer.launch != launch)
        check(span, i, cell.writer, access, true, false);
      readers.push_back({access, cell.readers});
      cell.readers = readers.size() - 1;
    }
  }

  void write(const Span &span, const Access &access) {
    for (uint32_t i = 0; i < span.count; ++i) {
      Cell &cell = cells[cellMap.cell(span) + i];
      check(span, i, cell.writer, access, true, true);
      for (OptionalIndex r = cell.readers; r; r = readers[*r].next)
        check(span, i, readers[*r].access, access, false, true);
      cell = {access, {}, {}};
    }
  }

  /// Whether the same threads access the same bytes, which holds for equal chunks unless only one
  /// of the accesses is in packet form.
  static bool isSame(const Access &a, const Access &b) {
    return a.who == b.who && a.op == b.op && a.launch == b.launch && a.lane == b.lane &&
           a.packets == b.packets;
  }

  void check(const Span &span, uint32_t index, const Access &earlier, const Access &later,
             bool earlierWrites, bool laterWrites) {
    if (race || !earlier.who)
      return;
    if (isSame(earlier, later) || knowledge.knows(*later.who, *earlier.who, earlier.segment) ||
        (laterWrites && flowOrders(earlier, later, earlierWrites)))
      return;
    if (collected)
      collect(earlier, later);
    else
      race = Race{span.name(index), earlier, later, earlierWrites, laterWrites};
  }

  void collect(const Access &earlier, const Access &later) {
    auto side = [&](const Access &access) {
      return Conflict::Side{rankOf(*access.who),
                            access.op ? OptionalId(PlanOpId(*access.op)) : OptionalId<PlanOpId>()};
    };
    collected->all.insert({side(earlier), side(later), earlier.launch == later.launch});
  }

  /// Whether the write \p later follows \p earlier because its value depends on packets.
  bool flowOrders(const Access &earlier, const Access &later, bool earlierWrites) {
    DataFlow &flow = knowledge.dataFlow();
    // In plain and packet form, the same byte belongs to different elements of a chunk.
    bool elementwise = later.lane && earlier.packets == later.packets;
    bool sameLaunch = earlier.launch == later.launch && later.op;
    const std::optional<DataFlow::Lane> lane =
        elementwise ? std::optional(*later.lane) : std::nullopt;
    const DataFlow::Moment when = knowledge.moment(*later.who);
    // A launch may end before the transfers of its proxies. Callers begin with the launch -1.
    if (!sameLaunch && earlier.launch < launch && !knowledge.isProxy(*earlier.who) &&
        flow.launchesEnded(lane, when, rankOf(*earlier.who)) >= uint32_t(earlier.launch + 2))
      return true;
    if (earlierWrites || !earlier.op)
      return false;
    if (!sameLaunch && flow.hasReaderEnded(*earlier.lane, lane, when))
      return true;
    flow.search(lane, when, sameLaunch);
    return earlier.waited ? flow.hasReadPackets(*earlier.lane) : flow.hasRead(*earlier.lane);
  }

  RankId rankOf(uint32_t who) const {
    size_t threadblocks = plan.threadblocks().size();
    return who >= threadblocks && who < threadblocks + plan.ranks().size()
               ? RankId(who - threadblocks)
               : plan.threadblocks()[knowledge.threadblockOf(who)].rank;
  }

  std::string opName(const Access &access) const {
    return plan.opName(PlanThreadblockId(knowledge.threadblockOf(*access.who)),
                       PlanOpId(*access.op));
  }

  std::string nameOf(const Access &access, const Access &other) const {
    int32_t ahead = access.launch - other.launch;
    if (!access.op)
      return ahead < 0 ? "the caller, before the launch," : "the caller, after the launch,";
    std::string name = opName(access);
    if (!other.op || ahead <= 0)
      return name;
    return name + (ahead == 1 ? " of the next launch" : " of the launch after the next");
  }

  void report(DiagnosticEngine &diags) const {
    auto verb = [](bool writes) { return writes ? "writes" : "reads"; };
    const Access &where = race->later.op ? race->later : race->earlier;
    std::string text;
    if (race->packets)
      text = formatv("race on {0}: {1} and {2} write packets there in one launch, which a reader "
                     "cannot distinguish",
                     race->cell, nameOf(race->earlier, race->later),
                     nameOf(race->later, race->earlier));
    else
      text = formatv("race on {0}: {1} {2} it, {3} {4} it, and nothing orders the two", race->cell,
                     nameOf(race->earlier, race->later), verb(race->earlierWrites),
                     nameOf(race->later, race->earlier), verb(race->laterWrites));
    DiagnosticEngine::InFlight error = diags.error(plan.locate(PlanOpId(*where.op)), text);
    for (const Access &access : {race->earlier, race->later})
      if (access.op && access.op != where.op)
        error.note(plan.locate(PlanOpId(*access.op)), opName(access) + " is here");
    bool isOfOne =
        race->earlier.op && race->later.op && race->earlier.launch == race->later.launch &&
        knowledge.threadblockOf(*race->earlier.who) == knowledge.threadblockOf(*race->later.who);
    if (race->earlier.op && knowledge.isProxy(*race->earlier.who))
      error.note(plan.locate(PlanOpId(*race->earlier.op)),
                 "the transfer may take place later, even after the launch: only a flush, or an "
                 "answer of its receiver, shows that it is complete");
    else if (isOfOne)
      error.note(plan.locate(PlanOpId(*where.op)),
                 "the threads of a threadblock are not synchronised without a nop between the two");
  }

  const Plan &plan;
  const CellMap &cellMap;
  ArrayRef<Completed> order;
  Knowledge knowledge;
  std::vector<Cell> cells;
  std::vector<Reader> readers;
  std::vector<Progress> packets; ///< what the packets of this launch show
  std::optional<Race> race;
  std::optional<Conflicts> collected;
  int32_t launch = 0;
};
} // namespace

RaceCheck checkRaces(const Plan &plan, const CellMap &cells, const Counters &counters,
                     ArrayRef<Completed> order, std::vector<bool> &contested,
                     DiagnosticEngine &diags) {
  return RaceFinder(plan, cells, counters, order).find(contested, diags);
}

Conflicts findConflicts(const Plan &plan, ArrayRef<PlanOpId> order) {
  Groups groups(plan);
  CellMap cells(plan, groups);
  Counters counters(plan);
  std::vector<uint32_t> threadblockOf(plan.ops().size());
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
    for (const Operation &op : plan.ops(plan.threadblocks()[t]))
      threadblockOf[&op - plan.ops().data()] = t;
  std::vector<Completed> completed;
  for (PlanOpId op : order)
    completed.push_back({threadblockOf[op.index()], op.index()});
  return RaceFinder(plan, cells, counters, completed).findAll();
}

} // namespace cclc::mscclpp
