//===- MicroPlan.cpp - The plans of a calibration -------------------------===//
//
// Plans are written as text. Every buffer is one chunk, so that a message is the whole buffer, or a
// piece of it.
//
//===----------------------------------------------------------------------===//

#include "MicroPlan.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Support/Units.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

static constexpr uint32_t slots = 8;

std::string MicroPlan::name() const {
  switch (kind) {
  case Kind::PingPong:
    return "ping_pong";
  case Kind::ReducePingPong:
    return "reduce_ping_pong";
  case Kind::Stream:
    return "stream";
  case Kind::Ring:
    return "ring";
  case Kind::Exchange:
    return "exchange";
  case Kind::Copies:
    return "copies";
  case Kind::Reductions:
    return "reductions";
  }
  llvm_unreachable("unknown kind");
}

namespace {
/// A threadblock: its peers and steps.
struct MicroBlock {
  std::string peers;
  std::vector<std::string> steps;
};

using Blocks = std::vector<MicroBlock>;

/// The message is written before it is sent back, so that every receiver fetches it.
Blocks pingPong(const MicroPlan &plan, uint32_t rank, const char *receive) {
  if (rank != plan.first && rank != plan.second)
    return {};
  uint32_t peer = rank == plan.first ? plan.second : plan.first;
  MicroBlock block{formatv("send r{0} recv r{0} ch 0 ", peer), {}};
  for (uint32_t i = 0; i < plan.repeats; ++i)
    block.steps.push_back((i % 2 == 0) == (rank == plan.first) ? "s o[0]" : receive);
  return {block};
}

/// A threadblock that sends to \p next and receives from \p previous in turn.
MicroBlock rounds(const MicroPlan &plan, uint32_t next, uint32_t previous) {
  MicroBlock block{formatv("send r{0} recv r{1} ch 0 ", next, previous), {}};
  for (uint32_t i = 0; i < plan.repeats; ++i) {
    block.steps.push_back("s i[0]");
    block.steps.push_back("r -> o[0]");
  }
  return block;
}

Blocks blocksOf(const MicroPlan &plan, uint32_t rank) {
  using Kind = MicroPlan::Kind;
  auto repeated = [&](const std::string &peers, const char *step) {
    return Blocks{{peers, std::vector<std::string>(plan.repeats, step)}};
  };
  switch (plan.kind) {
  case Kind::PingPong:
    return pingPong(plan, rank, "r -> o[0]");
  case Kind::ReducePingPong:
    return pingPong(plan, rank, "rrc o[0] -> o[0]");
  case Kind::Stream:
    if (rank == plan.first)
      return repeated(formatv("send r{0} ch 0 ", plan.second), "s i[0]");
    if (rank == plan.second)
      return repeated(formatv("recv r{0} ch 0 ", plan.first), "r -> o[0]");
    return {};
  case Kind::Ring:
    return {rounds(plan, (rank + 1) % plan.ranks, (rank + plan.ranks - 1) % plan.ranks)};
  case Kind::Exchange: {
    Blocks blocks;
    for (uint32_t peer = 0; peer < plan.ranks; ++peer)
      if (peer != rank)
        blocks.push_back(rounds(plan, peer, peer));
    return blocks;
  }
  case Kind::Copies:
    return rank == 0 ? repeated("ch 0 ", "cpy i[0] -> o[0]") : Blocks();
  case Kind::Reductions:
    return rank == 0 ? repeated("ch 0 ", "re i[0] -> o[0]") : Blocks();
  }
  llvm_unreachable("unknown kind");
}
} // namespace

FailureOr<ExecPlan> MicroPlan::build(DiagnosticEngine &diags) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "ccl.version 3\nexec.program @" << name() << " coll custom ranks " << ranks
     << " outofplace slots " << slots << " {\n  input 1\n  output 1\n";
  for (uint32_t r = 0; r < ranks; ++r) {
    os << "  rank " << r << " {\n";
    uint32_t number = 0;
    for (const MicroBlock &block : blocksOf(*this, r)) {
      os << "    tb " << number++ << ' ' << block.peers << "{\n";
      for (size_t s = 0; s < block.steps.size(); ++s)
        os << "      " << s << ": " << block.steps[s] << '\n';
      os << "    }\n";
    }
    os << "  }\n";
  }
  os << "}\n";
  return readPlan(os.str(), name(), diags);
}

uint64_t MicroPlan::connections() const {
  switch (kind) {
  case Kind::PingPong:
  case Kind::ReducePingPong:
    return 2;
  case Kind::Stream:
    return 1;
  case Kind::Ring:
    return ranks;
  case Kind::Exchange:
    return uint64_t(ranks) * (ranks - 1);
  case Kind::Copies:
  case Kind::Reductions:
    return 0;
  }
  llvm_unreachable("unknown kind");
}

std::vector<double> MicroPlan::coefficients(const Setting &setting) const {
  const auto [bytes, pieces, remote, direct] = setting;
  std::vector<double> result(numCosts);
  auto at = [&](CostOf cost) -> double & { return result[static_cast<size_t>(cost)]; };
  const double steps = double(repeats) * pieces, data = double(repeats) * double(bytes);
  at(CostOf::Launch) = 1;
  switch (kind) {
  case Kind::Copies:
  case Kind::Reductions:
    at(CostOf::LocalDispatch) = steps;
    at(kind == Kind::Copies ? CostOf::Local : CostOf::Reduced) = data;
    return result;
  case Kind::PingPong:
  case Kind::ReducePingPong:
    at(CostOf::Dispatch) = 2 * steps;
    at(CostOf::Copied) = (kind == Kind::PingPong ? data : 0) + (direct ? 0 : data);
    at(CostOf::Reduced) = kind == Kind::PingPong ? 0 : data;
    at(CostOf::Fetched) = remote ? (direct ? data : 2 * data) : 0;
    at(CostOf::Latency) = remote ? steps : 0;
    return result;
  case Kind::Stream: {
    // On different processors, the sender is one message ahead.
    double sides = remote ? 1 + 1 / steps : 2;
    at(CostOf::Dispatch) = sides * steps;
    at(CostOf::Copied) = direct ? data : sides * data;
    at(CostOf::Fetched) = remote ? at(CostOf::Copied) : 0;
    at(CostOf::Latency) = remote ? 1 : 0;
    return result;
  }
  case Kind::Ring:
  case Kind::Exchange:
    at(CostOf::Dispatch) = 2 * steps * double(connections());
    at(CostOf::Copied) = (direct ? 1 : 2) * data * double(connections());
    return result;
  }
  llvm_unreachable("unknown kind");
}

uint64_t MicroPlan::footprint(const Setting &setting) const {
  const auto [bytes, pieces, remote, direct] = setting;
  uint64_t buffers = 2 * bytes;
  if (direct || kind == Kind::Copies || kind == Kind::Reductions)
    return remote ? buffers : buffers * ranks;
  uint64_t messages = uint64_t(repeats) * pieces;
  if (kind == Kind::PingPong || kind == Kind::ReducePingPong)
    messages = ceilDiv(messages, 2);
  uint64_t slotBytes = std::min<uint64_t>(messages, slots) * ceilDiv(bytes, pieces);
  if (remote)
    return buffers + slotBytes;
  return buffers * ranks + connections() * slotBytes;
}
