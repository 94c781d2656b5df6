//===- PlanJsonWriter.cpp - Writing a plan as JSON ------------------------===//
//
// Writes keys in a fixed order and one row per line, directly to the stream, so that equal plans
// have equal bytes and diffs of files are readable. Only the locations that a plan uses are written
// (UsedLocations.h).
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PlanJson.h"

#include "UsedLocations.h"

#include "cclc/IR/PlanAttributes.h"
#include "cclc/Support/Json/JsonEvents.h"
#include "cclc/Support/Watch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

namespace {
class PlanJsonWriter {
public:
  PlanJsonWriter(const ExecPlan &plan, raw_ostream &os)
      : plan(plan), info(plan.info()), os(os), locs(plan) {
    for (const StepAttribute &attribute : stepAttributes)
      stepKeys.push_back((",\"" + attribute.key + "\":").str());
  }

  void write() {
    os << "{\n";
    os << "\"format\": \"cclc-plan\",\n\"version\": " << versionFor(plan) << ",\n";
    os << "\"name\": " << jsonQuoted(info.name) << ",\n";
    if (!info.rotations.empty())
      list("rotations", info.rotations, [&](const RotationFactor &rotation) {
        os << "{\"ranks\": " << rotation.size << ", \"stride\": " << rotation.rankStride
           << ", \"input\": " << rotation.chunkStride[0]
           << ", \"output\": " << rotation.chunkStride[1] << '}';
      });
    collective();
    os << "\"placements\": [";
    const char *separator = "";
    for (Placement placement : info.placements.list()) {
      os << separator << (placement == Placement::InPlace ? "\"in_place\"" : "\"out_of_place\"");
      separator = ", ";
    }
    os << "],\n";
    for (const HeaderAttribute &attribute : headerAttributes)
      if (auto value = attribute.get(info)) {
        std::string text = attribute.text(*value);
        os << '"' << attribute.key << "\": " << (llvm::isDigit(text[0]) ? text : jsonQuoted(text))
           << ",\n";
      }
    if (!info.target.empty())
      target(info.target);
    tables();
    ranks();
    os << "}\n";
  }

private:
  /// Writes a list, with one item per line if there are many.
  template <class Range, class Fn> void list(StringRef key, const Range &range, Fn item) {
    os << '"' << key << "\": [";
    const char *separator = "\n";
    for (const auto &element : range) {
      os << separator;
      item(element);
      separator = ",\n";
    }
    os << "],\n";
  }

  void target(const TargetStamp &stamp) {
    os << "\"target\": " << jsonQuoted(stamp.name) << ",\n";
    if (!stamp.hash.empty())
      os << "\"target_hash\": " << jsonQuoted(stamp.hash) << ",\n";
    if (!stamp.settings.empty())
      list("target_settings", stamp.settings,
           [&](StringRef setting) { os << jsonQuoted(setting); });
    if (!stamp.document.empty())
      os << "\"target_machine\": " << jsonQuoted(stamp.document) << ",\n";
  }

  void collective() {
    const Collective &c = info.collective;
    os << "\"collective\": {\"kind\": \"" << StringRef(collectiveName(c.kind()))
       << "\", \"ranks\": " << c.ranks();
    if (const CustomSpec *spec = c.custom()) {
      os << ", \"input\": " << spec->inputChunks << ", \"output\": " << spec->outputChunks
         << ", \"expect\": [";
      const char *separator = "\n";
      for (const CustomSpec::Output &output : spec->outputs) {
        os << separator << '[' << output.rank.index() << ',' << output.index << ",[";
        const char *inner = "";
        for (Contribution contribution : output.contributions) {
          os << inner << '[' << contribution.rank.index() << ',' << contribution.index << ']';
          inner = ",";
        }
        os << "]]";
        separator = ",\n";
      }
      os << ']';
    } else {
      os << ", \"chunks\": " << c.chunks();
    }
    if (c.isRooted())
      os << ", \"root\": " << c.root().index();
    os << "},\n";
  }

  void tables() {
    os << "\"parameters\": {";
    const char *separator = "";
    for (const auto &[key, value] : info.parameters) {
      os << separator << jsonQuoted(key) << ": " << jsonQuoted(value);
      separator = ", ";
    }
    os << "},\n";
    if (!info.options.empty())
      list("options", info.options, [&](StringRef option) { os << jsonQuoted(option); });
    list("geometry", info.geometry.levels, [&](const GridLevel &level) {
      os << "{\"level\": " << jsonQuoted(level.name) << ", \"kind\": \""
         << StringRef(gridKindName(level.kind)) << "\", \"width\": " << level.width
         << ", \"height\": " << level.height << '}';
    });
    if (!info.placementOnTarget.empty()) {
      os << "\"endpoints\": [";
      separator = "";
      for (uint32_t endpoint : info.placementOnTarget) {
        os << separator << endpoint;
        separator = ",";
      }
      os << "],\n";
    }
    if (!info.neighbours.empty())
      list("neighbours", info.neighbours, [&](const Neighbour &row) {
        os << '[' << row.rank.index() << ",\"" << StringRef(directionName(row.direction)) << "\","
           << row.peer.index() << ']';
      });
    generations();
    list("phases", ArrayRef(info.phases).drop_front(), [&](const Phase &phase) {
      if (!phase.gate) {
        os << jsonQuoted(phase.name);
        return;
      }
      os << "{\"phase\": " << jsonQuoted(phase.name) << ", \"call\": " << phase.gate->call
         << ", \"communicator\": " << phase.gate->communicator
         << ", \"stage\": " << phase.gate->stage;
      if (phase.gate->generation)
        os << ", \"generation\": " << *phase.gate->generation;
      os << '}';
    });
    list("files", locs.files(), [&](uint32_t file) { os << jsonQuoted(info.locs.files()[file]); });
    list("locations", locs.locations(), [&](uint32_t loc) {
      const LocTable::Entry &entry = info.locs.entries()[loc];
      os << '[' << locs.numberOfFile(entry.file) << ',' << entry.line;
      if (entry.column)
        os << ',' << entry.column;
      os << ']';
    });
  }

  void generations() {
    if (!info.communicators.empty())
      list("communicators", info.communicators, [&](const Communicator &communicator) {
        os << "{\"communicator\": " << jsonQuoted(communicator.name) << ", \"groups\": [";
        const char *separator = "";
        for (const std::vector<RankId> &group : communicator.groups) {
          os << separator;
          separator = "[";
          for (RankId rank : group) {
            os << separator << rank.index();
            separator = ",";
          }
          os << ']';
        }
        os << "]}";
      });
    if (!info.calls.empty())
      list("calls", info.calls, [&](const Call &call) {
        os << "{\"collective\": " << jsonQuoted(call.collective)
           << ", \"generation\": " << call.generation;
        if (call.loc != LocTable::unknown())
          os << ", \"loc\": " << locs.number(call.loc);
        os << '}';
      });
  }

  void ranks() {
    os << "\"ranks\": [";
    const char *separator = "\n";
    for (uint32_t r = 0; r < info.listedRanks(); ++r) {
      os << separator << "{\"rank\": " << r << ", \"scratch\": " << plan.scratchChunks()[r]
         << ", \"threadblocks\": [";
      separator = "\n";
      uint32_t id = 0;
      for (const Threadblock &tb : plan.threadblocks(RankId(r))) {
        os << separator;
        threadblock(id++, tb);
        separator = ",\n";
      }
      os << "]}";
      separator = ",\n";
    }
    os << "]\n";
  }

  void threadblock(uint32_t id, const Threadblock &tb) {
    Watch::look();
    os << "{\"tb\": " << id;
    peers("send", plan.sendPeers(tb));
    peers("recv", plan.recvPeers(tb));
    os << ", \"channel\": " << tb.channel.index() << ", \"steps\": [";
    const char *separator = "\n";
    for (const Step &s : plan.steps(tb)) {
      os << separator;
      step(s);
      separator = ",\n";
    }
    os << "]}";
  }

  /// One rank, or the array of several.
  void peers(StringRef key, const Peers &peers) {
    if (peers.empty())
      return;
    os << ", \"" << key << "\": " << (peers.size() > 1 ? "[" : "");
    for (size_t i = 0; i < peers.size(); ++i)
      os << (i ? "," : "") << peers[i].index();
    os << (peers.size() > 1 ? "]" : "");
  }

  void operand(StringRef key, Operand operand) {
    if (!operand.isNone())
      os << ",\"" << key << "\":[\"" << bufferLetter(operand.buffer()) << "\"," << operand.index()
         << ']';
  }

  void step(const Step &step) {
    os << "{\"op\":\"" << traits(step.op).mnemonic << '"';
    operand("src", step.src);
    operand("dst", step.dst);
    if (step.op != OpKind::Nop && step.count != 1)
      os << ",\"cnt\":" << step.count;
    if (std::optional<Wait> wait = step.wait())
      os << ",\"wait\":[" << wait->tb.index() << ',' << wait->step.index() << ']';
    for (auto [attribute, key] : llvm::zip(stepAttributes, stepKeys))
      if (uint32_t value = attribute.get(step)) {
        os << key;
        if (attribute.isFlag)
          os << "true";
        else
          os << value;
      }
    if (step.loc != LocTable::unknown())
      os << ",\"loc\":" << locs.number(step.loc);
    if (step.sendLoc != step.loc)
      os << ",\"then\":" << locs.number(step.sendLoc);
    os << '}';
  }

  const ExecPlan &plan;
  const ProgramInfo &info;
  raw_ostream &os;
  UsedLocations locs;
  std::vector<std::string> stepKeys; ///< of stepAttributes, with punctuation
};
} // namespace

void cclc::writePlanJson(const ExecPlan &plan, raw_ostream &os) {
  PlanJsonWriter(plan, os).write();
}
