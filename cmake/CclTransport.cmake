find_package(PkgConfig)

# ccl_add_transport(<library> <package> DEPENDS <Lib>...): lib/cclc/<library>/transport.so, where the package is installed.
function(ccl_add_transport library package)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND ccl)
  if(NOT PKG_CONFIG_FOUND)
    return()
  endif()
  pkg_check_modules(${library} IMPORTED_TARGET ${package})
  if(NOT ${library}_FOUND)
    message(STATUS "no ${library} (pkg-config ${package}): ccl-run is built without its transport")
    return()
  endif()
  add_library(transport-${library} MODULE MpiGroup.cpp NativeCollective.cpp)
  target_link_libraries(transport-${library} PRIVATE ${arg_DEPENDS} PkgConfig::${library})
  # The C++ bindings of MPI-2 need a library of their own.
  target_compile_definitions(transport-${library} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  # What the module has in common with ccl-run stays its own.
  target_link_options(transport-${library} PRIVATE LINKER:--exclude-libs,ALL)
  target_include_directories(transport-${library} PRIVATE ${PROJECT_SOURCE_DIR}/lib/Run)
  set_target_properties(transport-${library} PROPERTIES
    PREFIX "" OUTPUT_NAME transport CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/cclc/${library})
  install(TARGETS transport-${library} LIBRARY DESTINATION lib/cclc/${library})
endfunction()
