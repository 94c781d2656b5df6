#include "cclc/Target/Loader.h"

#include "Families.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>

using namespace cclc;

/// Whether \p path names links by their nodes: links.NODE->NODE, perhaps with a key.
static bool namesLinks(StringRef path) { return path.starts_with("links.") && path.contains("->"); }

FailureOr<TargetOverride> cclc::parseOverride(StringRef text, DiagnosticEngine &diags) {
  auto [path, value] = text.split('=');
  if (namesLinks(text)) // names of nodes may have any character
    std::tie(path, value) = text.rsplit('=');
  if (path.empty() || value.empty())
    return diags.error({}, "'" + text + "' is not of the form PATH=VALUE");
  return TargetOverride{path.str(), value.str()};
}

LogicalResult cclc::parseOverrides(ArrayRef<std::string> texts,
                                   std::vector<TargetOverride> &overrides,
                                   DiagnosticEngine &diags) {
  for (const std::string &text : texts) {
    FailureOr<TargetOverride> change = parseOverride(text, diags);
    if (failed(change))
      return failure();
    overrides.push_back(*change);
  }
  return success();
}

namespace {

/// The value as JSON if it is a plain one, else as text.
nlohmann::json plainValue(const std::string &text) {
  nlohmann::json parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() || parsed.is_structured() ? nlohmann::json(text) : parsed;
}

/// Adds an entry to the target's link_changes. Names of nodes have dots: the last one
/// is before the key, unless the value says whether the links are there.
LogicalResult changeLinks(nlohmann::json &document, const TargetOverride &change,
                          DiagnosticEngine &diags) {
  StringRef links = StringRef(change.path).drop_front(strlen("links."));
  StringRef key = "present";
  if (change.value != "off" && change.value != "on") {
    std::tie(links, key) = links.rsplit('.');
    if (key != "bandwidth" && key != "propagation")
      return diags.error({}, "--set " + change.path + ": a link takes on or off, and has " +
                                 "'.bandwidth' and '.propagation' to set");
  }
  nlohmann::json &all = document["link_changes"];
  if (!all.is_array() && !all.is_null())
    return diags.error({}, "--set " + change.path + ": 'link_changes' is no array");
  all.push_back({{"links", links.str()}, {key.str(), plainValue(change.value)}});
  return success();
}

/// Replaces the value at a path; objects on the way are made where they miss, and
/// what the family does not know is refused when it is read.
LogicalResult apply(nlohmann::json &document, const TargetOverride &change,
                    DiagnosticEngine &diags) {
  if (namesLinks(change.path))
    return changeLinks(document, change, diags);
  nlohmann::json *at = &document;
  SmallVector<StringRef, 4> keys;
  StringRef(change.path).split(keys, '.');
  for (StringRef key : keys) {
    if (!at->is_object() && !at->is_null())
      return diags.error({}, "--set " + change.path + ": '" + key + "' lies inside a plain value");
    at = &(*at)[key.str()];
  }
  *at = plainValue(change.value);
  return success();
}

/// Rows of the table of protocols.
void readProtocols(JsonObject &file, Machine &machine) {
  JsonObject table = file.object("protocols");
  for (unsigned p = 0; p < numProtocols; ++p) {
    std::string name = protocolName(static_cast<Protocol>(p)).str();
    if (!table.has(name.c_str()))
      continue;
    ProtocolModel &row = machine.protocols[p].emplace();
    row.launch = machine.launch;
    JsonObject object = table.object(name.c_str());
    object.time("launch", row.launch);
    object.time("step_latency", row.stepLatency);
    object.number("slots", row.slots, 1, 1 << 20);
    object.bytes("slot_size", row.slotSize);
    object.number("chunks", row.maxChunks, 1, ~uint32_t(0));
    object.number("slices", row.slices, 1, 1 << 10);
    object.bytes("slice_minimum", row.minSlice);
    object.onOff("streaming", row.streaming);
    Bytes trip;
    object.bytes("trip", trip);
    object.time("trip_time", row.trip.cycle);
    row.trip.bytesPerCycle = trip.count();
    double efficiency = 1;
    object.real("payload_efficiency", efficiency);
    if (efficiency > 0.01 && efficiency <= 1)
      row.efficiency = std::llround(efficiency * 1e6);
    else
      object.error("payload_efficiency", "takes a number from 0.01 to 1");
    if (row.slotSize == Bytes())
      object.error("slot_size", "is missing");
    object.finish();
  }
  table.finish();
}

/// Engines, queues and limits, which every family has.
void readCommon(JsonObject &file, Machine &machine) {
  JsonObject pe = file.object("pe");
  pe.number("streams", machine.pe.streams, 1, 1 << 16);
  pe.time("dispatch", machine.pe.dispatch);
  machine.pe.localDispatch = machine.pe.dispatch;
  pe.time("local_dispatch", machine.pe.localDispatch);
  pe.time("wait", machine.pe.wait);
  pe.time("nop", machine.pe.nop);
  pe.rate("threadblock_bandwidth", machine.pe.threadblockRate);
  pe.rate("dma_bandwidth", machine.pe.dmaRate);
  for (auto [key, engine] :
       {std::pair("math", &machine.pe.math), std::pair("copy", &machine.pe.copy)}) {
    JsonObject object = pe.object(key);
    Bytes perCycle(engine->bytesPerCycle);
    object.time("latency", engine->latency);
    object.time("cycle", engine->cycle);
    object.bytes("bytes_per_cycle", perCycle);
    engine->bytesPerCycle = perCycle.count();
    if (engine == &machine.pe.math)
      object.number("operands", machine.pe.mathOperands, 2, 1 << 10);
    object.finish();
  }
  pe.finish();

  JsonObject queue = file.object(machine.queueKey.c_str());
  QueueModel &q = machine.queue;
  queue.number("slots", q.slots, 1, 1 << 20);
  queue.bytes("slot_size", q.slotSize);
  queue.time("send_overhead", q.sendOverhead);
  queue.time("receive_overhead", q.receiveOverhead);
  queue.bytes("credit_size", q.creditSize);
  queue.onOff("credit_blocks_receiver", q.creditBlocksReceiver);
  bool charged = true;
  queue.onOff("slot_access", charged);
  // Where the slots live decides what an access costs.
  uint32_t memory = 0;
  constexpr const char *memories[] = {"tcm", "sram", "hbm"};
  queue.choice("slot_memory", memories, memory);
  JsonObject costs = queue.object("access");
  for (uint32_t m = 0; m < std::size(memories); ++m) {
    JsonObject cost = costs.object(memories[m]);
    SlotAccess access;
    cost.time("latency", access.latency);
    cost.rate("bandwidth", access.rate);
    cost.rate("second_bandwidth", access.secondRate);
    cost.finish();
    if (m == memory && charged)
      q.write = q.read = access;
  }
  costs.finish();
  queue.finish();

  JsonObject limits = file.object("limits");
  limits.number("channels", machine.limits.channels, 1, 1 << 16);
  limits.number("threadblocks", machine.limits.threadblocks, 1, 1 << 20);
  limits.number("steps_per_threadblock", machine.limits.stepsPerThreadblock, 1, 1 << 30);
  limits.number("count", machine.limits.count, 1, 1 << 30);
  limits.number("queue_pairs", machine.limits.queuePairs, 1, 1 << 20);
  limits.finish();
  file.time("launch", machine.launch);
  file.bytes("flit_size", machine.flit);
  if (machine.flit == Bytes())
    file.error("flit_size", "takes at least 1 byte");
  file.time("launch_interval", machine.launchInterval);
  readProtocols(file, machine);
}

bool isPath(StringRef nameOrFile) {
  return nameOrFile.ends_with(".json") || nameOrFile.contains('/');
}

std::string inFolder(StringRef folder, StringRef file) {
  SmallVector<char, 128> path(folder.begin(), folder.end());
  llvm::sys::path::append(path, file);
  return std::string(path.begin(), path.end());
}

FailureOr<nlohmann::json> parseFile(StringRef path, StringRef shown, DiagnosticEngine &diags) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return diags.error({}, "cannot read target '" + shown + "': " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  try {
    nlohmann::json document = nlohmann::json::parse(text.begin(), text.end());
    if (!document.is_object())
      return diags.error({shown.str()}, "a target is a JSON object");
    return document;
  } catch (const nlohmann::json::parse_error &error) {
    StringRef before =
        text.take_front(std::min<size_t>(error.byte ? error.byte - 1 : 0, text.size()));
    unsigned line = before.count('\n') + 1;
    unsigned column = before.size() - (before.rfind('\n') + 1) + 1;
    StringRef what = error.what();
    return diags.error({shown.str(), line, column}, what.split(": ").second);
  } catch (const nlohmann::json::out_of_range &error) {
    // A number that no double can hold.
    return diags.error({shown.str()}, StringRef(error.what()).split("] ").second);
  }
}

/// Reads a target and what it is based on: a file states only what differs from
/// its base, at any depth.
FailureOr<nlohmann::json> loadDocument(StringRef nameOrFile, StringRef targetDir,
                                       DiagnosticEngine &diags, unsigned depth = 0) {
  std::string path = nameOrFile.str();
  if (!isPath(nameOrFile)) {
    path = inFolder(targetDir, (nameOrFile + ".json").str());
    if (!llvm::sys::fs::exists(path)) {
      std::string names;
      for (const auto &[name, description] : listTargets(targetDir))
        names += (names.empty() ? "" : ", ") + name;
      return diags.error({}, "unknown target '" + nameOrFile + "'; there are " + names);
    }
  }
  FailureOr<nlohmann::json> document = parseFile(path, nameOrFile, diags);
  if (failed(document) || !document->contains("base"))
    return document;
  if (!(*document)["base"].is_string())
    return diags.error({nameOrFile.str()}, "'base' takes the name or the file of a target");
  if (depth == 8)
    return diags.error({nameOrFile.str()}, "'base' leads through more than 8 targets");
  std::string base = (*document)["base"];
  document->erase("base");
  // A base that is a file is looked for beside the target that names it.
  if (isPath(base) && !llvm::sys::path::is_absolute(base))
    base = inFolder(llvm::sys::path::parent_path(path), base);
  FailureOr<nlohmann::json> whole = loadDocument(base, targetDir, diags, depth + 1);
  if (succeeded(whole))
    whole->merge_patch(*document);
  return whole;
}
} // namespace

FailureOr<Machine> cclc::loadTarget(const TargetRequest &request, DiagnosticEngine &diags,
                                    std::string *resolvedText) {
  FailureOr<nlohmann::json> document = loadDocument(request.nameOrFile, request.targetDir, diags);
  if (failed(document))
    return failure();
  for (const TargetOverride &change : request.overrides)
    if (failed(apply(*document, change, diags)))
      return failure();

  nlohmann::ordered_json resolved = nlohmann::ordered_json::object();
  JsonObject file(&*document, request.nameOrFile, resolved, diags);
  MachineBuilder builder;
  Machine &machine = builder.machine;
  std::string family;
  file.requireText("name", machine.name);
  file.text("description", machine.description);
  machine.network = "cut-through";
  file.text("network", machine.network);
  file.requireText("family", family);
  if (diags.hasErrors())
    return failure();
  if (family == "ahbm")
    buildAhbm(file, builder);
  else if (family == "switched")
    buildSwitched(file, request.ranks, builder);
  else if (family == "graph")
    buildGraph(file, request.ranks, builder);
  else
    file.error("family", "is one of ahbm, switched, graph");
  if (diags.hasErrors())
    return failure();
  machine.queueKey = family == "ahbm" ? "ipcq" : "queue";
  readCommon(file, machine);
  changeLinks(file, builder);
  file.finish();
  if (diags.hasErrors())
    return failure();
  if (resolvedText)
    *resolvedText =
        resolved.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace) +
        "\n";
  return std::move(builder).finish();
}

std::vector<std::pair<std::string, std::string>> cclc::listTargets(StringRef targetDir) {
  std::vector<std::pair<std::string, std::string>> result;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(targetDir, error), end; !error && it != end;
       it.increment(error)) {
    StringRef path = it->path();
    if (llvm::sys::path::extension(path) != ".json")
      continue;
    DiagnosticEngine ignored;
    FailureOr<nlohmann::json> document = parseFile(path, path, ignored);
    std::string description;
    if (succeeded(document) && document->contains("description") &&
        (*document)["description"].is_string())
      description = (*document)["description"].get<std::string>();
    result.emplace_back(llvm::sys::path::stem(path).str(), description);
  }
  std::sort(result.begin(), result.end());
  return result;
}
