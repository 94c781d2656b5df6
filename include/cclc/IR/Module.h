//===- Module.h - A program at any level ------------------------*- C++ -*-===//

#ifndef CCL_IR_MODULE_H
#define CCL_IR_MODULE_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

#include <variant>

namespace cclc {

/// The content of a text IR file; the input and output of passes.
using Module = std::variant<ChunkProgram, InstrProgram, ExecPlan>;

enum class Level : uint8_t { Chunk, Instr, Exec };
inline Level levelOf(const Module &module) { return static_cast<Level>(module.index()); }
/// "chunk", "instr", "exec".
StringRef levelName(Level level);

const ProgramInfo &infoOf(const Module &module);

} // namespace cclc

#endif // CCL_IR_MODULE_H
