//===- Objects.cpp - Chunks, buffers and the program ----------------------===//
//
// A program makes and drops a reference for nearly every operation, so that a few are kept for
// reuse.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <pybind11/stl.h>

using namespace cclc;
using namespace cclc::python;
using dsl::ChunkRef;
using dsl::Program;

Types python::types;

void python::raiseType(const char *wanted, PyObject *got) {
  PyErr_Format(PyExc_TypeError, "expected %s, not %.100s", wanted, Py_TYPE(got)->tp_name);
  throw py::error_already_set();
}

template <class Object> static Object *newObject(PyTypeObject *type) {
  auto *object = PyObject_New(Object, type);
  if (!object)
    throw std::bad_alloc();
  return object;
}

template <class Object> static void freeObject(Object *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_Free(object);
  Py_DECREF(type);
}

// --- References ---------------------------------------------------------------------

namespace {
/// Dropped references, whose memory is used again.
constexpr size_t mostDropped = 32;
ChunkRefObject *dropped[mostDropped];
size_t numDropped = 0;

void deallocateChunkRef(PyObject *self) {
  auto *object = reinterpret_cast<ChunkRefObject *>(self);
  Py_DECREF(object->owner);
  if (numDropped == mostDropped)
    return freeObject(object);
  dropped[numDropped++] = object;
}
} // namespace

PyObject *python::newChunkRef(ProgramObject *owner, const ChunkRef &ref) {
  ChunkRefObject *object;
  if (numDropped) {
    object = dropped[--numDropped];
    _Py_NewReference(reinterpret_cast<PyObject *>(object));
  } else {
    object = newObject<ChunkRefObject>(types.chunkRef);
  }
  object->owner = owner;
  Py_INCREF(owner);
  new (&object->ref) ChunkRef(ref);
  return reinterpret_cast<PyObject *>(object);
}

namespace {
struct Copy {
  static constexpr char help[] =
      "copy($self, rank, buffer=None, index=None, *, channel=None, send_tb=None, recv_tb=None, "
      "fuse=True, priority=0)\n--\n\n"
      "Copies the chunks to a rank, by default to the same cells. Returns the copies.";
  static Signature signature() { return {"copy", {"rank", "buffer", "index", CCL_PYTHON_VIA}, 1}; }
  static PyObject *call(ChunkRefObject *self, Program &, const Loc &at, PyObject **values) {
    const int rank = intOf(values[0]);
    const dsl::Via via = viaOf(values + 3);
    const bool named = values[1] && values[1] != Py_None;
    const std::optional<int> index = optionalIntOf(values[2]);
    if (index && !named) {
      PyErr_SetString(PyExc_TypeError, "copy() needs 'buffer' with 'index'");
      throw py::error_already_set();
    }
    const ChunkRef &from = self->ref;
    return newChunkRef(self->owner, !named  ? from.copy(rank, via, at)
                                    : index ? from.copy(rank, bufferOf(values[1]), *index, via, at)
                                            : from.copy(rank, bufferOf(values[1]), via, at));
  }
};

struct Reduce {
  static constexpr char help[] =
      "reduce($self, other, *, channel=None, send_tb=None, recv_tb=None, fuse=True, "
      "priority=0)\n--\n\n"
      "Adds other chunks to these, on the rank of these. Returns the sums.";
  static Signature signature() { return {"reduce", {"other", CCL_PYTHON_VIA}, 1}; }
  static PyObject *call(ChunkRefObject *self, Program &, const Loc &at, PyObject **values) {
    self->ref.reduce(chunksOf(values[0], self->owner), viaOf(values + 1), at);
    return Py_NewRef(self);
  }
};

struct Split {
  static constexpr char help[] = "split($self, parts)\n--\n\n"
                                 "Divides the chunks into equal parts.";
  static Signature signature() { return {"split", {"parts"}, 1}; }
  static PyObject *call(ChunkRefObject *self, Program &, const Loc &at, PyObject **values) {
    py::list parts;
    for (const ChunkRef &part : self->ref.split(intOf(values[0]), at))
      parts.append(py::reinterpret_steal<py::object>(newChunkRef(self->owner, part)));
    return parts.release().ptr();
  }
};

struct Group {
  static constexpr char help[] = "group($self, other)\n--\n\n"
                                 "Joins adjacent chunks of one buffer.";
  static Signature signature() { return {"group", {"other"}, 1}; }
  static PyObject *call(ChunkRefObject *self, Program &, const Loc &at, PyObject **values) {
    return newChunkRef(self->owner, self->ref.group(chunksOf(values[0], self->owner), at));
  }
};

PyObject *bufferOfChunks(PyObject *self, void *) {
  auto *object = reinterpret_cast<ChunkRefObject *>(self);
  PyObject *buffer = PyList_GetItem(object->owner->buffers, object->ref.buffer().raw);
  return buffer ? Py_NewRef(buffer) : nullptr;
}
template <int (ChunkRef::*member)() const> PyObject *numberOf(PyObject *self, void *) {
  return PyLong_FromLong((reinterpret_cast<ChunkRefObject *>(self)->ref.*member)());
}

PyObject *reprOfChunks(PyObject *self) {
  const ChunkRef &ref = reinterpret_cast<ChunkRefObject *>(self)->ref;
  py::object buffer = py::reinterpret_steal<py::object>(bufferOfChunks(self, nullptr));
  return buffer ? PyUnicode_FromFormat("<chunks %d to %d of %S of rank %d>", ref.index(),
                                       ref.index() + ref.count() - 1, buffer.ptr(), ref.rank())
                : nullptr;
}

PyMethodDef chunkRefMethods[] = {method<ChunkRefObject, Copy>("copy"),
                                 method<ChunkRefObject, Reduce>("reduce"),
                                 method<ChunkRefObject, Split>("split"),
                                 method<ChunkRefObject, Group>("group"),
                                 {}};
PyGetSetDef chunkRefMembers[] = {{"rank", numberOf<&ChunkRef::rank>, nullptr, nullptr, nullptr},
                                 {"buffer", bufferOfChunks, nullptr, nullptr, nullptr},
                                 {"index", numberOf<&ChunkRef::index>, nullptr, nullptr, nullptr},
                                 {"count", numberOf<&ChunkRef::count>, nullptr, nullptr, nullptr},
                                 {}};
PyType_Slot chunkRefSlots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocateChunkRef)},
                               {Py_tp_repr, reinterpret_cast<void *>(reprOfChunks)},
                               {Py_tp_methods, chunkRefMethods},
                               {Py_tp_getset, chunkRefMembers},
                               {0, nullptr}};
PyType_Spec chunkRefSpec = {"cclc.ChunkRef", sizeof(ChunkRefObject), 0, typeFlags, chunkRefSlots};
} // namespace

// --- Buffers ------------------------------------------------------------------------

PyObject *python::newBuffer(dsl::Buffer buffer, const char *name) {
  auto *object = newObject<BufferObject>(types.buffer);
  object->buffer = buffer;
  object->name = PyUnicode_FromString(name);
  return reinterpret_cast<PyObject *>(object);
}

static void deallocateBuffer(PyObject *self) {
  auto *object = reinterpret_cast<BufferObject *>(self);
  Py_XDECREF(object->name);
  freeObject(object);
}
static PyObject *reprOfBuffer(PyObject *self) {
  return Py_XNewRef(reinterpret_cast<BufferObject *>(self)->name);
}
static void deallocateCommunicator(PyObject *self) {
  freeObject(reinterpret_cast<CommunicatorObject *>(self));
}

static PyType_Slot bufferSlots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocateBuffer)},
                                    {Py_tp_repr, reinterpret_cast<void *>(reprOfBuffer)},
                                    {0, nullptr}};
static PyType_Spec bufferSpec = {"cclc.Buffer", sizeof(BufferObject), 0, typeFlags, bufferSlots};
static PyType_Slot communicatorSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateCommunicator)}, {0, nullptr}};
static PyType_Spec communicatorSpec = {"cclc.Communicator", sizeof(CommunicatorObject), 0,
                                       typeFlags, communicatorSlots};

// --- The program --------------------------------------------------------------------

PyObject *python::newProgram(Program &program, Trace &trace) {
  auto *object = newObject<ProgramObject>(types.program);
  object->program = &program;
  object->trace = &trace;
  static uint64_t traces = 0;
  object->number = ++traces;
  py::list buffers;
  buffers.append(py::handle(types.input));
  buffers.append(py::handle(types.output));
  object->buffers = buffers.release().ptr();
  return reinterpret_cast<PyObject *>(object);
}

static void deallocateProgram(PyObject *self) {
  auto *object = reinterpret_cast<ProgramObject *>(self);
  Py_DECREF(object->buffers);
  freeObject(object);
}

namespace {
struct Chunk {
  static constexpr char help[] = "chunk($self, rank, buffer, index, count=1)\n--\n\n"
                                 "The current chunks index, ..., index + count - 1 of a buffer.";
  static Signature signature() { return {"chunk", {"rank", "buffer", "index", "count"}, 3}; }
  static PyObject *call(ProgramObject *self, Program &p, const Loc &at, PyObject **values) {
    return newChunkRef(self, p.chunk(intOf(values[0]), bufferOf(values[1]), intOf(values[2]),
                                     values[3] ? intOf(values[3]) : 1, at));
  }
};

struct Chunks {
  static constexpr char help[] =
      "chunks($self, per_buffer)\n--\n\n"
      "Sets the number of chunks of the collective, which is 1 otherwise.";
  static Signature signature() { return {"chunks", {"per_buffer"}, 1}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    return p.chunks(intOf(values[0]), at), none();
  }
};

struct Root {
  static constexpr char help[] =
      "root($self, rank)\n--\n\n"
      "Sets the root of broadcast, reduce, gather and scatter, which is 0 otherwise.";
  static Signature signature() { return {"root", {"rank"}, 1}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    return p.root(intOf(values[0]), at), none();
  }
};

struct Custom {
  static constexpr char help[] =
      "custom($self, inputs, outputs)\n--\n\n"
      "Sets the chunks of the buffers of a rank, for a custom collective.";
  static Signature signature() { return {"custom", {"inputs", "outputs"}, 2}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    return p.custom(intOf(values[0]), intOf(values[1]), at), none();
  }
};

struct Expect {
  static constexpr char help[] =
      "expect($self, rank, index, contributions)\n--\n\n"
      "The post-condition of an output chunk of a custom collective: a list of (rank, index).";
  static Signature signature() { return {"expect", {"rank", "index", "contributions"}, 3}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    p.expect(intOf(values[0]), intOf(values[1]),
             py::cast<std::vector<std::pair<int, int>>>(py::handle(values[2])), at);
    return none();
  }
};

struct Scratch {
  static constexpr char help[] = "scratch($self, name)\n--\n\n"
                                 "The scratch buffer of a name.";
  static Signature signature() { return {"scratch", {"name"}, 1}; }
  static PyObject *call(ProgramObject *self, Program &p, const Loc &at, PyObject **values) {
    const std::string name = textOf(values[0]);
    const dsl::Buffer buffer = p.scratch(name.c_str(), at);
    if (buffer.raw == PyList_GET_SIZE(self->buffers)) {
      py::object made = py::reinterpret_steal<py::object>(newBuffer(buffer, name.c_str()));
      if (PyList_Append(self->buffers, made.ptr()) < 0)
        throw py::error_already_set();
    }
    return Py_NewRef(PyList_GET_ITEM(self->buffers, buffer.raw));
  }
};

struct Phase {
  static constexpr char help[] = "phase($self, name)\n--\n\n"
                                 "Labels the following operations in plans and graphs.";
  static Signature signature() { return {"phase", {"name"}, 1}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    return p.phase(textOf(values[0]).c_str(), at), none();
  }
};

struct Multicast {
  static constexpr char help[] = "multicast($self, group, chunks, buffer, index)\n--\n\n"
                                 "Copies chunks to all ranks of a group by the switch.";
  static Signature signature() { return {"multicast", {"group", "chunks", "buffer", "index"}, 4}; }
  static PyObject *call(ProgramObject *self, Program &p, const Loc &at, PyObject **values) {
    p.multicast(py::cast<std::vector<int>>(py::handle(values[0])), chunksOf(values[1], self),
                bufferOf(values[2]), intOf(values[3]), at);
    return none();
  }
};

struct ReduceFrom {
  static constexpr char help[] =
      "reduce_from($self, group, into, buffer, index)\n--\n\n"
      "Adds chunks of the other ranks of a group to those of one, by the switch. Returns the sums.";
  static Signature signature() { return {"reduce_from", {"group", "into", "buffer", "index"}, 4}; }
  static PyObject *call(ProgramObject *self, Program &p, const Loc &at, PyObject **values) {
    return newChunkRef(self, p.reduceFrom(py::cast<std::vector<int>>(py::handle(values[0])),
                                          chunksOf(values[1], self), bufferOf(values[2]),
                                          intOf(values[3]), at));
  }
};

struct Aggregate {
  static constexpr char help[] =
      "aggregate($self)\n--\n\n"
      "A scope, with `with`, whose adjacent operations between the same ranks are joined.";
  static Signature signature() { return {"aggregate", {}, 0}; }
  static PyObject *call(ProgramObject *self, Program &, const Loc &, PyObject **) {
    return newAggregate(self);
  }
};

struct Parallelize {
  static constexpr char help[] =
      "parallelize($self, parts)\n--\n\n"
      "A scope, with `with`, whose operations run in copies, each on a share of every chunk.";
  static Signature signature() { return {"parallelize", {"parts"}, 1}; }
  static PyObject *call(ProgramObject *self, Program &, const Loc &, PyObject **values) {
    return newParallel(self, intOf(values[0]));
  }
};

struct Orbit {
  static constexpr char help[] =
      "orbit($self, rotations)\n--\n\n"
      "A loop, with `for`, whose body is repeated for renumbered ranks and chunks.";
  static Signature signature() { return {"orbit", {"rotations"}, 1}; }
  static PyObject *call(ProgramObject *self, Program &, const Loc &at, PyObject **values) {
    return newOrbit(self, py::cast<std::vector<dsl::Rotation>>(py::handle(values[0])), at);
  }
};

struct Repetition {
  static constexpr char help[] = "repetition($self)\n--\n\n"
                                 "The number of the repetition of the body of an orbit.";
  static Signature signature() { return {"repetition", {}, 0}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **) {
    return PyLong_FromLong(p.repetition(at));
  }
};

struct Neighbour {
  static constexpr char help[] =
      "neighbour($self, rank, direction, peer)\n--\n\n"
      "Names peer as the neighbour of rank in a direction, and vice versa.";
  static Signature signature() { return {"neighbour", {"rank", "direction", "peer"}, 3}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    const std::string name = textOf(values[1]);
    const std::optional<Direction> direction = parseDirection(name);
    if (!direction)
      raiseUsage("unknown direction '" + name + "': it is N, E, intra_N, global_W, parent, ...");
    return p.neighbour(intOf(values[0]), *direction, intOf(values[2]), at), none();
  }
};

struct MakeCommunicator {
  static constexpr char help[] = "communicator($self, name, groups)\n--\n\n"
                                 "Groups of ranks that collectives enter.";
  static Signature signature() { return {"communicator", {"name", "groups"}, 2}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    const dsl::Communicator made =
        p.communicator(textOf(values[0]).c_str(),
                       py::cast<std::vector<std::vector<int>>>(py::handle(values[1])), at);
    auto *object = newObject<CommunicatorObject>(types.communicator);
    object->communicator = made;
    return reinterpret_cast<PyObject *>(object);
  }
};

struct CallCollective {
  static constexpr char help[] = "call($self, collective, generation)\n--\n\n"
                                 "Begins the next of several collectives.";
  static Signature signature() { return {"call", {"collective", "generation"}, 2}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    return p.call(textOf(values[0]).c_str(), intOf(values[1]), at), none();
  }
};

struct Enter {
  static constexpr char help[] = "enter($self, where, stage, name)\n--\n\n"
                                 "Begins a phase of the last call on all groups of a communicator, "
                                 "in its generation 1, 2 or 3.";
  static Signature signature() { return {"enter", {"where", "stage", "name"}, 3}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    if (Py_TYPE(values[0]) != types.communicator)
      raiseType("a Communicator", values[0]);
    p.enter(reinterpret_cast<CommunicatorObject *>(values[0])->communicator, intOf(values[1]),
            textOf(values[2]).c_str(), at);
    return none();
  }
};

struct GenerationStride {
  static constexpr char help[] =
      "generation_stride($self, stride)\n--\n\n"
      "Sets the number of generations that a call of two phases reserves.";
  static Signature signature() { return {"generation_stride", {"stride"}, 1}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    return p.generationStride(intOf(values[0]), at), none();
  }
};

struct Fail {
  static constexpr char help[] =
      "fail($self, why)\n--\n\n"
      "Ends the program because the request is contradictory: a ProgramError.";
  static Signature signature() { return {"fail", {"why"}, 1}; }
  static PyObject *call(ProgramObject *, Program &p, const Loc &at, PyObject **values) {
    p.fail(textOf(values[0]), at);
  }
};

struct Refuse {
  static constexpr char help[] =
      "refuse($self, why)\n--\n\n"
      "Ends the program because it does not support the request: a UsageError.";
  static Signature signature() { return {"refuse", {"why"}, 1}; }
  static PyObject *call(ProgramObject *self, Program &p, const Loc &at, PyObject **values) {
    const std::string why = textOf(values[0]);
    try {
      p.refuse(why, at);
    } catch (const std::exception &error) {
      self->trace->raiseAt("UsageError", error.what(), at, self->number);
      return nullptr;
    }
  }
};

template <auto get> PyObject *property(PyObject *self, void *) {
  auto *object = reinterpret_cast<ProgramObject *>(self);
  return guarded(object, [](Program &program, const Loc &) { return get(program); });
}
PyObject *ranks(Program &p) { return PyLong_FromLong(p.ranks()); }
PyObject *mayBeInPlace(Program &p) { return PyBool_FromLong(p.mayBeInPlace()); }
PyObject *geometry(Program &p) { return py::cast(p.geometry().levels).release().ptr(); }

PyMethodDef programMethods[] = {method<ProgramObject, Chunk>("chunk"),
                                method<ProgramObject, Chunks>("chunks"),
                                method<ProgramObject, Root>("root"),
                                method<ProgramObject, Custom>("custom"),
                                method<ProgramObject, Expect>("expect"),
                                method<ProgramObject, Scratch>("scratch"),
                                method<ProgramObject, Phase>("phase"),
                                method<ProgramObject, Multicast>("multicast"),
                                method<ProgramObject, ReduceFrom>("reduce_from"),
                                method<ProgramObject, Aggregate>("aggregate"),
                                method<ProgramObject, Parallelize>("parallelize"),
                                method<ProgramObject, Orbit>("orbit"),
                                method<ProgramObject, Repetition>("repetition"),
                                method<ProgramObject, Neighbour>("neighbour"),
                                method<ProgramObject, MakeCommunicator>("communicator"),
                                method<ProgramObject, CallCollective>("call"),
                                method<ProgramObject, Enter>("enter"),
                                method<ProgramObject, GenerationStride>("generation_stride"),
                                method<ProgramObject, Fail>("fail"),
                                method<ProgramObject, Refuse>("refuse"),
                                {}};
PyGetSetDef programMembers[] = {
    {"ranks", property<ranks>, nullptr, nullptr, nullptr},
    {"may_be_in_place", property<mayBeInPlace>, nullptr, nullptr, nullptr},
    {"geometry", property<geometry>, nullptr, nullptr, nullptr},
    {}};
PyType_Slot programSlots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocateProgram)},
                              {Py_tp_methods, programMethods},
                              {Py_tp_getset, programMembers},
                              {0, nullptr}};
PyType_Spec programSpec = {"cclc.Program", sizeof(ProgramObject), 0, typeFlags, programSlots};
} // namespace

PyTypeObject *python::addType(py::module_ &module, PyType_Spec &spec) {
  PyObject *type = PyType_FromSpec(&spec);
  if (!type)
    throw py::error_already_set();
  module.attr(strrchr(spec.name, '.') + 1) = py::handle(type);
  return reinterpret_cast<PyTypeObject *>(type);
}

void python::addLanguage(py::module_ &module) {
  types.program = addType(module, programSpec);
  types.chunkRef = addType(module, chunkRefSpec);
  types.buffer = addType(module, bufferSpec);
  types.communicator = addType(module, communicatorSpec);
  module.attr("Input") = py::handle(types.input = newBuffer(dsl::Input, "Input"));
  module.attr("Output") = py::handle(types.output = newBuffer(dsl::Output, "Output"));
  addScopes(module);
}
