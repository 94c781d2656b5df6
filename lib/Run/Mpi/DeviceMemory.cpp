//===- DeviceMemory.cpp - Addresses of accelerators -----------------------===//
//
// The runtimes of CUDA and HIP are those that the application has loaded: this library links none.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"

#include <dlfcn.h>

using namespace cclc;

namespace {
/// cuPointerGetAttribute() and hipPointerGetAttribute() have the same parameters and the same
/// number for the kind of memory.
using GetAttribute = int (*)(void *value, int attribute, void *address);
constexpr int memoryType = 2;

GetAttribute cuda() {
  return reinterpret_cast<GetAttribute>(dlsym(RTLD_DEFAULT, "cuPointerGetAttribute"));
}
GetAttribute hip() {
  return reinterpret_cast<GetAttribute>(dlsym(RTLD_DEFAULT, "hipPointerGetAttribute"));
}
} // namespace

bool run::mayHaveDeviceMemory() { return cuda() || hip(); }

bool run::isDeviceMemory(const void *address) {
  static const GetAttribute ofCuda = cuda(), ofHip = hip();
  constexpr int cudaHost = 1;
  int type = 0;
  if (ofCuda && ofCuda(&type, memoryType, const_cast<void *>(address)) == 0)
    return type != cudaHost;
  // The numbers of HIP's kinds differ from version to version; other memory is unknown to it.
  return ofHip && ofHip(&type, memoryType, const_cast<void *>(address)) == 0;
}
