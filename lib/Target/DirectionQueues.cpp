//===- DirectionQueues.cpp - The queues of a PE in target files -----------===//

#include "cclc/Target/DirectionQueues.h"

#include "Families.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

static constexpr const char *groupNames[numQueueGroups] = {"intra", "cube", "global"};
static constexpr const char *readNames[] = {"off", "scratch", "all"};

StringRef cclc::queueGroupName(QueueGroup group) { return groupNames[static_cast<size_t>(group)]; }

bool DirectionQueues::areLimited() const { return !text().empty(); }

std::string DirectionQueues::text() const {
  std::string result;
  for (size_t g = 0; g < numQueueGroups; ++g)
    if (number[g])
      result += (result.empty() ? "" : ", ") + std::to_string(*number[g]) + ' ' + groupNames[g];
  return result;
}

static void readOneSidedReads(JsonObject &queue, Machine &machine) {
  uint32_t reads = 0;
  queue.choice("one_sided_reads", readNames, reads);
  machine.queue.reads = static_cast<OneSidedReads>(reads);
}

void cclc::readDirectionQueues(JsonObject &queue, Machine &machine) {
  if (machine.queueKey != "ipcq")
    return readOneSidedReads(queue, machine);
  DirectionQueues &queues = machine.directionQueues;
  JsonObject numbers = queue.object("queues");
  for (size_t g = 0; g < numQueueGroups; ++g)
    numbers.number(groupNames[g], queues.number[g], 1, 1 << 16);
  numbers.finish();
  queue.onOff("multiplex", queues.multiplex);
  queue.time("switch_time", queues.switchTime);
}

bool cclc::asksToShareQueues(ArrayRef<TargetOverride> overrides) {
  return llvm::any_of(overrides,
                      [](const TargetOverride &one) { return one.path == "ipcq.multiplex"; });
}
