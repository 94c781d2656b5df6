//===- Params.h - Typed parameters of a program -----------------*- C++ -*-===//
//
// A program declares its parameters as constants and reads them back by the
// same constants:
//
//   constexpr IntParam channels{
//       .name = "channels", .help = "rings that share the work",
//       .value = 1, .min = 1, .max = 32};
//   ...
//   for (int ch = 0; ch < p.get(channels); ++ch)
//
// `cclc describe` shows name, default and limits; values outside the limits are rejected before the
// program runs. Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DSL_PARAMS_H
#define CCL_DSL_PARAMS_H

#include "cclc/DSL/Compiler.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cclc::dsl {

/// The values of a number that `ccl-tune` tries.
struct Tuning {
  enum class Kind : uint8_t {
    Doubled, ///< from the least value on, while a plan becomes faster
    Values,  ///< beside the default
    Fixed    ///< the default alone
  };
  Kind kind = Kind::Doubled;
  int most = 256;              ///< of a doubled value
  std::array<int, 8> values{}; ///< the first \c count
  unsigned count = 0;
};

/// A whole number; `value` is the default. A tuner doubles it unless the declaration says
/// otherwise:
///
///   constexpr IntParam arity = IntParam{
///       .name = "arity", .help = "children", .value = 2, .min = 1, .max = 64}.tuned({2, 3, 4, 8});
struct IntParam {
  const char *name;
  const char *help;
  int value;
  int min;
  int max;
  Tuning tuning = {};

  /// The same parameter, which a tuner tries with 1, 2, 4, ... up to \p most.
  constexpr IntParam doubled(int most) const {
    IntParam changed = *this;
    changed.tuning = {.kind = Tuning::Kind::Doubled, .most = most};
    return changed;
  }
  /// The same parameter, which a tuner tries with \p values alone; a ninth value is no constant.
  constexpr IntParam tuned(std::initializer_list<int> values) const {
    IntParam changed = *this;
    changed.tuning = {.kind = Tuning::Kind::Values};
    for (int value : values)
      changed.tuning.values.at(changed.tuning.count++) = value;
    return changed;
  }
  /// The same parameter, which a tuner does not vary: the user of the collective determines it.
  constexpr IntParam fixed() const {
    IntParam changed = *this;
    changed.tuning.kind = Tuning::Kind::Fixed;
    return changed;
  }
};

struct BoolParam {
  const char *name;
  const char *help;
  bool value;
};

/// One of at most eight words.
struct ChoiceParam {
  const char *name;
  const char *help;
  const char *value;
  std::array<const char *, 8> choices;
};

/// A declared parameter with the type erased.
struct ParamSpec {
  enum class Type { Int, Bool, Choice };
  std::string name;
  std::string help;
  Type type;
  std::string value; ///< the default, as text
  int min = 0, max = 0;
  Tuning tuning; ///< of a number
  std::vector<std::string> choices;

  explicit ParamSpec(const IntParam &param);
  explicit ParamSpec(const BoolParam &param);
  explicit ParamSpec(const ChoiceParam &param);

  /// "integer 1..32", "yes or no", "center or corner".
  std::string domain() const;
  /// Whether \p text is a legal value; brings it into canonical form.
  bool accept(std::string &text) const;
};

/// The value of every declared parameter, in declaration order.
class ParamValues {
public:
  ParamValues() = default;
  explicit ParamValues(std::vector<std::pair<std::string, std::string>> values)
      : values(std::move(values)) {}

  bool has(std::string_view name) const;
  /// Throws std::invalid_argument for a parameter that was not declared.
  int get(const IntParam &param) const;
  bool get(const BoolParam &param) const;
  std::string_view get(const ChoiceParam &param) const;

  const std::vector<std::pair<std::string, std::string>> &all() const { return values; }

private:
  const std::string &find(const char *name) const;
  std::vector<std::pair<std::string, std::string>> values;
};

} // namespace cclc::dsl

#endif // CCL_DSL_PARAMS_H
