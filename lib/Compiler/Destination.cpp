//===- Destination.cpp - The form that a plan is compiled for -------------===//
//
// Without a target a plan in XML has the slots of its runtime: as many messages are in flight.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/Destination.h"

using namespace cclc;

void cclc::setDestination(const PlanFormat &form, const MscclDialect &dialect,
                          CompileRequest &request) {
  if (form.hasDialects) {
    request.dialect = &dialect;
    if (!request.slots && !request.target) {
      const Protocol protocol = request.protocol.value_or(Protocol::Simple);
      request.slots = Slots(dialect.transmissionsOf(protocol).slots);
    }
  }
  request.lowerFused = form.splitsFused(&dialect);
  request.mscclpp = request.onlyMscclpp = form.mscclpp.write != nullptr;
  request.ahbmModule = form.ahbm.write != nullptr;
}
