find_package(PkgConfig)

# ccl_add_transport(<library> <package> transport <file>... preload <file>... DEPENDS <Lib>...)
#
# Defines the modules of an MPI library, where its package is installed: lib/cclc/<library>/transport.so,
# which ccl-run loads, and lib/cclc/<library>/libccl-mpi.so, which applications preload.
function(ccl_add_transport library package)
  cmake_parse_arguments(arg "" "" "transport;preload;DEPENDS" ${ARGN})
  list(TRANSFORM arg_DEPENDS PREPEND ccl)
  if(NOT PKG_CONFIG_FOUND)
    return()
  endif()
  pkg_check_modules(${library} IMPORTED_TARGET ${package})
  if(NOT ${library}_FOUND)
    message(STATUS "no ${library} (pkg-config ${package}): ccl-run is built without its transport")
    return()
  endif()
  foreach(module transport preload)
    add_library(${module}-${library} MODULE ${arg_${module}})
    target_link_libraries(${module}-${library} PRIVATE ${arg_DEPENDS} PkgConfig::${library})
    # The C++ bindings of MPI-2 need a library of their own.
    target_compile_definitions(${module}-${library} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    # What the module has in common with ccl-run stays its own.
    target_link_options(${module}-${library} PRIVATE LINKER:--exclude-libs,ALL)
    target_include_directories(${module}-${library} PRIVATE ${PROJECT_SOURCE_DIR}/lib/Run)
    # They execute the steps of plans.
    target_compile_options(${module}-${library} PRIVATE ${CCLC_HOT_OPTIONS})
    set_target_properties(${module}-${library} PROPERTIES
      PREFIX "" CXX_VISIBILITY_PRESET hidden
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/cclc/${library})
    install(TARGETS ${module}-${library} LIBRARY DESTINATION lib/cclc/${library} COMPONENT ${library})
  endforeach()
  set_target_properties(transport-${library} PROPERTIES OUTPUT_NAME transport)
  set_target_properties(preload-${library} PROPERTIES OUTPUT_NAME libccl-mpi)
  # It is loaded with the application, so that variables of threads need no look-up.
  target_compile_options(preload-${library} PRIVATE -ftls-model=initial-exec)
endfunction()
