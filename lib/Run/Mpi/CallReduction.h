//===- CallReduction.h - Operands and operators of MPI ----------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CALLREDUCTION_H
#define CCL_LIB_RUN_MPI_CALLREDUCTION_H

#include "cclc/Sim/Data/DataType.h"

#include <mpi.h>

namespace cclc::run {

/// How plans reduce the elements of a type by an operator. Results do not depend on the order of
/// two operands.
struct CallReduction {
  ReduceFn reduce;
  uint32_t size;      ///< bytes of what \c reduce counts
  uint32_t units = 1; ///< of these for each element of the type
  /// The order of more than two operands changes the last bits.
  bool rounds = false;
  /// The nearest type of the tools, and the name of the operator, for records.
  DataType type = DataType::U8;
  StringRef op = "";
};

/// What plans have of a type and an operator.
struct ReductionFacts {
  std::optional<CallReduction> reduction; ///< none: they do not reduce the type by the operator
  bool isOperator = false;                ///< whether they have the operator for some types
};

/// The facts of \p type, which may be null, and \p op, until the thread asks again.
const ReductionFacts &factsOf(MPI_Datatype type, MPI_Op op);

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CALLREDUCTION_H
