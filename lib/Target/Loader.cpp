//===- Loader.cpp - Building a machine from a target file -----------------===//
//
// A file is applied to its base as a merge patch (RFC 7396), recursively through at most 8
// bases; then the overrides of the command line are set in the document, so that files and
// overrides are checked by the same code. The family builds nodes, links and routing; the
// common keys follow. The hash of a target is xxHash64 of the compact document, without
// comments, name and description.
//
// Plans store this document, not the one with all defaults: a default may follow another value, as
// that of a tier follows the NICs, and settings of the plan must change both.
//
//===----------------------------------------------------------------------===//

#include "cclc/Target/Loader.h"

#include "Families.h"

#include "cclc/Support/Compression.h"
#include "cclc/Support/InputFile.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <array>

using namespace cclc;

namespace {

/// The value parsed as JSON if it is a scalar, else as text.
nlohmann::json plainValue(const std::string &text) {
  nlohmann::json parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() || parsed.is_structured() ? nlohmann::json(text) : parsed;
}

/// Adds an entry to the target's link_changes. Names of nodes contain dots, so the key follows the
/// last dot; there is no key if the value is on or off.
LogicalResult changeLinks(nlohmann::json &document, const TargetOverride &change,
                          DiagnosticEngine &diags) {
  StringRef links = StringRef(change.path).drop_front(strlen("links."));
  StringRef key = "present";
  if (change.value != "off" && change.value != "on") {
    std::tie(links, key) = links.rsplit('.');
    if (key != "bandwidth" && key != "propagation")
      return diags.error({}, "--set " + change.path +
                                 ": a link accepts on or off; its other properties are " +
                                 "'.bandwidth' and '.propagation'");
  }
  nlohmann::json &all = document["link_changes"];
  if (!all.is_array() && !all.is_null())
    return diags.error({}, "--set " + change.path + ": 'link_changes' is not an array");
  all.push_back({{"links", links.str()}, {key.str(), plainValue(change.value)}});
  return success();
}

/// Replaces the value at a path and creates missing objects on it. Unknown keys are rejected when
/// the document is read.
LogicalResult apply(nlohmann::json &document, const TargetOverride &change, KeyPlaces &places,
                    DiagnosticEngine &diags) {
  if (namesLinks(change.path))
    return changeLinks(document, change, diags);
  nlohmann::json *at = &document;
  std::string pointer;
  SmallVector<StringRef, 4> keys;
  StringRef(change.path).split(keys, '.');
  for (StringRef key : keys) {
    if (!at->is_object() && !at->is_null())
      return diags.error({},
                         "--set " + change.path + ": '" + key + "' is inside a " +
                             (at->is_array() ? "list, which only the target file changes; links "
                                               "are named as in 'links.A->B.bandwidth'"
                                             : "scalar value"));
    at = &(*at)[key.str()];
    pointer += "/" + key.str();
  }
  places.replace(pointer);
  *at = plainValue(change.value);
  return success();
}

void readPe(JsonObject &file, Machine &machine) {
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
}

void readQueue(JsonObject &file, Machine &machine) {
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
  // The cost of an access depends on the memory of the slots.
  uint32_t memory = 0;
  queue.choice("slot_memory", memoryNames, memory);
  if (machine.hasMemories())
    machine.memory.slots = static_cast<PeMemory>(memory);
  JsonObject costs = queue.object("access");
  for (uint32_t m = 0; m < std::size(memoryNames); ++m) {
    JsonObject cost = costs.object(memoryNames[m]);
    SlotAccess access;
    cost.time("latency", access.latency);
    cost.rate("bandwidth", access.rate);
    cost.rate("second_bandwidth", access.secondRate);
    cost.finish();
    if (m == memory && charged)
      q.write = q.read = access;
  }
  costs.finish();
  readDirectionQueues(queue, machine);
  queue.finish();
}

/// Reads the engines, queues and limits that all families have.
void readCommon(JsonObject &file, Machine &machine) {
  readPe(file, machine);
  readProcessors(file, machine);
  readQueue(file, machine);
  if (!machine.hasMemories())
    readSingleMemory(file, machine.memory);
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
  readSwitch(file, machine);
  readMscclpp(file, machine);
}

bool isPath(StringRef nameOrFile) {
  return withoutCompression(nameOrFile).ends_with(".json") || nameOrFile.contains('/');
}

std::string inFolder(StringRef folder, StringRef file) {
  SmallVector<char, 128> path(folder.begin(), folder.end());
  llvm::sys::path::append(path, file);
  return std::string(path.begin(), path.end());
}

FailureOr<nlohmann::json> parseText(StringRef text, StringRef shown, KeyPlaces &places,
                                    DiagnosticEngine &diags) {
  if (failed(places.add(shown, text, diags)))
    return failure();
  nlohmann::json document = parseJson(text);
  if (!document.is_object())
    return diags.error({shown.str()}, "a target is a JSON object");
  document.erase("$schema"); // for editors
  // Checked here, because a file does not state the version of its base.
  if (auto version = document.find("version");
      version != document.end() && version->is_number_unsigned() && *version > targetVersion)
    return diags.error({shown.str()}, "'version' takes at most " + std::to_string(targetVersion) +
                                          ": the target is for a newer version of the tools");
  return document;
}

FailureOr<nlohmann::json> parseFile(StringRef path, StringRef shown, KeyPlaces &places,
                                    DiagnosticEngine &diags) {
  auto buffer = readInput(path, "target '" + shown + "'", diags);
  if (failed(buffer))
    return failure();
  return parseText((*buffer)->getBuffer(), shown, places, diags);
}

/// The keys from the root of a target to one of its values.
using KeyPath = std::vector<std::string>;

/// A target, and the keys that its files reset although their bases do not have them. A merge patch
/// removes these before they are checked.
struct Document {
  nlohmann::json json;
  std::vector<KeyPath> resets;

  /// Appends those of \p changes to \p base, which are at \p path.
  void addResets(const nlohmann::json &base, const nlohmann::json &changes, KeyPath path = {}) {
    const nlohmann::json missing = nlohmann::json::object();
    for (const auto &[key, value] : changes.items()) {
      auto at = base.find(key);
      path.push_back(key);
      if (value.is_null() && at == base.end())
        resets.push_back(path);
      else if (value.is_object())
        addResets(at != base.end() && at->is_object() ? *at : missing, value, path);
      path.pop_back();
    }
  }

  /// The target with its resets as null.
  nlohmann::json withResets() const {
    nlohmann::json whole = json;
    for (const KeyPath &path : resets) {
      nlohmann::json *at = &whole;
      for (const std::string &key : ArrayRef(path).drop_back())
        at = at && at->is_object() && at->contains(key) ? &(*at)[key] : nullptr;
      if (at && at->is_object() && !at->contains(path.back()))
        (*at)[path.back()] = nullptr;
    }
    return whole;
  }
};

/// Reads a target and its bases. A file contains only the differences from its base, at any depth.
/// Appends the path of each file to \p files, if not null. \p named is the place of the name of a
/// base.
FailureOr<Document> loadDocument(StringRef nameOrFile, StringRef targetDir, KeyPlaces &places,
                                 DiagnosticEngine &diags, unsigned depth = 0,
                                 std::vector<std::string> *files = nullptr,
                                 const Location &named = {}) {
  std::string path = nameOrFile.str();
  if (!isPath(nameOrFile)) {
    path = inFolder(targetDir, (nameOrFile + ".json").str());
    if (!llvm::sys::fs::exists(path)) {
      std::vector<std::string> names;
      for (const auto &[name, description] : listTargets(targetDir))
        names.push_back(name);
      const std::string known =
          names.empty() ? "no targets in '" + targetDir.str() + "'" : llvm::join(names, ", ");
      return diags.error(named, "unknown target '" + nameOrFile + "'" +
                                    didYouMean(nameOrFile, names) + "; there are " + known);
    }
  }
  if (files)
    files->push_back(path);
  FailureOr<nlohmann::json> document = parseFile(path, nameOrFile, places, diags);
  if (failed(document))
    return failure();
  if (!document->contains("base"))
    return Document{std::move(*document), {}};
  if (!(*document)["base"].is_string())
    return diags.error({nameOrFile.str()}, "'base' takes the name or the file of a target");
  if (depth == 8)
    return diags.error({nameOrFile.str()}, "'base' refers to a chain of more than 8 targets");
  std::string base = (*document)["base"];
  document->erase("base");
  // The path of a base file is relative to the target that names it.
  if (isPath(base) && !llvm::sys::path::is_absolute(base))
    base = inFolder(llvm::sys::path::parent_path(path), base);
  Location place = depth == 0 ? places.find("/base") : Location{nameOrFile.str()};
  FailureOr<Document> whole = loadDocument(base, targetDir, places, diags, depth + 1, files, place);
  if (failed(whole))
    return failure();
  // A target with a base is a different machine, so it does not inherit the name.
  whole->json["name"] = llvm::sys::path::stem(path).str();
  whole->addResets(whole->json, *document);
  whole->json.merge_patch(*document);
  return whole;
}

void dropComments(nlohmann::json &value) {
  if (value.is_object())
    for (auto it = value.begin(); it != value.end();)
      it = StringRef(it.key()).starts_with("//") ? value.erase(it) : std::next(it);
  if (value.is_structured())
    for (nlohmann::json &inner : value)
      dropComments(inner);
}

/// A hash of what determines routes and times in a target, 16 digits. \p document has been
/// validated, so its depth is limited, apart from comments.
std::string hashOf(nlohmann::json document) {
  dropComments(document);
  for (const char *key : {"version", "name", "description", "runtime"})
    document.erase(key);
  return llvm::formatv("{0:x-16}", llvm::xxHash64(jsonText(document, -1)));
}

/// The text of a target for plans. Keys are sorted.
std::string storedText(nlohmann::json document, uint32_t version) {
  dropComments(document);
  document["version"] = version;
  return jsonText(document, -1);
}

/// Whether a plan was written before storedText(): its target has all keys in the order of their
/// reading. Which of them were defaults is not known, so settings would change a part of it only.
bool hasDefaultsStored(StringRef document) { return document.starts_with(R"({"version":)"); }

/// The family of a target without a base. If it is missing, its key or "base" may be misspelt.
void readFamily(JsonObject &file, const nlohmann::json &document, std::string &family) {
  if (file.has("family")) {
    file.text("family", family);
    return;
  }
  std::string hint;
  for (const auto &[key, value] : document.items())
    if (hint.empty() && key != "name")
      if (std::string near = didYouMean(key, {"family", "base"}); !near.empty())
        hint = ": '" + key + "' is not a known key" + near;
  file.error("family",
             "is missing; a target has a 'family', or a 'base' whose values it changes" + hint);
}

void readRuntime(JsonObject &file, Machine &machine) {
  std::string name = machine.runtime->name.str();
  file.text("runtime", name);
  if (const Runtime *runtime = findRuntime(name))
    machine.runtime = runtime;
  else
    file.error("runtime", mustBeOneOf(runtimeNames(), name) + didYouMean(name, runtimeNames()));
}

/// Builds the machine of a complete target. \p bundled: without overrides, its name identifies its
/// content.
FailureOr<Machine> build(Document merged, KeyPlaces &places, const TargetRequest &request,
                         bool bundled, DiagnosticEngine &diags, std::string *resolvedText) {
  for (const TargetOverride &change : request.overrides)
    if (failed(apply(merged.json, change, places, diags)))
      return failure();

  nlohmann::json document = merged.withResets();
  nlohmann::ordered_json resolved = nlohmann::ordered_json::object();
  JsonObject file(&document, places, resolved, diags);
  MachineBuilder builder;
  Machine &machine = builder.machine;
  std::string family;
  if (document.contains("format") && document["format"] == "cclc-plan")
    return file.error("format", "of a plan: a target was expected"), failure();
  uint32_t version = targetVersion;
  file.number("version", version, 1, targetVersion);
  file.requireText("name", machine.name);
  if (document.contains("name") && document["name"] == "")
    file.error("name", "is empty");
  file.text("description", machine.description);
  machine.network = "cut-through";
  file.text("network", machine.network);
  readRuntime(file, machine);
  readFamily(file, document, family);
  if (diags.hasErrors())
    return failure();
  if (family != "ahbm" && asksToShareQueues(request.overrides))
    return diags.error({}, "--multiplex-queues: the queues of family " + family + " are unlimited");
  if (family == "ahbm")
    buildAhbm(file, builder);
  else if (family == "switched")
    buildSwitched(file, request.ranks, builder);
  else if (family == "graph")
    buildGraph(file, request.ranks, builder);
  else
    file.error("family", mustBeOneOf(std::array{"ahbm", "switched", "graph"}, family) +
                             didYouMean(family, {"ahbm", "switched", "graph"}));
  if (diags.hasErrors())
    return failure();
  machine.queueKey = family == "ahbm" ? "ipcq" : "queue";
  readCommon(file, machine);
  builder.numberParallelLinks();
  changeLinks(file, builder);
  readRouting(file, builder);
  file.finish();
  if (diags.hasErrors())
    return failure();
  if (resolvedText)
    *resolvedText = jsonText(resolved) + "\n";
  if (!request.withLimits)
    machine.limits = {};
  machine.stamp = {machine.name, {}, hashOf(merged.json), ""};
  for (const TargetOverride &change : request.overrides)
    machine.stamp.settings.push_back(change.path + "=" + change.value);
  if (!bundled || !request.overrides.empty())
    machine.stamp.document = storedText(std::move(merged.json), version);
  return std::move(builder).finish();
}

} // namespace

FailureOr<Machine> cclc::loadTarget(const TargetRequest &request, DiagnosticEngine &diags,
                                    std::string *resolved) {
  KeyPlaces places(request.nameOrFile);
  FailureOr<Document> document = loadDocument(request.nameOrFile, request.targetDir, places, diags);
  if (failed(document))
    return failure();
  return build(std::move(*document), places, request, !isPath(request.nameOrFile), diags, resolved);
}

FailureOr<Machine> cclc::loadTargetText(StringRef text, StringRef shown, DiagnosticEngine &diags,
                                        ArrayRef<TargetOverride> overrides) {
  KeyPlaces places(shown.str());
  FailureOr<nlohmann::json> json = parseText(text, shown, places, diags);
  if (failed(json))
    return failure();
  return build(Document{std::move(*json), {}}, places,
               {shown.str(), "", overrides.vec(), std::nullopt}, /*bundled=*/false, diags, nullptr);
}

FailureOr<Machine> cclc::loadTargetFor(ArrayRef<const ProgramInfo *> plans, TargetRequest request,
                                       DiagnosticEngine &diags, std::string *resolved) {
  uint32_t ranks = request.ranks.value_or(0);
  for (const ProgramInfo *plan : plans)
    ranks = std::max(ranks, plan->ranks());
  request.ranks = ranks;
  FailureOr<Machine> machine = loadTarget(request, diags, resolved);
  if (failed(machine))
    return failure();
  for (const ProgramInfo *plan : plans)
    if (plan->target.name == machine->name)
      request.ranks = std::max(*request.ranks, plan->room());
  return *request.ranks == ranks ? std::move(machine) : loadTarget(request, diags, resolved);
}

FailureOr<Machine> cclc::loadTargetOf(const ProgramInfo &plan, StringRef targetDir,
                                      ArrayRef<TargetOverride> overrides, DiagnosticEngine &diags,
                                      std::string *resolved) {
  const TargetStamp &stamp = plan.target;
  if (stamp.empty())
    return diags.error({}, "the plan has no target: select one with --target");
  bool bundled = stamp.document.empty();
  if (bundled &&
      (isPath(stamp.name) || !llvm::sys::fs::exists(inFolder(targetDir, stamp.name + ".json"))))
    return diags.error(
        {}, "the plan was compiled for target '" + stamp.name +
                "', which is neither bundled nor stored in the plan: give its file with --target");
  if (!overrides.empty() && hasDefaultsStored(stamp.document))
    return diags.error({}, "the plan stores target '" + stamp.name +
                               "' with its defaults, as earlier versions did, so that settings "
                               "would change only a part of it: give the file of the target with "
                               "--target, or compile the plan again");
  std::string shown = bundled ? stamp.name : "target '" + stamp.name + "' in the plan";
  KeyPlaces places(shown);
  auto stored = [&]() -> FailureOr<Document> {
    FailureOr<nlohmann::json> text = parseText(stamp.document, shown, places, diags);
    if (failed(text))
      return failure();
    return Document{std::move(*text), {}};
  };
  FailureOr<Document> document =
      bundled ? loadDocument(stamp.name, targetDir, places, diags) : stored();
  if (failed(document))
    return failure();
  if (bundled && !stamp.hash.empty() && hashOf(document->json) != stamp.hash)
    return diags.error({}, "target '" + stamp.name +
                               "' has changed since the plan was compiled for it: compile the plan "
                               "again, or select the current target with --target " +
                               stamp.name);
  auto load = [&](uint32_t ranks) {
    return build(*document, places, {stamp.name, targetDir.str(), overrides.vec(), ranks}, bundled,
                 diags, resolved);
  };
  FailureOr<Machine> machine = load(plan.room());
  // On a target of another name, the endpoints of the plan are not used.
  if (succeeded(machine) && machine->name != stamp.name && plan.room() != plan.ranks())
    machine = load(plan.ranks());
  if (succeeded(machine))
    machine->stamp.settings.insert(machine->stamp.settings.begin(), stamp.settings.begin(),
                                   stamp.settings.end());
  return machine;
}

std::vector<std::string> cclc::targetFiles(StringRef nameOrFile, StringRef targetDir) {
  if (isPath(nameOrFile) && !llvm::sys::fs::is_regular_file(nameOrFile))
    return {nameOrFile.str()};
  std::vector<std::string> files;
  DiagnosticEngine ignored;
  KeyPlaces places(nameOrFile.str());
  (void)loadDocument(nameOrFile, targetDir, places, ignored, 0, &files);
  return files;
}

std::vector<std::pair<std::string, std::string>> cclc::listTargets(StringRef targetDir) {
  std::vector<std::pair<std::string, std::string>> result;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(targetDir, error), end; !error && it != end;
       it.increment(error)) {
    StringRef path = it->path();
    if (llvm::sys::path::extension(path) != ".json" ||
        llvm::sys::path::filename(path) == "schema.json")
      continue;
    DiagnosticEngine ignored;
    KeyPlaces places("");
    FailureOr<nlohmann::json> document = parseFile(path, path, places, ignored);
    std::string description;
    if (succeeded(document) && document->contains("description") &&
        (*document)["description"].is_string())
      description = (*document)["description"].get<std::string>();
    result.emplace_back(llvm::sys::path::stem(path).str(), description);
  }
  std::sort(result.begin(), result.end());
  return result;
}
