#include "cclc/Support/Watch.h"

using namespace cclc;

constinit thread_local Watch *Watch::current = nullptr;

void Watch::lookNow() {
  const Clock::time_point now = Clock::now();
  if (now - last < interval)
    return;
  last = now;
  function();
}
