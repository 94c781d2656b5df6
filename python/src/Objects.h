//===- Objects.h - Objects of a traced program ------------------*- C++ -*-===//
//
// What Program.h and ChunkRef.h of the DSL declare, as objects of Python. All methods have the same
// form: the arguments are read, the place of the call is found, and an error of the program is
// raised there.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PYTHON_OBJECTS_H
#define CCL_PYTHON_OBJECTS_H

#include "Arguments.h"
#include "Language.h"

namespace cclc::python {

using Loc = dsl::SourceLocation;

/// The types, and the buffers of all programs, which addLanguage() makes.
struct Types {
  PyTypeObject *program, *chunkRef, *buffer, *communicator, *scope, *orbit, *hierarchy;
  PyObject *input, *output;
};
extern Types types;

struct ProgramObject {
  PyObject_HEAD dsl::Program *program; ///< null when the trace has ended
  Trace *trace;
  PyObject *buffers; ///< a list of the buffers, by number
  uint64_t number;   ///< from 1, another one for each trace
};

struct ChunkRefObject {
  PyObject_HEAD ProgramObject *owner;
  dsl::ChunkRef ref;
};

struct BufferObject {
  PyObject_HEAD dsl::Buffer buffer;
  PyObject *name;
};

struct CommunicatorObject {
  PyObject_HEAD dsl::Communicator communicator;
};

struct HierarchyObject {
  PyObject_HEAD ProgramObject *owner;
  dsl::HierarchicalCommunicator *communicator;
};

/// Of types whose objects the language makes.
inline constexpr unsigned typeFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyTypeObject *addType(py::module_ &module, PyType_Spec &spec);
PyObject *newBuffer(dsl::Buffer buffer, const char *name);
PyObject *newProgram(dsl::Program &program, Trace &trace);
PyObject *newChunkRef(ProgramObject *owner, const dsl::ChunkRef &ref);

[[noreturn]] void raiseType(const char *wanted, PyObject *got);
inline dsl::Buffer bufferOf(PyObject *value) {
  if (Py_TYPE(value) != types.buffer)
    raiseType("Input, Output or a result of scratch()", value);
  return reinterpret_cast<BufferObject *>(value)->buffer;
}
/// A reference of the same program.
inline dsl::ChunkRef &chunksOf(PyObject *value, const ProgramObject *owner) {
  if (Py_TYPE(value) != types.chunkRef)
    raiseType("a ChunkRef", value);
  auto *object = reinterpret_cast<ChunkRefObject *>(value);
  if (object->owner != owner)
    raiseUsage("the chunks belong to another program");
  return object->ref;
}
/// The arguments of dsl::Via, in the order of its members.
#define CCL_PYTHON_VIA "*", "channel", "send_tb", "recv_tb", "fuse", "priority"
inline dsl::Via viaOf(PyObject *const *values) {
  return {optionalIntOf(values[0]), optionalIntOf(values[1]), optionalIntOf(values[2]),
          !values[3] || boolOf(values[3]), values[4] ? intOf(values[4]) : 0};
}

/// Calls \p fn(program, place); the exceptions of C++ become those of Python.
template <class Fn> PyObject *guarded(ProgramObject *owner, Fn fn) {
  Loc at;
  try {
    if (!owner->program)
      raiseUsage("the program is not traced any more: its object and its chunks are valid while "
                 "its body is called");
    at = owner->trace->here();
    return fn(*owner->program, at);
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const py::cast_error &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    owner->trace->raiseAt("ProgramError", error.what(), at, owner->number);
  }
  return nullptr;
}

inline ProgramObject *ownerOf(ProgramObject *self) { return self; }
inline ProgramObject *ownerOf(ChunkRefObject *self) { return self->owner; }
inline ProgramObject *ownerOf(HierarchyObject *self) { return self->owner; }

/// The function of a method: Method::signature(), Method::help for its docstring, and
/// Method::call(self, program, place, values).
template <class Self, class Method>
PyObject *invoke(PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
  static const Signature signature = Method::signature();
  auto *self = reinterpret_cast<Self *>(object);
  PyObject *values[Signature::most] = {};
  if (!signature.read(arguments, count, names, values))
    return nullptr;
  return guarded(ownerOf(self), [&](dsl::Program &program, const Loc &at) {
    return Method::call(self, program, at, values);
  });
}
template <class Self, class Method> PyMethodDef method(const char *name) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(invoke<Self, Method>)),
          METH_FASTCALL | METH_KEYWORDS, Method::help};
}
inline PyObject *none() { return Py_NewRef(Py_None); }

/// Adds the types of scopes and hierarchies.
void addScopes(py::module_ &module);
PyObject *newAggregate(ProgramObject *owner);
PyObject *newParallel(ProgramObject *owner, int parts);
PyObject *newOrbit(ProgramObject *owner, const std::vector<dsl::Rotation> &rotations,
                   const Loc &at);

} // namespace cclc::python

#endif // CCL_PYTHON_OBJECTS_H
