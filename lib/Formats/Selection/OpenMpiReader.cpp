//===- OpenMpiReader.cpp - Dynamic rules of Open MPI without JSON ---------===//
//
// The reader is ompi/mca/coll/tuned/coll_tuned_dynamic_file.c. A file is a sequence of numbers as
// scanf's %li reads them, so that 010 is 8; all else is skipped, and a # ends the line. A rule
// holds from its bytes up to those of the next one.
//
// Up to 5.0, the rules of the last number of ranks that is not larger are in force, or those of the
// first one. The search ends at the first larger number, so that it finds the last of the numbers
// up to it. 6.0 gives the rules of a number all smaller ranks, down to the number before.
//
//===----------------------------------------------------------------------===//

#include "OpenMpiCollectives.h"
#include "TuningReaders.h"

#include "cclc/Support/TextCursor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace cclc;
using llvm::formatv;

namespace {
/// The numbers of a file.
class Numbers {
public:
  Numbers(StringRef text, const std::string &path, DiagnosticEngine &diags)
      : text(text), position(text), path(path), diags(diags) {}

  /// The next number, which is from 0 to \p most; \p what names it.
  FailureOr<uint64_t> next(StringRef what, uint64_t most);
  /// Whether a digit follows in the line.
  bool hasMoreInLine() const {
    StringRef rest = text.substr(at).ltrim(" \t");
    return !rest.empty() && llvm::isDigit(rest.front());
  }
  void skip(size_t characters) { at += characters; }
  /// The beginning of the last number.
  Location last() {
    position.seen = text.begin() + std::min(begin + 1, text.size());
    return {path, position.line(), position.column()};
  }

private:
  bool skipToNumber();

  StringRef text;
  TextPosition position;
  const std::string &path;
  DiagnosticEngine &diags;
  size_t at = 0, begin = 0;
};

struct Interval {
  uint64_t least, most;
};

class RuleReader {
public:
  RuleReader(Numbers &numbers, bool isOpenMpi6, bool hasRequests, DiagnosticEngine &diags)
      : numbers(numbers), isOpenMpi6(isOpenMpi6), hasRequests(hasRequests), diags(diags) {}
  LogicalResult readAll();
  std::vector<TuningRule> rules;

private:
  LogicalResult readCollective();
  FailureOr<std::vector<TuningRule>> readRules(uint64_t collective);
  FailureOr<TuningRule> readRule(uint64_t collective);
  std::vector<Interval> intervals(ArrayRef<uint64_t> begins, bool isRanks) const;

  Numbers &numbers;
  bool isOpenMpi6, hasRequests;
  DiagnosticEngine &diags;
};

constexpr uint64_t largestInt = std::numeric_limits<int32_t>::max();
constexpr uint64_t largestLong = std::numeric_limits<int64_t>::max();
} // namespace

bool Numbers::skipToNumber() {
  while (at < text.size()) {
    StringRef rest = text.substr(at);
    StringRef digits = rest.ltrim("+-");
    if (digits.size() + 1 >= rest.size() && !digits.empty() && llvm::isDigit(digits.front()))
      return true;
    at = rest.front() == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
  }
  return false;
}

FailureOr<uint64_t> Numbers::next(StringRef what, uint64_t most) {
  const bool isFound = skipToNumber();
  begin = at;
  if (!isFound)
    return diags
        .error(last(), formatv("the file ends where {0} is expected: Open MPI ignores it", what))
        .note({}, "the counts before say how many numbers follow");
  StringRef rest = text.substr(at);
  const bool isNegative = rest.consume_front("-");
  rest.consume_front("+");
  const bool isHexadecimal =
      rest.size() > 2 && rest.take_front(2).equals_insensitive("0x") && llvm::isHexDigit(rest[2]);
  StringRef digits = isHexadecimal ? rest.drop_front(2).take_while(llvm::isHexDigit)
                                   : rest.take_while(llvm::isDigit);
  const unsigned radix = isHexadecimal ? 16 : digits.starts_with("0") ? 8 : 10;
  if (radix == 8)
    digits = digits.take_while([](char c) { return c >= '0' && c <= '7'; });
  at = digits.end() - text.begin();
  uint64_t value = 0;
  if (digits.getAsInteger(radix, value) || value > most || (isNegative && value != 0))
    return diags
        .error(last(), formatv("{0} is {1}{2}: Open MPI ignores the file", what,
                               isNegative ? "-" : "", digits))
        .note({}, formatv("write a number from 0 to {0}", most));
  return value;
}

LogicalResult RuleReader::readAll() {
  FailureOr<uint64_t> collectives =
      numbers.next("the number of collectives", std::size(openMpiCollectives));
  if (failed(collectives))
    return failure();
  for (uint64_t c = 0; c < *collectives; ++c)
    if (failed(readCollective()))
      return failure();
  return success();
}

/// The interval from \p least to the last value below \p end, which may be empty.
static Interval until(uint64_t least, uint64_t end) {
  return end > least ? Interval{least, end - 1} : Interval{1, 0};
}

/// The intervals of values that begin with \p begins, in any order.
std::vector<Interval> RuleReader::intervals(ArrayRef<uint64_t> begins, bool isRanks) const {
  std::vector<Interval> all;
  uint64_t largest = 0; // of those up to this one
  for (size_t i = 0; i < begins.size(); ++i) {
    const bool isFirst = i == 0, isLast = i + 1 == begins.size();
    largest = std::max(largest, begins[i]);
    const uint64_t next = isLast ? 0 : begins[i + 1];
    const uint64_t least = isOpenMpi6 && isRanks ? (isFirst ? 0 : begins[i - 1])
                           : isOpenMpi6          ? begins[i]
                           : isFirst             ? 0
                                                 : largest;
    if (isLast)
      all.push_back({least, UINT64_MAX});
    else if (isOpenMpi6 && isRanks)
      all.push_back(until(least, begins[i]));
    else if (isOpenMpi6 && next == 0) // it subtracts 1 without a check
      all.push_back({least, UINT64_MAX});
    else
      all.push_back(until(least, isOpenMpi6 ? next : std::max(largest, next)));
  }
  return all;
}

LogicalResult RuleReader::readCollective() {
  FailureOr<uint64_t> collective =
      numbers.next("the number of a collective", std::size(openMpiCollectives) - 1);
  if (failed(collective))
    return failure();
  FailureOr<uint64_t> sets = numbers.next("the number of communicator sizes", largestInt);
  if (failed(sets))
    return failure();
  std::vector<uint64_t> ranks;
  std::vector<std::vector<TuningRule>> groups;
  for (uint64_t s = 0; s < *sets; ++s) {
    FailureOr<uint64_t> size = numbers.next("a communicator size", largestInt);
    if (failed(size))
      return failure();
    ranks.push_back(*size);
    FailureOr<std::vector<TuningRule>> group = readRules(*collective);
    if (failed(group))
      return failure();
    groups.push_back(std::move(*group));
  }
  const OpenMpiCollective &known = openMpiCollectives[*collective];
  for (TuningRule &rule : rules)
    if (rule.call == known.name)
      rule.dropped = "the file has the collective again below, which replaces it";
  const std::vector<Interval> communicators = intervals(ranks, true);
  for (size_t s = 0; known.kind && s < groups.size(); ++s)
    for (TuningRule &rule : groups[s]) {
      const auto [least, most] = communicators[s];
      // An interval may be empty: the rules of a smaller number that follows a larger one.
      rule.conditions.push_back(least <= most ? CallCondition{CallProperty::Ranks, least, most}
                                              : CallCondition{CallProperty::One, 0, 0});
      rules.push_back(std::move(rule));
    }
  return success();
}

FailureOr<std::vector<TuningRule>> RuleReader::readRules(uint64_t collective) {
  FailureOr<uint64_t> count = numbers.next("the number of rules", largestInt);
  if (failed(count))
    return failure();
  std::vector<TuningRule> group;
  std::vector<uint64_t> sizes;
  for (uint64_t r = 0; r < *count; ++r) {
    FailureOr<uint64_t> size = numbers.next("the bytes of a rule", largestLong);
    if (failed(size))
      return failure();
    if (r == 0 && *size != 0)
      return diags
          .error(numbers.last(),
                 formatv("the first rule is for {0} bytes: Open MPI ignores the file", *size))
          .note({}, "let the first rule be for 0 bytes");
    sizes.push_back(*size);
    FailureOr<TuningRule> rule = readRule(collective);
    if (failed(rule))
      return failure();
    rule->text = formatv("{0} {1}", *size, rule->text);
    group.push_back(std::move(*rule));
  }
  const std::vector<Interval> bytes = intervals(sizes, false);
  for (size_t r = 0; r < group.size(); ++r) {
    const auto [least, most] = bytes[r];
    group[r].conditions.push_back(least <= most ? CallCondition{CallProperty::Bytes, least, most}
                                                : CallCondition{CallProperty::One, 0, 0});
  }
  return group;
}

FailureOr<TuningRule> RuleReader::readRule(uint64_t collective) {
  const OpenMpiCollective &known = openMpiCollectives[collective];
  TuningRule rule{.loc = numbers.last(), .call = known.name.str()};
  rule.collective = known.kind.value_or(CollectiveKind::Custom);
  FailureOr<uint64_t> algorithm = numbers.next("an algorithm", largestInt);
  if (failed(algorithm))
    return failure();
  uint64_t most = 0;
  for (const NativeAlgorithm &each : nativeAlgorithms(SelectingRuntime::OpenMpi))
    if (each.call == known.name) {
      most = std::max<uint64_t>(most, each.number);
      if (each.number == *algorithm)
        rule.algorithm = each.name.str();
    }
  if (known.kind && *algorithm > most)
    return diags
        .error(numbers.last(), formatv("Open MPI has no algorithm {0} of {1}, and calls fail",
                                       *algorithm, known.name))
        .note({}, formatv("write a number from 1 to {0}, or 0 for the choice of Open MPI", most));
  FailureOr<uint64_t> fan = numbers.next("a fan-out", largestInt);
  if (failed(fan))
    return failure();
  FailureOr<uint64_t> segment = numbers.next("a segment size", largestInt);
  if (failed(segment))
    return failure();
  rule.segmentBytes = *segment;
  rule.text = formatv("{0} {1} {2}", *algorithm, *fan, *segment);
  if (hasRequests && numbers.hasMoreInLine() &&
      failed(numbers.next("a number of requests", largestInt)))
    return failure();
  return rule;
}

TuningRules cclc::readOpenMpiRules(StringRef text, const std::string &path, bool isOpenMpi6,
                                   DiagnosticEngine &diags) {
  Numbers numbers(text, path, diags);
  StringRef rest = text;
  unsigned version = 1;
  if (rest.consume_front("rule-file-version-") && !rest.consumeInteger(10, version)) {
    numbers.skip(text.size() - rest.size());
    if (!isOpenMpi6)
      diags.warning({path, 1}, "Open MPI before 5.0.7 ignores a file with this line");
  }
  RuleReader reader(numbers, isOpenMpi6, version > 1, diags);
  if (failed(reader.readAll()))
    return failure();
  return std::move(reader.rules);
}
