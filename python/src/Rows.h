//===- Rows.h - Rows of results as objects of Python ------------*- C++ -*-===//

#ifndef CCL_PYTHON_ROWS_H
#define CCL_PYTHON_ROWS_H

#include "Call.h"

#include <pybind11/stl.h>

namespace cclc::python {

/// A type of rows, whose fields are attributes and columns of tables; cclc._rows has the rest.
template <class Row> class RowType {
public:
  RowType(py::module_ &module, const char *name) : type(module, name) {}
  ~RowType() { type.attr("fields") = py::tuple(names); }
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

/// Makes \p type, whose member \p rows has its rows, a sequence of collections.abc.
template <class Table, class Row>
void addSequence(py::class_<Table> &type, std::vector<Row> Table::*rows) {
  type.def("__len__", [rows](const Table &self) { return (self.*rows).size(); });
  type.def("__getitem__", [rows](const Table &self, py::ssize_t index) {
    const auto size = py::ssize_t((self.*rows).size());
    if (index < -size || index >= size)
      throw py::index_error("there are " + std::to_string(size) + " rows");
    return (self.*rows)[size_t(index < 0 ? index + size : index)];
  });
  type.def("__getitem__", [rows](const Table &self, const py::slice &slice) {
    py::ssize_t start, stop, step, count;
    if (!slice.compute(py::ssize_t((self.*rows).size()), &start, &stop, &step, &count))
      throw py::error_already_set();
    std::vector<Row> some;
    for (; count > 0; --count, start += step)
      some.push_back((self.*rows)[size_t(start)]);
    return some;
  });
  const py::object sequence = py::module_::import("collections.abc").attr("Sequence");
  for (const char *name : {"__contains__", "__iter__", "__reversed__", "count", "index"})
    type.attr(name) = sequence.attr(name);
  sequence.attr("register")(type);
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
