//===- DataType.cpp - Elements and their arithmetic ----------------------===//
//
// Names, conversions and divisions. Reductions are in Reduce.cpp.
//
// Implements rule 32.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Data/DataType.h"

#include "Elements.h"
#include "cclc/Sim/Data/TypeNames.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <cstring>

using namespace cclc;
using namespace cclc::elements;

static constexpr std::array<StringRef, 8> typeNames = {"f16", "bf16", "f32", "f64",
                                                       "i8",  "i32",  "i64", "u8"};
static constexpr std::array<StringRef, 5> opNames = {"sum", "prod", "min", "max", "avg"};

StringRef cclc::dataTypeName(DataType type) { return typeNames[static_cast<size_t>(type)]; }

std::vector<std::string> cclc::dataTypeNames() { return {typeNames.begin(), typeNames.end()}; }

std::optional<DataType> cclc::parseDataType(StringRef name) {
  return llvm::StringSwitch<std::optional<DataType>>(name)
      .Case("f16", DataType::F16)
      .Case("bf16", DataType::BF16)
      .Case("f32", DataType::F32)
      .Case("f64", DataType::F64)
      .Case("i8", DataType::I8)
      .Case("i32", DataType::I32)
      .Case("i64", DataType::I64)
      .Case("u8", DataType::U8)
      .Default(std::nullopt);
}

StringRef cclc::reduceOpName(ReduceOp op) { return opNames[static_cast<size_t>(op)]; }

std::vector<std::string> cclc::reduceOpNames() { return {opNames.begin(), opNames.end()}; }

std::optional<ReduceOp> cclc::parseReduceOp(StringRef name) {
  return llvm::StringSwitch<std::optional<ReduceOp>>(name)
      .Case("sum", ReduceOp::Sum)
      .Case("prod", ReduceOp::Prod)
      .Case("min", ReduceOp::Min)
      .Case("max", ReduceOp::Max)
      .Case("avg", ReduceOp::Avg)
      .Default(std::nullopt);
}

float cclc::halfToFloat(uint16_t bits) { return Half::load(bits); }
uint16_t cclc::floatToHalf(float value) { return Half::store(value); }
float cclc::bfloatToFloat(uint16_t bits) { return Bfloat::load(bits); }
uint16_t cclc::floatToBfloat(float value) { return Bfloat::store(value); }

uint32_t cclc::sizeOf(DataType type) {
  return dispatch(
      type, [](auto traits) -> uint32_t { return sizeof(typename decltype(traits)::Stored); });
}

void cclc::divide(DataType type, void *data, size_t count, uint32_t divisor) {
  dispatch(type, [&](auto traits) {
    using Traits = decltype(traits);
    using Value = typename Traits::Value;
    auto *at = static_cast<typename Traits::Stored *>(data);
    for (size_t i = 0; i < count; ++i) {
      Value value = Traits::load(at[i]);
      if constexpr (std::is_integral_v<Value>)
        at[i] = Traits::store(static_cast<Value>(int64_t(value) / int64_t(divisor)));
      else
        at[i] = Traits::store(value / static_cast<Value>(divisor));
    }
  });
}

template <class Value> static void storeAll(DataType type, void *place, ArrayRef<Value> values) {
  dispatch(type, [&](auto traits) {
    using Traits = decltype(traits);
    auto *at = static_cast<typename Traits::Stored *>(place);
    for (size_t i = 0; i < values.size(); ++i)
      at[i] = Traits::store(static_cast<typename Traits::Value>(values[i]));
  });
}

void cclc::storeIntegers(DataType type, void *place, ArrayRef<int32_t> values) {
  storeAll(type, place, values);
}

void cclc::storeReals(DataType type, void *place, ArrayRef<double> values) {
  storeAll(type, place, values);
}

std::string cclc::elementText(DataType type, const void *place) {
  return dispatch(type, [&](auto traits) -> std::string {
    using Traits = decltype(traits);
    typename Traits::Stored stored;
    std::memcpy(&stored, place, sizeof(stored));
    auto value = Traits::load(stored);
    if constexpr (std::is_integral_v<decltype(value)>)
      return std::to_string(value);
    else {
      char text[32];
      std::snprintf(text, sizeof(text), "%.9g", double(value));
      return text;
    }
  });
}
