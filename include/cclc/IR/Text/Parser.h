//===- Parser.h - Parser of the text IR -------------------------*- C++ -*-===//

#ifndef CCL_IR_TEXT_PARSER_H
#define CCL_IR_TEXT_PARSER_H

#include "cclc/IR/Module.h"

namespace cclc {

/// Parses one program of any level. Operations without loc() get their position
/// in \p text; \p firstLine is the line number of its first line. Reports the
/// first error at file:line:column.
FailureOr<Module> parseModule(StringRef text, StringRef fileName, DiagnosticEngine &diags,
                              unsigned firstLine = 1);

} // namespace cclc

#endif // CCL_IR_TEXT_PARSER_H
