//===- Aggregate.cpp - Adjacent operations become one ---------------------===//
//
// A message of several chunks pays the latency of one. Operations of a scope
// become one where they do the same between the same places of the same ranks and
// their chunks are adjacent. A scope is a run of operations that the program marks,
// or all of the program between two gates.
//
// Inside its scope every operation has a depth: the length of the longest path of
// dependences that leads to it. Operations of one depth do not depend on each other,
// and joining any number of them makes no circle, because every dependence still
// leads further down. Laid out by depth, the scope means what it meant.
// By default only whole flows are joined, because other joins lose fusions: a
// receive of two chunks whose halves go to different ranks cannot be fused with
// either send. Two operations are joined then only if what hands them their chunks
// is joined as well, and what takes these on. That is so where their flows are equal:
// the same ranks at the same depths all the way.
//
//===----------------------------------------------------------------------===//

#include "cclc/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

using namespace cclc;

namespace {
class Aggregation {
public:
  Aggregation(const ChunkProgram &program, AggregateOptions options, Remarks *remarks)
      : program(program), options(options), remarks(remarks), spaces(program.cellSpaces()),
        dependences(computeDependences()), depth(program.ops().size()),
        number(program.ops().size()) {}

  FailureOr<ChunkProgram> run(PassContext &context) {
    ChunkProgramBuilder builder(program.info());
    for (const ScratchBuffer &buffer : program.scratch()) {
      uint16_t index = builder.scratchBuffer(buffer.name);
      for (uint32_t r = 0; r < program.info().ranks(); ++r)
        builder.growScratch(index, RankId(r), buffer.chunks[r]);
    }
    unmark(builder.info());
    builder.reserve(program.ops().size());
    for (uint32_t begin = 0, end; begin < program.ops().size(); begin = end) {
      const Scope scope = scopeOf(begin);
      for (end = begin + 1; end < program.ops().size() && scopeOf(end) == scope;)
        ++end;
      if (scope.first == noScope)
        copy(begin, end, builder);
      else
        aggregate(begin, end, builder);
    }
    context.count("aggregate", "joined", program.ops().size() - numWritten);
    return std::move(builder).finish(context.diags);
  }

private:
  static constexpr uint32_t noScope = 0;
  using Scope = std::pair<uint32_t, uint32_t>; ///< its number, and the segment

  const ChunkOp &op(uint32_t k) const { return program.ops()[k]; }
  const Directive &directive(uint32_t k) const {
    return program.info().directives[op(k).directive];
  }
  /// Tells neighbours apart: numbers come again. Every gate ends a scope.
  Scope scopeOf(uint32_t k) const {
    return {options.all ? 1 : directive(k).aggregate, segments[op(k).phase]};
  }

  DependenceGraph computeDependences() const {
    DependenceBuilder builder(spaces, program.ops().size());
    for (uint32_t k = 0; k < program.ops().size(); ++k) {
      Operand dst = program.dstOperand(op(k));
      builder.beginNode(k);
      builder.read(op(k).srcRank, program.srcOperand(op(k)), op(k).count);
      if (op(k).kind == ChunkOpKind::Reduce)
        builder.read(op(k).dstRank, dst, op(k).count);
      builder.write(op(k).dstRank, dst, op(k).count);
    }
    return std::move(builder).finish();
  }

  /// Scopes end here.
  void unmark(ProgramInfo &info) {
    std::map<Directive, DirectiveIndex> known = {{Directive{}, 0}};
    info.directives = {Directive{}};
    for (Directive directive : program.info().directives) {
      directive.aggregate = 0;
      auto [it, inserted] = known.try_emplace(directive, info.directives.size());
      if (inserted)
        info.directives.push_back(directive);
      plainDirective.push_back(it->second);
    }
  }

  void write(ChunkOp op, ChunkProgramBuilder &builder) {
    op.directive = plainDirective[op.directive];
    builder.add(op);
    ++numWritten;
  }

  void copy(uint32_t begin, uint32_t end, ChunkProgramBuilder &builder) {
    for (uint32_t k = begin; k < end; ++k)
      write(op(k), builder);
  }

  /// What some operations become.
  struct Whole {
    uint32_t first; ///< of them in the program
    uint32_t parts;
    ChunkOp op;
  };

  /// What operations must have in common; distances wrap around.
  auto keyOf(uint32_t k) const {
    const ChunkOp &o = op(k);
    return std::tuple(depth[k], o.srcRank, o.dstRank, o.src.raw(), o.dst.raw(),
                      o.dstIndex - o.srcIndex, o.kind, plainDirective[o.directive], o.phase,
                      number[k]);
  }

  void aggregate(uint32_t begin, uint32_t end, ChunkProgramBuilder &builder) {
    for (uint32_t k = begin; k < end; ++k) {
      for (DepEdge edge : dependences.preds(k))
        if (edge.node() >= begin)
          depth[k] = std::max(depth[k], depth[edge.node()] + 1);
      number[k] = numberOf(k);
    }
    if (options.all)
      followFlows(begin, end);
    struct Candidate {
      uint64_t number;
      uint32_t srcIndex, op;
      auto operator<=>(const Candidate &) const = default;
    };
    std::vector<Candidate> candidates;
    candidates.reserve(end - begin);
    for (uint32_t k = begin; k < end; ++k)
      candidates.push_back({number[k], op(k).srcIndex, k});
    std::sort(candidates.begin(), candidates.end());
    // An operation joins the one before it, or begins a new one.
    std::vector<Whole> joined;
    for (const Candidate &next : candidates) {
      if (!joined.empty() && mayJoin(joined.back(), next.op)) {
        joined.back().op.count += op(next.op).count;
        joined.back().first = std::min(joined.back().first, next.op);
        ++joined.back().parts;
      } else {
        joined.push_back({next.op, 1, op(next.op)});
      }
    }
    if (remarks)
      explain(joined);
    if (joined.size() == candidates.size()) {
      copy(begin, end, builder);
      return;
    }
    std::sort(joined.begin(), joined.end(), [&](const auto &a, const auto &b) {
      return std::pair(depth[a.first], a.first) < std::pair(depth[b.first], b.first);
    });
    for (Whole &whole : joined) {
      whole.op.loc = op(whole.first).loc;
      write(whole.op, builder);
    }
  }

  bool mayJoin(const Whole &whole, uint32_t k) const {
    return keyOf(whole.first) == keyOf(k) && whole.op.srcIndex + whole.op.count == op(k).srcIndex &&
           (options.max == 0 || whole.op.count + op(k).count <= options.max);
  }

  /// Who marks operations wants to know of those that nothing was joined with.
  void explain(ArrayRef<Whole> joined) const {
    for (const Whole &whole : joined)
      if (whole.parts > 1)
        remarks->done("aggregate", op(whole.first).loc,
                      "one of " + std::to_string(whole.parts) + " operations");
      else if (!options.all)
        remarks->left(
            "aggregate", op(whole.first).loc,
            "its scope has no operation on adjacent chunks with the same ranks and depth");
  }

  // --- Numbers that equal operations and equal flows share --------------------------

  static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
  }

  uint64_t numberOf(uint32_t k) const {
    const ChunkOp &o = op(k);
    uint64_t result = mix(uint64_t(o.srcRank.index()) << 32 | o.dstRank.index());
    result = mix(result + (uint64_t(depth[k]) << 32 | (o.dstIndex - o.srcIndex)));
    return mix(result + (uint64_t(o.src.raw()) << 48 | uint64_t(o.dst.raw()) << 32 |
                         uint64_t(plainDirective[o.directive]) << 16 | o.phase << 1 |
                         uint64_t(o.kind)));
  }

  /// Whether \p to sends on what \p from brings, so that both may become one step.
  bool handsOn(uint32_t from, uint32_t to) const {
    const ChunkOp &a = op(from), &b = op(to);
    return !a.isLocal() && !b.isLocal() && a.dstRank == b.srcRank && a.dst == b.src &&
           a.dstIndex == b.srcIndex && a.count == b.count;
  }

  /// Gives operations a hash of their flow: of the operation, its predecessors and its successors.
  /// On a collision more operations are joined than necessary, which is still sound.
  void followFlows(uint32_t begin, uint32_t end) {
    std::vector<uint64_t> before(end - begin), after(end - begin);
    auto forHanding = [&](uint32_t k, auto fn) {
      for (DepEdge edge : dependences.preds(k))
        if (edge.isTrue() && edge.node() >= begin && handsOn(edge.node(), k))
          fn(edge.node() - begin);
    };
    for (uint32_t k = begin; k < end; ++k) {
      before[k - begin] = mix(number[k] + op(k).count);
      forHanding(k, [&](uint32_t pred) { before[k - begin] += mix(before[pred]); });
    }
    for (uint32_t k = end; k-- > begin;) {
      after[k - begin] += mix(number[k] + op(k).count);
      forHanding(k, [&](uint32_t pred) { after[pred] += mix(after[k - begin]); });
      number[k] = mix(before[k - begin]) + after[k - begin];
    }
  }

  const ChunkProgram &program;
  const AggregateOptions options;
  Remarks *remarks;
  std::vector<CellSpace> spaces;
  DependenceGraph dependences;
  std::vector<uint32_t> segments = segmentsOf(program.info().phases); ///< by phase
  std::vector<uint32_t> depth;                                        ///< in its scope
  std::vector<uint64_t> number;                                       ///< of what may be joined
  std::vector<DirectiveIndex> plainDirective; ///< by directive: without its mark
  uint32_t numWritten = 0;
};
} // namespace

FailureOr<ChunkProgram> cclc::aggregate(ChunkProgram &&program, AggregateOptions options,
                                        PassContext &context) {
  return Aggregation(program, options, context.remarks).run(context);
}
