//===- Module.cpp - The extension module cclc._cclc -----------------------===//
//
// The names of the module are those of the package cclc.
//
//===----------------------------------------------------------------------===//

#include "Language.h"
#include "Rows.h"

using namespace cclc;
using namespace cclc::python;

PYBIND11_MODULE(_cclc, module) {
  module.attr("__version__") = api::version();
  addMachine(module);
  addLanguage(module);
  addMessages(module);
  addPlans(module);
  addCompile(module);
  addResults(module);
  addSearch(module);
  addTargets(module);
}
