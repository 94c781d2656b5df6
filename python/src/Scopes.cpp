//===- Scopes.cpp - Scopes and building blocks of programs ----------------===//
//
// aggregate() and parallelize() are context managers, and an orbit is an iterator, whose end is
// also that of a loop which is left: the loop drops the iterator then.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "cclc/DSL/Hierarchy.h"
#include "cclc/DSL/Rings.h"

#include <pybind11/stl.h>

using namespace cclc;
using namespace cclc::python;
using dsl::Program;

namespace {

// --- Scopes -------------------------------------------------------------------------

struct ScopeObject {
  PyObject_HEAD ProgramObject *owner;
  std::optional<int> parts; ///< unset: a scope of aggregation
};

PyObject *newScope(ProgramObject *owner, std::optional<int> parts) {
  auto *object = PyObject_New(ScopeObject, types.scope);
  if (!object)
    throw std::bad_alloc();
  object->owner = reinterpret_cast<ProgramObject *>(Py_NewRef(owner));
  new (&object->parts) std::optional<int>(parts);
  return reinterpret_cast<PyObject *>(object);
}

PyObject *enterScope(PyObject *self, PyObject *) {
  auto *scope = reinterpret_cast<ScopeObject *>(self);
  return guarded(scope->owner, [&](Program &p, const Loc &at) {
    if (scope->parts)
      p.beginParallel(*scope->parts, at);
    else
      p.beginAggregate(at);
    return none();
  });
}

PyObject *exitScope(PyObject *self, PyObject *) {
  auto *scope = reinterpret_cast<ScopeObject *>(self);
  if (Program *p = scope->owner->program) {
    if (scope->parts)
      p->endParallel(*scope->parts);
    else
      p->endAggregate();
  }
  return none();
}

template <class Object> void deallocate(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  Py_DECREF(reinterpret_cast<Object *>(self)->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyMethodDef scopeMethods[] = {{"__enter__", enterScope, METH_NOARGS, nullptr},
                              {"__exit__", exitScope, METH_VARARGS, nullptr},
                              {}};
PyType_Slot scopeSlots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocate<ScopeObject>)},
                            {Py_tp_methods, scopeMethods},
                            {0, nullptr}};
PyType_Spec scopeSpec = {"cclc.Scope", sizeof(ScopeObject), 0, typeFlags, scopeSlots};

// --- Orbits -------------------------------------------------------------------------

struct OrbitObject {
  PyObject_HEAD ProgramObject *owner;
  bool isOpen;
};

void endOrbit(OrbitObject *orbit) {
  if (orbit->isOpen && orbit->owner->program)
    orbit->owner->program->endOrbit();
  orbit->isOpen = false;
}

PyObject *nextRepetition(PyObject *self) {
  auto *orbit = reinterpret_cast<OrbitObject *>(self);
  if (!orbit->isOpen || !orbit->owner->program)
    return nullptr;
  if (orbit->owner->program->nextRepetition())
    return none();
  endOrbit(orbit);
  return nullptr;
}

void deallocateOrbit(PyObject *self) {
  endOrbit(reinterpret_cast<OrbitObject *>(self));
  deallocate<OrbitObject>(self);
}

PyType_Slot orbitSlots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocateOrbit)},
                            {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
                            {Py_tp_iternext, reinterpret_cast<void *>(nextRepetition)},
                            {0, nullptr}};
PyType_Spec orbitSpec = {"cclc.Orbit", sizeof(OrbitObject), 0, typeFlags, orbitSlots};

// --- Rings --------------------------------------------------------------------------

using Ring = void (*)(Program &, const std::vector<int> &, dsl::Buffer, const std::vector<int> &,
                      dsl::Via, Loc);

template <Ring ring>
PyObject *callRing(PyObject *, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  static const Signature signature{"a ring", {"p", "ranks", "buffer", "chunks", CCL_PYTHON_VIA}, 4};
  PyObject *values[Signature::most] = {};
  if (!signature.read(arguments, count, names, values))
    return nullptr;
  if (Py_TYPE(values[0]) != types.program)
    return PyErr_Format(PyExc_TypeError, "expected the program, not %.100s",
                        Py_TYPE(values[0])->tp_name);
  return guarded(reinterpret_cast<ProgramObject *>(values[0]), [&](Program &p, const Loc &at) {
    ring(p, py::cast<std::vector<int>>(py::handle(values[1])), bufferOf(values[2]),
         py::cast<std::vector<int>>(py::handle(values[3])), viaOf(values + 4), at);
    return none();
  });
}
template <Ring ring> PyMethodDef ringFunction(const char *name, const char *help) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callRing<ring>)),
          METH_FASTCALL | METH_KEYWORDS, help};
}
PyMethodDef ringFunctions[] = {
    ringFunction<dsl::reduceScatterRing>(
        "reduce_scatter_ring", "Reduces each chunk around a ring of ranks, to one rank each."),
    ringFunction<dsl::allGatherRing>("all_gather_ring",
                                     "Forwards the chunk of each rank around a ring of ranks."),
    ringFunction<dsl::allReduceRing>(
        "all_reduce_ring", "Reduces each chunk around a ring of ranks, and forwards the sum."),
    {}};

// --- Hierarchical communicators -----------------------------------------------------

PyObject *newHierarchy(PyTypeObject *type, PyObject *arguments, PyObject *names) {
  static const char *parameters[] = {"p", "arity", "flat_fallback", "padded", "leaders", nullptr};
  PyObject *owner = nullptr;
  dsl::HierarchyOptions options;
  int padded = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "O!|$iipi", const_cast<char **>(parameters),
                                   types.program, &owner, &options.arity, &options.flatFallback,
                                   &padded, &options.leaders))
    return nullptr;
  options.layout = padded ? dsl::BlockLayout::Padded : dsl::BlockLayout::Ragged;
  auto *program = reinterpret_cast<ProgramObject *>(owner);
  return guarded(program, [&](Program &p, const Loc &at) -> PyObject * {
    auto made = std::make_unique<dsl::HierarchicalCommunicator>(p, options, at);
    auto *object = PyObject_New(HierarchyObject, type);
    if (!object)
      throw std::bad_alloc();
    object->owner = reinterpret_cast<ProgramObject *>(Py_NewRef(owner));
    object->communicator = made.release();
    return reinterpret_cast<PyObject *>(object);
  });
}

void deallocateHierarchy(PyObject *self) {
  delete reinterpret_cast<HierarchyObject *>(self)->communicator;
  deallocate<HierarchyObject>(self);
}

/// (buffer, index, count)
dsl::HierarchicalCommunicator::Region regionOf(PyObject *value) {
  if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != 3)
    raiseType("a tuple (buffer, index, count)", value);
  return {bufferOf(PyTuple_GET_ITEM(value, 0)), intOf(PyTuple_GET_ITEM(value, 1)),
          intOf(PyTuple_GET_ITEM(value, 2))};
}

using Collective = void (dsl::HierarchicalCommunicator::*)(int,
                                                           dsl::HierarchicalCommunicator::Region,
                                                           dsl::HierarchicalCommunicator::Region,
                                                           Loc);
template <Collective collective> struct OfHierarchy {
  static constexpr char help[] = "Calls the collective; regions are (buffer, index, count).";
  static Signature signature() { return {"a collective", {"generation", "source", "to"}, 3}; }
  static PyObject *call(HierarchyObject *self, Program &, const Loc &at, PyObject **values) {
    (self->communicator->*collective)(intOf(values[0]), regionOf(values[1]), regionOf(values[2]),
                                      at);
    return none();
  }
};

PyObject *isFlat(PyObject *self, void *) {
  return PyBool_FromLong(reinterpret_cast<HierarchyObject *>(self)->communicator->isFlat());
}

using dsl::HierarchicalCommunicator;
PyMethodDef hierarchyMethods[] = {
    method<HierarchyObject, OfHierarchy<&HierarchicalCommunicator::allGather>>("all_gather"),
    method<HierarchyObject, OfHierarchy<&HierarchicalCommunicator::allReduce>>("all_reduce"),
    method<HierarchyObject, OfHierarchy<&HierarchicalCommunicator::allToAll>>("all_to_all"),
    {}};
PyGetSetDef hierarchyMembers[] = {{"is_flat", isFlat, nullptr, nullptr, nullptr}, {}};
PyType_Slot hierarchySlots[] = {{Py_tp_new, reinterpret_cast<void *>(newHierarchy)},
                                {Py_tp_dealloc, reinterpret_cast<void *>(deallocateHierarchy)},
                                {Py_tp_methods, hierarchyMethods},
                                {Py_tp_getset, hierarchyMembers},
                                {0, nullptr}};
PyType_Spec hierarchySpec = {"cclc.HierarchicalCommunicator", sizeof(HierarchyObject), 0,
                             Py_TPFLAGS_DEFAULT, hierarchySlots};
} // namespace

PyObject *python::newAggregate(ProgramObject *owner) { return newScope(owner, {}); }

PyObject *python::newParallel(ProgramObject *owner, int parts) { return newScope(owner, parts); }

PyObject *python::newOrbit(ProgramObject *owner, const std::vector<dsl::Rotation> &rotations,
                           const Loc &at) {
  owner->program->beginOrbit(rotations, at);
  auto *object = PyObject_New(OrbitObject, types.orbit);
  if (!object)
    throw std::bad_alloc();
  object->owner = reinterpret_cast<ProgramObject *>(Py_NewRef(owner));
  object->isOpen = true;
  return reinterpret_cast<PyObject *>(object);
}

void python::addScopes(py::module_ &module) {
  types.scope = addType(module, scopeSpec);
  types.orbit = addType(module, orbitSpec);
  types.hierarchy = addType(module, hierarchySpec);
  if (PyModule_AddFunctions(module.ptr(), ringFunctions) < 0)
    throw py::error_already_set();
}
