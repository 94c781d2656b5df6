//===- DirectMessages.h - Messages that need no slot ------------*- C++ -*-===//
//
// Threads share their memory, and so may processes of a node. If the data of a message remain where
// they are until it is received, the receiver reads them there: a large message is then copied once
// instead of twice. The plan has to order the receive before the next write to the data, because a
// step that waited for its own message to be received could deadlock, as in an exchange in place.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_DIRECTMESSAGES_H
#define CCL_RUN_DIRECTMESSAGES_H

#include "cclc/Run/PreparedPlan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc::run {

class DirectMessages {
public:
  using IsShared = llvm::function_ref<bool(RankId, Buffer)>;
  /// For a proved plan, with input and output as \p placement says. Only messages in buffers of
  /// which \p isShared holds are direct.
  DirectMessages(
      const PreparedPlan &plan, Placement placement,
      IsShared isShared = [](RankId, Buffer) { return true; });
  /// No message.
  DirectMessages() = default;

  /// Whether the message of a sending step is read from memory of the sender.
  bool of(StepId send) const { return !direct.empty() && direct[send.index()]; }

private:
  std::vector<bool> direct; ///< by step
};

} // namespace cclc::run

#endif // CCL_RUN_DIRECTMESSAGES_H
