//===- NcclReader.cpp - Rows of the tuners of NCCL and RCCL ---------------===//
//
// The readers are plugins/tuner/example of NCCL and src/plugin/tuner/csv_tuner.cc of RCCL. Both
// separate fields by runs of commas, so that an empty field shifts those after it, and ignore lines
// of fewer than 8 fields. NCCL takes unknown words for all-reduce, ring and simple, where RCCL
// drops the row, and has comments in column 1 only.
//
//===----------------------------------------------------------------------===//

#include "TuningReaders.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdlib>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr StringRef algorithms[] = {"tree",      "ring", "collnet_direct", "collnet_chain", "nvls",
                                    "nvls_tree", "pat"};
constexpr size_t longestLine = 255, leastFields = 8, mostFields = 10;

class RowReader {
public:
  RowReader(const std::string &path, bool isRccl, DiagnosticEngine &diags)
      : path(path), isRccl(isRccl), diags(diags) {}

  void readLine(StringRef line, unsigned number) {
    at = {path, number};
    if (line.size() >= longestLine)
      diags.warning(at,
                    formatv("the line has {0} characters: {1} reads lines of up to {2}, and the "
                            "rest as a further line",
                            line.size(), title(), longestLine - 1));
    for (; line.size() > longestLine; line = line.drop_front(longestLine))
      readPart(line.take_front(longestLine));
    readPart(line);
  }

  std::vector<TuningRule> rules;

private:
  StringRef title() const { return isRccl ? "RCCL" : "NCCL"; }
  void readPart(StringRef line);
  TuningRule ruleOf(ArrayRef<std::string> fields, StringRef line);
  std::string known(StringRef what, StringRef word, ArrayRef<StringRef> words, StringRef otherwise,
                    TuningRule &rule);

  const std::string &path;
  bool isRccl;
  DiagnosticEngine &diags;
  Location at;
};

/// The number at the beginning of \p text, as strtoull and atoi read it.
uint64_t unsignedOf(const std::string &text) { return std::strtoull(text.c_str(), nullptr, 10); }
int signedOf(const std::string &text) {
  return static_cast<int>(std::strtol(text.c_str(), nullptr, 10));
}
} // namespace

void RowReader::readPart(StringRef line) {
  if ((isRccl ? line.ltrim(" \t") : line).starts_with("#"))
    return;
  SmallVector<StringRef> pieces;
  line.split(pieces, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::vector<std::string> fields;
  bool isShifted = line.contains(",,") || line.starts_with(",");
  for (StringRef piece : ArrayRef(pieces).take_front(mostFields))
    fields.push_back(piece.trim(" \t").str());
  if (isRccl && llvm::is_contained(fields, ""))
    return;
  if (fields.size() < leastFields) {
    if (!line.trim().empty())
      diags.warning(at, formatv("the line has {0} of the {1} fields that {2} needs, and is ignored",
                                fields.size(), leastFields, title()));
    return;
  }
  if (isShifted)
    diags.warning(
        at, formatv("{0} skips the empty field: those after it count for the one before", title()));
  rules.push_back(ruleOf(fields, line));
}

/// \p word, or what NCCL takes it for; RCCL drops the row.
std::string RowReader::known(StringRef what, StringRef word, ArrayRef<StringRef> words,
                             StringRef otherwise, TuningRule &rule) {
  if (llvm::is_contained(words, word))
    return word.str();
  std::string list = llvm::join(words, ", ");
  if (isRccl)
    rule.dropped = formatv("RCCL knows no {0} '{1}'", what, word);
  else
    diags.warning(at, formatv("NCCL takes the unknown {0} '{1}' for '{2}': use one of {3}", what,
                              word, otherwise, list));
  return otherwise.str();
}

TuningRule RowReader::ruleOf(ArrayRef<std::string> fields, StringRef line) {
  TuningRule rule{.loc = at, .text = line.trim().str()};
  rule.call =
      known("collective", fields[0],
            {"broadcast", "reduce", "allgather", "reducescatter", "allreduce"}, "allreduce", rule);
  rule.collective = *parseCollective(rule.call);
  rule.conditions.push_back({CallProperty::Bytes, unsignedOf(fields[1]), unsignedOf(fields[2])});
  rule.algorithm = known("algorithm", fields[3], algorithms, "ring", rule);
  const std::string protocol =
      known("protocol", fields[4], {"ll", "ll128", "simple"}, "simple", rule);
  rule.protocol = protocol == "ll"      ? Protocol::LL
                  : protocol == "ll128" ? Protocol::LL128
                                        : Protocol::Simple;
  // NCCL counts 1 channel unless the row has another number, of which 0 leaves the choice to it.
  const int channels = signedOf(fields[5]);
  if (channels >= 1)
    rule.channels = channels;
  else if (!isRccl && channels == -1)
    rule.channels = 1;
  // -1 is any value.
  auto numberAt = [&](size_t field) {
    return field < fields.size() ? signedOf(fields[field]) : -1;
  };
  const CallCondition never = {CallProperty::One, 0, 0};
  auto require = [&](CallProperty property, int value) {
    if (value < -1)
      rule.conditions.push_back(never);
    else if (value >= 0)
      rule.conditions.push_back({property, uint64_t(value), uint64_t(value)});
  };
  require(CallProperty::Nodes, numberAt(6));
  require(CallProperty::Ranks, numberAt(7));
  require(CallProperty::One, numberAt(8));   // the operations of a group of calls
  if (numberAt(9) != -1 && numberAt(9) != 0) // whether buffers are registered
    rule.conditions.push_back(never);
  return rule;
}

TuningRules cclc::readNcclRows(StringRef text, const std::string &path, bool isRccl,
                               DiagnosticEngine &diags) {
  RowReader reader(path, isRccl, diags);
  for (unsigned line = 1; !text.empty(); ++line) {
    auto [first, rest] = text.split('\n');
    reader.readLine(first.rtrim("\r"), line);
    text = rest;
  }
  return std::move(reader.rules);
}
