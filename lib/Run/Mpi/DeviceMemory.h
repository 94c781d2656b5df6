//===- DeviceMemory.h - Addresses of accelerators ---------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_DEVICEMEMORY_H
#define CCL_LIB_RUN_MPI_DEVICEMEMORY_H

namespace cclc::run {

/// Whether the runtime of a device is loaded, so that addresses may be the device's.
bool mayHaveDeviceMemory();

/// Whether \p address is known to the runtime as memory of a device. The processor cannot read it.
bool isDeviceMemory(const void *address);

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_DEVICEMEMORY_H
