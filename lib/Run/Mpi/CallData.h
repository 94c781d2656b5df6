//===- CallData.h - The data of a call, as plans have them ------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CALLDATA_H
#define CCL_LIB_RUN_MPI_CALLDATA_H

#include "CollectiveCall.h"

#include <cstddef>
#include <vector>

namespace cclc::run {

/// What plans need of a type of MPI.
struct TypeFacts {
  int size = 0;
  bool isElementary = false; ///< one of MPI's own, without gaps
};

/// \p type must not be null.
TypeFacts factsOf(MPI_Datatype type);

/// A type that remains when the application frees its handle: one of MPI's own, or a copy of
/// another without attributes, whose functions would be the application's.
class KeptType {
public:
  explicit KeptType(MPI_Datatype type);
  KeptType(const KeptType &) = delete;
  ~KeptType();
  MPI_Datatype type;

private:
  bool isCopy;
};

/// The size of \p call, as --bytes; 0 if an argument has none.
uint64_t bytesOf(const CollectiveCall &call);

/// Data without gaps, in the order of their types, for the time of a call. Errors are codes of MPI
/// that \p comm returns.
class PackedData {
public:
  std::byte *data() { return bytes.data(); }
  int pack(const void *from, const TypedData &data, MPI_Comm comm);
  /// To where pack() has read.
  int unpack(void *to, MPI_Comm comm) const;
  void copy(const void *from, size_t size);
  /// Unpacks to elements of \p type, which has the type map of that of pack().
  void keepType(MPI_Datatype type) { original.type = type; }

private:
  TypedData original;
  std::vector<std::byte> bytes;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CALLDATA_H
