//===- Reader.cpp - Plans from MSCCL XML ----------------------------------===//
//
// Reads the document of pugixml into an ExecPlanBuilder. Ids of gpus and threadblocks may come in
// any order but must be dense. The collective is identified by name, and its chunks follow from
// nchunksperloop; the buffers of an unknown collective are as long as the longest one in the file.
// Sizes are converted from the runtime's convention (exclusive maxBytes, part of gather and
// scatter) to that of plans. All values are checked before use, since files may be hostile.
//
//===----------------------------------------------------------------------===//

#include "LineTable.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/IR/Verifier.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>

#include <pugixml.hpp>

using namespace cclc;
using llvm::formatv;

namespace {

class XmlReader {
public:
  XmlReader(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : text(text), fileName(fileName), diags(diags), lines(text) {
    positions.file = fileName.str();
  }

  FailureOr<ExecPlan> read();

private:
  /// The attributes of one element by name.
  class Attributes {
  public:
    Attributes(XmlReader &reader, pugi::xml_node node) : reader(reader), node(node) {}

    /// Reports duplicate attributes, which pugixml accepts.
    LogicalResult checkUnique() const {
      for (pugi::xml_attribute a : node.attributes())
        for (pugi::xml_attribute b = a.next_attribute(); b; b = b.next_attribute())
          if (StringRef(a.name()) == b.name())
            return reader.error(node, llvm::Twine("duplicate attribute '") + a.name() + "'");
      return success();
    }
    /// Reports duplicate attributes, and warns of each unknown one, once in a file.
    LogicalResult check() const {
      for (pugi::xml_attribute a : node.attributes())
        if (!isMscclAttribute(node.name(), a.name()))
          reader.ignore((llvm::Twine(node.name()) + "." + a.name()).str(), node,
                        llvm::Twine("attribute '") + a.name() + "' of '" + node.name() + "'");
      return checkUnique();
    }
    bool has(const char *name) const { return !node.attribute(name).empty(); }
    LogicalResult text(const char *name, StringRef &value) const {
      pugi::xml_attribute attribute = node.attribute(name);
      if (!attribute)
        return reader.error(node,
                            llvm::Twine("'") + node.name() + "' lacks attribute '" + name + "'");
      value = attribute.value();
      return success();
    }
    /// Reads an integer in [low, high].
    LogicalResult number(const char *name, int64_t &value, int64_t low, int64_t high) const {
      StringRef written;
      if (failed(text(name, written)))
        return failure();
      if (written.getAsInteger(10, value))
        return reader.error(node, llvm::Twine("attribute '") + name + "' is not a whole number: '" +
                                      written + "'");
      if (value < low || value > high)
        return reader.error(node, llvm::Twine("attribute '") + name + "': " + written +
                                      " is not between " + llvm::Twine(low) + " and " +
                                      llvm::Twine(high));
      return success();
    }
    /// The same for an optional attribute.
    LogicalResult number(const char *name, int64_t &value, int64_t low, int64_t high,
                         int64_t otherwise) const {
      if (has(name))
        return number(name, value, low, high);
      value = otherwise;
      return success();
    }

  private:
    XmlReader &reader;
    pugi::xml_node node;
  };

  PlanPositions::Pos posOf(pugi::xml_node node) const {
    // pugixml points at the name; errors point at the bracket before it.
    return lines.find(std::max<ptrdiff_t>(node.offset_debug() - 1, 0));
  }
  DiagnosticEngine::InFlight error(pugi::xml_node node, const llvm::Twine &message) {
    PlanPositions::Pos pos = posOf(node);
    return diags.error({fileName.str(), pos.line, pos.column}, message);
  }

  /// Warns of \p what, which has no meaning, unless \p key was ignored before.
  void ignore(StringRef key, pugi::xml_node node, const llvm::Twine &what) {
    if (!ignored.insert(key).second)
      return;
    PlanPositions::Pos pos = posOf(node);
    diags.warning({fileName.str(), pos.line, pos.column}, what + " is unknown and ignored");
  }

  LogicalResult parse();
  FailureOr<ProgramInfo> readAlgo();
  LogicalResult customSizes(CustomSpec &spec);
  FailureOr<uint32_t> ranksPerLoop(CollectiveKind kind, uint32_t ranks, int64_t perLoop);
  void readSizes(ProgramInfo &info, int64_t minBytes, int64_t maxBytes, bool exclusive);
  LogicalResult refuseText(pugi::xml_node node);
  LogicalResult sortChildren(pugi::xml_node parent, const char *name, int64_t limit,
                             std::vector<pugi::xml_node> &children);
  LogicalResult readGpu(ExecPlanBuilder &builder, uint32_t rank, pugi::xml_node gpu);
  LogicalResult readThreadblock(ExecPlanBuilder &builder, RankId rank, pugi::xml_node tb);
  LogicalResult readStep(ExecPlanBuilder &builder, pugi::xml_node node, uint32_t index);
  LogicalResult readOperand(const Attributes &attributes, pugi::xml_node node, const char *buffer,
                            const char *offset, Operand &operand);

  StringRef text, fileName;
  DiagnosticEngine &diags;
  LineTable lines;
  pugi::xml_document document;
  pugi::xml_node algo;
  std::vector<pugi::xml_node> gpus; ///< by rank
  PlanPositions positions;
  llvm::StringSet<> ignored; ///< unknown elements and attributes that were reported
};

LogicalResult XmlReader::parse() {
  // Fragments are parsed so that text around the root element is reported and not skipped.
  pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
  if (!result) {
    PlanPositions::Pos pos = lines.find(std::min<size_t>(result.offset, text.size()));
    std::string what = StringRef(result.description()).lower();
    return diags.error({fileName.str(), pos.line, pos.column}, "not well-formed XML: " + what);
  }
  for (pugi::xml_node child : document.children()) {
    if (child.type() == pugi::node_element && !algo) {
      algo = child;
      continue;
    }
    if (child.type() == pugi::node_element)
      return error(child, llvm::Twine("a second root element '") + child.name() + "'");
    if (child.type() != pugi::node_pcdata && child.type() != pugi::node_cdata)
      continue;
    StringRef start = StringRef(child.value()).trim().take_until([](char c) { return c == '\n'; });
    size_t offset = algo ? text.rfind(start) : text.find(start);
    PlanPositions::Pos pos = lines.find(offset == StringRef::npos ? 0 : offset);
    return diags.error({fileName.str(), pos.line, pos.column},
                       algo ? "text after the root element" : "text before the root element");
  }
  if (!algo)
    return diags.error({fileName.str()}, "no root element");
  if (StringRef(algo.name()) != "algo")
    return error(algo, llvm::Twine("the root element is '") + algo.name() + "', not 'algo'");
  return success();
}

/// Rejects text, because all content is in attributes.
LogicalResult XmlReader::refuseText(pugi::xml_node node) {
  for (pugi::xml_node child : node.children())
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
      return error(child, llvm::Twine("text inside element '") + node.name() + "'");
  return success();
}

/// Sorts the children \p name by their ids, which must be 0, 1, 2, ... in any order.
LogicalResult XmlReader::sortChildren(pugi::xml_node parent, const char *name, int64_t limit,
                                      std::vector<pugi::xml_node> &children) {
  if (failed(refuseText(parent)))
    return failure();
  size_t count = 0;
  for (pugi::xml_node child : parent.children()) {
    if (child.type() != pugi::node_element)
      continue;
    if (StringRef(child.name()) == name)
      ++count;
    else
      ignore(child.name(), child, llvm::Twine("element '") + child.name() + "'");
  }
  if (count > uint64_t(limit))
    return error(parent, formatv("{0} elements '{1}' exceed the limit of {2}", count, name, limit));
  children.assign(count, {});
  for (pugi::xml_node child : parent.children(name)) {
    int64_t id;
    Attributes attributes(*this, child);
    if (failed(attributes.check()) ||
        failed(attributes.number("id", id, 0, std::numeric_limits<int32_t>::max())))
      return failure();
    if (uint64_t(id) >= count)
      return error(child,
                   formatv("{0} {1}: ids must be dense, and there are {2}", name, id, count));
    if (children[id])
      return error(child, formatv("duplicate {0} {1}", name, id));
    children[id] = child;
  }
  return success();
}

FailureOr<ProgramInfo> XmlReader::readAlgo() {
  Attributes attributes(*this, algo);
  StringRef coll;
  int64_t ranks, perLoop, inPlace, outOfPlace, minBytes, maxBytes, root;
  if (failed(attributes.check()) || failed(attributes.number("ngpus", ranks, 1, maxRanks)) ||
      failed(attributes.number("nchunksperloop", perLoop, 1, Operand::maxIndex)) ||
      failed(attributes.text("coll", coll)))
    return failure();
  int64_t huge = std::numeric_limits<int64_t>::max();
  if (failed(attributes.number("inplace", inPlace, 0, 1, 0)) ||
      failed(attributes.number("outofplace", outOfPlace, 0, 1, !inPlace)) ||
      failed(attributes.number("minBytes", minBytes, 0, huge, 0)) ||
      failed(attributes.number("maxBytes", maxBytes, 0, huge, 0)) ||
      failed(attributes.number("root", root, 0, ranks - 1, 0)))
    return failure();
  if (!inPlace && !outOfPlace)
    return error(algo, "the algorithm is neither inplace nor outofplace");

  if (failed(sortChildren(algo, "gpu", maxRanks, gpus)))
    return failure();
  if (gpus.size() != uint64_t(ranks))
    return error(algo, formatv("ngpus is {0}, but there are {1} gpu elements", ranks, gpus.size()));

  std::optional<CollectiveKind> kind = parseCollective(std::string_view(coll));
  std::optional<Collective> collective;
  if (!kind || *kind == CollectiveKind::Custom) {
    CustomSpec spec;
    if (failed(customSizes(spec)))
      return failure();
    collective.emplace(ranks, std::move(spec));
  } else {
    FailureOr<uint32_t> found = ranksPerLoop(*kind, ranks, perLoop);
    if (failed(found))
      return failure();
    uint32_t parts = *found;
    if (perLoop % parts != 0)
      return error(algo,
                   formatv("nchunksperloop {0} is not divisible by the {1} ranks, as {2} requires",
                           perLoop, ranks, coll));
    if (uint64_t(perLoop / parts) * Collective(*kind, ranks, 1).chunksPerLoop() * ranks > maxCells)
      return error(algo, formatv("{0} chunks on each of {1} ranks exceed the limit of {2} cells",
                                 perLoop, ranks, maxCells));
    collective.emplace(*kind, ranks, perLoop / parts, RankId(root));
  }

  ProgramInfo info(std::move(*collective));
  info.name = attributes.has("name") ? algo.attribute("name").value() : "";
  if (attributes.has("proto")) {
    StringRef proto = algo.attribute("proto").value();
    std::optional<Protocol> parsed = parseProtocol(proto);
    if (!parsed)
      return error(algo, "unknown protocol '" + proto + "'");
    info.protocol = *parsed;
  }
  info.placements = Placements(inPlace, outOfPlace);
  // Only runtimes with inclusive ranges require outofplace.
  readSizes(info, minBytes, maxBytes, !attributes.has("outofplace"));
  return info;
}

/// The ratio of nchunksperloop to the chunks of the collective: it counts the larger of the two
/// buffers, except for gather and scatter, which only newer runtimes have, where it counts the
/// smaller.
FailureOr<uint32_t> XmlReader::ranksPerLoop(CollectiveKind kind, uint32_t ranks, int64_t perLoop) {
  bool gathers = kind == CollectiveKind::Gather;
  if (gathers || kind == CollectiveKind::Scatter)
    for (pugi::xml_node gpu : gpus) {
      int64_t chunks;
      if (failed(Attributes(*this, gpu)
                     .number(gathers ? "o_chunks" : "i_chunks", chunks, 0, maxCells, 0)))
        return failure();
      if (chunks > perLoop)
        return 1;
    }
  return Collective(kind, ranks, 1).chunksPerLoop();
}

/// Converts sizes to the convention of plans: an inclusive range for the whole buffer.
void XmlReader::readSizes(ProgramInfo &info, int64_t minBytes, int64_t maxBytes, bool exclusive) {
  uint64_t parts = exclusive ? 1 : MscclDialect::sizeDivisor(info.collective);
  constexpr uint64_t any = std::numeric_limits<int64_t>::max();
  auto whole = [&](uint64_t bytes) { return bytes > any / parts ? any : bytes * parts; };
  info.minBytes = whole(minBytes);
  if (maxBytes && uint64_t(maxBytes) < any)
    info.maxBytes = whole(maxBytes - exclusive) + (parts - 1);
}

/// The buffers of an unknown collective are as long as the longest one.
LogicalResult XmlReader::customSizes(CustomSpec &spec) {
  for (pugi::xml_node gpu : gpus) {
    int64_t in, out;
    int64_t limit = maxCells / gpus.size();
    Attributes attributes(*this, gpu);
    if (failed(attributes.number("i_chunks", in, 0, limit, 0)) ||
        failed(attributes.number("o_chunks", out, 0, limit, 0)))
      return failure();
    spec.inputChunks = std::max<uint32_t>(spec.inputChunks, in);
    spec.outputChunks = std::max<uint32_t>(spec.outputChunks, out);
  }
  return success();
}

LogicalResult XmlReader::readGpu(ExecPlanBuilder &builder, uint32_t rank, pugi::xml_node gpu) {
  Attributes attributes(*this, gpu);
  int64_t in, out, scratch;
  const Collective &collective = builder.info().collective;
  if (failed(attributes.number("i_chunks", in, 0, maxCells, 0)) ||
      failed(attributes.number("o_chunks", out, 0, maxCells, 0)) ||
      failed(attributes.number("s_chunks", scratch, 0, maxCells, 0)))
    return failure();
  if (in > collective.inputChunks())
    return error(gpu, formatv("i_chunks is {0}, but the input of the collective has {1} chunks", in,
                              collective.inputChunks()));
  if (out > collective.outputChunks())
    return error(gpu, formatv("o_chunks is {0}, but the output of the collective has {1} chunks",
                              out, collective.outputChunks()));
  builder.setScratch(RankId(rank), scratch);
  std::vector<pugi::xml_node> tbs;
  if (failed(sortChildren(gpu, "tb", maxCells, tbs)))
    return failure();
  for (pugi::xml_node tb : tbs)
    if (failed(readThreadblock(builder, RankId(rank), tb)))
      return failure();
  return success();
}

LogicalResult XmlReader::readThreadblock(ExecPlanBuilder &builder, RankId rank, pugi::xml_node tb) {
  Attributes attributes(*this, tb);
  int64_t send, recv, channel;
  int64_t lastRank = int64_t(builder.info().ranks()) - 1;
  if (failed(attributes.number("send", send, -1, lastRank)) ||
      failed(attributes.number("recv", recv, -1, lastRank)) ||
      failed(attributes.number("chan", channel, 0, maxChannels - 1)))
    return failure();
  auto peer = [](int64_t rank) {
    return rank < 0 ? OptionalId<RankId>() : OptionalId<RankId>(RankId(rank));
  };
  positions.threadblocks.push_back(posOf(tb));
  builder.beginThreadblock(rank, peer(send), peer(recv), ChannelId(channel));
  if (failed(refuseText(tb)))
    return failure();
  uint32_t index = 0;
  for (pugi::xml_node child : tb.children()) {
    if (child.type() != pugi::node_element)
      continue;
    if (StringRef(child.name()) != "step")
      return error(child, llvm::Twine("a threadblock holds steps, not '") + child.name() + "'");
    if (failed(readStep(builder, child, index++)))
      return failure();
  }
  return success();
}

LogicalResult XmlReader::readOperand(const Attributes &attributes, pugi::xml_node node,
                                     const char *buffer, const char *offset, Operand &operand) {
  StringRef letter;
  int64_t index;
  if (failed(attributes.text(buffer, letter)) ||
      failed(attributes.number(offset, index, 0, Operand::maxIndex)))
    return failure();
  std::optional<Buffer> parsed = parseBuffer(letter);
  if (!parsed)
    return error(node, llvm::Twine("attribute '") + buffer + "' " +
                           mustBeOneOf(std::array{"i", "o", "s"}, letter));
  operand = Operand(*parsed, index);
  return success();
}

LogicalResult XmlReader::readStep(ExecPlanBuilder &builder, pugi::xml_node node, uint32_t index) {
  Attributes attributes(*this, node);
  if (failed(refuseText(node)))
    return failure();
  int64_t s, count, depid, deps, hasdep;
  StringRef type;
  constexpr int64_t maxId = std::numeric_limits<int32_t>::max();
  if (failed(attributes.check()) || failed(attributes.number("s", s, 0, maxId)) ||
      failed(attributes.text("type", type)))
    return failure();
  if (s != index)
    return error(node, formatv("found step {0}, expected step {1}", s, index));
  std::optional<OpKind> op = parseOpKind(type);
  if (type == "ra")
    return error(node, "step type 'ra' adds a residual that is not in any buffer of the file, so "
                       "that it cannot be executed");
  if (!op)
    return error(node, "unknown step type '" + type + "'");
  bool isNop = *op == OpKind::Nop;
  if (failed(isNop ? attributes.number("cnt", count, 0, maxCells, 0)
                   : attributes.number("cnt", count, 1, maxCells)) ||
      failed(attributes.number("depid", depid, -1, maxId, -1)) ||
      failed(attributes.number("deps", deps, -1, maxId, -1)) ||
      failed(attributes.number("hasdep", hasdep, 0, 1, 0)))
    return failure();
  if (depid >= 0 && deps < 0)
    return error(node, formatv("waits for threadblock {0}, but for none of its steps", depid));

  PlanPositions::Pos pos = posOf(node);
  positions.steps.push_back(pos);
  LocTable &locs = builder.info().locs;
  LocId loc = locs.append(locs.internFile(fileName), pos.line, pos.column);
  Step step(*op, {}, {}, isNop ? 0 : count, loc, loc);
  const OpTraits &op_ = traits(*op);
  if (op_.readsSrc && failed(readOperand(attributes, node, "srcbuf", "srcoff", step.src)))
    return failure();
  if (op_.writesDst && failed(readOperand(attributes, node, "dstbuf", "dstoff", step.dst)))
    return failure();
  if (depid >= 0)
    step.setWait(Wait{ThreadblockId(depid), StepIndex(deps)});
  step.publishes = hasdep;
  builder.addStep(step);
  return success();
}

FailureOr<ExecPlan> XmlReader::read() {
  if (failed(parse()))
    return failure();
  FailureOr<ProgramInfo> info = readAlgo();
  if (failed(info))
    return failure();
  ExecPlanBuilder builder(std::move(*info));
  for (uint32_t rank = 0; rank < gpus.size(); ++rank)
    if (failed(readGpu(builder, rank, gpus[rank])))
      return failure();
  return std::move(builder).finish(diags, &positions);
}
} // namespace

FailureOr<ExecPlan> cclc::readMscclXml(StringRef text, StringRef fileName,
                                       DiagnosticEngine &diags) {
  return XmlReader(text, fileName, diags).read();
}
