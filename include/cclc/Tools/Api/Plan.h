//===- Plan.h - Plans: load, prove, write -----------------------*- C++ -*-===//

#ifndef CCLC_API_PLAN_H
#define CCLC_API_PLAN_H

#include "cclc/Tools/Api/Provenance.h"
#include "cclc/Tools/Api/Report.h"
#include "cclc/Tools/Api/Result.h"

#include <cstdint>
#include <memory>
#include <string_view>

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
  /// On a machine: the largest buffer with which the plan completes and fits; unset: all.
  std::optional<uint64_t> safeUpTo;
  /// Of an all-reduce: whether all ranks get the same bits, because each element is one expression
  /// on all of them, as MPI requires. Unset without a reduction hash.
  std::optional<bool> sameBits;
  /// The counter-example, or a restriction of the proof.
  std::vector<Message> messages;
  Report report; ///< of ccl-sim verify

  bool ok() const { return verdict == "ok"; }
};

/// A plan: the steps of every threadblock of every rank, or the operations of those of MSCCL++. A
/// copy is the same plan.
class Plan {
public:
  /// Reads a file in any form: JSON, text, binary, MSCCL XML, MSCCL++. A rolled plan is unrolled.
  static Result<Plan> load(const std::string &path);
  /// Reads text or bytes in memory; \p name is that of the file in messages.
  static Result<Plan> read(std::string_view text, const std::string &name);

  std::string name() const;
  std::string collective() const; ///< "allreduce", ...
  std::string protocol() const;   ///< "Simple", "LL" or "LL128"
  std::string file() const;       ///< that it was read from; empty if none
  /// The target that the plan was compiled for; empty if none.
  std::string target() const;
  uint32_t ranks() const;
  uint32_t channels() const;
  uint64_t steps() const; ///< or operations
  /// Whether it has steps, and not operations of MSCCL++.
  bool hasSteps() const;

  /// The plan as a file. \p form is a value of --emit, \p dialect one of --xml-dialect. Fails if
  /// the plan exceeds the limits of the runtime. A plan for a bundled target is lowered to MSCCL++
  /// only if a Toolchain compiled it; Toolchain::convert lowers all.
  Result<std::string> write(const std::string &form = "json",
                            const std::string &dialect = "msccl") const;

  /// Proves the plan with \p slots slots per connection; unset: those of the plan, or 8. Those of
  /// MSCCL++ have none.
  Proof verify(std::optional<uint32_t> slots = std::nullopt) const;

  /// The provenance of a cell RANK:BUFFER:INDEX, such as "3:o:2", also of a plan that is wrong.
  Result<Provenance> why(const std::string &cell,
                         std::optional<uint32_t> slots = std::nullopt) const;

private:
  friend class PlanAccess;
  struct Content;
  explicit Plan(std::shared_ptr<const Content> content) : content(std::move(content)) {}
  std::shared_ptr<const Content> content;
};

} // namespace cclc::api

#endif // CCLC_API_PLAN_H
