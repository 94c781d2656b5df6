//===- Tool.cpp - Programs in Python for the tools ------------------------===//
//
// The tools load this module, in which an interpreter runs (UserPrograms/PythonModule.h). It has
// the language alone, and finds its functions in the tool. The interpreter is that of the
// distribution and leaves signals and the end of the process to the tool, which guards the code of
// programs.
//
//===----------------------------------------------------------------------===//

#include "Language.h"
#include "Rows.h"

#include "cclc/UserPrograms/PythonModule.h"

#include <pybind11/embed.h>

#include <dlfcn.h>
#include <filesystem>

using namespace cclc;
using namespace cclc::python;

PYBIND11_EMBEDDED_MODULE(_cclc, module) {
  module.attr("__version__") = std::to_string(CCLC_VERSION_MAJOR) + "." +
                               std::to_string(CCLC_VERSION_MINOR) + "." +
                               std::to_string(CCLC_VERSION_PATCH);
  addMachine(module);
  addLanguage(module);
  addMessages(module);
  for (const char *name : {"bound", "compile", "diff", "load", "read", "tune"}) {
    auto refuse = [text = std::string("cclc.") + name](const py::args &, const py::kwargs &) {
      raiseUsage(text + "() is for scripts, and a tool executes this file: call it below if "
                        "__name__ == \"__main__\"");
    };
    module.def(name, refuse);
  }
}

/// Starts the interpreter. Returns the error; empty if it runs.
static std::string startInterpreter() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.parse_argv = 0;
  config.buffered_stdio = 0; // standard output belongs to the tool before and after the program
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, CCLC_PYTHON_EXECUTABLE);
  if (!PyStatus_Exception(status))
    status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status))
    return status.err_msg ? status.err_msg : "the interpreter does not start";
  Dl_info here;
  dladdr(reinterpret_cast<void *>(&startInterpreter), &here);
  const std::filesystem::path lib =
      std::filesystem::path(here.dli_fname).parent_path().parent_path();
  py::module_ sys = py::module_::import("sys");
  sys.attr("path").attr("append")((lib / "python3/dist-packages").string());
  sys.attr("modules")["cclc._cclc"] = py::module_::import("_cclc");
  PyEval_SaveThread(); // each call takes the GIL
  return "";
}

static void loadProgram(const char *file, PythonProgram &result) {
  py::module_ tool = py::module_::import("cclc._tool");
  try {
    const py::object found = tool.attr("load")(file);
    // Until the process ends, as the declaration.
    auto *trace = new Trace(found.attr("algorithm"), py::none());
    result.files = py::cast<std::vector<std::string>>(found.attr("files"));
    result.declaration = trace->declare();
  } catch (py::error_already_set &error) {
    const py::object fault = tool.attr("fault")(error.value(), file);
    std::tie(result.file, result.line, result.error) =
        py::cast<std::tuple<std::string, unsigned, std::string>>(fault);
  }
}

extern "C" __attribute__((visibility("default"))) const unsigned cclc_program_abi = dsl::abiVersion;

extern "C" __attribute__((visibility("default"))) void cclc_python_load(const char *file,
                                                                        PythonProgram &result) {
  static const std::string fault = startInterpreter();
  result.file = file;
  result.error = fault;
  if (!fault.empty())
    return;
  py::gil_scoped_acquire acquire;
  loadProgram(file, result);
}
