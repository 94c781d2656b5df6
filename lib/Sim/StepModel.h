//===- StepModel.h - The transfer of data by a step -------------*- C++ -*-===//
//
// There are two: a step is one message for each transmission (MessageSteps.cpp), or a protocol
// divides it into transmissions and slices (SliceSteps.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_STEPMODEL_H
#define CCL_LIB_SIM_STEPMODEL_H

#include "cclc/Sim/Network/Network.h"

namespace cclc {

struct Stages;

class StepModel {
public:
  virtual ~StepModel() = default;

  /// Runs steps of threadblock \p t until one takes time or has to wait.
  virtual void advance(uint32_t t) = 0;
  /// A part of the current step of \p t has ended: its preparation, a request, or a slice.
  virtual void endPart(uint32_t t) = 0;
  /// The network has determined that the last byte of flight \p f arrives \p at.
  virtual void messageArrives(uint32_t f, SimTime at) = 0;
  /// The last byte of \p flight, which \p t has sent to a switch, leaves \p t at \p left.
  virtual void messageLeaves(uint32_t /*t*/, const Flight & /*flight*/, SimTime /*left*/) {}
};

std::unique_ptr<StepModel> createMessageSteps(Stages &stages);
std::unique_ptr<StepModel> createSliceSteps(Stages &stages);

} // namespace cclc

#endif // CCL_LIB_SIM_STEPMODEL_H
