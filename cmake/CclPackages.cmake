# Debian packages, one for each component of CclInstall.cmake: utils/package.sh makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cclc)
set(CPACK_PACKAGE_CONTACT "The cclc developers <cclc@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_THREADS 2)

set(CPACK_COMPONENTS_ALL tools development documents)
foreach(library openmpi mpich)
  if(TARGET transport-${library})
    list(APPEND CPACK_COMPONENTS_ALL ${library})
  endif()
endforeach()
if(TARGET python-module)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

# ccl_describe_package(<component> <package> <summary> <text> [DEPENDS <text>] [RECOMMENDS <text>] [SECTION <name>])
macro(ccl_describe_package component package summary text)
  cmake_parse_arguments(arg "ANY_ARCHITECTURE" "DEPENDS;RECOMMENDS;SECTION" "" ${ARGN})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${arg_DEPENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}")
  if(arg_SECTION)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${arg_SECTION})
  endif()
  if(arg_ANY_ARCHITECTURE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS OFF)
  endif()
endmacro()

# Users' programs are compiled by cclc, bundled ones are not: the compiler is recommended.
ccl_describe_package(tools cclc "compiler toolchain for collective communication"
  "cclc compiles collective algorithms to plans and proves them, ccl-sim executes plans on a model of a machine, ccl-run on threads and processes, ccl-tune finds the best plans for a machine, ccl-bound bounds their times, ccl-diff compares two plans, and ccl-opt runs single passes."
  RECOMMENDS "g++ | clang")
ccl_describe_package(development libcclc-dev "libraries of cclc"
  "Static libraries and headers of cclc, with its CMake package and the file of pkg-config."
  DEPENDS "cclc (= ${PROJECT_VERSION}), llvm-${LLVM_VERSION_MAJOR}-dev, zlib1g-dev, libzstd-dev, libpugixml-dev"
  SECTION libdevel)
ccl_describe_package(documents cclc-doc "documents of cclc"
  "Tutorial, references and examples of cclc." SECTION doc ANY_ARCHITECTURE)
ccl_describe_package(openmpi cclc-openmpi "plans of cclc over Open MPI"
  "Lets ccl-run execute plans by the processes of Open MPI, and applications use plans in the place of its collectives."
  DEPENDS "cclc (= ${PROJECT_VERSION})" RECOMMENDS openmpi-bin)
ccl_describe_package(mpich cclc-mpich "plans of cclc over MPICH"
  "Lets ccl-run execute plans by the processes of MPICH, and applications use plans in the place of its collectives."
  DEPENDS "cclc (= ${PROJECT_VERSION})" RECOMMENDS mpich)
# A module is for one minor version of Python.
string(REGEX REPLACE "^3\\." "" minor "${CCLC_PYTHON_VERSION}")
math(EXPR next "0${minor} + 1")
ccl_describe_package(python python3-cclc "module of Python for cclc"
  "Collective algorithms as programs in Python; compile, prove, simulate, bound, tune and execute plans."
  DEPENDS "cclc (= ${PROJECT_VERSION}), python3 (>= 3.${minor}), python3 (<< 3.${next})" RECOMMENDS python3-numpy
  SECTION python)
# Removes what the interpreter has compiled.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/python/prerm)
include(CPack)
