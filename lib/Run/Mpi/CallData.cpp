//===- CallData.cpp - The data of a call, as plans have them ---------------===//
//
// Plans move elements of eight types without gaps. What is known of a type of MPI is asked once,
// since a call of the MPI library costs as much as a small message.
//
//===----------------------------------------------------------------------===//

#include "CallData.h"

using namespace cclc;
using namespace cclc::run;

namespace {
/// Data that are only moved have any type of their size.
std::optional<DataType> typeOfSize(int size) {
  switch (size) {
  case 1:
    return DataType::U8;
  case 2:
    return DataType::F16;
  case 4:
    return DataType::I32;
  case 8:
    return DataType::I64;
  default:
    return std::nullopt;
  }
}

/// The type of operands of a reduction.
std::optional<DataType> operandType(MPI_Datatype type, int size) {
  if (type == MPI_FLOAT || type == MPI_REAL)
    return DataType::F32;
  if (type == MPI_DOUBLE || type == MPI_DOUBLE_PRECISION)
    return DataType::F64;
  if (type == MPI_SIGNED_CHAR || type == MPI_INT8_T)
    return DataType::I8;
  if (type == MPI_UNSIGNED_CHAR || type == MPI_UINT8_T)
    return DataType::U8;
  bool isSigned = type == MPI_INT || type == MPI_LONG || type == MPI_LONG_LONG ||
                  type == MPI_INT32_T || type == MPI_INT64_T || type == MPI_INTEGER;
  if (isSigned && (size == 4 || size == 8))
    return size == 4 ? DataType::I32 : DataType::I64;
  return std::nullopt;
}

/// What plans need of a type of MPI.
struct TypeFacts {
  int size = 0;
  bool isElementary = false;
  std::optional<DataType> operand;
};

TypeFacts findFacts(MPI_Datatype type) {
  TypeFacts facts;
  int integers, addresses, types, combiner;
  MPI_Aint lowest, extent;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  PMPI_Type_size(type, &facts.size);
  PMPI_Type_get_extent(type, &lowest, &extent);
  facts.isElementary = combiner == MPI_COMBINER_NAMED && lowest == 0 && extent == facts.size;
  if (facts.isElementary)
    facts.operand = operandType(type, facts.size);
  return facts;
}

/// MPI's own types are never freed, so that their handles remain theirs.
TypeFacts factsOf(MPI_Datatype type) {
  static std::vector<std::pair<MPI_Datatype, TypeFacts>> known;
  for (const auto &[other, facts] : known)
    if (other == type)
      return facts;
  TypeFacts facts = findFacts(type);
  if (facts.isElementary)
    known.emplace_back(type, facts);
  return facts;
}
} // namespace

std::optional<DataType> run::elementType(const CollectiveCall &call) {
  TypeFacts facts = factsOf(call.type);
  if (call.op == MPI_OP_NULL && facts.isElementary)
    return typeOfSize(facts.size);
  return facts.operand;
}

bool run::hasGaps(const TypedData &data) {
  return data.type != MPI_DATATYPE_NULL && !factsOf(data.type).isElementary;
}

std::optional<ReduceOp> run::operatorOf(const CollectiveCall &call) {
  if (call.op == MPI_OP_NULL || call.op == MPI_SUM)
    return ReduceOp::Sum;
  if (call.op == MPI_PROD)
    return ReduceOp::Prod;
  if (call.op == MPI_MIN)
    return ReduceOp::Min;
  if (call.op == MPI_MAX)
    return ReduceOp::Max;
  return std::nullopt;
}
