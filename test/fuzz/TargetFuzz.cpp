//===- TargetFuzz.cpp - Arbitrary bytes, read as a target -----------------===//
//
// Lines such as "--set nic.bandwidth=1e9" may precede the file. A file that loads is a
// machine with finite routes between its endpoints: each begins at the source, ends at
// the destination and is contiguous. The resolved target, with every key, loads as the
// same machine, and so does the target that a plan for this machine records. A base is one
// of the bundled targets.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Target/Loader.h"

#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace cclc;
using namespace cclc::fuzz;

namespace {
/// The file that every input is written to; in a separate folder, so that a base finds no other
/// file.
const std::string &scratchFile() {
  static const std::string path = [] {
    SmallVector<char, 128> folder;
    if (llvm::sys::fs::createUniqueDirectory("cclc-fuzz", folder))
      std::abort();
    static std::string removed(folder.begin(), folder.end());
    std::atexit([] {
      llvm::sys::fs::remove(removed + "/target.json");
      llvm::sys::fs::remove(removed);
    });
    return removed + "/target.json";
  }();
  return path;
}

/// True if a machine of this text may take long to build, by the product of all numbers that are
/// counts.
bool isLarge(StringRef text) {
  // A base has numbers of its own.
  const uint64_t most = text.contains("\"base\"") ? 1 << 6 : 1 << 11;
  uint64_t product = 1;
  for (StringRef key : {"\"count\"", "\"width\"", "\"height\"", "\"pes\"", "\"ranks\"", "\"nodes\"",
                        "\"gpus_per_node\"", "\"phys\""})
    for (StringRef rest = text; rest.contains(key);) {
      rest = rest.split(key).second;
      StringRef number = rest.ltrim(" :\n");
      uint64_t value;
      if (number.consumeInteger(10, value))
        continue;
      product *= std::max<uint64_t>(std::min<uint64_t>(value, 1 << 16), 1);
      if (product > most)
        return true;
    }
  return false;
}

/// True if the setting may be a large number of nodes.
bool isLargeCount(const TargetOverride &change) {
  uint32_t count;
  return !StringRef(change.value).getAsInteger(10, count) && count > 1 << 5 && count < 1 << 17;
}

void checkRoutes(const Machine &machine, StringRef input) {
  DiagnosticEngine none;
  uint32_t endpoints = machine.numEndpoints();
  SmallVector<LinkId, 64> route;
  for (uint32_t probe = 0; probe < 64; ++probe) {
    uint32_t src = probe * 7 % endpoints, dst = probe * 13 % endpoints;
    if (src == dst)
      continue;
    route.clear();
    machine.route(EndpointId(src), EndpointId(dst), route);
    if (route.empty())
      continue; // no path, which is valid in a link list
    NodeId at = machine.endpointNode(EndpointId(src));
    for (LinkId link : route) {
      if (link.index() >= machine.links().size() || machine.link(link).from != at)
        defect("a route breaks off", input, none);
      at = machine.link(link).to;
    }
    if (at != machine.endpointNode(EndpointId(dst)))
      defect("a route ends elsewhere", input, none);
  }
}
bool writeScratch(StringRef text) {
  std::error_code failure;
  llvm::raw_fd_ostream os(scratchFile(), failure);
  os << text;
  return !failure;
}

FailureOr<Machine> load(ArrayRef<TargetOverride> changes, DiagnosticEngine &diags,
                        std::string &resolved) {
  return loadTarget({scratchFile(), CCLC_TARGET_DIR, changes.vec(), 6}, diags, &resolved);
}

/// Removes the settings that precede the file.
FailureOr<std::vector<TargetOverride>> takeSettings(StringRef &text, DiagnosticEngine &diags) {
  std::vector<std::string> settings;
  while (text.consume_front("--set ")) {
    auto [line, rest] = text.split('\n');
    settings.push_back(line.str());
    text = rest;
  }
  std::vector<TargetOverride> changes;
  if (failed(parseOverrides(settings, changes, diags)))
    return failure();
  return changes;
}

void checkStamp(const Machine &machine, const std::string &resolved, StringRef input) {
  ProgramInfo info(Collective(CollectiveKind::AllReduce, machine.numEndpoints(), 1));
  info.target = machine.stamp;
  DiagnosticEngine diags;
  std::string again;
  if (failed(loadTargetOf(info, CCLC_TARGET_DIR, {}, diags, &again)) || again != resolved)
    defect("the target of a plan is another one", input, diags);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text(reinterpret_cast<const char *>(data), size);
  if (isLarge(text))
    return -1;
  DiagnosticEngine diags;
  FailureOr<std::vector<TargetOverride>> changes = takeSettings(text, diags);
  if (failed(changes) || llvm::any_of(*changes, isLargeCount))
    return -1;
  if (!writeScratch(text))
    std::abort();
  std::string resolved;
  FailureOr<Machine> machine = load(*changes, diags, resolved);
  if (failed(machine) != diags.hasErrors())
    defect("the result and the errors disagree", text, diags);
  if (succeeded(machine)) {
    if (machine->numEndpoints() == 0)
      defect("a machine without endpoints", text, diags);
    for (Mapper mapper : {Mapper::LeaderOnly, Mapper::CubeLeaders, Mapper::AllPes})
      if (machine->select(mapper).endpoints.size() != machine->select(mapper).geometry.ranks())
        defect("a selection is no grid", text, diags);
    checkRoutes(*machine, text);
    std::string again;
    if (!writeScratch(resolved))
      std::abort();
    if (failed(load({}, diags, again)) || again != resolved)
      defect("a resolved target is another one", text, diags);
    checkStamp(*machine, resolved, text);
  }
  return succeeded(machine) ? 0 : -1;
}
