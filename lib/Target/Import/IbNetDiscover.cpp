//===- IbNetDiscover.cpp - The output of ibnetdiscover --------------------===//
//
// The file has a block for each device: lines such as `switchguid=0x...`, a head
//
//   Switch 36 "S-e41d..." # "MF0;leaf1:MSB7800/U1" enhanced port 0 lid 1 lmc 0
//
// with the kind (`Switch`, `Ca`, `Rt`), the number of ports, the id and the description, then a
// line for each port with a cable, whose other end has the mirrored line in its own block:
//
//   [17] "S-e41d..."[1] # "spine1" lid 3 4xEDR
//
// (ibnetdiscover(8) of rdma-core.) The description of an adapter is the name of its host, then that
// of the adapter. Adapters inside switches that aggregate (SHARP) are no hosts.
//
//===----------------------------------------------------------------------===//

#include "Fabric.h"
#include "Readers.h"

#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr size_t mostFabricBytes = 1 << 26;

/// Gb/s of a lane, as ibdiagnet counts them.
constexpr std::pair<const char *, double> laneRates[] = {{"SDR", 2.5},  {"DDR", 5},   {"QDR", 10},
                                                         {"FDR10", 10}, {"FDR", 14},  {"EDR", 25},
                                                         {"HDR", 50},   {"NDR", 100}, {"XDR", 200}};

struct FabricDevice {
  char kind = 0; ///< 'S', 'H' or 'R', with which its id begins
  uint32_t ports = 0;
  std::string description;
  bool hasBlock = false;
};

/// A port as an index of a device and a number.
using Port = std::pair<uint32_t, uint32_t>;
struct Connection {
  Port other;
  uint64_t rate = 0;
  unsigned line = 0;
};

class DiscoverReader {
public:
  DiscoverReader(const ForeignFile &file, DiagnosticEngine &diags) : file(file), diags(diags) {}

  FailureOr<Fabric> read() {
    if (file.text.size() > mostFabricBytes)
      return diags.error({file.name}, "is too large for the output of ibnetdiscover");
    fabric.source = "the output of ibnetdiscover";
    unsigned line = 0;
    std::optional<uint32_t> block;
    for (StringRef text : llvm::split(file.text, '\n')) {
      ++line;
      text = text.trim();
      LogicalResult read = success();
      if (text.empty())
        block.reset();
      else if (text.starts_with("["))
        read = readPort(text, block, line);
      else if (StringRef kind = text.take_while(llvm::isAlpha);
               kind == "Switch" || kind == "Ca" || kind == "Rt")
        read = readHead(text, block, line);
      if (failed(read))
        return failure();
    }
    addNodes();
    addCables();
    return std::move(fabric);
  }

private:
  Location at(unsigned line) const { return {file.name, line}; }

  /// The text between the next quotes, or null.
  static std::optional<StringRef> quoted(StringRef &text) {
    size_t begin = text.find('"'), end = text.find('"', begin + 1);
    if (begin == StringRef::npos || end == StringRef::npos)
      return std::nullopt;
    StringRef found = text.slice(begin + 1, end);
    text = text.drop_front(end + 1);
    return found;
  }

  uint32_t deviceOf(StringRef id) {
    auto [found, isNew] = indices.try_emplace(id, devices.size());
    if (isNew) {
      devices.push_back({id.front(), 0, "", false});
      ids.push_back(id.str());
    }
    return found->second;
  }
  static bool isId(std::optional<StringRef> id) {
    return id && (id->starts_with("S-") || id->starts_with("H-") || id->starts_with("R-"));
  }

  LogicalResult readHead(StringRef text, std::optional<uint32_t> &block, unsigned line) {
    StringRef rest = text.drop_while(llvm::isAlpha).ltrim();
    uint32_t ports;
    bool wrong = rest.consumeInteger(10, ports);
    std::optional<StringRef> id = quoted(rest), description = quoted(rest);
    if (wrong || !isId(id) || !description)
      return diags.error(at(line), "is not the head of a device, such as Switch 36 \"S-...\" # "
                                   "\"leaf1\" ...");
    block = deviceOf(*id);
    FabricDevice &device = devices[*block];
    if (device.hasBlock)
      return diags.error(at(line), formatv("'{0}' is a duplicate", *id));
    device.hasBlock = true;
    device.ports = ports;
    device.description = description->trim();
    return success();
  }

  LogicalResult readPort(StringRef text, std::optional<uint32_t> block, unsigned line) {
    auto wrong = [&] {
      return diags.error(at(line),
                         "is not a port with a cable, such as [17] \"S-...\"[1] # \"spine1\" "
                         "lid 3 4xEDR");
    };
    if (!block)
      return diags.error(at(line), "is a port of no device");
    uint32_t own, other;
    StringRef rest = text.drop_front();
    bool isWrong = rest.consumeInteger(10, own);
    std::optional<StringRef> id = quoted(rest);
    if (isWrong || !isId(id) || !rest.consume_front("[") || rest.consumeInteger(10, other))
      return wrong();
    std::optional<StringRef> description = quoted(rest);
    FailureOr<uint64_t> rate = rateOf(rest, line);
    if (failed(rate))
      return failure();
    uint32_t peer = deviceOf(*id);
    // In the block of an adapter the own LID comes first, then the description of the peer.
    if (description && devices[peer].description.empty())
      devices[peer].description = description->trim();
    if (!connections.try_emplace({*block, own}, Connection{{peer, other}, *rate, line}).second)
      return diags.error(at(line), formatv("port {0} is a duplicate", own));
    return success();
  }

  /// "4xEDR", the width and the speed, among the words of \p text.
  FailureOr<uint64_t> rateOf(StringRef text, unsigned line) {
    SmallVector<StringRef> words;
    llvm::SplitString(text, words);
    for (StringRef word : words) {
      uint32_t lanes;
      StringRef speed = word;
      if (speed.consumeInteger(10, lanes) || !speed.consume_front("x"))
        continue;
      for (const auto &[name, rate] : laneRates)
        if (speed == name && lanes >= 1 && lanes <= 12)
          return uint64_t(lanes * rate * 125e6);
      return diags.error(at(line),
                         formatv("'{0}' is not a width and a speed of InfiniBand, such as "
                                 "4xEDR",
                                 word));
    }
    return diags.error(at(line), "has no width and speed, such as 4xEDR");
  }

  static bool isAggregation(const FabricDevice &device) {
    return StringRef(device.description).contains("Aggregation Node");
  }

  /// "MF0;leaf1:MSB7800/U1" is leaf1, "node1 HCA-1" the host node1.
  std::string nameOf(const FabricDevice &device, StringRef id) const {
    StringRef text = device.description;
    if (size_t semicolon = text.find(';'); semicolon != StringRef::npos) {
      auto [name, model] = text.drop_front(semicolon + 1).split(':');
      StringRef chip = model.split('/').second;
      return (chip.empty() || chip == "U1" ? name : name + "/" + chip).str();
    }
    // A description that no host has set is that of the product.
    if (text.empty() || text.contains("Technologies"))
      return id.str();
    return text.split(' ').first.str();
  }

  void addNodes() {
    llvm::StringMap<uint32_t> byName;
    nodes.resize(devices.size());
    for (uint32_t d = 0; d < devices.size(); ++d) {
      const FabricDevice &device = devices[d];
      if (isAggregation(device))
        continue;
      std::string name = nameOf(device, ids[d]);
      auto [found, isNew] = byName.try_emplace(name, fabric.nodes.size());
      bool isHost = device.kind == 'H';
      // A host has several adapters; switches have different names.
      if (!isNew && !(isHost && fabric.nodes[found->second].isHost)) {
        name += "-" + ids[d];
        found = byName.try_emplace(name, fabric.nodes.size()).first;
        isNew = true;
      }
      if (isNew)
        fabric.nodes.push_back({name, isHost, isHost ? 0 : device.ports});
      nodes[d] = found->second;
    }
  }

  Fabric::End endOf(Port port) const {
    const FabricDevice &device = devices[port.first];
    Fabric::End end{*nodes[port.first], port.second, ""};
    if (device.kind == 'H')
      end.adapter = StringRef(device.description).split(' ').second.trim().str();
    return end;
  }

  /// Each cable once, by its end that comes first in the file.
  void addCables() {
    for (const auto &[port, connection] : connections) {
      if (!nodes[port.first] || !nodes[connection.other.first])
        continue;
      auto mirrored = connections.find(connection.other);
      bool isWhole = mirrored != connections.end() && mirrored->second.other == port;
      if (isWhole && connection.other < port)
        continue;
      uint64_t rate = connection.rate;
      Fabric::Cable cable{endOf(port), endOf(connection.other), rate};
      std::string text =
          formatv("the cable of port {0} of '{1}'", port.second, fabric.nodes[cable.a.node].name);
      if (!isWhole)
        diags.warning(at(connection.line), text + " is not listed at its other end");
      else if (uint64_t back = mirrored->second.rate; back != rate) {
        cable.rate = std::min(rate, back);
        diags.warning(
            at(connection.line),
            formatv("{0} has {1} GB/s, but {2} GB/s at its other end: the lower rate counts", text,
                    gigabytesText(rate), gigabytesText(back)));
      }
      if (cable.a.node != cable.b.node)
        fabric.cables.push_back(std::move(cable));
    }
  }

  const ForeignFile &file;
  DiagnosticEngine &diags;
  llvm::StringMap<uint32_t> indices; ///< of devices by id
  std::vector<FabricDevice> devices;
  std::vector<std::string> ids;
  std::map<Port, Connection> connections;
  std::vector<std::optional<uint32_t>> nodes; ///< of the fabric, by device; unset: none
  Fabric fabric;
};
} // namespace

bool cclc::isIbNetDiscover(StringRef text) {
  return llvm::any_of(llvm::split(text, '\n'), [](StringRef line) {
    line = line.ltrim();
    return line.starts_with("switchguid=") || line.starts_with("caguid=") ||
           line.starts_with("rtguid=");
  });
}

FailureOr<Fabric> cclc::readIbNetDiscover(const ForeignFile &file, const ImportOptions &,
                                          DiagnosticEngine &diags) {
  return DiscoverReader(file, diags).read();
}
