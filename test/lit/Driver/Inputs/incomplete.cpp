#include "cclc/DSL/DSL.h"

using namespace cclc::dsl;

CCLC_PROGRAM(incomplete) {
  d.collective(AllGather).body([](Program &p) { p.chunk(0, Input, 0).copy(1, Output, 0); });
}
