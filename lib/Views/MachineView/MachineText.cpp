//===- MachineText.cpp - The figures of a machine as text -----------------===//
//
// One section for each part of a machine. Links in both directions with equal values share a line.
// Lists are limited; the JSON form has all entries.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/MachineView/MachineDescription.h"

#include "RateText.h"
#include "cclc/Support/Printable.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using Description = MachineDescription;

namespace {
constexpr size_t mostRows = 40;

std::string rateText(std::optional<Bandwidth> rate) { return rate ? rateText(*rate) : "no path"; }

std::string timeText(SimTime time) {
  constexpr int64_t microsecond = 1'000'000;
  if (time.picoseconds() < microsecond)
    return trimmed(nanosecondsText(time)) + " ns";
  std::string rest = std::to_string(time.picoseconds() % microsecond);
  return trimmed(std::to_string(time.picoseconds() / microsecond) + "." +
                 std::string(6 - rest.size(), '0') + rest) +
         " us";
}

std::string exactSizeText(Bytes size) {
  constexpr std::pair<uint64_t, const char *> units[] = {
      {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (auto [unit, name] : units)
    if (size.count() >= unit && size.count() % unit == 0)
      return formatv("{0} {1}", size.count() / unit, name);
  return counted(size.count(), "byte");
}

/// "8 slots of 512 KiB".
std::string slotsText(uint64_t slots, Bytes size) {
  return counted(slots, "slot") + (size == Bytes() ? " of any size" : " of " + exactSizeText(size));
}

/// A header and indented rows of cells; the columns are as wide as necessary, the first is aligned
/// left.
class Table {
public:
  explicit Table(std::vector<std::string> header) : rows({std::move(header)}) {}
  void add(std::vector<std::string> row) {
    row.front() = "  " + row.front();
    rows.push_back(std::move(row));
  }
  /// Aligns the columns from \p column on left.
  void print(raw_ostream &os, StringRef what, size_t left = ~size_t(0)) const {
    ArrayRef<std::vector<std::string>> shown = ArrayRef(rows).take_front(mostRows + 1);
    std::vector<size_t> widths;
    for (const auto &row : shown) {
      widths.resize(std::max(widths.size(), row.size()));
      for (size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], row[c].size());
    }
    for (const auto &row : shown) {
      std::string line;
      for (size_t c = 0; c < row.size(); ++c) {
        std::string pad(widths[c] - row[c].size(), ' ');
        line += (c == 0 ? "" : "  ") + (c == 0 || c >= left ? row[c] + pad : pad + row[c]);
      }
      os << StringRef(line).rtrim() << '\n';
    }
    if (rows.size() > shown.size())
      os << "  and " << counted(rows.size() - shown.size(), what) << " more; --json lists all\n";
  }
  bool empty() const { return rows.size() == 1; }

private:
  std::vector<std::vector<std::string>> rows;
};

void printLevels(const Machine &machine, raw_ostream &os) {
  Table table({"levels, outermost first"});
  for (const GridLevel &level : machine.geometry().levels) {
    std::string shape(gridKindName(level.kind));
    if (level.height > 1)
      shape = formatv("{0} x {1} {2}", level.width, level.height, shape);
    table.add({printable(level.name), std::to_string(level.size()), shape});
  }
  table.print(os, "level", /*left=*/2);
  os << "  " << counted(machine.numEndpoints(), "endpoint") << '\n';
}

void printNodes(const Description &description, raw_ostream &os) {
  os << '\n';
  Table table({"nodes (* is any number)", "number"});
  for (const Description::NodeClass &nodes : description.nodes) {
    std::string notes = nodes.isEndpoint ? "endpoint" : "";
    auto note = [&](const std::string &text) { notes += (notes.empty() ? "" : ", ") + text; };
    if (nodes.overhead > SimTime())
      note("overhead " + timeText(nodes.overhead));
    if (nodes.reassembles)
      note("reassembles messages");
    table.add({printable(nodes.name), std::to_string(nodes.number), notes});
  }
  table.print(os, "class", /*left=*/2);
}

/// Whether \p b is the opposite direction of \p a.
bool isReverse(const Description::LinkClass &a, const Description::LinkClass &b) {
  return a.from == b.to && a.to == b.from && a.number == b.number && a.bandwidth == b.bandwidth &&
         a.propagation == b.propagation && a.present == b.present;
}

void printLinks(const Description &description, raw_ostream &os) {
  if (description.links.empty())
    return;
  os << '\n';
  Table table({"links", "number", "rate", "propagation"});
  std::vector<bool> done(description.links.size());
  for (size_t l = 0; l < done.size(); ++l) {
    if (done[l])
      continue;
    const Description::LinkClass &links = description.links[l];
    const char *arrow = " -> ";
    for (size_t other = l + 1; other < done.size() && *arrow == ' ' && arrow[1] == '-'; ++other)
      if (!done[other] && isReverse(links, description.links[other])) {
        done[other] = true;
        arrow = " <-> ";
      }
    std::string number = std::to_string(links.number);
    table.add({printable(links.from + arrow + links.to), arrow[1] == '<' ? "2 x " + number : number,
               links.present ? rateText(links.bandwidth) : "off", timeText(links.propagation)});
  }
  table.print(os, "class");
}

void printNetwork(const Machine &machine, const Description &description, raw_ostream &os) {
  os << '\n';
  Table table({"network"});
  auto add = [&](const char *key, const std::string &value) { table.add({key, value}); };
  add("model", printable(machine.network));
  add("routing", routingNames[size_t(machine.routingRule())]);
  auto name = [&](EndpointId endpoint) {
    return printable(machine.nodes()[machine.endpointNode(endpoint).index()].name);
  };
  if (const auto &longest = description.diameter) {
    bool isExact = longest->sources == machine.numEndpoints();
    std::string of =
        isExact ? "" : formatv(" (from the first {0} endpoints)", longest->sources).str();
    if (longest->hops > 0) {
      add("most hops", formatv("{0}, {1} to {2}{3}", counted(longest->hops, "link"),
                               name(longest->hopsFrom), name(longest->hopsTo), of));
      add("highest latency", formatv("{0}, {1} to {2}{3}", timeText(longest->latency),
                                     name(longest->latencyFrom), name(longest->latencyTo), of));
    }
    if (longest->unreachable > 0)
      add("no route", counted(longest->unreachable, "pair") + " of endpoints" + of);
  }
  if (const auto &cut = description.bisection)
    add("bisection",
        cut->there == cut->back
            ? rateText(cut->there) + " in each direction, between the halves of the endpoints"
            : rateText(cut->there) + " from the first half of the endpoints to the second, " +
                  rateText(cut->back) + " back");
  auto rates = [](const Description::Rates &rates) {
    if (!rates.least)
      return std::string(rates.most ? "from no link to " + rateText(rates.most) : "no link");
    return rates.least == rates.most ? rateText(rates.least)
                                     : rateText(rates.least) + " to " + rateText(rates.most);
  };
  add("out of an endpoint", rates(description.out));
  add("into an endpoint", rates(description.in));
  table.print(os, "row", /*left=*/1);
}

void printPe(const Machine &machine, const Description &description, raw_ostream &os) {
  Table table({"PE"});
  auto add = [&](const char *key, const std::string &value) { table.add({key, value}); };
  if (machine.launch > SimTime())
    add("launch of a plan", timeText(machine.launch));
  if (machine.processors)
    add("processors of all PEs", std::to_string(machine.processors->count));
  if (machine.pe.streams)
    add("streams", std::to_string(*machine.pe.streams));
  if (machine.pe.dispatch > SimTime() || machine.pe.localDispatch > SimTime())
    add("dispatch of a step", timeText(machine.pe.dispatch) +
                                  (machine.pe.localDispatch == machine.pe.dispatch
                                       ? ""
                                       : ", of a local one " + timeText(machine.pe.localDispatch)));
  auto addEngine = [&](const char *key, const CycleEngine &engine) {
    if (engine.bytesPerCycle > 0)
      add(key, counted(engine.bytesPerCycle, "byte") + " in " + timeText(engine.cycle) +
                   (engine.latency > SimTime() ? " after " + timeText(engine.latency) : ""));
  };
  addEngine("reduction", machine.pe.math);
  addEngine("copy", machine.pe.copy);
  if (!machine.pe.dmaRate.isUnlimited())
    add("DMA engine", rateText(machine.pe.dmaRate));
  if (!machine.pe.threadblockRate.isUnlimited())
    add("threadblock", rateText(machine.pe.threadblockRate));
  if (machine.hasMemories())
    add("memory", rateText(machine.memoryRate(EndpointId(0))) +
                      (machine.memory.loadStore ? ", inputs are loaded and results stored"
                                                : ", inputs are not loaded"));
  std::string capacities;
  constexpr const char *names[numPeMemories] = {"tcm ", "sram ", "hbm ", ""};
  for (size_t m = 0; m < numPeMemories; ++m)
    if (auto capacity = machine.memory.capacity[m])
      capacities += (capacities.empty() ? "" : ", ") + (names[m] + exactSizeText(*capacity));
  if (!capacities.empty())
    add("capacity of memory", capacities);
  if (!machine.hasProtocols())
    add("slots of a connection",
        slotsText(machine.queue.slots, machine.queue.slotSize) +
            (description.slotMemory.empty() ? "" : " in " + printable(description.slotMemory)));
  if (machine.queue.reads != OneSidedReads::Off)
    add("one-sided reads",
        machine.queue.reads == OneSidedReads::All ? "of all messages" : "of messages into scratch");
  const DirectionQueues &queues = machine.directionQueues;
  if (queues.areLimited())
    add("queues", queues.text() + (queues.multiplex ? ", shared by connections" : ""));
  if (const auto &switches = machine.switches; switches && (switches->adds || switches->multicasts))
    add("switches", !switches->adds         ? "multicast"
                    : !switches->multicasts ? "add"
                                            : "multicast and add");
  for (unsigned p = 0; p < numProtocols; ++p)
    if (const ProtocolModel *row = machine.find(static_cast<Protocol>(p)))
      table.add({("slots with " + protocolName(static_cast<Protocol>(p))).str(),
                 slotsText(row->slots, row->slotSize)});
  if (const auto &mscclpp = machine.mscclpp)
    add("MSCCL++", std::string("memory channels, packets") + (mscclpp->port ? ", ports" : ""));
  os << '\n';
  table.print(os, "row", /*left=*/1);
}

void printLimits(const TargetLimits &limits, raw_ostream &os) {
  Table table({"limits"});
  auto add = [&](const char *key, std::optional<uint32_t> value) {
    if (value)
      table.add({key, std::to_string(*value)});
  };
  add("channels", limits.channels);
  add("threadblocks of a rank", limits.threadblocks);
  add("steps of a threadblock", limits.stepsPerThreadblock);
  add("chunks of a step", limits.count);
  add("connections of a rank", limits.queuePairs);
  if (table.empty())
    return;
  os << '\n';
  table.print(os, "row", /*left=*/1);
}
} // namespace

void cclc::printDescription(const Machine &machine, const MachineDescription &description,
                            raw_ostream &os) {
  os << printable(machine.name) << ": family " << description.family << '\n';
  if (!machine.description.empty())
    os << wrapped(printable(machine.description), 2) << '\n';
  os << '\n';
  printLevels(machine, os);
  printNodes(description, os);
  printLinks(description, os);
  printNetwork(machine, description, os);
  printPe(machine, description, os);
  printLimits(machine.limits, os);
}
