# lit, FileCheck and not come with LLVM's development package.
find_file(LIT_PY lit.py PATHS ${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit NO_DEFAULT_PATH REQUIRED)

# ccl_add_lit_suite(<name> <dir> QUICK <regular expression>... SLOW <regular expression>...): the lit tests of a folder
# under ctest, in three tests: those whose names match an expression of SLOW take seconds and are <name>-slow, others
# that match one of QUICK are <name>-quick, and the rest is <name>. Each uses all processors.
function(ccl_add_lit_suite name dir)
  cmake_parse_arguments(arg "" "" "QUICK;SLOW" ${ARGN})
  list(JOIN arg_SLOW "|" slow)
  list(JOIN arg_QUICK "|" quick)
  set(sanitized "")
  if(CCLC_SANITIZE)
    set(sanitized --param sanitized=yes)
  endif()
  set(${name}_filters "--filter-out=${slow}|${quick}")
  set(${name}-quick_filters "--filter=${quick}" "--filter-out=${slow}")
  set(${name}-slow_filters "--filter=${slow}")
  foreach(suite ${name} ${name}-quick ${name}-slow)
    add_test(NAME ${suite}
      COMMAND ${Python3_EXECUTABLE} ${LIT_PY} -sv ${${suite}_filters}
        --param bin=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
        --param llvm_tools=${LLVM_TOOLS_BINARY_DIR}
        --param output=${CMAKE_CURRENT_BINARY_DIR}/${suite} ${sanitized}
        ${CMAKE_CURRENT_SOURCE_DIR}/${dir})
    set_tests_properties(${suite} PROPERTIES PROCESSORS 2)
  endforeach()
endfunction()
