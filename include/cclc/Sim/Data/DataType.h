//===- DataType.h - Element types and reduction operators -------*- C++ -*-===//
//
// The arithmetic of hardware: f16 and bf16 are rounded to nearest even after every operation,
// integers wrap around. `avg` is a sum, followed by one local division of the result.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATA_DATATYPE_H
#define CCL_SIM_DATA_DATATYPE_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <string>

namespace cclc {

enum class DataType : uint8_t { F16, BF16, F32, F64, I8, I32, I64, U8 };
enum class ReduceOp : uint8_t { Sum, Prod, Min, Max, Avg };

/// "f16", "bf16", ...
StringRef dataTypeName(DataType type);
std::optional<DataType> parseDataType(StringRef name);
uint32_t sizeOf(DataType type);

/// "sum", "prod", ...
StringRef reduceOpName(ReduceOp op);
std::optional<ReduceOp> parseReduceOp(StringRef name);

/// dst[i] = a[i] op b[i] for \p count elements; dst may be a or b.
using ReduceFn = void (*)(void *dst, const void *a, const void *b, size_t count);
ReduceFn reduceFunction(DataType type, ReduceOp op);

/// Divides \p count elements by \p divisor, rounding once: the last step of an average.
void divide(DataType type, void *data, size_t count, uint32_t divisor);

/// Stores small integers as elements; they must be exact in the type.
void storeIntegers(DataType type, void *place, ArrayRef<int32_t> values);
/// Stores numbers, rounded to the type.
void storeReals(DataType type, void *place, ArrayRef<double> values);
inline void storeReal(DataType type, void *place, double value) { storeReals(type, place, value); }
/// One element as text.
std::string elementText(DataType type, const void *place);

/// IEEE half and bfloat16 conversions, to nearest even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);

} // namespace cclc

#endif // CCL_SIM_DATA_DATATYPE_H
