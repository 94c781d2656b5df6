//===- PeakTable.cpp - Bounds of all collectives and measurements ---------===//
//
// The bounds with operations of switches are those of the machine as the target describes it, those
// without of the same machine with its object `switch` removed. Rings and trees use the latter.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/PeakTable.h"

#include "cclc/Bound/RingsAndTrees.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/Text.h"
#include "cclc/Target/EqualRoutes.h"
#include "cclc/Tools/MeasuredFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
/// Ranks of the machine for which there is a row.
struct Place {
  std::string name; ///< "1 node"
  std::vector<EndpointId> endpoints;
};

/// The number of the member of the outermost level in which \p endpoint is.
uint64_t memberOf(const Machine &machine, EndpointId endpoint) {
  return endpoint.index() / (machine.numEndpoints() / machine.geometry().levels.front().size());
}

/// One member of the outermost level, two, and all with ranks; those with two ranks at least.
std::vector<Place> placesOf(const Machine &machine, ArrayRef<EndpointId> endpoints) {
  if (machine.geometry().levels.size() < 2)
    return {{"all", endpoints.vec()}};
  std::vector<Place> places;
  std::set<uint64_t> all;
  for (EndpointId endpoint : endpoints)
    all.insert(memberOf(machine, endpoint));
  for (size_t count : std::set<size_t>{1, std::min<size_t>(2, all.size()), all.size()}) {
    std::set<uint64_t> members;
    Place place{counted(count, machine.geometry().levels.front().name), {}};
    for (EndpointId endpoint : endpoints) {
      uint64_t member = memberOf(machine, endpoint);
      if (members.size() < count)
        members.insert(member);
      if (members.count(member))
        place.endpoints.push_back(endpoint);
    }
    if (place.endpoints.size() > 1)
      places.push_back(std::move(place));
  }
  return places;
}

bool isDuplex(const Machine &machine) {
  return llvm::all_of(machine.links(), [&](const Link &link) {
    if (!link.present)
      return true;
    if (!link.reverse)
      return false;
    const Link &back = machine.link(*link.reverse);
    return back.present && back.bandwidth == link.bandwidth;
  });
}

/// The time over links of an algorithm, which no other part of the machine makes faster than
/// \p least.
std::optional<SimTime> asTime(const CollectiveBound &bound, std::optional<SimTime> overLinks,
                              const SizeBound &least) {
  if (!overLinks)
    return std::nullopt;
  return std::max(bound.withPayload(*overLinks), least.time());
}

class PeakFinder {
public:
  PeakFinder(const PeakRequest &request, DiagnosticEngine &diags)
      : request(request), diags(diags) {}

  std::optional<PeakTable> run();

private:
  std::optional<SelectedRanks> select();
  LogicalResult readMeasured();
  CollectiveBound bound(CollectiveKind kind, ArrayRef<EndpointId> endpoints) const {
    Collective collective(kind, endpoints.size(), 1);
    return CollectiveBound({machine(), endpoints.vec(), collective, network});
  }
  LogicalResult removeSwitches();
  std::vector<CollectiveKind> kinds() const;
  void addRows(const Place &place, ArrayRef<SizeBound> operating, PeakTable &table) const;
  void warnOfFastTimes(const MeasuredPeak &measured);
  const Machine &machine() const { return selected->machine; }

  PeakRequest request;
  DiagnosticEngine &diags;
  std::optional<SelectedRanks> selected;
  std::optional<MeasuredFile> file;
  std::string network;
};

LogicalResult PeakFinder::readMeasured() {
  FailureOr<MeasuredFile> read = readMeasuredFile(*request.measured, diags);
  if (failed(read))
    return failure();
  file = std::move(*read);
  if (file->collective && request.collective && file->collective != request.collective)
    return diags.error({}, formatv("--measured {0} is of collective {1}, not {2}",
                                   *request.measured, collectiveName(*file->collective).data(),
                                   collectiveName(*request.collective).data()));
  if (request.collective)
    file->collective = request.collective;
  if (!file->collective)
    return diags.error({}, formatv("--measured {0} does not name its collective: give it as "
                                   "COLLECTIVE",
                                   *request.measured));
  RankRequest &ranks = request.ranks;
  std::optional<uint32_t> given =
      ranks.endpoints.empty() ? ranks.ranks : std::optional<uint32_t>(ranks.endpoints.size());
  if (file->ranks && given && *file->ranks != *given)
    return diags.error({}, formatv("--measured {0} has {1} ranks, but {2} are requested",
                                   *request.measured, *file->ranks, *given));
  if (!file->ranks && !given)
    return diags.error({}, formatv("--measured {0} does not contain the number of ranks: give it "
                                   "by --ranks or --endpoints",
                                   *request.measured));
  if (!given)
    ranks.ranks = file->ranks;
  return success();
}

/// A target that has one node, but no fixed number of them, gets two.
std::optional<SelectedRanks> PeakFinder::select() {
  FailureOr<SelectedRanks> found = selectRanks(request.ranks, diags);
  if (failed(found))
    return std::nullopt;
  auto nodes = [](const SelectedRanks &of) { return of.machine.geometry().levels.front().size(); };
  const size_t levels = found->machine.geometry().levels.size();
  if (!request.ranks.ranks && request.ranks.endpoints.empty() && levels > 1 && nodes(*found) == 1) {
    RankRequest larger = request.ranks;
    larger.ranks = 2 * found->endpoints.size();
    DiagnosticEngine ignored;
    FailureOr<SelectedRanks> two = selectRanks(larger, ignored);
    if (succeeded(two) && nodes(*two) == 2)
      return std::move(*two);
  }
  return std::move(*found);
}

/// Loads the machine again without operations of switches.
LogicalResult PeakFinder::removeSwitches() {
  TargetRequest forwarding = selected->target;
  forwarding.overrides.push_back({"switch", "null"});
  FailureOr<Machine> loaded = loadTarget(forwarding, diags);
  if (failed(loaded))
    return failure();
  selected->machine = std::move(*loaded);
  return success();
}

std::vector<CollectiveKind> PeakFinder::kinds() const {
  if (request.collective)
    return {*request.collective};
  std::vector<CollectiveKind> all;
  for (unsigned i = 0; i < unsigned(CollectiveKind::Custom); ++i)
    if (auto kind = static_cast<CollectiveKind>(i); !isScan(kind)) // on request only
      all.push_back(kind);
  return all;
}

/// Adds the rows of a place; \p operating are the bounds with operations of switches, or empty.
void PeakFinder::addRows(const Place &place, ArrayRef<SizeBound> operating,
                         PeakTable &table) const {
  const CollectiveBound allReduce = bound(CollectiveKind::AllReduce, place.endpoints);
  for (auto [number, kind] : llvm::enumerate(kinds())) {
    std::optional<CollectiveBound> other;
    if (kind != CollectiveKind::AllReduce)
      other.emplace(bound(kind, place.endpoints));
    const CollectiveBound &own = other ? *other : allReduce;
    const Collective collective(kind, place.endpoints.size(), 1);
    PeakRow row{place.name, collective, std::nullopt, own.at(table.bytes), {}, {}};
    row.ring =
        asTime(own, ringTime(collective, own.link(), allReduce.link(), table.bytes), row.bound);
    row.trees = asTime(own, treeTime(collective, own.link(), table.bytes), row.bound);
    bool differ = !operating.empty() && operating[number].time() != row.bound.time();
    if (differ || (operating.empty() && table.assumptions.hasSwitches))
      row.switchesOperate = false;
    table.rows.push_back(std::move(row));
    if (differ)
      table.rows.push_back({place.name, collective, true, operating[number], {}, {}});
    if (place.endpoints.size() == selected->endpoints.size())
      table.assumptions.relays = own.relays();
    table.assumptions.payload = own.payload();
    table.assumptions.protocol = own.payloadProtocol();
  }
}

void PeakFinder::warnOfFastTimes(const MeasuredPeak &measured) {
  for (const MeasuredTime &row : measured.rows)
    if (row.time < row.bound.time()) {
      diags.warning({}, formatv("{0}: {1} bytes take {2} us, less than the bound of {3} us: the "
                                "target is slower than the machine that was measured",
                                measured.file, row.bytes.count(), microsecondsText(row.time),
                                microsecondsText(row.bound.time())));
      return;
    }
}

std::optional<PeakTable> PeakFinder::run() {
  if (request.measured && failed(readMeasured()))
    return std::nullopt;
  selected = select();
  if (!selected)
    return std::nullopt;
  if (selected->endpoints.size() < 2) {
    diags.error({}, "the peak is that of at least 2 ranks: give more by --ranks or --endpoints");
    return std::nullopt;
  }
  network = request.network.value_or(machine().network);
  if (failed(checkNetwork(network, diags)))
    return std::nullopt;
  warnOfEqualRoutes(machine(), selected->endpoints, diags);
  PeakTable table{machine().stamp.title(), network, Bytes(request.bytes), {}, {}, {}};
  table.assumptions.hasSwitches = machine().nodes().size() > machine().numEndpoints();
  table.assumptions.switches = machine().switches;
  table.assumptions.isDuplex = isDuplex(machine());
  const std::vector<Place> places = placesOf(machine(), selected->endpoints);
  if (request.measured) {
    Collective collective(*file->collective, selected->endpoints.size(), 1);
    table.measured = {*request.measured, file->program, collective, {}};
    CollectiveBound own = bound(collective.kind(), selected->endpoints);
    for (const MeasuredFile::Row &row : file->rows)
      for (bool inPlace : {false, true})
        if (auto time = inPlace ? row.inPlace : row.outOfPlace) {
          Bytes bytes = file->bufferOf(row, collective);
          table.measured->rows.push_back({bytes, inPlace, *time, own.at(bytes), {}});
        }
    warnOfFastTimes(*table.measured);
  }
  std::vector<std::vector<SizeBound>> operating(places.size());
  for (auto [place, bounds] : llvm::zip(places, operating))
    for (CollectiveKind kind : kinds())
      if (machine().switches)
        bounds.push_back(bound(kind, place.endpoints).at(table.bytes));
  if (machine().switches && failed(removeSwitches()))
    return std::nullopt;
  for (auto [place, bounds] : llvm::zip(places, operating)) {
    if (request.onStage)
      request.onStage("compare cuts of " + counted(place.endpoints.size(), "rank"));
    addRows(place, bounds, table);
  }
  if (table.measured) {
    const CollectiveBound own = bound(table.measured->collective.kind(), selected->endpoints);
    const CollectiveBound allReduce = bound(CollectiveKind::AllReduce, selected->endpoints);
    for (MeasuredTime &row : table.measured->rows)
      row.ring =
          asTime(own, ringTime(table.measured->collective, own.link(), allReduce.link(), row.bytes),
                 own.at(row.bytes));
  }
  return table;
}
} // namespace

std::optional<PeakTable> cclc::findPeak(const PeakRequest &request, DiagnosticEngine &diags) {
  return PeakFinder(request, diags).run();
}
