//===- ReplicateInstances.cpp - Parallel copies of a program --------------===//
//
// Every chunk is split into n parts; instance k moves part k of each. The index of part k of chunk
// c in a buffer depends on the layout. The buffers of a collective consist of blocks of F chunks
// (one block, or one per rank):
//
//   blocked      block b, chunk c  ->  b*F*n + k*F + c
//   interleaved  chunk c           ->  c*n + k
//   batched      chunk c           ->  k*(chunks of the buffer) + c
//
// For buffers of one block, batched equals blocked. For buffers with one block per rank, it is
// rejected, because the copies would not implement the collective.
//
// An operation on several chunks is split where its image is not contiguous.
// Scratch is always blocked: every instance has its own.
//
// The pass runs before lowering, where an operation is only a pair of ranges, so that the
// dependences of the copies are computed by the same analysis as all others.
//
//===----------------------------------------------------------------------===//

#include "Refine.h"

#include "cclc/IR/Verifier.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

static constexpr StringRef layoutNames[] = {"blocked", "interleaved", "batched"};

StringRef cclc::instanceLayoutName(InstanceLayout layout) {
  return layoutNames[static_cast<size_t>(layout)];
}

std::optional<InstanceLayout> cclc::parseInstanceLayout(StringRef name) {
  for (size_t i = 0; i < std::size(layoutNames); ++i)
    if (name == layoutNames[i])
      return InstanceLayout(i);
  return std::nullopt;
}

namespace {
class Replication {
public:
  Replication(const ChunkProgram &program, uint32_t instances, InstanceLayout layout)
      : program(program), n(instances), layout(layout), builder(program.info()) {
    const Collective &collective = program.info().collective;
    builder.info().collective =
        refined(collective, n, [&](uint32_t index, uint32_t k, uint32_t chunks) {
          return customPlace(index, k, chunks);
        });
    builder.info().instances = program.info().instances * n;
    block = collective.custom() ? 0 : collective.chunks();
  }

  FailureOr<ChunkProgram> run(DiagnosticEngine &diags) {
    refineScratch(program, n, builder);
    builder.reserve(program.ops().size() * n);
    for (const auto &[index, directive] : llvm::enumerate(builder.info().directives))
      interned.try_emplace(directive, DirectiveIndex(index));
    // Replicate operation by operation, so that instances alternate in trace order.
    for (const ChunkOp &op : program.ops())
      for (uint32_t k = 0; k < n; ++k)
        replicate(op, k);
    return std::move(builder).finish(diags);
  }

private:
  /// A custom buffer is one block.
  uint32_t customPlace(uint32_t index, uint32_t k, uint32_t chunks) const {
    return layout == InstanceLayout::Interleaved ? index * n + k : k * chunks + index;
  }

  uint32_t place(RankId rank, ChunkBuffer buffer, uint32_t index, uint32_t k) const {
    if (buffer.isScratch())
      return k * program.scratch()[buffer.scratchIndex()].chunks[rank.index()] + index;
    if (const CustomSpec *spec = program.info().collective.custom())
      return customPlace(index, k,
                         buffer == ChunkBuffer::input() ? spec->inputChunks : spec->outputChunks);
    if (layout == InstanceLayout::Interleaved)
      return index * n + k;
    return index / block * block * n + k * block + index % block;
  }

  void replicate(const ChunkOp &op, uint32_t k) {
    for (uint32_t first = 0; first < op.count;) {
      ChunkOp image = op;
      image.srcIndex = place(op.srcRank, op.src, op.srcIndex + first, k);
      image.dstIndex = place(op.dstRank, op.dst, op.dstIndex + first, k);
      uint32_t count = 1;
      while (first + count < op.count &&
             place(op.srcRank, op.src, op.srcIndex + first + count, k) == image.srcIndex + count &&
             place(op.dstRank, op.dst, op.dstIndex + first + count, k) == image.dstIndex + count)
        ++count;
      image.count = count;
      image.directive = directiveOf(op.directive, k);
      builder.add(image);
      first += count;
    }
  }

  /// Channels are numbered instance by instance; threadblock numbers of the instances alternate.
  DirectiveIndex directiveOf(DirectiveIndex index, uint32_t k) {
    auto [it, inserted] = directives.try_emplace({index, k}, 0);
    if (!inserted)
      return it->second;
    Directive directive = program.info().directives[index];
    if (directive.channel)
      *directive.channel += k * named.channels;
    if (directive.sendTb)
      *directive.sendTb = *directive.sendTb * n + k;
    if (directive.recvTb)
      *directive.recvTb = *directive.recvTb * n + k;
    directive.instance += k * named.instances;
    std::vector<Directive> &table = builder.info().directives;
    auto [at, isNew] = interned.try_emplace(directive, DirectiveIndex(table.size()));
    if (isNew)
      table.push_back(directive);
    return it->second = at->second;
  }

  const ChunkProgram &program;
  uint32_t n;
  InstanceLayout layout;
  ChunkProgramBuilder builder;
  uint32_t block;
  NamedNumbers named{program.info().directives};
  std::map<std::pair<DirectiveIndex, uint32_t>, DirectiveIndex> directives;
  std::map<Directive, DirectiveIndex> interned; ///< the directives of the result
};
} // namespace

FailureOr<ChunkProgram> cclc::replicateInstances(const ChunkProgram &program, uint32_t instances,
                                                 InstanceLayout layout, PassContext &context) {
  if (instances == 0)
    return context.diags.error({}, "a program runs as at least one instance");
  const Collective &collective = program.info().collective;
  if (layout == InstanceLayout::Batched && !collective.custom() &&
      std::max(collective.inputChunks(), collective.outputChunks()) != collective.chunks())
    return context.diags.error({},
                               formatv("batched instances are not supported for {0}: its buffers "
                                       "have a block for every rank; use blocked or interleaved",
                                       collectiveName(collective.kind())));
  uint64_t directives = uint64_t(program.info().directives.size()) * instances;
  if (directives > maxDirectives)
    return context.diags.error(
        {}, formatv("{0} instances of {1} different directives exceed the limit of {2}", instances,
                    program.info().directives.size(), maxDirectives));
  for (const Directive &directive : program.info().directives)
    for (auto [name, number] : {std::pair("channel", directive.channel),
                                {"threadblock", directive.sendTb},
                                {"threadblock", directive.recvTb}})
      if (number && (uint64_t(*number) + 1) * instances > maxChannels)
        return context.diags.error({}, formatv("{0} instances of a program that names {1} {2} "
                                               "need more than the limit of {3}",
                                               instances, name, *number, maxChannels));
  uint64_t cells = countCells(collective, program.scratchChunks());
  if (cells * instances > maxCells)
    return context.diags.error({}, formatv("{0} instances have {1} chunks together, more than the "
                                           "limit of {2}",
                                           instances, cells * instances, maxCells));
  return Replication(program, instances, layout).run(context.diags);
}
