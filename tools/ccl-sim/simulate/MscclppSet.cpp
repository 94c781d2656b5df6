//===- MscclppSet.cpp - The plan of each size -----------------------------===//
//
// All plans are read before the first one is simulated. Those that serve no size are not proved. If
// several ranges contain a size, the first plan has it, with a warning: a runtime may find another
// one first.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "JsonText.h"
#include "PlanSimulation.h"

#include "cclc/Tools/Lint/MscclppLint.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Sim/Mscclpp/PlacedExecutable.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Printable.h"
#include "cclc/Views/Report/Summary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>
#include <set>

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

namespace {
/// A plan at a fixed address, placed and proved when a size needs it.
struct Member {
  std::string file;
  ExecutablePlan plan;
  std::optional<PlacedExecutable> placed = {};
  std::unique_ptr<Simulator> simulator = {};

  const mscclpp::Header &header() const { return std::get<mscclpp::Plan>(plan).header(); }
  bool serves(uint64_t size) const {
    return size >= header().minBytes && (!header().maxBytes || size <= *header().maxBytes);
  }
};

struct Row {
  const Member *member;
  SizeResult result;
};

class MscclppSet {
public:
  MscclppSet(const SimArguments &args, Progress &progress, DiagnosticEngine &diags)
      : args(args), progress(progress), diags(diags) {}

  ExitCode run() {
    if (failed(checkOptions()) || failed(readPlans()) || failed(choosePlans()))
      return ExitCode::Unusable;
    FailureOr<Machine> loaded =
        args.loadMachineOfRun(&ShownPlan(members.front().plan).info(), diags);
    if (failed(loaded))
      return ExitCode::Unusable;
    machine.emplace(std::move(*loaded));
    if (failed(checkNetwork(args.network.value_or(machine->network), diags)))
      return ExitCode::Unusable;
    settings = settingsOf(args, *machine, diags);
    for (Member *member : chosen)
      if (ExitCode code = prepare(*member); code != ExitCode::Success)
        return code;
    for (size_t s = 0; s < chosen.size(); ++s)
      if (failed(simulate(*chosen[s], Bytes(args.sizes[s]))))
        return ExitCode::Unusable;
    return write();
  }

private:
  LogicalResult checkOptions() {
    const std::pair<bool, const char *> ofOnePlan[] = {{args.report.has_value(), "--report"},
                                                       {args.trace.has_value(), "--trace"},
                                                       {args.whatIf, "--what-if"},
                                                       {args.criticalPath, "--critical-path"}};
    for (auto [given, name] : ofOnePlan)
      if (given)
        return diags.error({}, formatv("{0} applies to one plan, not to several", name));
    return checkMscclppOptions(args, diags);
  }

  LogicalResult readPlans() {
    FailureOr<std::vector<std::string>> files = filesOfMscclpp(args.files, diags);
    if (failed(files))
      return failure();
    for (const std::string &file : *files) {
      progress.stage("read " + file);
      auto buffer = openPlanFile(file, diags);
      if (failed(buffer))
        return failure();
      StringRef text = (*buffer)->getBuffer();
      if (const PlanFormat *format = sniffPlanFormat(text); !format || !format->mscclpp.read)
        return diags.error({}, "'" + file + "' is not a plan of MSCCL++, as the first file is");
      FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, file, diags);
      if (failed(plan))
        return failure();
      members.push_back({file, std::move(*plan)});
      if (textOf(members.back()) != textOf(members.front()))
        return diags.error({}, formatv("'{0}' is for {1}, and '{2}' for {3}: simulate the plans of "
                                       "one collective together",
                                       members.front().file, textOf(members.front()), file,
                                       textOf(members.back())));
    }
    return success();
  }

  static std::string textOf(const Member &member) {
    return formatv("{0} over {1} ranks {2}", member.header().collectiveName,
                   ShownPlan(member.plan).ranks(),
                   member.header().inPlace ? "in place" : "out of place");
  }

  LogicalResult choosePlans() {
    bool warned = false;
    for (uint64_t size : args.sizes) {
      auto serves = [&](const Member &member) { return member.serves(size); };
      auto first = llvm::find_if(members, serves);
      if (first == members.end())
        return diags.error({}, formatv("no plan is for {0} bytes; 'ccl-sim lint' prints the "
                                       "ranges of the plans",
                                       size));
      auto other = std::find_if(std::next(first), members.end(), serves);
      if (other != members.end() && !std::exchange(warned, true))
        diags.warning({}, formatv("'{0}' and '{1}' are both for {2} bytes: the first one is "
                                  "simulated, but a runtime may find the other one first",
                                  first->file, other->file, size));
      chosen.push_back(&*first);
    }
    return success();
  }

  ExitCode prepare(Member &member) {
    if (member.placed)
      return ExitCode::Success;
    FailureOr<PlacedExecutable> placed =
        PlacedExecutable::create(member.plan, *machine, Slots::unlimited(), diags);
    if (failed(placed))
      return ExitCode::Unusable;
    member.placed.emplace(std::move(*placed));
    SimulatorSettings how = settings;
    how.where = {member.file};
    progress.stage("verify " + member.file);
    member.simulator = member.placed->prove(std::move(how), diags);
    return member.simulator ? ExitCode::Success : exitCodeOf(diags.failure());
  }

  LogicalResult simulate(const Member &member, Bytes size) {
    progress.stage(formatv("simulate {0} bytes", size.count()).str());
    FailureOr<SizeResult> result = member.simulator->at(size, args.type, diags);
    if (succeeded(result))
      rows.push_back({&member, std::move(*result)});
    return result;
  }

  ExitCode write() {
    progress.clear();
    if (args.json && failed(writeFile(*args.json, [&](raw_ostream &os) { writeJson(os); }, diags)))
      return ExitCode::Unusable;
    if (args.summarise)
      print(llvm::outs());
    bool right =
        llvm::all_of(rows, [](const Row &row) { return row.result.dataOk.value_or(true); });
    return right ? ExitCode::Success : ExitCode::Wrong;
  }

  void print(raw_ostream &os) const {
    os << formatv("{0} of {1} plans of {2} on {3}, network {4}, {5} sum",
                  std::set<const Member *>(chosen.begin(), chosen.end()).size(), members.size(),
                  printable(textOf(members.front())), printable(machine->stamp.title()),
                  settings.network, dataTypeName(args.type));
    if (args.repeat > 1)
      os << formatv(", {0} runs", args.repeat);
    os << formatv("\n\n{0,10} {1,14} {2,12} {3,12} {4,10} {5,8} {6,14}  plan\n", "bytes",
                  "time [ns]", "alg [GB/s]", "bus [GB/s]", "messages", "data", "bound [ns]");
    for (const Row &row : rows) {
      std::string text;
      llvm::raw_string_ostream line(text);
      printRow(row.result, line);
      os << StringRef(line.str()).rtrim('\n') << "  " << printable(row.member->file) << '\n';
    }
    os.flush();
  }

  void writeJson(raw_ostream &os) const {
    ordered_json document;
    document["format"] = "ccl-set-report";
    document["version"] = 1;
    document["target"] = machine->stamp.name;
    document["target_settings"] = machine->stamp.settings;
    document["target_hash"] = machine->stamp.hash;
    document["network"] = settings.network;
    document["dtype"] = dataTypeName(args.type).str();
    document["repeat"] = args.repeat;
    document["results"] = ordered_json::array();
    for (const auto &[member, result] : rows) {
      ordered_json row;
      row["bytes"] = result.bytes.count();
      row["plan"] = member->file;
      row["time_ns"] = toNanoseconds(result.time);
      row["algbw_gbs"] = double(result.algorithmBandwidth) / 1e9;
      row["busbw_gbs"] = double(result.busBandwidth) / 1e9;
      row["messages"] = result.messages;
      row["data_ok"] = result.dataOk ? ordered_json(*result.dataOk) : ordered_json(nullptr);
      document["results"].push_back(std::move(row));
    }
    os << jsonText(document) << '\n';
  }

  const SimArguments &args;
  Progress &progress;
  DiagnosticEngine &diags;
  std::deque<Member> members;
  std::vector<Member *> chosen; ///< by size
  std::vector<Row> rows;        ///< by size
  std::optional<Machine> machine;
  SimulatorSettings settings;
};
} // namespace

bool cclc::isMscclppSet(ArrayRef<std::string> files) {
  bool areSeveral =
      files.size() > 1 || (files.size() == 1 && llvm::sys::fs::is_directory(files.front()));
  return areSeveral && arePlansOfMscclpp(files);
}

ExitCode cclc::runMscclppSet(const SimArguments &args, Progress &progress,
                             DiagnosticEngine &diags) {
  return MscclppSet(args, progress, diags).run();
}
