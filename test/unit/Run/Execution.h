//===- Execution.h - Real executions for tests ------------------*- C++ -*-===//

#ifndef CCL_TEST_UNIT_RUN_EXECUTION_H
#define CCL_TEST_UNIT_RUN_EXECUTION_H

#include "Plans.h"

#include "cclc/Run/RunData.h"
#include "cclc/Run/ThreadGroup.h"
#include "cclc/Sim/Data/ExpectedData.h"

namespace cclc::test {

inline void execute(const run::PreparedPlan &plan, const run::RunData &data,
                    const run::RunOptions &options = {}, run::ThreadChoice threads = {},
                    uint32_t executions = 1) {
  DiagnosticEngine diags;
  std::unique_ptr<run::Group> group = run::createThreadGroup(threads);
  if (failed(group->execute(plan, data.buffers(), executions, options, diags)))
    FAIL(textOf(diags));
}

/// Executes the plan by threads on exact data, and compares with the definition of the collective.
inline void checkDefinition(const run::PreparedPlan &plan, Placement placement,
                            const run::RunOptions &options = {}, run::ThreadChoice threads = {},
                            uint32_t executions = 1) {
  const Collective &collective = plan.plan.info().collective;
  const run::RunSettings &settings = plan.settings;
  InputData inputs(collective, settings.type, settings.op, std::nullopt);
  ExpectedData expected(collective, inputs, settings.type, settings.op,
                        plan.layout.chunkElements());
  run::RunData data(plan, placement, *run::createThreadGroup());
  data.fill(inputs, 0);
  execute(plan, data, options, threads, executions);
  std::optional<DataMismatch> mismatch;
  data.compare([&](RankId r, uint32_t c, uint32_t run) { return expected.chunk(r, c, run); }, 0,
               mismatch);
  if (mismatch)
    FAIL("executed by threads: " << mismatchText(*mismatch, placement, Bytes(0), 1));
}

} // namespace cclc::test

#endif // CCL_TEST_UNIT_RUN_EXECUTION_H
