//===- CallReduction.cpp - Operands and operators of MPI ------------------===//
//
// The types that MPI 3.1, section 5.9.2, allows for each operator, but for those whose results
// would depend on the order of two operands (products of complex numbers) and for long double. The
// sum of complex numbers is that of their parts, and operators of bits are those of bytes. What the
// tools have as well is reduced by their functions.
//
//===----------------------------------------------------------------------===//

#include "CallReduction.h"

#include "CallData.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace cclc;
using namespace cclc::run;

namespace {
/// Integers wrap around, without the undefined overflow of signed and promoted ones.
struct Add {
  template <class T> static T apply(T a, T b) { return T(uint64_t(a) + uint64_t(b)); }
};
struct Multiply {
  template <class T> static T apply(T a, T b) { return T(uint64_t(a) * uint64_t(b)); }
};
struct Minimum {
  template <class T> static T apply(T a, T b) { return b < a ? b : a; }
};
struct Maximum {
  template <class T> static T apply(T a, T b) { return a < b ? b : a; }
};
struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct LogicalAnd {
  template <class T> static T apply(T a, T b) { return a && b; }
};
struct LogicalOr {
  template <class T> static T apply(T a, T b) { return a || b; }
};
struct LogicalXor {
  template <class T> static T apply(T a, T b) { return !a != !b; }
};

/// A value and its place, as MPI_MINLOC and MPI_MAXLOC have them.
template <class Value, class Place> struct Pair {
  Value value;
  Place place;
};

/// The pair with the least value, or the greatest if \p Greatest, and of equal ones the least
/// place. Not-a-number prevails, with one pattern, and the result of zeros of both signs has that
/// of min and max.
template <bool Greatest> struct Locate {
  template <class Value, class Place>
  static Pair<Value, Place> apply(Pair<Value, Place> a, Pair<Value, Place> b) {
    auto leastPlace = [&] { return std::min(a.place, b.place); };
    if constexpr (std::is_floating_point_v<Value>) {
      const bool aIsNan = a.value != a.value, bIsNan = b.value != b.value;
      if (aIsNan || bIsNan)
        return {std::numeric_limits<Value>::quiet_NaN(), aIsNan && bIsNan ? leastPlace()
                                                         : aIsNan         ? a.place
                                                                          : b.place};
    }
    if (a.value == b.value) {
      Value value = a.value;
      if constexpr (std::is_floating_point_v<Value>)
        value = std::signbit(a.value) == Greatest ? b.value : a.value;
      return {value, leastPlace()};
    }
    return (a.value < b.value) == Greatest ? b : a;
  }
};

template <class T, class Op> void reduceAll(void *dst, const void *a, const void *b, size_t count) {
  auto *to = static_cast<T *>(dst);
  auto *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);
  for (size_t i = 0; i < count; ++i)
    to[i] = Op::apply(x[i], y[i]);
}

/// The operators of plans, in the order of `operators`.
enum class Operator { Sum, Prod, Min, Max, BAnd, BOr, BXor, LAnd, LOr, LXor, MinLoc, MaxLoc };

struct NamedOperator {
  MPI_Op handle;
  Operator op;
  StringRef name;
};

std::optional<NamedOperator> operatorOf(MPI_Op handle) {
  const NamedOperator all[] = {
      {MPI_SUM, Operator::Sum, "sum"},          {MPI_PROD, Operator::Prod, "prod"},
      {MPI_MIN, Operator::Min, "min"},          {MPI_MAX, Operator::Max, "max"},
      {MPI_BAND, Operator::BAnd, "band"},       {MPI_BOR, Operator::BOr, "bor"},
      {MPI_BXOR, Operator::BXor, "bxor"},       {MPI_LAND, Operator::LAnd, "land"},
      {MPI_LOR, Operator::LOr, "lor"},          {MPI_LXOR, Operator::LXor, "lxor"},
      {MPI_MINLOC, Operator::MinLoc, "minloc"}, {MPI_MAXLOC, Operator::MaxLoc, "maxloc"}};
  for (const NamedOperator &one : all)
    if (one.handle == handle)
      return one;
  return std::nullopt;
}

bool isArithmetic(Operator op) { return op <= Operator::Max; }
bool isOfBits(Operator op) { return op >= Operator::BAnd && op <= Operator::BXor; }
bool isLogical(Operator op) { return op >= Operator::LAnd && op <= Operator::LXor; }
bool locates(Operator op) { return op >= Operator::MinLoc; }

/// The function for integers of type T.
template <class T> ReduceFn functionOf(Operator op) {
  switch (op) {
  case Operator::Sum:
    return reduceAll<T, Add>;
  case Operator::Prod:
    return reduceAll<T, Multiply>;
  case Operator::Min:
    return reduceAll<T, Minimum>;
  case Operator::Max:
    return reduceAll<T, Maximum>;
  case Operator::BAnd:
    return reduceAll<T, And>;
  case Operator::BOr:
    return reduceAll<T, Or>;
  case Operator::BXor:
    return reduceAll<T, Xor>;
  case Operator::LAnd:
    return reduceAll<T, LogicalAnd>;
  case Operator::LOr:
    return reduceAll<T, LogicalOr>;
  case Operator::LXor:
    return reduceAll<T, LogicalXor>;
  case Operator::MinLoc:
  case Operator::MaxLoc:
    break;
  }
  llvm_unreachable("an operator of pairs");
}

/// The groups of section 5.9.2.
enum class Group { CInteger, FortranInteger, Logical, Byte };

struct IntegerType {
  MPI_Datatype handle;
  Group group;
  bool isSigned;
};

/// Of the types with these handles; some are null where a library does not have them.
std::optional<IntegerType> integerOf(MPI_Datatype type) {
  const IntegerType all[] = {
      {MPI_SIGNED_CHAR, Group::CInteger, true},
      {MPI_UNSIGNED_CHAR, Group::CInteger, false},
      {MPI_SHORT, Group::CInteger, true},
      {MPI_UNSIGNED_SHORT, Group::CInteger, false},
      {MPI_INT, Group::CInteger, true},
      {MPI_UNSIGNED, Group::CInteger, false},
      {MPI_LONG, Group::CInteger, true},
      {MPI_UNSIGNED_LONG, Group::CInteger, false},
      {MPI_LONG_LONG, Group::CInteger, true},
      {MPI_UNSIGNED_LONG_LONG, Group::CInteger, false},
      {MPI_INT8_T, Group::CInteger, true},
      {MPI_INT16_T, Group::CInteger, true},
      {MPI_INT32_T, Group::CInteger, true},
      {MPI_INT64_T, Group::CInteger, true},
      {MPI_UINT8_T, Group::CInteger, false},
      {MPI_UINT16_T, Group::CInteger, false},
      {MPI_UINT32_T, Group::CInteger, false},
      {MPI_UINT64_T, Group::CInteger, false},
      {MPI_INTEGER, Group::FortranInteger, true},
      {MPI_INTEGER1, Group::FortranInteger, true},
      {MPI_INTEGER2, Group::FortranInteger, true},
      {MPI_INTEGER4, Group::FortranInteger, true},
      {MPI_INTEGER8, Group::FortranInteger, true},
      {MPI_AINT, Group::FortranInteger, true},
      {MPI_OFFSET, Group::FortranInteger, true},
      {MPI_COUNT, Group::FortranInteger, true},
      {MPI_C_BOOL, Group::Logical, false},
      {MPI_CXX_BOOL, Group::Logical, false},
      {MPI_LOGICAL, Group::Logical, true},
      {MPI_BYTE, Group::Byte, false},
  };
  for (const IntegerType &one : all)
    if (one.handle == type && type != MPI_DATATYPE_NULL)
      return one;
  return std::nullopt;
}

bool isAllowed(Operator op, Group group) {
  switch (group) {
  case Group::CInteger:
    return !locates(op);
  case Group::FortranInteger:
    return isArithmetic(op) || isOfBits(op);
  case Group::Logical:
    return isLogical(op);
  case Group::Byte:
    return isOfBits(op);
  }
  return false;
}

ReduceFn integerFunction(Operator op, int size, bool isSigned) {
  switch (size) {
  case 1:
    return isSigned ? functionOf<int8_t>(op) : functionOf<uint8_t>(op);
  case 2:
    return isSigned ? functionOf<int16_t>(op) : functionOf<uint16_t>(op);
  case 4:
    return isSigned ? functionOf<int32_t>(op) : functionOf<uint32_t>(op);
  case 8:
    return isSigned ? functionOf<int64_t>(op) : functionOf<uint64_t>(op);
  default:
    return nullptr;
  }
}

/// That of the same size.
DataType nearestType(int size, bool isSigned) {
  return size == 1 ? (isSigned ? DataType::I8 : DataType::U8)
                   : (size == 2   ? DataType::F16
                      : size == 4 ? DataType::I32
                                  : DataType::I64);
}

/// The operators that the tools have as well.
std::optional<ReduceOp> toolOperator(Operator op) {
  static constexpr ReduceOp all[] = {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max};
  return isArithmetic(op) ? std::optional(all[size_t(op)]) : std::nullopt;
}

/// Of elements with \p size bytes, each of one or more units of \p type.
std::optional<CallReduction> ofTool(DataType type, int size, const NamedOperator &op) {
  const std::optional<ReduceOp> known = toolOperator(op.op);
  const bool isReal = type == DataType::F32 || type == DataType::F64;
  const uint32_t units = uint32_t(size) / sizeOf(type);
  if (!known || units == 0)
    return std::nullopt;
  const bool rounds = isReal && (op.op == Operator::Sum || op.op == Operator::Prod);
  return CallReduction{reduceFunction(type, *known), sizeOf(type), units, rounds, type, op.name};
}

std::optional<CallReduction> ofInteger(const IntegerType &type, int size, const NamedOperator &op) {
  if (!isAllowed(op.op, type.group))
    return std::nullopt;
  const DataType nearest = nearestType(size, type.isSigned);
  // The tools reduce signed integers of these sizes; sums and products have the same bits without
  // a sign.
  const bool isOfTools = size != 2 && (type.isSigned || size == 1 || op.op <= Operator::Prod);
  if (isArithmetic(op.op) && isOfTools)
    return ofTool(nearest, size, op);
  ReduceFn reduce = integerFunction(op.op, size, type.isSigned);
  if (!reduce)
    return std::nullopt;
  return CallReduction{reduce, uint32_t(size), 1, false, nearest, op.name};
}

template <class Value, class Place>
std::optional<CallReduction> ofPair(const NamedOperator &op, DataType type) {
  using Both = Pair<Value, Place>;
  ReduceFn reduce =
      op.op == Operator::MinLoc ? reduceAll<Both, Locate<false>> : reduceAll<Both, Locate<true>>;
  return CallReduction{reduce, sizeof(Both), 1, false, type, op.name};
}

std::optional<CallReduction> ofPairs(MPI_Datatype type, const NamedOperator &op) {
  if (type == MPI_FLOAT_INT)
    return ofPair<float, int>(op, DataType::F32);
  if (type == MPI_DOUBLE_INT)
    return ofPair<double, int>(op, DataType::F64);
  if (type == MPI_LONG_INT)
    return ofPair<long, int>(op, DataType::I64);
  if (type == MPI_2INT || type == MPI_2INTEGER)
    return ofPair<int, int>(op, DataType::I32);
  if (type == MPI_SHORT_INT)
    return ofPair<short, int>(op, DataType::F16);
  if (type == MPI_2REAL)
    return ofPair<float, float>(op, DataType::F32);
  if (type == MPI_2DOUBLE_PRECISION)
    return ofPair<double, double>(op, DataType::F64);
  return std::nullopt;
}

bool isReal(MPI_Datatype type) {
  return type == MPI_FLOAT || type == MPI_DOUBLE || type == MPI_REAL ||
         type == MPI_DOUBLE_PRECISION || type == MPI_REAL4 || type == MPI_REAL8;
}

bool isComplex(MPI_Datatype type) {
  return type == MPI_C_FLOAT_COMPLEX || type == MPI_C_DOUBLE_COMPLEX || type == MPI_COMPLEX ||
         type == MPI_DOUBLE_COMPLEX || type == MPI_COMPLEX8 || type == MPI_COMPLEX16 ||
         type == MPI_CXX_FLOAT_COMPLEX || type == MPI_CXX_DOUBLE_COMPLEX;
}

/// Of \p parts numbers in an element of \p size bytes: Fortran's types depend on the compiler.
std::optional<CallReduction> ofReals(int size, int parts, const NamedOperator &op) {
  if (size != 4 * parts && size != 8 * parts)
    return std::nullopt;
  return ofTool(size == 4 * parts ? DataType::F32 : DataType::F64, size, op);
}

std::optional<CallReduction> findReduction(MPI_Datatype type, MPI_Op handle) {
  const std::optional<NamedOperator> op = operatorOf(handle);
  if (!op)
    return std::nullopt;
  if (locates(op->op))
    return ofPairs(type, *op);
  const int size = factsOf(type).size;
  if (isReal(type))
    return ofReals(size, 1, *op);
  if (isComplex(type))
    return op->op == Operator::Sum ? ofReals(size, 2, *op) : std::nullopt;
  if (std::optional<IntegerType> integer = integerOf(type))
    return ofInteger(*integer, size, *op);
  return std::nullopt;
}
} // namespace

/// Handles of MPI's own types and operators are never those of others, which have no reduction.
const ReductionFacts &run::factsOf(MPI_Datatype type, MPI_Op op) {
  constexpr size_t most = 64; // which are searched faster than the tables
  struct Known {
    MPI_Datatype type;
    MPI_Op op;
    ReductionFacts facts;
  };
  static thread_local std::vector<Known> known;
  for (const Known &one : known)
    if (one.type == type && one.op == op)
      return one.facts;
  Known found{type, op, {std::nullopt, operatorOf(op).has_value()}};
  if (type != MPI_DATATYPE_NULL)
    found.facts.reduction = findReduction(type, op);
  if (known.size() == most)
    known.pop_back();
  return known.emplace_back(std::move(found)).facts;
}
