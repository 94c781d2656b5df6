# lit, FileCheck and not come with LLVM's development package.
find_file(LIT_PY lit.py PATHS ${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit NO_DEFAULT_PATH REQUIRED)

# ccl_add_lit_suite(<name> <dir> [DEPENDS <target>...]): the lit tests of a folder under ctest.
function(ccl_add_lit_suite name dir)
  set(sanitized "")
  if(CCLC_SANITIZE)
    set(sanitized --param sanitized=yes)
  endif()
  add_test(NAME ${name}
    COMMAND ${Python3_EXECUTABLE} ${LIT_PY} -sv
      --param bin=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
      --param llvm_tools=${LLVM_TOOLS_BINARY_DIR}
      --param output=${CMAKE_CURRENT_BINARY_DIR}/${name} ${sanitized}
      ${CMAKE_CURRENT_SOURCE_DIR}/${dir})
endfunction()
