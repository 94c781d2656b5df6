//===- Pass.h - One step of a pipeline --------------------------*- C++ -*-===//
//
// A pass transforms a finished program of one level into a new one of the same or the next level.
// It is immutable: options are fixed when it is created.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TRANSFORMS_PASS_PASS_H
#define CCL_TRANSFORMS_PASS_PASS_H

#include "cclc/IR/Module.h"
#include "cclc/Transforms/Pass/Remarks.h"

#include <map>
#include <memory>

namespace cclc {

/// The environment of a pass: diagnostics, counters that --stats prints ("fuse.rcs": 48), and
/// remarks if they are requested.
class PassContext {
public:
  explicit PassContext(DiagnosticEngine &diags) : diags(diags) {}

  DiagnosticEngine &diags;
  Remarks *remarks = nullptr;

  void count(StringRef pass, StringRef what, uint64_t n) {
    counters[pass.str() + "." + what.str()] += n;
  }
  /// Records a figure that is no number of things.
  void measure(StringRef pass, StringRef what, uint64_t figure) {
    figures[pass.str() + "." + what.str()] = figure;
  }
  /// Adds the counters, figures and remarks of \p other.
  void append(const PassContext &other) {
    for (const auto &[what, n] : other.counters)
      counters[what] += n;
    for (const auto &[what, figure] : other.figures)
      figures[what] = figure;
    if (remarks && other.remarks)
      remarks->append(*other.remarks);
  }
  /// The counters are those of \p some of \p all ranks, which are alike.
  void extrapolate(uint64_t some, uint64_t all) {
    for (auto &[what, n] : counters)
      n = n / some * all;
  }
  /// All counters and figures.
  std::map<std::string, uint64_t> statistics() const {
    std::map<std::string, uint64_t> all = counters;
    all.insert(figures.begin(), figures.end());
    return all;
  }

private:
  std::map<std::string, uint64_t> counters, figures;
};

class Pass {
public:
  virtual ~Pass() = default;

  virtual StringRef name() const = 0;
  virtual Level input() const = 0;
  /// Called with a module of level input(). On failure the error is in the
  /// context's diagnostics.
  virtual FailureOr<Module> run(Module &&module, PassContext &context) const = 0;
};

/// Makes a pass from a function on the types of its levels.
template <class In, class Out, class Fn> class FunctionPass : public Pass {
public:
  FunctionPass(StringRef name, Fn fn) : theName(name), fn(std::move(fn)) {}
  StringRef name() const override { return theName; }
  Level input() const override {
    if constexpr (std::is_same_v<In, ChunkProgram>)
      return Level::Chunk;
    else if constexpr (std::is_same_v<In, InstrProgram>)
      return Level::Instr;
    else
      return Level::Exec;
  }
  FailureOr<Module> run(Module &&module, PassContext &context) const override {
    FailureOr<Out> result = fn(std::get<In>(std::move(module)), context);
    if (failed(result))
      return failure();
    return Module(std::move(*result));
  }

private:
  StringRef theName;
  Fn fn;
};

template <class In, class Out, class Fn> std::unique_ptr<Pass> makePass(StringRef name, Fn fn) {
  return std::make_unique<FunctionPass<In, Out, Fn>>(name, std::move(fn));
}

} // namespace cclc

#endif // CCL_TRANSFORMS_PASS_PASS_H
