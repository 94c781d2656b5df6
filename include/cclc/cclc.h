//===- cclc.h - The public interface of the libraries -----------*- C++ -*-===//
//
// Compile, load, prove, simulate, bound, tune, compare and execute plans of collectives, and import
// and check machines, from another program. Standard library only: no header of cclc's own
// libraries or of LLVM is included. docs/Api.md has examples.
//
// Names and texts are those of the command line: "allreduce", "f32", "ipcq.slot_size=65536". Sizes
// are bytes as in --bytes: of a rank's input buffer, or of its output buffer for all-gather and
// gather. Times are picoseconds. Functions may be called from several threads at a time; objects
// are values, and those of class Plan share what they contain.
//
// What this header declares follows semantic versions: before 1.0.0 a minor version may change it.
//
//===----------------------------------------------------------------------===//

#ifndef CCLC_CCLC_H
#define CCLC_CCLC_H

#include "cclc/Tools/Api/Advice.h"
#include "cclc/Tools/Api/Comparison.h"
#include "cclc/Tools/Api/Lint.h"
#include "cclc/Tools/Api/Machines.h"
#include "cclc/Tools/Api/Options.h"
#include "cclc/Tools/Api/Plan.h"
#include "cclc/Tools/Api/Portfolio.h"
#include "cclc/Tools/Api/Provenance.h"
#include "cclc/Tools/Api/Report.h"
#include "cclc/Tools/Api/Result.h"
#include "cclc/Tools/Api/Run.h"
#include "cclc/Tools/Api/Toolchain.h"

/// The version of these headers; cclc::api::version() is that of the library.
#define CCLC_VERSION_MAJOR 0
#define CCLC_VERSION_MINOR 1
#define CCLC_VERSION_PATCH 0
#define CCLC_VERSION_AT_LEAST(major, minor, patch)                                                 \
  (CCLC_VERSION_MAJOR > (major) ||                                                                 \
   (CCLC_VERSION_MAJOR == (major) &&                                                               \
    (CCLC_VERSION_MINOR > (minor) ||                                                               \
     (CCLC_VERSION_MINOR == (minor) && CCLC_VERSION_PATCH >= (patch)))))

namespace cclc::api {

/// "1.2.3".
std::string version();

} // namespace cclc::api

#endif // CCLC_CCLC_H
