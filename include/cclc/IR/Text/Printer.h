//===- Printer.h - Printer of the text IR -----------------------*- C++ -*-===//
//
// The canonical text of each level: ids renumbered in print order, one operation per line, integers
// only. print(parse(print(x))) == print(x). docs/LangRef.md is the reference.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_TEXT_PRINTER_H
#define CCL_IR_TEXT_PRINTER_H

#include "cclc/IR/Module.h"

namespace cclc {

struct PrintOptions {
  /// Append loc("file":line) to every operation that has a location.
  bool locations = false;
  /// Append the processing edges of every instruction as a comment.
  bool dependences = false;
};

void print(raw_ostream &os, const ChunkProgram &program, PrintOptions options = {});
void print(raw_ostream &os, const InstrProgram &program, PrintOptions options = {});
void print(raw_ostream &os, const ExecPlan &plan, PrintOptions options = {});
void print(raw_ostream &os, const Module &module, PrintOptions options = {});

} // namespace cclc

#endif // CCL_IR_TEXT_PRINTER_H
