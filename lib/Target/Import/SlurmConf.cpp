//===- SlurmConf.cpp - topology.conf of SLURM -----------------------------===//
//
// A line describes a switch of a tree, or a block of hosts (topology.conf(5) of SLURM):
//
//   SwitchName=leaf1 Nodes=n[1-4]
//   SwitchName=spine Switches=leaf[1-2] LinkSpeed=100
//   BlockName=rack1 Nodes=n[1-18]
//
// Keys are in any case, '#' begins a comment, and a backslash continues a line. The unit of
// LinkSpeed is arbitrary, and SLURM does not use it. Blocks are connected by one switch.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"
#include "SwitchTree.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
constexpr size_t mostConfBytes = 1 << 24;

class ConfReader {
public:
  ConfReader(const ForeignFile &file, DiagnosticEngine &diags) : file(file), diags(diags) {}

  FailureOr<std::vector<TreeSwitch>> read() {
    if (file.text.size() > mostConfBytes)
      return diags.error({file.name}, "is too large for a topology file of SLURM");
    unsigned line = 0, first = 1;
    std::string joined;
    for (StringRef text : llvm::split(file.text, '\n')) {
      ++line;
      text = text.split('#').first.rtrim();
      if (joined.empty())
        first = line;
      bool continues = text.consume_back("\\");
      joined += (joined.empty() ? "" : " ") + text.str();
      if (continues)
        continue;
      if (failed(readLine(joined, {file.name, first})))
        return failure();
      joined.clear();
    }
    if (failed(readLine(joined, {file.name, first})))
      return failure();
    if (!blocks.empty() && !switches.empty())
      return diags.error({file.name}, "has switches and blocks: SLURM reads only one of both");
    return blocks.empty() ? std::move(switches) : withFabric(std::move(blocks));
  }

private:
  LogicalResult readLine(StringRef text, const Location &at) {
    TreeSwitch entry{"", {}, {}, at};
    bool isBlock = false;
    SmallVector<StringRef> words;
    llvm::SplitString(text, words);
    for (StringRef word : words) {
      auto [key, value] = word.split('=');
      isBlock |= key.equals_insensitive("BlockName");
      if (key.equals_insensitive("BlockName") || key.equals_insensitive("SwitchName")) {
        entry.name = value.str();
      } else if (key.equals_insensitive("Nodes") || key.equals_insensitive("Switches")) {
        FailureOr<std::vector<std::string>> list = names.of(value, at, diags);
        if (failed(list))
          return failure();
        (key.equals_insensitive("Nodes") ? entry.hosts : entry.switches) = std::move(*list);
      } else if (!key.equals_insensitive("LinkSpeed")) {
        diags.warning(at, formatv("'{0}' is ignored: a target has no such value", key));
      }
    }
    if (entry.name.empty() && (!entry.hosts.empty() || !entry.switches.empty()))
      return diags.error(at, "has no 'SwitchName' or 'BlockName'");
    if (!entry.name.empty())
      (isBlock ? blocks : switches).push_back(std::move(entry));
    return success();
  }

  const ForeignFile &file;
  DiagnosticEngine &diags;
  TreeNames names;
  std::vector<TreeSwitch> switches, blocks;
};
} // namespace

bool cclc::isSlurmConf(StringRef text) {
  return llvm::any_of(llvm::split(text, '\n'), [](StringRef line) {
    StringRef key = line.ltrim().split('=').first;
    return line.contains('=') &&
           (key.equals_insensitive("SwitchName") || key.equals_insensitive("BlockName"));
  });
}

FailureOr<Fabric> cclc::readSlurmConf(const ForeignFile &file, const ImportOptions &options,
                                      DiagnosticEngine &diags) {
  FailureOr<std::vector<TreeSwitch>> switches = ConfReader(file, diags).read();
  return failed(switches) ? FailureOr<Fabric>(failure())
                          : fabricOf(*switches, "topology.conf of SLURM", file, options, diags);
}
