# Where the parts of the project are installed, and in which component:
#
#   tools        the programs, the headers and data that they use, man pages and completions
#   development  the libraries, their headers, the CMake package and the file of pkg-config
#   documents    the documents and examples
#   openmpi, mpich  the modules of an MPI library
#   python       the package of Python
#
# cmake/CclPackages.cmake makes one Debian package of each.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CCLC_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cclc)
set(CCLC_DOC_DIR share/doc/cclc)

# What users' programs include: cclc compiles them with ../include beside the tools.
set(CCLC_PROGRAM_HEADERS
  DSL/ChunkRef.h DSL/Compiler.h DSL/DSL.h DSL/Declaration.h DSL/Hierarchy.h DSL/Params.h DSL/Program.h
  DSL/Rings.h
  DSL/Rotation.h DSL/SourceLocation.h
  IR/CollectiveKind.h IR/Direction.h IR/Geometry.h)

# ccl_install_library(<name>): the library ccl<name>, as cclc::<name> of the CMake package.
function(ccl_install_library name)
  set_target_properties(ccl${name} PROPERTIES EXPORT_NAME ${name})
  add_library(cclc::${name} ALIAS ccl${name})
  set_property(GLOBAL APPEND PROPERTY CCLC_INSTALLED_LIBRARIES ${name})
  set(sets "")
  get_target_property(known ccl${name} INTERFACE_HEADER_SETS)
  foreach(headers HEADERS unverified)
    if("${headers}" IN_LIST known)
      list(APPEND sets FILE_SET ${headers} DESTINATION include COMPONENT development)
    endif()
  endforeach()
  if("programs" IN_LIST known)
    list(APPEND sets FILE_SET programs DESTINATION include COMPONENT tools)
  endif()
  install(TARGETS ccl${name} EXPORT cclc
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development ${sets})
endfunction()

# ccl_install_package(): find_package(cclc) and pkg-config's cclc. Call it after all libraries are defined.
function(ccl_install_package)
  get_property(libraries GLOBAL PROPERTY CCLC_INSTALLED_LIBRARIES)
  # All of them, as the target cclc::cclc.
  add_library(cclcAll INTERFACE)
  add_library(cclc::cclc ALIAS cclcAll)
  set_target_properties(cclcAll PROPERTIES EXPORT_NAME cclc)
  # A static library precedes those that it uses; programs use the DSL.
  list(REVERSE libraries)
  list(REMOVE_ITEM libraries Programs)
  list(FIND libraries DSL at)
  list(INSERT libraries ${at} Programs)
  set(archives "")
  foreach(library IN LISTS libraries)
    target_link_libraries(cclcAll INTERFACE ccl${library})
    string(APPEND archives " -lccl${library}")
  endforeach()
  install(TARGETS cclcAll EXPORT cclc)

  install(EXPORT cclc NAMESPACE cclc:: FILE cclc-targets.cmake
    DESTINATION ${CCLC_CMAKE_DIR} COMPONENT development)
  set(CCLC_TARGETS share/cclc/targets)
  set(made ${PROJECT_BINARY_DIR}/package)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cclc-config.cmake.in
    ${made}/cclc-config.cmake INSTALL_DESTINATION ${CCLC_CMAKE_DIR} PATH_VARS CCLC_TARGETS)
  # Before 1.0.0 a minor version may change the interface.
  write_basic_package_version_file(${made}/cclc-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${made}/cclc-config.cmake ${made}/cclc-config-version.cmake
    DESTINATION ${CCLC_CMAKE_DIR} COMPONENT development)

  # From lib/pkgconfig to the prefix, so that an installed tree can be moved.
  file(RELATIVE_PATH CCLC_PREFIX_FROM_PC
    /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/cclc.pc.in ${made}/cclc.pc @ONLY)
  install(FILES ${made}/cclc.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

# ccl_install_documents(): documents and examples, whose links hold where they are installed, and the
# licence of each package.
function(ccl_install_documents)
  install(DIRECTORY docs examples DESTINATION ${CCLC_DOC_DIR} COMPONENT documents
    PATTERN build EXCLUDE PATTERN __pycache__ EXCLUDE)
  install(FILES README.md CONTRIBUTING.md CHANGELOG.md DESTINATION ${CCLC_DOC_DIR} COMPONENT documents)
  install(FILES targets/README.md DESTINATION ${CCLC_DOC_DIR}/targets COMPONENT documents)
  install(FILES third_party/NOTICES.md DESTINATION share/cclc/licenses COMPONENT tools)
  # Software whose code is in the tools.
  foreach(package llvm-19-dev libcli11-dev nlohmann-json3-dev libboost1.74-dev libprotozero-dev)
    if(EXISTS /usr/share/doc/${package}/copyright)
      install(FILES /usr/share/doc/${package}/copyright DESTINATION share/cclc/licenses
        RENAME ${package} COMPONENT tools)
    endif()
  endforeach()
  foreach(part tools=cclc development=libcclc-dev documents=cclc-doc openmpi=cclc-openmpi mpich=cclc-mpich
      python=python3-cclc)
    string(REPLACE "=" ";" part ${part})
    list(GET part 0 component)
    list(GET part 1 package)
    install(FILES LICENSES/Apache-2.0.txt DESTINATION share/doc/${package} RENAME copyright COMPONENT ${component})
  endforeach()
endfunction()
