//===- Plan.h - Plans: load, prove, compare, write --------------*- C++ -*-===//

#ifndef CCLC_API_PLAN_H
#define CCLC_API_PLAN_H

#include "cclc/Api/Result.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace cclc {
class ExecPlan;
}

namespace cclc::api {

/// The result of a proof.
struct Proof {
  /// "ok", "wrong-result", "race", "deadlock", "illegal", "unsupported" or "malformed".
  std::string verdict;
  /// The smallest number of slots per connection with which the plan completes; unset if there is
  /// none.
  std::optional<uint32_t> slotsNeeded;
  /// Plans with equal hashes have bit-equal results; unset if a plan may deadlock or has races.
  std::optional<uint64_t> reductionHash;
  /// The counter-example, or a restriction of the proof.
  std::vector<Message> messages;

  bool ok() const { return verdict == "ok"; }
};

/// A plan: the steps of every threadblock of every rank. A copy is the same plan.
class Plan {
public:
  /// Reads a file in any form: JSON, text, binary, MSCCL XML. A rolled plan is unrolled.
  static Result<Plan> load(const std::string &path);
  /// Reads text or bytes in memory; \p name is that of the file in messages.
  static Result<Plan> read(std::string_view text, const std::string &name);

  std::string name() const;
  std::string collective() const; ///< "allreduce", ...
  std::string protocol() const;   ///< "Simple", "LL" or "LL128"
  /// The target that the plan was compiled for; empty if none.
  std::string target() const;
  uint32_t ranks() const;
  uint32_t channels() const;
  uint64_t steps() const;

  /// The plan as a file. \p form is a value of --emit, \p dialect one of --xml-dialect. Fails if
  /// the plan exceeds the limits of the runtime.
  Result<std::string> write(const std::string &form = "json",
                            const std::string &dialect = "msccl") const;

  /// Proves the plan with \p slots slots per connection; unset: those of the plan, or 8.
  Proof verify(std::optional<uint32_t> slots = std::nullopt) const;

private:
  friend class PlanAccess;
  explicit Plan(std::shared_ptr<const ExecPlan> plan) : content(std::move(plan)) {}
  std::shared_ptr<const ExecPlan> content;
};

/// A difference in the terms of the algorithm.
struct Difference {
  std::string aspect; ///< "attribute", "transfer", "reduction", "step", ...
  std::optional<uint32_t> rank;
  std::string subject;       ///< "protocol", "tb1 step 3 (rrc)", ...
  std::string before, after; ///< empty if missing
};

struct Comparison {
  /// False if the plans are of different collectives or numbers of ranks.
  bool comparable = true;
  /// Whether the plans are equal up to a renumbering of threadblocks and channels.
  bool equivalent = true;
  std::string verdict; ///< one line
  std::vector<Difference> differences;
};

/// Compares two plans as ccl-diff does.
Comparison diff(const Plan &before, const Plan &after);

} // namespace cclc::api

#endif // CCLC_API_PLAN_H
