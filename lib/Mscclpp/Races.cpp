#include "Races.h"

#include "Knowledge.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::mscclpp;
using llvm::formatv;

namespace {
class RaceFinder {
public:
  RaceFinder(const Plan &plan, const CellMap &cellMap, const Counters &counters,
             ArrayRef<Completed> order)
      : plan(plan), cellMap(cellMap), order(order), knowledge(plan, counters) {}

  FailureOr<bool> find(std::vector<bool> &contested, DiagnosticEngine &diags) {
    do {
      knowledge.reset();
      cells.assign(cellMap.space().size(), {});
      readers.clear();
      race.reset();
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
      return false;
    if (race)
      return report(diags);
    return true;
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);

  /// An access: by an operation of a launch, or by the caller after that launch.
  struct Access {
    uint32_t who = none; ///< threadblock or caller
    uint32_t segment = 0;
    uint32_t op = none; ///< none: a caller
    int32_t launch = 0;
  };
  struct Cell {
    Access writer;
    uint32_t packet = none;  ///< what the packet told, in `packets` of its launch
    uint32_t readers = none; ///< list through Reader::next
  };
  struct Reader {
    Access access;
    uint32_t next;
  };
  struct Race {
    std::string cell;
    Access earlier, later;
    bool earlierWrites, laterWrites;
    bool packets = false; ///< two packets that one cannot tell apart
  };

  /// They read what the launch gave them and write what the next one takes.
  void callers() {
    for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
      RankId rank(r);
      knowledge.beginCaller(rank);
      uint32_t self = knowledge.caller(rank);
      Access access{self, knowledge.segment(self), none, launch};
      const Collective &collective = plan.header().collective;
      Span output{rank, Operand(Buffer::Output, 0), collective.outputChunks(), false};
      if (launch >= 0)
        read(output, access);
      write({rank, Operand(Buffer::Input, 0), collective.inputChunks(), false}, access);
      if (launch >= 0)
        addReader(output, access);
      knowledge.endCaller(rank);
    }
  }

  void execute(Completed at) {
    const Threadblock &tb = plan.threadblocks()[at.threadblock];
    const Operation &op = plan.ops()[at.op];
    knowledge.execute(at.threadblock, op);
    if (!traits(op.op).movesData())
      return;
    Access access{at.threadblock, knowledge.segment(at.threadblock), at.op, launch};
    uint32_t half = launch % 2;
    Clock told;
    cellMap.forEachSource(tb, op, half, [&](const Span &span) {
      if (span.packets)
        readPackets(span, access, told);
      else
        read(span, access);
    });
    bool sendsPackets = false;
    cellMap.forEachDestination(tb, op, half,
                               [&](const Span &span) { sendsPackets |= span.packets; });
    if (sendsPackets) {
      join(told, knowledge.packet(at.threadblock));
      packets.push_back(std::move(told));
    }
    cellMap.forEachDestination(tb, op, half, [&](const Span &span) {
      if (span.packets)
        checkFlags(span, access);
      write(span, access);
      for (uint32_t i = 0; span.packets && i < span.count; ++i)
        cells[cellMap.cell(span) + i].packet = packets.size() - 1;
    });
    cellMap.forEachSource(tb, op, half, [&](const Span &span) { addReader(span, access); });
  }

  /// A reader waits for the flag of its launch, so the packet needs no other order.
  void readPackets(const Span &span, const Access &access, Clock &told) {
    uint32_t last = none;
    for (uint32_t i = 0; i < span.count; ++i) {
      Cell &cell = cells[cellMap.cell(span) + i];
      if (cell.packet == none || cell.writer.launch != launch)
        check(span, i, cell.writer, access, true, false);
      else if (cell.packet != last) {
        last = cell.packet;
        join(told, packets[last]);
        knowledge.readPacket(access.who, packets[last]);
      }
    }
  }

  /// Two packets in one place have the same flag in one launch.
  void checkFlags(const Span &span, const Access &access) {
    for (uint32_t i = 0; i < span.count && !race; ++i) {
      const Cell &cell = cells[cellMap.cell(span) + i];
      if (cell.packet != none && cell.writer.launch == launch)
        race = Race{span.name(i), cell.writer, access, true, true, true};
    }
  }

  void read(const Span &span, const Access &access) {
    for (uint32_t i = 0; i < span.count; ++i)
      check(span, i, cells[cellMap.cell(span) + i].writer, access, true, false);
  }

  void write(const Span &span, const Access &access) {
    for (uint32_t i = 0; i < span.count; ++i) {
      Cell &cell = cells[cellMap.cell(span) + i];
      check(span, i, cell.writer, access, true, true);
      for (uint32_t r = cell.readers; r != none; r = readers[r].next)
        check(span, i, readers[r].access, access, false, true);
      cell = {access, none, none};
    }
  }

  /// Who reads a cell and then writes it itself is known as its writer. Of the reads of one
  /// threadblock the last one stands for all.
  void addReader(const Span &span, const Access &access) {
    for (uint32_t i = 0; i < span.count; ++i) {
      Cell &cell = cells[cellMap.cell(span) + i];
      if (isSame(cell.writer, access))
        continue;
      uint32_t r = cell.readers;
      while (r != none && readers[r].access.who != access.who)
        r = readers[r].next;
      if (r != none) {
        readers[r].access = access;
        continue;
      }
      readers.push_back({access, cell.readers});
      cell.readers = readers.size() - 1;
    }
  }

  static bool isSame(const Access &a, const Access &b) {
    return a.who == b.who && a.op == b.op && a.launch == b.launch;
  }

  void check(const Span &span, uint32_t index, const Access &earlier, const Access &later,
             bool earlierWrites, bool laterWrites) {
    if (race || earlier.who == none)
      return;
    if (isSame(earlier, later) || knowledge.knows(later.who, earlier.who, earlier.segment))
      return;
    race = Race{span.name(index), earlier, later, earlierWrites, laterWrites};
  }

  std::string nameOf(const Access &access, const Access &other) const {
    int32_t ahead = access.launch - other.launch;
    if (access.op == none)
      return ahead < 0 ? "the caller, before the launch," : "the caller, after the launch,";
    std::string name = plan.opName(access.who, access.op);
    if (other.op == none || ahead <= 0)
      return name;
    return name + (ahead == 1 ? " of the next launch" : " of the launch after the next");
  }

  DiagnosticEngine::InFlight report(DiagnosticEngine &diags) const {
    auto verb = [](bool writes) { return writes ? "writes" : "reads"; };
    const Access &where = race->later.op != none ? race->later : race->earlier;
    std::string text;
    if (race->packets)
      text = formatv("race on {0}: {1} and {2} write packets there in one launch, which a reader "
                     "cannot tell apart",
                     race->cell, nameOf(race->earlier, race->later),
                     nameOf(race->later, race->earlier));
    else
      text = formatv("race on {0}: {1} {2} it, {3} {4} it, and nothing orders the two", race->cell,
                     nameOf(race->earlier, race->later), verb(race->earlierWrites),
                     nameOf(race->later, race->earlier), verb(race->laterWrites));
    DiagnosticEngine::InFlight error = diags.error(plan.locate(where.op), text);
    for (const Access &access : {race->earlier, race->later})
      if (access.op != none && access.op != where.op)
        error.note(plan.locate(access.op), plan.opName(access.who, access.op) + " is here");
    if (race->earlier.who == race->later.who && race->earlier.launch == race->later.launch)
      error.note(plan.locate(where.op),
                 "the threads of a threadblock run apart until a nop between the two");
    return error;
  }

  const Plan &plan;
  const CellMap &cellMap;
  ArrayRef<Completed> order;
  Knowledge knowledge;
  std::vector<Cell> cells;
  std::vector<Reader> readers;
  std::vector<Clock> packets; ///< of this launch: what each tells
  std::optional<Race> race;
  int32_t launch = 0;
};
} // namespace

FailureOr<bool> mscclpp::checkRaces(const Plan &plan, const CellMap &cells,
                                    const Counters &counters, ArrayRef<Completed> order,
                                    std::vector<bool> &contested, DiagnosticEngine &diags) {
  return RaceFinder(plan, cells, counters, order).find(contested, diags);
}
