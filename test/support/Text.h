//===- Text.h - Programs and messages as text -------------------*- C++ -*-===//
//
// Tests write programs in the text IR and compare messages as a user sees them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_TEXT_H
#define CCL_TEST_SUPPORT_TEXT_H

#include "cclc/IR/Text/Parser.h"
#include "cclc/IR/Text/Printer.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <string>

namespace cclc::test {

/// All diagnostics as the tools print them.
inline std::string messages(const DiagnosticEngine &diags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diags.print(os, "tool");
  return text;
}

template <class Program> std::string printed(const Program &program, PrintOptions options = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, program, options);
  return text;
}

/// The error that reading \p text results in, or "".
inline std::string parseError(StringRef text) {
  DiagnosticEngine diags;
  FailureOr<Module> module = parseModule(text, "t.ccl", diags);
  REQUIRE(succeeded(module) != diags.hasErrors());
  return messages(diags);
}

/// The program of \p text, which must be one of the level \p Program.
template <class Program> Program parsed(StringRef text) {
  DiagnosticEngine diags;
  FailureOr<Module> module = parseModule(text, "t.ccl", diags);
  if (failed(module))
    FAIL(messages(diags) << text.str());
  return std::get<Program>(std::move(*module));
}

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_TEXT_H
