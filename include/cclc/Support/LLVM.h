//===- LLVM.h - The names of LLVM that the project uses ---------*- C++ -*-===//
//
// Re-exports the LLVM ADT and Support names that the whole project uses, so that headers can write
// ArrayRef instead of llvm::ArrayRef.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_LLVM_H
#define CCL_SUPPORT_LLVM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace cclc {
using llvm::ArrayRef;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using llvm::raw_ostream;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;

using llvm::failed;
using llvm::failure;
using llvm::succeeded;
using llvm::success;
} // namespace cclc

#endif // CCL_SUPPORT_LLVM_H
