//===- Bounds.cpp - The bounds of a collective ----------------------------===//
//
// A collective is bounded on ranks that the options select, a plan on its own.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/IR/CollectiveNames.h"
#include "cclc/Tools/BoundTable.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct BoundContent : ReportAccess::Content {
  std::unique_ptr<const BoundTable> table;
  void text(raw_ostream &os) const override { printBounds(*table, os); }
  void json(raw_ostream &os) const override { writeBoundsJson(*table, os); }
};

LowerBound rowOf(const BoundRow &row) {
  const SizeBound &bound = row.bound;
  LowerBound result{row.bytes.count(),
                    bound.time().picoseconds(),
                    boundName(bound.binds).str(),
                    bound.witness,
                    bound.throughput.picoseconds(),
                    bound.volume.picoseconds(),
                    bound.latency.picoseconds(),
                    bound.engine.picoseconds(),
                    bound.memory.picoseconds(),
                    bound.protocol.picoseconds(),
                    std::nullopt};
  if (row.planTime)
    result.planTime = row.planTime->picoseconds();
  return result;
}
} // namespace

/// Calls \p onStage during long searches, too, about 20 times a second.
static Deadline watchedBy(const std::function<void(StringRef)> &onStage) {
  if (!onStage)
    return {};
  static constexpr auto often = std::chrono::milliseconds(50);
  return Deadline().watched([onStage, next = Deadline::Clock::now() + often]() mutable {
    if (Deadline::Clock::now() < next)
      return;
    next = Deadline::Clock::now() + often;
    onStage("search for bounds");
  });
}

/// Bounds \p request.collective, or that of the plan in the request.
static Result<Bounds> boundOn(const Target &target, const std::string &folder,
                              const BoundOptions &options, BoundTableRequest request) {
  DiagnosticEngine diags;
  FailureOr<TargetRequest> machine = requestOf(target, folder, diags);
  if (failed(machine))
    return Failed{diags};
  request.ranks = {std::move(*machine), options.ranks, options.endpoints, Mapper::AllPes};
  request.root = options.root;
  request.network = options.network;
  request.sizes = options.bytes;
  request.onStage = stagesOf(options.onProgress, options.cancellation);
  request.deadline = watchedBy(request.onStage);
  std::unique_ptr<const BoundTable> table = boundSizes(request, diags);
  if (!table)
    return Failed{diags};
  auto content = std::make_shared<BoundContent>();
  content->table = std::move(table);
  Bounds bounds;
  for (const BoundRow &row : content->table->rows)
    bounds.sizes.push_back(rowOf(row));
  bounds.report = ReportAccess::make(std::move(content));
  return {std::move(bounds), messagesOf(diags)};
}

Result<Bounds> Toolchain::bound(const Target &target, const BoundOptions &options) const {
  DiagnosticEngine diags;
  FailureOr<CollectiveKind> kind = parseCollective(options.collective, diags);
  if (failed(kind))
    return Failed{diags};
  BoundTableRequest request;
  request.collective = *kind;
  return unlessCancelled([&] { return boundOn(target, folder, options, std::move(request)); });
}

Result<Bounds> Toolchain::bound(const Plan &plan, const Target &target,
                                const BoundOptions &options) const {
  BoundTableRequest request;
  std::shared_ptr<const PlanAccess::Content> content = PlanAccess::content(plan);
  request.plan = &content->plan;
  request.collective = content->info().collective.kind();
  return unlessCancelled([&] { return boundOn(target, folder, options, std::move(request)); });
}
