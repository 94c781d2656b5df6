//===- AdvicePrograms.cpp - Other plans to try for --advise ---------------===//
//
// The plan records the request that made it, with the mapper and the placement of its ranks. Every
// candidate differs from that request in one choice.
//
//===----------------------------------------------------------------------===//

#include "AdvicePrograms.h"

#include "AdviceCandidates.h"
#include "cclc/Compiler/RankGroup.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using dsl::Declaration;
using dsl::ParamSpec;
using llvm::formatv;

namespace {
/// The number of steps above which compilation takes too long to be repeated.
constexpr size_t maxSteps = 200'000;
/// The number of values that are tried below and above that of a parameter, and of roots.
constexpr unsigned valuesTried = 6, rootsTried = 4;

using Explanation = std::function<std::string(const RunFigures &, const RunFigures &)>;

/// "1.25".
std::string hundredths(uint64_t n) { return formatv("{0}.{1,0+2}", n / 100, n % 100); }

/// The end of a cause whose change saves steps, if \p dispatch, in percent of the time, is much.
std::string dispatched(uint32_t dispatch, const RunFigures &now, const RunFigures &then) {
  if (dispatch < boundByDispatch || then.executions * 4 > now.executions * 3)
    return {};
  return formatv(", and the dispatch of {0} steps is {1} % of the time", now.executions, dispatch);
}

/// The cause of a change that saves steps; empty if it does not.
std::string dispatchBound(uint32_t dispatch, const RunFigures &now, const RunFigures &then,
                          StringRef with) {
  if (then.executions >= now.executions)
    return {};
  return formatv(
      "dispatch-bound: the dispatch of steps is {0} % of the time; {1} steps run, and {2} "
      "with {3}",
      dispatch, now.executions, then.executions, with);
}

/// "wrong root: a message crosses 3.20 links on average with root 0, 2.13 with root 10".
std::string wrongChoice(StringRef name, StringRef used, StringRef other, const RunFigures &now,
                        const RunFigures &then) {
  if (then.hops >= now.hops)
    return formatv("wrong {0}: the run takes longer with {1} than with {2}", name, used, other);
  return formatv("wrong {0}: a message crosses {1} links on average with {2}, {3} with {4}", name,
                 hundredths(now.hops), used, hundredths(then.hops), other);
}

/// Explanations are called after the end of this object.
class Programs {
public:
  Programs(const AdviceRequest &request, uint32_t dispatch)
      : request(request), info(request.placed.plan.info()), dispatch(dispatch),
        program(request.programs.find(info.name)) {}

  /// Why the plan cannot be compiled again; empty if it can, which sets \c base.
  std::string findBase();
  std::vector<ProgramCandidate> all();
  /// Bundled programs in the place of a user's, on the same endpoints.
  std::vector<ProgramCandidate> others();

private:
  bool addTarget();
  void addRecorded(StringRef option);
  bool repeats(const CompileRequest &compilation) const;
  void add(std::string subject, std::string action, CompileRequest changed, Explanation cause,
           uint32_t weight = fullWeight) {
    candidates.push_back({std::move(subject), std::move(action), program, std::move(changed),
                          std::move(cause), weight});
  }
  CompileRequest with(const std::string &parameter, const std::string &value) const;
  std::string valueOf(const std::string &parameter) const;
  std::string buffers() const;

  void addOptimisation();
  void addPlacements();
  void addProtocols();
  void addInstances();
  void addParameter(const ParamSpec &spec);
  void addNumbers(const ParamSpec &spec, int now);
  void addRoots(const ParamSpec &spec, uint32_t now);
  void addOtherPrograms();
  Explanation fewerOrMore(const std::string &name, uint64_t now, uint64_t then) const;
  SimTime distance(uint32_t rank) const;
  bool waitsForSlots() const { return costPercent(request, Cost::Kind::Slot) >= 20; }

  const AdviceRequest &request;
  const ProgramInfo &info;
  uint32_t dispatch;
  const Declaration *program;
  CompileRequest base;
  std::vector<ProgramCandidate> candidates;
};
} // namespace

std::string Programs::findBase() {
  if (!program)
    return formatv("not tried: other options of cclc, because '{0}' is not a bundled program",
                   info.name);
  if (request.placed.plan.steps().size() > maxSteps)
    return formatv("not tried: other options of cclc, because the plan has more than {0} steps",
                   maxSteps);
  if (!addTarget())
    return "not tried: other options of cclc, because the target of the plan is not bundled; "
           "repeat with --target FILE";
  for (const auto &[name, value] : info.parameters)
    for (const ParamSpec &spec : program->params())
      if (spec.name == name && spec.value != value)
        base.parameters.emplace_back(name, value);
  for (const ParamSpec &spec : allParameters(*program))
    if (spec.name == "buffers" && spec.value != buffers())
      base.parameters.emplace_back("buffers", buffers());
  if (info.instances > 1)
    base.instances = info.instances;
  if (info.protocol != Protocol::Simple)
    base.protocol = info.protocol;
  base.minBytes = info.minBytes;
  base.maxBytes = info.maxBytes;
  if (info.slots && *info.slots != request.placed.machine.slotsFor(info.protocol))
    base.slots = info.slots;
  if (info.slotBytes)
    base.slotSize = Bytes(*info.slotBytes);
  for (const std::string &option : info.options)
    addRecorded(option);
  DiagnosticEngine refused;
  FailureOr<RankGroup> usual = resolveRanks(*program, base, refused);
  if (failed(usual) || usual->endpoints.size() != info.ranks())
    base.ranks = info.ranks();
  if (repeats(base))
    return {};
  return "not tried: other options of cclc, because the plan does not record how its ranks were "
         "placed";
}

/// An option with which the plan was compiled. Those of the optimisation are not repeated.
void Programs::addRecorded(StringRef option) {
  auto [name, value] = option.split(' ');
  if (name == "-p")
    base.parameters.emplace_back(value.split('=').first, value.split('=').second);
  else if (name == "--placement")
    base.placement = parseRankPlacement(value);
  else if (name == "--endpoints")
    base.endpoints = info.placementOnTarget;
}

/// The value of the parameter with which the plan was compiled.
std::string Programs::buffers() const {
  return info.placements == Placements::both()      ? "both"
         : info.placements == Placements::inPlace() ? "in_place"
                                                    : "out_of_place";
}

/// The machine of the run, as the options --target and --set.
bool Programs::addTarget() {
  TargetRequest target{
      request.target.value_or(info.target.name), request.targets, {}, std::nullopt};
  std::vector<std::string> settings;
  if (!request.target) {
    auto isIt = [&](const auto &bundled) { return bundled.first == info.target.name; };
    if (llvm::none_of(listTargets(request.targets), isIt))
      return false;
    settings = info.target.settings;
  }
  settings.insert(settings.end(), request.sets.begin(), request.sets.end());
  DiagnosticEngine refused;
  if (failed(parseOverrides(settings, target.overrides, refused)))
    return false;
  base.target = std::move(target);
  return true;
}

/// Whether \p compilation runs the same collective on the same endpoints.
bool Programs::repeats(const CompileRequest &compilation) const {
  DiagnosticEngine refused;
  CompileRequest quick = compilation;
  quick.verify = false;
  FailureOr<Compiled> compiled = compile(*program, quick, refused);
  if (failed(compiled))
    return false;
  const ProgramInfo &found = compiled->plan.info();
  if (found.ranks() != info.ranks() || found.placementOnTarget.size() != info.ranks() ||
      found.collective.kind() != info.collective.kind())
    return false;
  for (uint32_t r = 0; r < info.ranks(); ++r)
    if (found.placementOnTarget[r] != request.placed.endpointOf[r].index())
      return false;
  return true;
}

CompileRequest Programs::with(const std::string &parameter, const std::string &value) const {
  CompileRequest changed = base;
  llvm::erase_if(changed.parameters, [&](const auto &pair) { return pair.first == parameter; });
  changed.parameters.emplace_back(parameter, value);
  return changed;
}

std::string Programs::valueOf(const std::string &parameter) const {
  for (const auto &[name, value] : info.parameters)
    if (name == parameter)
      return value;
  return {};
}

void Programs::addOptimisation() {
  add("optimisation", "Compile with the default optimisation", base,
      [dispatch = dispatch](const RunFigures &now, const RunFigures &then) -> std::string {
        constexpr const char *with = "the default optimisation of cclc";
        if (dispatch >= boundByDispatch && then.executions < now.executions)
          return dispatchBound(dispatch, now, then, with);
        return formatv("optimisation: {0} steps run, and {1} with {2}", now.executions,
                       then.executions, with);
      });
}

void Programs::addPlacements() {
  RankPlacement used = base.placement.value_or(RankPlacement::Linear);
  for (RankPlacement other : {RankPlacement::Linear, RankPlacement::Snake, RankPlacement::Auto}) {
    if (other == used)
      continue;
    CompileRequest changed = base;
    changed.placement = other;
    add(
        "placement", formatv("Place the ranks with {0}", rankPlacementName(other)),
        std::move(changed),
        [used, other](const RunFigures &now, const RunFigures &then) {
          return wrongChoice("placement", rankPlacementName(used), rankPlacementName(other), now,
                             then);
        },
        placementWeight);
  }
}

void Programs::addProtocols() {
  for (Protocol other : {Protocol::Simple, Protocol::LL, Protocol::LL128}) {
    if (other == info.protocol || !request.placed.machine.find(other))
      continue;
    CompileRequest changed = base;
    changed.protocol = other;
    add("protocol", formatv("Use protocol {0}", protocolName(other)), std::move(changed),
        [used = info.protocol, other,
         size = request.report.sizes.back().bytes](const RunFigures &, const RunFigures &) {
          return formatv("wrong protocol: {0} is slower than {1} at {2} bytes", protocolName(used),
                         protocolName(other), size.count())
              .str();
        });
  }
}

/// "too many chunks: ...", "too few channels: ...", or "arity is too large: ...".
Explanation Programs::fewerOrMore(const std::string &name, uint64_t now, uint64_t then) const {
  return [=, dispatch = dispatch](const RunFigures &before, const RunFigures &after) {
    bool isOfChannels = name == "instances" && before.channels != after.channels;
    std::string subject = isOfChannels ? "channels" : name;
    std::string text = StringRef(subject).ends_with("s")
                           ? formatv("too {0} {1}: ", then < now ? "many" : "few", subject).str()
                           : formatv("{0} is too {1}: ", name, then < now ? "large" : "small");
    text += formatv("the run takes longer with {0}={1} than with {2}", name, now, then);
    if (isOfChannels)
      text += formatv(" (channels: {0}, then {1})", before.channels, after.channels);
    return text + dispatched(dispatch, before, after);
  };
}

void Programs::addInstances() {
  // More copies have more slots as well: for a plan that waits for slots they are no remedy.
  uint32_t most = waitsForSlots() ? info.instances : info.instances * 4;
  for (uint32_t n = 1; n <= most; n *= 2)
    if (n != info.instances) {
      CompileRequest changed = base;
      changed.instances = n;
      add("instances", formatv("Use {0} {1}", n, n == 1 ? "instance" : "instances"),
          std::move(changed), fewerOrMore("instances", info.instances, n),
          n > info.instances ? moreChannelsWeight : fullWeight);
    }
}

void Programs::addNumbers(const ParamSpec &spec, int now) {
  // Half and double before a quarter and four times: the smaller change is preferred.
  std::vector<int64_t> values;
  constexpr size_t manySteps = 20'000;
  unsigned tried = request.placed.plan.steps().size() < manySteps ? valuesTried : valuesTried / 3;
  for (unsigned i = 1; i <= tried; ++i)
    for (int64_t value : {int64_t(now) >> i, int64_t(now) << i})
      if ((value < now || spec.name != "channels" || !waitsForSlots()) && value >= spec.min &&
          value <= spec.max && value != now && !llvm::is_contained(values, value))
        values.push_back(value);
  for (int64_t value : values)
    add("parameter " + spec.name, formatv("Set {0} to {1}", spec.name, value),
        with(spec.name, std::to_string(value)), fewerOrMore(spec.name, now, value),
        spec.name == "channels" && value > now ? moreChannelsWeight : fullWeight);
}

/// The time of the message of a whole buffer from \p rank to each other rank in turn.
SimTime Programs::distance(uint32_t rank) const {
  const Machine &machine = request.placed.machine;
  SimTime sum;
  for (EndpointId other : request.placed.endpointOf) {
    SmallVector<LinkId, 16> links;
    if (other != request.placed.endpointOf[rank])
      machine.route(request.placed.endpointOf[rank], other, links);
    for (LinkId link : links)
      sum += machine.latency(machine.link(link)) +
             transferTime(request.report.sizes.back().bytes, machine.link(link).bandwidth);
  }
  return sum;
}

/// The ranks that are closest to all others.
void Programs::addRoots(const ParamSpec &spec, uint32_t now) {
  std::vector<std::pair<SimTime, uint32_t>> ranks;
  for (uint32_t r = 0; r < info.ranks(); ++r)
    if (r != now && int64_t(r) <= spec.max)
      ranks.emplace_back(distance(r), r);
  std::sort(ranks.begin(), ranks.end());
  for (const auto &[time, r] : ArrayRef(ranks).take_front(rootsTried))
    add("root",
        formatv("Use rank {0} as the root{1}", r,
                info.collective.isRooted() ? ", if the data may be there" : ""),
        with(spec.name, std::to_string(r)),
        [now, root = r](const RunFigures &before, const RunFigures &after) {
          return wrongChoice("root", formatv("root {0}", now).str(),
                             formatv("root {0}", root).str(), before, after);
        });
}

void Programs::addParameter(const ParamSpec &spec) {
  std::string now = valueOf(spec.name);
  switch (spec.type) {
  case ParamSpec::Type::Int:
    if (int value; !StringRef(now).getAsInteger(10, value)) {
      if (spec.name == "root")
        return addRoots(spec, uint32_t(value));
      return addNumbers(spec, value);
    }
    return;
  case ParamSpec::Type::Bool:
  case ParamSpec::Type::Choice: {
    std::vector<std::string> values = spec.choices;
    if (spec.type == ParamSpec::Type::Bool)
      values = {now == "yes" ? "no" : "yes"};
    for (const std::string &value : values)
      if (value != now)
        add("parameter " + spec.name, formatv("Set {0} to {1}", spec.name, value),
            with(spec.name, value),
            [name = spec.name, now, value](const RunFigures &before, const RunFigures &after) {
              return wrongChoice(name, now, value, before, after);
            });
  }
  }
}

/// Programs of the same collective, if the time is that of links which are used in one direction,
/// or of the dispatch of steps.
void Programs::addOtherPrograms() {
  bool byLinks = costPercent(request, {Cost::Kind::Bandwidth, Cost::Kind::Contention}) >= 40;
  bool byDispatch = dispatch >= boundByDispatch;
  if (!byLinks && !byDispatch)
    return;
  for (const Declaration &other : request.programs.all()) {
    if (&other == program || other.collective() != info.collective.kind())
      continue;
    CompileRequest changed = base;
    std::vector<ParamSpec> specs = allParameters(other);
    llvm::erase_if(changed.parameters, [&](const auto &pair) {
      auto isDefault = [&](const ParamSpec &spec) {
        return spec.name == pair.first && spec.value == pair.second;
      };
      return (pair.first != "buffers" && pair.first != "mapper") || llvm::any_of(specs, isDefault);
    });
    std::string action = formatv("Use program {0}", other.name());
    if (byDispatch)
      candidates.push_back({"algorithm", action, &other, changed,
                            [name = other.name(), dispatch = dispatch](const RunFigures &now,
                                                                       const RunFigures &then) {
                              return dispatchBound(dispatch, now, then, name);
                            },
                            programWeight});
    if (!byLinks)
      continue;
    candidates.push_back(
        {"directions", std::move(action), &other, std::move(changed),
         [](const RunFigures &now, const RunFigures &then) -> std::string {
           if (now.oneWayLinks * 10 < now.links * 9 || then.oneWayLinks * 2 > now.oneWayLinks)
             return {};
           return formatv("one direction idle: {0} of {1} busy links carry nothing in the opposite "
                          "direction",
                          now.oneWayLinks, now.links);
         },
         programWeight});
  }
}

std::vector<ProgramCandidate> Programs::all() {
  addOptimisation();
  addPlacements();
  addProtocols();
  for (const ParamSpec &spec : program->params())
    addParameter(spec);
  addInstances();
  addOtherPrograms();
  return std::move(candidates);
}

std::vector<ProgramCandidate> Programs::others() {
  if (program || request.placed.plan.steps().size() > maxSteps || !addTarget())
    return {};
  for (EndpointId endpoint : request.placed.endpointOf)
    base.endpoints.push_back(endpoint.index());
  base.parameters.emplace_back("buffers", buffers());
  addOtherPrograms();
  return std::move(candidates);
}

std::vector<ProgramCandidate> cclc::programCandidates(const AdviceRequest &request,
                                                      uint32_t dispatch,
                                                      std::vector<std::string> &notes) {
  Programs all(request, dispatch);
  std::string why = all.findBase();
  if (!why.empty()) {
    notes.push_back(why);
    return all.others();
  }
  return all.all();
}
