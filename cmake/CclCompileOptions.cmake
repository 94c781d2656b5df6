# What every target of the project is compiled with, as one interface target.
add_library(cclCompileOptions INTERFACE)
# One option for all code, of libraries and programs, so that all sources can use the same precompiled header.
target_compile_options(cclCompileOptions INTERFACE
  -fPIC
  # The units are large: GCC collects its garbage from half a gigabyte on.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
  -Wall -Wextra -Wpedantic
  # GCC 12 warns about the payload of a disengaged std::optional; clang checks without this.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<BOOL:${CCLC_WERROR}>:-Werror>
  # Source paths in outputs and messages are relative to the project.
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
# Most code runs once a command: release builds compile it in the shortest time. Hot libraries
# (ccl_add_library) and what is measured have all optimisations.
string(REPLACE "-O3" "-Og" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
set(CCLC_HOT_OPTIONS $<$<CONFIG:Release>:-O3>)
# GCC lets a unit grow by 40 % when it inlines, and a whole library in one unit uses that up before its short functions.
list(APPEND CCLC_HOT_OPTIONS $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=100>)
# GCC 12 at -O3 finds overlaps and overflows in std::string concatenation; clang checks without these.
foreach(warning restrict stringop-overflow array-bounds)
  list(APPEND CCLC_HOT_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-${warning}>)
endforeach()
# Release builds keep debug information out and assertions off; every other build type asserts.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
endif()
if(CCLC_SANITIZE)
  target_compile_options(cclCompileOptions INTERFACE
    # Lines for reports, without the types and variables that take half of the build; and without the two checks of
    # accesses that take a third of the rest, because the address sanitizer reports such accesses itself.
    -fsanitize=${CCLC_SANITIZE} $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=null,object-size>
    -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  target_compile_definitions(cclCompileOptions INTERFACE CCLC_SANITIZED)
  target_link_options(cclCompileOptions INTERFACE -fsanitize=${CCLC_SANITIZE})
endif()
# LLVMSupport lists libraries that most tools never call (libz3 among them).
target_link_options(cclCompileOptions INTERFACE LINKER:--as-needed)
# Code that a tool does not call is not in it: each page of a tool that is mapped counts as its memory.
target_compile_options(cclCompileOptions INTERFACE -ffunction-sections -fdata-sections)
target_link_options(cclCompileOptions INTERFACE LINKER:--gc-sections)
# A tenth of the size of relocations, all of which are read when a tool starts.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs CCLC_PACKS_RELOCATIONS)
if(CCLC_PACKS_RELOCATIONS)
  target_link_options(cclCompileOptions INTERFACE LINKER:-z,pack-relative-relocs)
endif()
