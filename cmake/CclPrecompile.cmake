# Precompiled headers of unity builds, which GCC reads in a tenth of the time that it needs for the text.
# One is compiled with the options of hot libraries, one with those of all other code. Builds without unity have none, so that they
# find includes that a source lacks.

# ccl_precompile(<name> HEADERS <file>... [OPTIONS <option>...] [LIBS <target>...]): the header ccl<name>Headers, compiled
# with the options of the targets LIBS, behind those of all code.
function(ccl_precompile name)
  cmake_parse_arguments(arg "" "" "HEADERS;OPTIONS;LIBS" ${ARGN})
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// A library has a source.\n")
  add_library(ccl${name}Headers OBJECT ${source})
  target_include_directories(ccl${name}Headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(ccl${name}Headers SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(ccl${name}Headers PRIVATE cclCompileOptions ${arg_LIBS})
  target_compile_options(ccl${name}Headers PRIVATE ${arg_OPTIONS})
  target_precompile_headers(ccl${name}Headers PRIVATE ${arg_HEADERS})
  # ccache takes the last precompiled header for an input, and does not see which header files have changed.
  set_target_properties(ccl${name}Headers PROPERTIES CXX_COMPILER_LAUNCHER "")
endfunction()

# ccl_use_precompiled(<target> <name>): the target's sources begin with the header ccl<name>Headers.
function(ccl_use_precompiled target name)
  if(CMAKE_UNITY_BUILD)
    target_precompile_headers(${target} REUSE_FROM ccl${name}Headers)
  endif()
endfunction()

set(CCLC_COMMON_HEADERS <algorithm> <array> <cstdint> <deque> <functional> <map> <memory> <optional> <set> <string> <tuple>
  <unordered_map> <utility> <vector>
  llvm/ADT/DenseMap.h llvm/ADT/STLExtras.h llvm/ADT/SmallVector.h llvm/ADT/StringExtras.h llvm/ADT/StringSwitch.h
  llvm/Support/FormatVariadic.h llvm/Support/MathExtras.h llvm/Support/raw_ostream.h)
list(TRANSFORM CCLC_COMMON_HEADERS REPLACE "^llvm/(.*)" "<llvm/\\1>")
foreach(header Support/Text Support/Diagnostics Support/Units Support/MemoryBudget Support/Printable
    IR/ChunkProgram IR/Connections IR/ExecPlan IR/InstrProgram IR/StepNames IR/Verifier)
  list(APPEND CCLC_COMMON_HEADERS <cclc/${header}.h>)
endforeach()
ccl_precompile(Hot HEADERS ${CCLC_COMMON_HEADERS} OPTIONS ${CCLC_HOT_OPTIONS})
ccl_precompile(Cold HEADERS ${CCLC_COMMON_HEADERS} <nlohmann/json.hpp>)
ccl_precompile(Programs HEADERS <cclc/DSL/DSL.h> OPTIONS -DCCLC_BUNDLED_PROGRAM)
