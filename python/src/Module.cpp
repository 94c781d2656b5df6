//===- Module.cpp - The extension module cclc._cclc -----------------------===//
//
// The names of the module are those of the package cclc.
//
//===----------------------------------------------------------------------===//

#include "Language.h"
#include "Rows.h"

using namespace cclc;
using namespace cclc::python;
using namespace py::literals;

static void addMachine(py::module_ &module) {
  py::class_<dsl::Rotation>(module, "Rotation")
      .def(py::init([](int ranks, int stride, int chunks) {
             return dsl::Rotation{ranks, stride, chunks};
           }),
           "ranks"_a, "stride"_a = 1, "chunks"_a = 0)
      .def_readonly("ranks", &dsl::Rotation::ranks)
      .def_readonly("stride", &dsl::Rotation::stride)
      .def_readonly("chunks", &dsl::Rotation::chunks);
  RowType<GridLevel>(module, "GridLevel")
      .field("name", &GridLevel::name)
      .field("kind", [](const GridLevel &self) { return std::string(gridKindName(self.kind)); })
      .field("width", &GridLevel::width)
      .field("height", &GridLevel::height);
}

PYBIND11_MODULE(_cclc, module) {
  module.attr("__version__") = api::version();
  addMachine(module);
  addLanguage(module);
  addMessages(module);
  addPlans(module);
  addResults(module);
  addSearch(module);
}
