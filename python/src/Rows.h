//===- Rows.h - Rows of results as objects of Python ------------*- C++ -*-===//

#ifndef CCL_PYTHON_ROWS_H
#define CCL_PYTHON_ROWS_H

#include "Call.h"

#include <pybind11/stl.h>

namespace cclc::python {

/// A type of rows, whose fields are attributes and columns of tables.
template <class Row> class RowType {
public:
  RowType(py::module_ &module, const char *name) : type(module, name) {}
  ~RowType() {
    type.attr("fields") = py::tuple(names);
    type.def("__repr__", [](py::object self) {
      std::string text = py::cast<std::string>(py::type::of(self).attr("__name__")) + "(";
      const char *mark = "";
      for (py::handle name : self.attr("fields")) {
        text += mark + py::cast<std::string>(name) + "=";
        text += py::cast<std::string>(py::repr(self.attr(name)));
        mark = ", ";
      }
      return text + ")";
    });
    type.def("__eq__", [](py::object self, py::object other) -> py::object {
      if (!py::type::of(self).is(py::type::of(other)))
        return py::reinterpret_borrow<py::object>(Py_NotImplemented);
      for (py::handle name : self.attr("fields"))
        if (!self.attr(name).equal(other.attr(name)))
          return py::bool_(false);
      return py::bool_(true);
    });
  }
  template <class Member> RowType &field(const char *name, Member member) {
    names.append(name);
    if constexpr (std::is_member_object_pointer_v<Member>)
      type.def_readonly(name, member);
    else
      type.def_property_readonly(name, member);
    return *this;
  }
  py::class_<Row> type;

private:
  py::list names;
};

/// The columns of rows: a dict of lists, such as pandas.DataFrame takes.
template <class Row> py::dict columnsOf(const std::vector<Row> &rows) {
  py::dict columns;
  const py::object names = py::type::of<Row>().attr("fields");
  for (py::handle name : names) {
    py::list column;
    for (const Row &row : rows)
      column.append(py::cast(&row, py::return_value_policy::reference).attr(name));
    columns[name] = column;
  }
  return columns;
}

/// Gives \p type, whose member \p rows has its rows, the methods of a sequence.
template <class Table, class Row>
void addSequence(py::class_<Table> &type, std::vector<Row> Table::*rows) {
  type.def("__len__", [rows](const Table &self) { return (self.*rows).size(); });
  type.def("__iter__", [](py::handle self) {
    return py::reinterpret_steal<py::object>(PySeqIter_New(self.ptr()));
  });
  type.def("__getitem__", [rows](const Table &self, py::ssize_t index) {
    const auto size = py::ssize_t((self.*rows).size());
    if (index < -size || index >= size)
      throw py::index_error("there are " + std::to_string(size) + " rows");
    return (self.*rows)[size_t(index < 0 ? index + size : index)];
  });
}

/// The same, and columns().
template <class Table, class Row>
void addRows(py::class_<Table> &type, std::vector<Row> Table::*rows) {
  addSequence(type, rows);
  type.def(
      "columns", [rows](const Table &self) { return columnsOf(self.*rows); },
      "The fields of all rows: a dict of lists, such as pandas.DataFrame takes.");
}

/// What the tool prints and writes.
template <class Table> void addReport(py::class_<Table> &type) {
  type.def_property_readonly("text", [](const Table &self) { return self.report.text(); });
  type.def_property_readonly("json", [](const Table &self) { return self.report.json(); });
}

/// "error", "warning" or "note".
const char *severityName(api::Severity severity);

// The parts of the module:
void addCompile(py::module_ &module);
void addMachine(py::module_ &module);
void addMessages(py::module_ &module);
void addPlans(py::module_ &module);
void addResults(py::module_ &module);
void addSearch(py::module_ &module);
void addTargets(py::module_ &module);

} // namespace cclc::python

#endif // CCL_PYTHON_ROWS_H
