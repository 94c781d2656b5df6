//===- MpichReader.cpp - The tuning file of MPICH -------------------------===//
//
// The reader is src/mpi/coll/src/csel.c: the keys of an object are conditions, of which the first
// that holds leads on; a leaf names an algorithm. Each leaf becomes a rule with the conditions on
// its path, those before it in their objects negated.
//
// Below a condition on the message, comm_size<N holds for N ranks as well, because MPICH evaluates
// it with <=. Above, where it prunes the tree for a communicator, it holds for fewer.
//
//===----------------------------------------------------------------------===//

#include "TuningReaders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace cclc;
using llvm::formatv;

namespace {
/// A key with the conditions that it is.
struct Key {
  CallCondition condition;
  bool isAny = false;       ///< always holds
  bool isCompared = false;  ///< needs an end of its chain
  bool isOfMessage = false; ///< evaluated for each call
};

class TreeReader {
public:
  explicit TreeReader(DiagnosticEngine &diags) : diags(diags) {}
  LogicalResult readObject(const JsonNode &node);
  std::vector<TuningRule> rules;

private:
  LogicalResult readLeaf(const JsonNode &object, StringRef key);
  LogicalResult readKey(const JsonNode &node, StringRef text, Key &key);
  LogicalResult readBound(const JsonNode &node, StringRef text, Key &key);
  LogicalResult readCollective(const JsonNode &node, StringRef name);
  bool isMessageSize(const JsonNode &node, StringRef name, CallProperty &property);

  DiagnosticEngine &diags;
  std::vector<CallCondition> path;
  StringRef call;                           ///< the collective of the path; empty above it
  std::optional<CollectiveKind> collective; ///< unset: plans have none
  bool isInter = false;
  unsigned messageKeys = 0; ///< on the path
};

std::string withoutSpaces(StringRef text) {
  std::string result = text.str();
  llvm::erase_if(result, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  return result;
}

std::vector<StringRef> algorithmsOf(StringRef call) {
  std::vector<StringRef> names;
  for (const NativeAlgorithm &each : nativeAlgorithms(SelectingRuntime::Mpich))
    if (each.call == call)
      names.push_back(each.name);
  return names;
}

bool isPerRank(StringRef call) { return call == "allgather" || call == "reduce_scatter_block"; }
} // namespace

/// The property of avg_msg_size or total_msg_size, which MPICH defines for some collectives.
bool TreeReader::isMessageSize(const JsonNode &node, StringRef name, CallProperty &property) {
  const bool isBuffer = call == "allreduce" || call == "bcast" || call == "reduce";
  const bool isRooted = call == "gather" || call == "scatter";
  if (name == "total_msg_size") {
    // MPICH multiplies by the bytes of an element everywhere but here.
    property = isRooted   ? CallProperty::Elements
               : isBuffer ? CallProperty::BytesOfAllRanks
                          : CallProperty::Bytes;
    return true;
  }
  property = isBuffer ? CallProperty::Bytes : CallProperty::BytesOfRank;
  if (isBuffer || call == "alltoall")
    return true;
  diags
      .error(node.loc, formatv("MPICH ends on avg_msg_size of {0}, which it does not define", call))
      .note({}, "write total_msg_size");
  return false;
}

LogicalResult TreeReader::readBound(const JsonNode &node, StringRef text, Key &key) {
  auto [name, bound] = text.split('<');
  const bool isInclusive = bound.consume_front("=");
  key.isCompared = true;
  key.isOfMessage = name != "comm_size" && name != "comm_avg_ppn";
  CallProperty property = CallProperty::Ranks;
  if (name == "comm_avg_ppn")
    property = CallProperty::RanksPerNode;
  else if (name == "count")
    property = isPerRank(call) ? CallProperty::ElementsOfRank : CallProperty::Elements;
  else if (name == "avg_msg_size" || name == "total_msg_size") {
    if (collective && !isMessageSize(node, name, property))
      return failure();
  } else if (name != "comm_size")
    return diags.error(node.loc, formatv("unknown condition '{0}': MPICH ends on it", node.key));
  if (text == "count<pow2") {
    property = isPerRank(call) ? CallProperty::FewElementsOfRank : CallProperty::FewElements;
    key.condition = {property, 0, 0};
    return success();
  }
  uint64_t number = 0;
  if (bound.getAsInteger(10, number) || number > uint64_t(std::numeric_limits<int32_t>::max()))
    return diags.error(node.loc, formatv("'{0}' must compare with a number from 0 to {1}", node.key,
                                         std::numeric_limits<int32_t>::max()));
  const bool holdsForEqual = isInclusive || (name == "comm_size" && messageKeys > 0);
  if (!holdsForEqual && number == 0)
    key.condition = {CallProperty::One, 0, 0};
  else
    key.condition = {property, 0, holdsForEqual ? number : number - 1};
  return success();
}

LogicalResult TreeReader::readKey(const JsonNode &node, StringRef text, Key &key) {
  if (text == "any" || text.ends_with("=any")) {
    key.isAny = true;
    key.condition = {CallProperty::One, 1, 1};
    return success();
  }
  if (text.contains('<'))
    return readBound(node, text, key);
  const CallCondition yes = {CallProperty::One, 1, 1}, no = {CallProperty::One, 0, 0};
  struct Word {
    StringRef text;
    CallCondition condition;
    bool isOfMessage, isCompared;
  };
  const Word words[] = {
      {"comm_type=intra", yes, false, false},
      {"comm_type=inter", no, false, false},
      {"comm_size=pow2", {CallProperty::PowerOfTwo, 1, 1}, false, true},
      {"comm_size=node_comm_size", {CallProperty::OneNode, 1, 1}, false, true},
      {"comm_hierarchy=parent", {CallProperty::Levels, 1, 1}, false, false},
      {"comm_hierarchy=node_roots", {CallProperty::Levels, 0, 0}, false, false},
      {"comm_hierarchy=node", {CallProperty::Levels, 0, 0}, false, false},
      {"comm_hierarchy=flat", {CallProperty::Levels, 0, 0}, false, false},
      {"is_node_consecutive=yes", yes, false, false},
      {"is_node_consecutive=no", no, false, false},
      {"is_multi_threaded=yes", no, true, false},
      {"is_multi_threaded=no", yes, true, false},
      {"is_commutative=yes", yes, true, false},
      {"is_commutative=no", no, true, false},
      {"is_sendbuf_inplace=yes", no, true, false},
      {"is_sendbuf_inplace=no", yes, true, false},
      {"is_op_built_in=yes", yes, true, false},
      {"is_op_built_in=no", no, true, false},
      {"is_block_regular=yes", yes, true, false},
      {"is_block_regular=no", no, true, false},
  };
  for (const Word &word : words)
    if (word.text == text) {
      key = {word.condition, false, word.isCompared, word.isOfMessage};
      return success();
    }
  return diags.error(node.loc, formatv("unknown condition '{0}': MPICH ends on it", node.key));
}

LogicalResult TreeReader::readCollective(const JsonNode &node, StringRef name) {
  const StringRef outer = std::exchange(call, name);
  const std::optional<CollectiveKind> outerKind = collective;
  collective = std::nullopt;
  for (const NativeAlgorithm &each : nativeAlgorithms(SelectingRuntime::Mpich))
    if (each.call == name)
      collective = each.collective;
  if (!outer.empty())
    return diags.error(node.loc,
                       formatv("'{0}' is within collective={1}, and never holds", node.key, outer));
  const LogicalResult result = readObject(node);
  call = outer;
  collective = outerKind;
  return result;
}

LogicalResult TreeReader::readLeaf(const JsonNode &object, StringRef key) {
  const JsonNode &node = object.children.front();
  if (object.children.size() > 1)
    return diags
        .error(object.children[1].loc,
               formatv("'{0}' is beside an algorithm, and is ignored", object.children[1].key))
        .note({}, "let each algorithm be alone in its object");
  if (!collective || isInter)
    return success();
  TuningRule rule{.loc = node.loc,
                  .text = node.key,
                  .collective = *collective,
                  .call = call.str(),
                  .conditions = path};
  auto [kind, name] = key.split('=');
  rule.algorithm = name.str();
  StringRef own = name;
  const bool isOfCall =
      own.consume_front("MPIR_") && own.consume_front_insensitive(call) && own.consume_front("_");
  const bool isIntra = isOfCall && own.consume_front("intra_");
  if (isIntra)
    rule.algorithm = own.str();
  const bool isKnown = isIntra ? findNamed(SelectingRuntime::Mpich, call, own) != nullptr
                               : own.starts_with("allcomm_");
  if (kind == "algorithm" && !(isOfCall && isKnown))
    return diags
        .error(node.loc, formatv("MPICH has no algorithm '{0}' of {1}, and ends", name, call))
        .note({}, formatv("write MPIR_{0}{1}_intra_ and one of {2}",
                          StringRef(call.take_front()).upper(), call.drop_front(),
                          llvm::join(algorithmsOf(call), ", ")));
  rules.push_back(std::move(rule));
  return success();
}

/// Reads the conditions in \p node, which is below those of `path`.
LogicalResult TreeReader::readObject(const JsonNode &node) {
  if (!node.isObject())
    return diags.error(node.loc, "the value of a condition must be an object: MPICH ends");
  if (node.children.empty())
    return diags.error(node.loc, formatv("'{0}' has no algorithm: MPICH ends", node.key));
  const size_t outerPath = path.size();
  const unsigned outerMessageKeys = messageKeys;
  const JsonNode *end = nullptr;  // a key that holds for all calls
  const JsonNode *open = nullptr; // the last key, if it is a comparison
  for (const JsonNode &child : node.children) {
    const std::string text = withoutSpaces(child.key);
    if (StringRef(text).starts_with("algorithm=") || StringRef(text).starts_with("composition=")) {
      if (&child != &node.children.front())
        return diags.error(child.loc, "an algorithm must be alone in its object");
      return readLeaf(node, text);
    }
    if (StringRef name(text); name.consume_front("collective=")) {
      if (failed(readCollective(child, name)))
        return failure();
      continue;
    }
    if (end)
      return diags.error(child.loc, formatv("'{0}' follows '{1}', which always holds: MPICH ends",
                                            child.key, end->key));
    Key key;
    if (failed(readKey(child, text, key)))
      return failure();
    end = key.isAny ? &child : nullptr;
    open = key.isCompared ? &child : nullptr;
    messageKeys += key.isOfMessage;
    path.push_back(key.condition);
    const bool outerInter = isInter;
    isInter |= text == "comm_type=inter";
    if (failed(readObject(child)))
      return failure();
    isInter = outerInter;
    path.back().isInside = false;
  }
  if (open)
    return diags.error(open->loc, formatv("no condition follows '{0}': MPICH ends", open->key))
        .note({},
              formatv("end the object with '{0}=any'", StringRef(open->key).take_until([](char c) {
                return c == '<' || c == '=';
              })));
  path.resize(outerPath);
  messageKeys = outerMessageKeys;
  return success();
}

TuningRules cclc::readMpichTree(const JsonNode &root, const std::string &path,
                                DiagnosticEngine &diags) {
  TreeReader reader(diags);
  if (!root.isObject() || root.children.empty())
    return diags.error({path}, "the file has no conditions: MPICH ends");
  if (failed(reader.readObject(root)))
    return failure();
  return std::move(reader.rules);
}
