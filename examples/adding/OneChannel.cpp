//===- OneChannel.cpp - The limits of a runtime with one channel ----------===//

#include "Adding.h"

using namespace cclc;

Constraints cclc::oneChannelConstraints() {
  Constraints limits("one-channel");
  limits.atMost(Limit::Channels, 1).atMost(Limit::Threadblocks, 16).forbid(Limit::FusedReceives);
  return limits;
}
