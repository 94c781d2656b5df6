# ccl_add_library(<Name> [HOT] SOURCES <file>... [DEPENDS <Lib>...] [PRIVATE <target>...])
#
# Defines the static library ccl<Name> from the current folder of lib, with the headers of the same folder of
# include/cclc: those of Sim/Network are in include/cclc/Sim/Network.
# DEPENDS names the project's libraries that its headers and sources may use; nothing else is
# visible to it. PRIVATE names third-party targets that only its sources use. HOT says that its code runs for
# every step of a plan, or every candidate of a search: it is compiled with all optimisations. The library is installed
# (CclInstall.cmake), with its headers in three sets: those that users' programs include, those that
# the build verifies, and all others.
#
# The target all_verify_interface_header_sets compiles each header alone, except where the build itself
# does so: where the source of the same name includes it first, and is compiled alone.
function(ccl_add_library name)
  cmake_parse_arguments(arg "HOT" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/lib ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/cclc/${folder}/*.h)
  set(unverified "")
  foreach(header IN LISTS headers)
    get_filename_component(stem ${header} NAME_WE)
    set(first "")
    if(EXISTS ${PROJECT_SOURCE_DIR}/lib/${folder}/${stem}.cpp AND NOT CMAKE_UNITY_BUILD)
      file(STRINGS ${PROJECT_SOURCE_DIR}/lib/${folder}/${stem}.cpp first REGEX "^#include" LIMIT_COUNT 1)
    endif()
    if(NOT first STREQUAL "#include \"cclc/${folder}/${stem}.h\"")
      list(APPEND unverified ${header})
    endif()
  endforeach()
  list(REMOVE_ITEM headers ${unverified})
  file(GLOB tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/cclc/${folder}/*.def)
  list(APPEND headers ${tables})
  list(TRANSFORM CCLC_PROGRAM_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/cclc/ OUTPUT_VARIABLE programs)
  list(FILTER programs INCLUDE REGEX "/include/cclc/${folder}/[^/]*$")
  set(sets "")
  if(programs)
    list(REMOVE_ITEM headers ${programs})
    list(REMOVE_ITEM unverified ${programs})
    set(sets PUBLIC FILE_SET programs TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${programs})
  endif()
  add_library(ccl${name} STATIC ${arg_SOURCES})
  target_sources(ccl${name}
    PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers}
    PUBLIC FILE_SET unverified TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${unverified}
    ${sets})
  get_target_property(sets ccl${name} INTERFACE_HEADER_SETS)
  list(REMOVE_ITEM sets HEADERS)
  set_target_properties(ccl${name} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON
    INTERFACE_HEADER_SETS_TO_VERIFY "${sets}")
  target_include_directories(ccl${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_compile_features(ccl${name} PUBLIC cxx_std_20)
  target_link_libraries(ccl${name} PUBLIC $<BUILD_INTERFACE:cclCompileOptions>)
  if(arg_HOT)
    target_compile_options(ccl${name} PRIVATE ${CCLC_HOT_OPTIONS})
    ccl_use_precompiled(ccl${name} Hot)
  else()
    ccl_use_precompiled(ccl${name} Cold)
  endif()
  foreach(dep IN LISTS arg_DEPENDS)
    target_link_libraries(ccl${name} PUBLIC ccl${dep})
  endforeach()
  # What links the installed library needs those that are more than headers.
  foreach(dep IN LISTS arg_PRIVATE)
    if(dep MATCHES "^(CLI11|nlohmann_json|Boost|protozero)::")
      set(dep $<BUILD_INTERFACE:${dep}>)
    endif()
    target_link_libraries(ccl${name} PRIVATE ${dep})
  endforeach()
  ccl_install_library(${name})
endfunction()

# ccl_compile_alone(<file>...): sources of this folder whose local names clash with those of others,
# which a unity build therefore leaves out.
function(ccl_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
