//===- CompileOptions.h - Keywords of compilations --------------*- C++ -*-===//

#ifndef CCL_PYTHON_COMPILEOPTIONS_H
#define CCL_PYTHON_COMPILEOPTIONS_H

#include "Options.h"

namespace cclc::python {

/// Takes all keywords of a compilation; the rest are parameters of the program. Returns who follows
/// its progress.
py::object takeCompilation(Keywords &given, api::CompileOptions &options);
/// A line for each keyword, for docstrings.
std::string compilationHelp();

} // namespace cclc::python

#endif // CCL_PYTHON_COMPILEOPTIONS_H
