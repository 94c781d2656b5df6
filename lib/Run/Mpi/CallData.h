//===- CallData.h - The data of a call, as plans have them ------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CALLDATA_H
#define CCL_LIB_RUN_MPI_CALLDATA_H

#include "CollectiveCall.h"

#include <optional>
#include <vector>

namespace cclc::run {

/// The type of the elements of \p call, or none if plans have no such type.
std::optional<DataType> elementType(const CollectiveCall &call);
/// The operator of \p call, or none if plans do not have it; sum, if data are only moved.
std::optional<ReduceOp> operatorOf(const CollectiveCall &call);
/// Whether a derived type, or a pair, has gaps, or may have.
bool hasGaps(const TypedData &data);

/// Data without gaps, in the order of their types.
class PackedData {
public:
  std::byte *pack(const void *from, const TypedData &data, MPI_Comm comm) {
    original = data;
    int size, end = 0;
    PMPI_Type_size(data.type, &size);
    bytes.resize(size_t(size) * data.count);
    PMPI_Pack(from, data.count, data.type, bytes.data(), int(bytes.size()), &end, comm);
    return bytes.data();
  }
  void unpack(void *to, MPI_Comm comm) {
    int end = 0;
    PMPI_Unpack(bytes.data(), int(bytes.size()), &end, to, original.count, original.type, comm);
  }

private:
  TypedData original;
  std::vector<std::byte> bytes;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CALLDATA_H
