#include "cclc/IR/MergedReductions.h"

using namespace cclc;

static bool overlaps(Operand a, Operand b, uint32_t count) {
  return a.buffer() == b.buffer() && a.index() < b.index() + count && b.index() < a.index() + count;
}

/// Whether two consecutive steps are reductions into one place that can be one operation.
static bool canMerge(const Step &step, const Step &next) {
  return step.op == OpKind::Reduce && next.op == OpKind::Reduce && !step.publishes &&
         !next.waits() && step.dst == next.dst && step.src.buffer() == next.src.buffer() &&
         step.count == next.count && !overlaps(next.src, next.dst, next.count);
}

bool MergedReductions::add(const Step &step) {
  bool joins = before && reductions != most && merged != most && canMerge(*before, step);
  merged = joins ? merged + 1 : 1;
  reductions += step.op == OpKind::Reduce;
  before = step;
  return joins;
}
