//===- Aggregate.cpp - Merging adjacent operations ------------------------===//
//
// A message of several chunks has the latency of a single one. Operations of a scope are merged if
// they have the same kind, the same ranks and buffers, and adjacent chunks. A scope is a sequence
// of operations that the program marks, or all operations between two gates.
//
// Every operation has a depth in its scope: the length of the longest path of dependences to it.
// Operations of equal depth are independent, and merging them creates no cycle, because every
// dependence still leads to a greater depth. Ordered by depth, the scope is equivalent to the
// original. By default only whole flows are merged, because other merges lose fusions: a receive of
// two chunks whose halves go to different ranks cannot be fused with either send. Two operations
// are then merged only if the operations that produce and that consume their chunks are merged as
// well, that is, if their flows are equal: the same ranks at the same depths from beginning to end.
//
//===----------------------------------------------------------------------===//

#include "cclc/Transforms/Pass/Pass.h"
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
  using Scope = std::pair<uint32_t, uint32_t>; ///< the number of the scope and the segment

  const ChunkOp &op(uint32_t k) const { return program.ops()[k]; }
  const Directive &directive(uint32_t k) const {
    return program.info().directives[op(k).directive];
  }
  /// The scope of operation \p k. Its number is unique only among neighbouring scopes. Every gate
  /// ends a scope.
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

  /// Removes the scopes, which later passes do not use.
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

  /// A merged operation.
  struct Whole {
    uint32_t first; ///< the first of its operations in the program
    uint32_t parts;
    ChunkOp op;
  };

  /// The key that mergeable operations share; distances wrap around.
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
    // An operation is merged into the previous one, or begins a new one.
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

  /// Adds remarks for operations in scopes, including those that were not merged.
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

  // --- Hashes of operations and flows -----------------------------------------------

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

  /// Whether \p to forwards the chunks of \p from, so that both may be fused.
  bool handsOn(uint32_t from, uint32_t to) const {
    const ChunkOp &a = op(from), &b = op(to);
    return !a.isLocal() && !b.isLocal() && a.dstRank == b.srcRank && a.dst == b.src &&
           a.dstIndex == b.srcIndex && a.count == b.count;
  }

  /// Computes a hash of the flow of each operation, from the operation, its predecessors and its
  /// successors. A collision may merge parts of different flows, which is still sound.
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
  std::vector<uint32_t> depth;                                        ///< depth in the scope
  std::vector<uint64_t> number;                                       ///< equal for operations that
                                                                      ///< may be merged
  std::vector<DirectiveIndex> plainDirective; ///< by directive: without its mark
  uint32_t numWritten = 0;
};
} // namespace

FailureOr<ChunkProgram> cclc::aggregate(ChunkProgram &&program, AggregateOptions options,
                                        PassContext &context) {
  return Aggregation(program, options, context.remarks).run(context);
}
