//===- MscclppDiff.cpp - Headers, figures and operations ------------------===//
//
// The operations of two threadblocks are aligned by their longest common subsequence, or, if there
// are many more than the executor accepts, as the steps of other plans. Between two aligned
// operations, those that remain are compared one by one, and the rest is in only one plan.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/MscclppDiff.h"

#include "Alignment.h"

#include "cclc/Mscclpp/OpText.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/Data/BufferLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <map>

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;
using mscclpp::ChannelKind;
using mscclpp::Plan;

namespace {
/// The parts of a chunk that traffic is counted in: any number of up to 16 threadblocks may share
/// an operation.
constexpr uint64_t partsOfChunk = 720'720;

/// The chunks that a rank reads and writes, in parts.
struct Traffic {
  uint64_t read = 0, written = 0;
};

Traffic trafficOf(const Plan &plan, const mscclpp::Rank &rank) {
  Traffic traffic;
  for (const mscclpp::Threadblock &tb : plan.threadblocks(rank))
    for (const mscclpp::Operation &op : plan.ops(tb)) {
      for (const mscclpp::Place &place : plan.sources(op))
        traffic.read += place.count * partsOfChunk / op.share.parts;
      for (const mscclpp::Place &place : plan.destinations(op))
        traffic.written += place.count * partsOfChunk / op.share.parts;
    }
  return traffic;
}

uint32_t channelsOf(const Plan &plan, const mscclpp::Rank &rank) {
  return plan.channels(rank, ChannelKind::Memory).size() +
         plan.channels(rank, ChannelKind::Port).size() + plan.switches(rank).size();
}

/// The warnings of the proof are added to \p diags.
Figures figuresOf(const Plan &plan, DiagnosticEngine &diags) {
  uint64_t messages = 0, channels = 0, threadblocks = 0, longest = 0, scratch = 0;
  for (const mscclpp::Operation &op : plan.ops())
    for (ArrayRef<mscclpp::Place> places : {plan.sources(op), plan.destinations(op)})
      messages += llvm::count_if(
          places, [](const mscclpp::Place &place) { return place.remote || place.group; });
  for (const mscclpp::Rank &rank : plan.ranks()) {
    channels = std::max<uint64_t>(channels, channelsOf(plan, rank));
    threadblocks = std::max<uint64_t>(threadblocks, rank.threadblocks.count);
    scratch = std::max<uint64_t>(scratch, rank.scratchChunks);
  }
  for (const mscclpp::Threadblock &tb : plan.threadblocks())
    longest = std::max<uint64_t>(longest, tb.ops.count);
  Figures result;
  const std::pair<Figure, uint64_t> values[] = {
      {Figure::Steps, plan.ops().size()},     {Figure::Messages, messages},
      {Figure::Channels, channels},           {Figure::Threadblocks, threadblocks},
      {Figure::StepsOfAThreadblock, longest}, {Figure::Scratch, scratch}};
  for (auto [figure, value] : values)
    result.values[static_cast<size_t>(figure)] = value;
  DiagnosticEngine found;
  result.proof = mscclpp::verifyForExecutor(plan, found);
  for (const Diagnostic &each : found.all())
    if (each.severity == Severity::Warning)
      diags.warning(each.loc, each.text);
    else if (each.severity == Severity::Error && result.flaw.empty())
      result.flaw = each.text;
  return result;
}

/// Their number and, unless all are 0, their initial values: "2 (0, 1)".
std::string semaphoresText(ArrayRef<uint32_t> values) {
  std::string text = std::to_string(values.size());
  if (llvm::all_of(values, [](uint32_t value) { return value == 0; }))
    return text;
  std::vector<std::string> all;
  for (uint32_t value : values)
    all.push_back(std::to_string(value));
  return text + " (" + llvm::join(all, ", ") + ")";
}

/// A property of a plan or of one of its ranks.
struct Property {
  std::string name, value;
  std::optional<RankId> rank;
};

std::vector<Property> propertiesOf(const Plan &plan) {
  const mscclpp::Header &header = plan.header();
  auto yes = [](bool on) { return on ? "true" : "false"; };
  std::vector<Property> all = {
      {"name", header.name, {}},
      {"collective", header.collectiveName, {}},
      {"protocol", protocolName(header.protocol).str(), {}},
      {"inplace", yes(header.inPlace), {}},
      {"reuse_resources", yes(header.reuseResources), {}},
      {"use_double_scratch_buffer", yes(header.doubleScratch), {}},
      {"buffer_alignment", std::to_string(header.bufferAlignment), {}},
      {"num_threads_per_block", std::to_string(header.threadsPerBlock), {}},
      {"min_message_size", std::to_string(header.minBytes), {}},
      {"max_message_size", header.maxBytes ? std::to_string(*header.maxBytes) : "", {}}};
  uint64_t chunks = std::max<uint64_t>(chunksOfBuffer(header.collective), 1);
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    const mscclpp::Rank &rank = plan.ranks()[r];
    auto add = [&](const char *name, const std::string &value) {
      all.push_back({name, value, RankId(r)});
    };
    auto buffers = [&](uint64_t parts) {
      uint64_t share = parts * 1000 / partsOfChunk / chunks;
      return formatv("{0}.{1,0+3} buffers", share / 1000, share % 1000).str();
    };
    Traffic traffic = trafficOf(plan, rank);
    add("input_chunks", std::to_string(rank.inputChunks));
    add("output_chunks", std::to_string(rank.outputChunks));
    add("scratch_chunks", std::to_string(rank.scratchChunks));
    add("memory channels", std::to_string(plan.channels(rank, ChannelKind::Memory).size()));
    add("port channels", std::to_string(plan.channels(rank, ChannelKind::Port).size()));
    add("switch channels", std::to_string(plan.switches(rank).size()));
    add("semaphores", semaphoresText(plan.semaphores(rank)));
    add("reads", buffers(traffic.read));
    add("writes", buffers(traffic.written));
  }
  return all;
}

/// Plans with equal numbers of ranks have properties in equal order.
std::vector<AttributeChange> compareProperties(const Plan &before, const Plan &after) {
  std::vector<AttributeChange> changes;
  std::vector<Property> olds = propertiesOf(before), news = propertiesOf(after);
  for (size_t i = 0; i < std::min(olds.size(), news.size()); ++i)
    if (olds[i].value != news[i].value)
      changes.push_back({olds[i].name, olds[i].value, news[i].value, olds[i].rank});
  return changes;
}

/// A threadblock and the texts of its operations.
struct Block {
  uint32_t index; ///< in the plan
  uint32_t number;
  std::vector<std::string> ops;
};

class Comparison {
public:
  Comparison(const Plan &before, const Plan &after, PlanDiff &result)
      : before(before), after(after), result(result) {}

  void compareRank(RankId rank) {
    std::vector<Block> olds = blocksOf(before, rank), news = blocksOf(after, rank);
    compareKinds(rank);
    std::vector<bool> matched(news.size());
    std::vector<const Block *> rest;
    // Of several equal threadblocks, the one with the same number.
    for (const Block &old : olds) {
      if (old.number < news.size() && !matched[old.number] && news[old.number].ops == old.ops) {
        matched[old.number] = true;
        continue;
      }
      rest.push_back(&old);
    }
    std::vector<const Block *> different;
    for (const Block *old : rest) {
      auto equal = llvm::find_if(
          news, [&](const Block &now) { return !matched[now.number] && now.ops == old->ops; });
      if (equal == news.end()) {
        different.push_back(old);
        continue;
      }
      matched[equal->number] = true;
      result.numbering.push_back({rank, old->number, equal->number});
    }
    compareRest(rank, different, news, matched);
  }

private:
  static std::vector<Block> blocksOf(const Plan &plan, RankId rank) {
    std::vector<Block> blocks;
    const mscclpp::Range &range = plan.ranks()[rank.index()].threadblocks;
    for (uint32_t t = range.first; t < range.first + range.count; ++t) {
      Block block{t, t - range.first, {}};
      const mscclpp::Threadblock &tb = plan.threadblocks()[t];
      for (const mscclpp::Operation &op : plan.ops(tb))
        block.ops.push_back(mscclpp::operationText(plan, tb, op));
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  void compareKinds(RankId rank) {
    std::map<std::string, std::pair<uint64_t, uint64_t>> numbers;
    for (auto [plan, isNew] : {std::pair(&before, false), std::pair(&after, true)})
      for (const mscclpp::Threadblock &tb : plan->threadblocks(plan->ranks()[rank.index()]))
        for (const mscclpp::Operation &op : plan->ops(tb)) {
          auto &row = numbers[mscclpp::traits(op.op).mnemonic];
          ++(isNew ? row.second : row.first);
        }
    for (const auto &[kind, row] : numbers)
      if (row.first != row.second)
        result.operations.push_back({rank,
                                     kind,
                                     std::to_string(row.first),
                                     std::to_string(row.second),
                                     {},
                                     /*isKind=*/true});
  }

  /// Those with equal numbers, and then in order.
  void compareRest(RankId rank, std::vector<const Block *> olds, ArrayRef<Block> news,
                   std::vector<bool> &matched) {
    auto take = [&](const Block *old, const Block &now) {
      matched[now.number] = true;
      if (old->number != now.number)
        result.numbering.push_back({rank, old->number, now.number});
      align(rank, *old, now);
    };
    llvm::erase_if(olds, [&](const Block *old) {
      bool same = old->number < news.size() && !matched[old->number];
      if (same)
        take(old, news[old->number]);
      return same;
    });
    for (const Block *old : olds) {
      auto now = llvm::find_if(news, [&](const Block &each) { return !matched[each.number]; });
      if (now != news.end())
        take(old, *now);
      else
        result.threadblocks.push_back({old->index, std::nullopt});
    }
    for (const Block &now : news)
      if (!matched[now.number])
        result.threadblocks.push_back({std::nullopt, now.index});
  }

  /// Two operations with equal texts.
  using Pair = std::pair<size_t, size_t>;

  static std::vector<Pair> commonSubsequence(ArrayRef<std::string> olds,
                                             ArrayRef<std::string> news) {
    size_t n = olds.size(), m = news.size();
    // The lengths of the common subsequences of the ends.
    std::vector<std::vector<uint32_t>> common(n + 1, std::vector<uint32_t>(m + 1));
    for (size_t i = n; i-- > 0;)
      for (size_t j = m; j-- > 0;)
        common[i][j] = olds[i] == news[j] ? common[i + 1][j + 1] + 1
                                          : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<Pair> pairs;
    for (size_t i = 0, j = 0; i < n && j < m;) {
      if (olds[i] == news[j])
        pairs.push_back({i++, j++});
      else if (common[i + 1][j] >= common[i][j + 1])
        ++i;
      else
        ++j;
    }
    return pairs;
  }

  /// The same in little memory, but repeated operations are distinguished by their number.
  static std::vector<Pair> ascendingSubsequence(ArrayRef<std::string> olds,
                                                ArrayRef<std::string> news) {
    auto keysOf = [](ArrayRef<std::string> ops) {
      std::vector<uint64_t> keys;
      for (const std::string &op : ops)
        keys.push_back(llvm::xxh3_64bits(op));
      return keys;
    };
    Alignment alignment = diff::align(keysOf(olds), keysOf(news));
    std::vector<Pair> pairs;
    for (size_t i = 0; i < olds.size(); ++i)
      if (alignment.newOf[i] && alignment.inOrder[i])
        pairs.push_back({i, *alignment.newOf[i]});
    return pairs;
  }

  void align(RankId rank, const Block &old, const Block &now) {
    constexpr size_t mostCells = size_t(1) << 22;
    bool isSmall = old.ops.size() * now.ops.size() <= mostCells;
    std::vector<Pair> pairs =
        isSmall ? commonSubsequence(old.ops, now.ops) : ascendingSubsequence(old.ops, now.ops);
    pairs.push_back({old.ops.size(), now.ops.size()});
    size_t i = 0, j = 0;
    for (auto [nextOld, nextNew] : pairs) {
      listGap(rank, old, now, {i, nextOld}, {j, nextNew});
      i = nextOld + 1;
      j = nextNew + 1;
    }
  }

  /// The operations between two aligned ones.
  void listGap(RankId rank, const Block &old, const Block &now, std::pair<size_t, size_t> olds,
               std::pair<size_t, size_t> news) {
    auto [i, endOld] = olds;
    auto [j, endNew] = news;
    for (; i < endOld || j < endNew; ++i, ++j) {
      bool isNew = j < endNew;
      if (isNew && i < endOld && old.ops[i] == now.ops[j])
        continue;
      const Block &block = isNew ? now : old;
      size_t number = isNew ? j : i;
      const Plan &plan = isNew ? after : before;
      PlanOpId op(plan.threadblocks()[block.index].ops.first + number);
      result.operations.push_back({rank, formatv("tb{0} op {1}", block.number, number),
                                   i < endOld ? old.ops[i] : "", isNew ? now.ops[j] : "",
                                   plan.locate(op)});
    }
  }

  const Plan &before, &after;
  PlanDiff &result;
};
} // namespace

PlanDiff diff::compareMscclpp(const mscclpp::Plan &before, const mscclpp::Plan &after,
                              DiagnosticEngine &diags) {
  PlanDiff result;
  result.before = before;
  result.after = after;
  result.comparable = !whyIncomparable(before, after);
  result.figuresBefore = figuresOf(before, diags);
  result.figuresAfter = figuresOf(after, diags);
  result.attributes = compareProperties(before, after);
  Comparison comparison(before, after, result);
  for (uint32_t r = 0; result.comparable && r < before.ranks().size(); ++r)
    comparison.compareRank(RankId(r));
  return result;
}
