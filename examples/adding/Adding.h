//===- Adding.h - Functions that docs/AddingThings.md adds ------*- C++ -*-===//

#ifndef CCL_EXAMPLES_ADDING_ADDING_H
#define CCL_EXAMPLES_ADDING_ADDING_H

#include "cclc/Formats/PlanFormat.h"
#include "cclc/IR/ChunkProgram.h"
#include "cclc/Limits/Constraints.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Transforms/Pass/PassRegistry.h"

namespace cclc {

/// Removes copies that repeat the operation before them.
FailureOr<ChunkProgram> removeRepeatedCopies(ChunkProgram &&program, PassContext &context);
void registerRemoveRepeatedCopies(PassRegistry &registry);

/// A plan as text IR below a line with a mark.
extern const PlanFormat markedText;

/// A network that transfers one message at a time.
std::unique_ptr<NetworkModel> createBusNetwork(const RouteTable &routes);

/// The limits of a runtime with one channel.
Constraints oneChannelConstraints();

} // namespace cclc

#endif // CCL_EXAMPLES_ADDING_ADDING_H
