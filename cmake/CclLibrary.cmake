# ccl_add_library(<Name> SOURCES <file>... [DEPENDS <Lib>...] [PRIVATE <target>...])
#
# Defines the static library ccl<Name> from lib/<Name>, with the headers of include/cclc/<Name>.
# DEPENDS names the project's libraries that its headers and sources may use; nothing else is
# visible to it. PRIVATE names third-party targets that only its sources use.
function(ccl_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/cclc/${name}/*.h)
  add_library(ccl${name} STATIC ${arg_SOURCES})
  target_sources(ccl${name} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
  set_target_properties(ccl${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ON)
  target_include_directories(ccl${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(ccl${name} PUBLIC cclCompileOptions PRIVATE ${arg_PRIVATE})
  foreach(dep IN LISTS arg_DEPENDS)
    target_link_libraries(ccl${name} PUBLIC ccl${dep})
  endforeach()
endfunction()
