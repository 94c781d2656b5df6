# lit, FileCheck and not come with LLVM's development package.
find_file(LIT_PY lit.py PATHS ${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit NO_DEFAULT_PATH REQUIRED)

# ccl_add_lit_suite(<name> <dir> SLOW <regular expression>...): the lit tests of a folder under ctest.
# Those that take seconds, whose names match one of the expressions, are the test <name>-slow. Each of
# the two uses all processors.
function(ccl_add_lit_suite name dir)
  cmake_parse_arguments(arg "" "" "SLOW" ${ARGN})
  list(JOIN arg_SLOW "|" slow)
  set(sanitized "")
  if(CCLC_SANITIZE)
    set(sanitized --param sanitized=yes)
  endif()
  foreach(part "filter-out" "filter")
    set(suite ${name})
    if(part STREQUAL "filter")
      set(suite ${name}-slow)
    endif()
    add_test(NAME ${suite}
      COMMAND ${Python3_EXECUTABLE} ${LIT_PY} -sv --${part}=${slow}
        --param bin=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
        --param llvm_tools=${LLVM_TOOLS_BINARY_DIR}
        --param output=${CMAKE_CURRENT_BINARY_DIR}/${suite} ${sanitized}
        ${CMAKE_CURRENT_SOURCE_DIR}/${dir})
    set_tests_properties(${suite} PROPERTIES PROCESSORS 2)
  endforeach()
endfunction()
