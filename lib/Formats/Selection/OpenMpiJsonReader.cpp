//===- OpenMpiJsonReader.cpp - Dynamic rules of Open MPI as JSON ----------===//
//
// The reader is ompi/mca/coll/tuned/coll_tuned_dynamic_file.c from 6.0 on. The first communicator
// that fits is in force, and its first rule that fits, or the selection of Open MPI. It rejects a
// file with an unknown collective, drops rules of unknown algorithms, and ignores unknown keys.
//
//===----------------------------------------------------------------------===//

#include "OpenMpiCollectives.h"
#include "TuningReaders.h"

#include "cclc/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
class JsonRuleReader {
public:
  explicit JsonRuleReader(DiagnosticEngine &diags) : diags(diags) {}
  LogicalResult readCollective(const JsonNode &node);
  std::vector<TuningRule> rules;

private:
  LogicalResult readCommunicator(const JsonNode &node);
  LogicalResult readRule(const JsonNode &node, const std::vector<CallCondition> &communicator);
  LogicalResult setAlgorithm(const JsonNode &node, TuningRule &rule);
  FailureOr<uint64_t> integerOf(const JsonNode &node, StringRef key, uint64_t otherwise);
  void warnOfOthers(const JsonNode &node, ArrayRef<std::string> keys);

  DiagnosticEngine &diags;
  const OpenMpiCollective *collective = nullptr;
};
} // namespace

/// The value of \p key, a whole number or "inf"; \p otherwise without one.
FailureOr<uint64_t> JsonRuleReader::integerOf(const JsonNode &node, StringRef key,
                                              uint64_t otherwise) {
  const JsonNode *value = node.find(key);
  if (!value)
    return otherwise;
  if (value->kind == JsonNode::Kind::Number)
    return value->number;
  if (StringRef(value->text).take_front(3).equals_insensitive("inf"))
    return UINT64_MAX;
  return diags
      .error(value->loc, formatv("'{0}' is no whole number: Open MPI ignores the file", key))
      .note({}, "write a number from 0, or \"inf\"");
}

void JsonRuleReader::warnOfOthers(const JsonNode &node, ArrayRef<std::string> keys) {
  for (const JsonNode &child : node.children)
    if (!llvm::is_contained(keys, child.key))
      diags.warning(child.loc, "Open MPI ignores an " + unknownWord("key", child.key, keys));
}

LogicalResult JsonRuleReader::readCollective(const JsonNode &node) {
  std::vector<std::string> names;
  for (const OpenMpiCollective &each : openMpiCollectives)
    names.push_back(each.name.str());
  collective = llvm::find_if(openMpiCollectives,
                             [&](const OpenMpiCollective &each) { return each.name == node.key; });
  if (collective == std::end(openMpiCollectives))
    return diags.error(node.loc,
                       unknownWord("collective", node.key, names) + ": Open MPI ignores the file");
  if (!node.isArray())
    return diags.error(node.loc,
                       formatv("'{0}' must be an array of objects with 'rules'", node.key));
  for (const JsonNode &communicator : node.children)
    if (failed(readCommunicator(communicator)))
      return failure();
  return success();
}

LogicalResult JsonRuleReader::readCommunicator(const JsonNode &node) {
  const JsonNode *list = node.find("rules");
  if (!node.isObject() || !list || !list->isArray())
    return diags.error(node.loc, "a communicator must be an object with an array 'rules'");
  warnOfOthers(node, {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"});
  FailureOr<uint64_t> least = integerOf(node, "comm_size_min", 0);
  FailureOr<uint64_t> most = integerOf(node, "comm_size_max", INT32_MAX);
  if (failed(least) || failed(most))
    return failure();
  std::vector<CallCondition> conditions = {{CallProperty::Ranks, *least, *most}};
  if (const JsonNode *distribution = node.find("comm_rank_distribution")) {
    if (distribution->text == "one-per-node")
      conditions.push_back({CallProperty::Scattered, 1});
    else if (distribution->text == "single-node")
      conditions.push_back({CallProperty::OneNode, 1});
    else if (distribution->text != "any")
      diags.warning(distribution->loc,
                    formatv("Open MPI takes the distribution '{0}' for 'any': write one of any, "
                            "one-per-node, single-node",
                            distribution->text));
  }
  for (const JsonNode &rule : list->children)
    if (failed(readRule(rule, conditions)))
      return failure();
  // No later communicator is searched.
  TuningRule rest{.loc = node.loc,
                  .collective = collective->kind.value_or(CollectiveKind::Custom),
                  .call = collective->name.str(),
                  .conditions = conditions,
                  .isImplicit = true};
  rules.push_back(std::move(rest));
  return success();
}

LogicalResult JsonRuleReader::readRule(const JsonNode &node,
                                       const std::vector<CallCondition> &communicator) {
  if (!node.isObject())
    return diags.error(node.loc, "a rule must be an object with 'alg'");
  warnOfOthers(node, {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs"});
  FailureOr<uint64_t> least = integerOf(node, "msg_size_min", 0);
  FailureOr<uint64_t> most = integerOf(node, "msg_size_max", UINT64_MAX);
  FailureOr<uint64_t> segment = integerOf(node, "seg_size", 0);
  if (failed(least) || failed(most) || failed(segment) || failed(integerOf(node, "faninout", 0)) ||
      failed(integerOf(node, "reqs", 0)))
    return failure();
  TuningRule rule{.loc = node.loc,
                  .collective = collective->kind.value_or(CollectiveKind::Custom),
                  .call = collective->name.str(),
                  .conditions = communicator,
                  .segmentBytes = *segment};
  rule.conditions.push_back({CallProperty::Bytes, *least, *most});
  if (failed(setAlgorithm(node, rule)))
    return failure();
  rules.push_back(std::move(rule));
  return success();
}

/// Sets the algorithm of \p rule, or why it is dropped.
LogicalResult JsonRuleReader::setAlgorithm(const JsonNode &node, TuningRule &rule) {
  const JsonNode *value = node.find("alg");
  if (!value || (value->kind != JsonNode::Kind::Number && value->kind != JsonNode::Kind::Text))
    return diags.error(value ? value->loc : node.loc,
                       "'alg' must be the number or the name of an algorithm");
  const bool isNumber = value->kind == JsonNode::Kind::Number;
  const std::string shown = isNumber ? std::to_string(value->number) : value->text;
  rule.loc = value->loc;
  rule.text = formatv("{0} alg {1}", collective->name, shown);
  if (!collective->kind || shown == "0" || shown == "ignore")
    return success();
  for (const NativeAlgorithm &each : nativeAlgorithms(SelectingRuntime::OpenMpi))
    if (each.call == collective->name &&
        (isNumber ? each.number == value->number : each.name == value->text))
      rule.algorithm = each.name.str();
  if (rule.algorithm.empty())
    rule.dropped = formatv("Open MPI knows no algorithm '{0}'", shown);
  return success();
}

TuningRules cclc::readOpenMpiJson(const JsonNode &root, const std::string &path,
                                  DiagnosticEngine &diags) {
  const JsonNode *collectives = root.find("collectives");
  if (!collectives || !collectives->isObject())
    return diags.error({path}, "the file has no object 'collectives': Open MPI ignores it");
  JsonRuleReader reader(diags);
  for (const JsonNode &collective : collectives->children)
    if (failed(reader.readCollective(collective)))
      return failure();
  return std::move(reader.rules);
}
