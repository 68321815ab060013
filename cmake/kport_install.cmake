# What `cmake --install` installs, and `cpack` packs: the program with its documents and plug-ins, one library of the rooms that
# others link, its public headers, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library is made of the rooms' objects, static or (BUILD_SHARED_LIBS) shared.
set(objects)
foreach(room IN LISTS kport_library_rooms)
  if(TARGET kport_${room})
    list(APPEND objects $<TARGET_OBJECTS:kport_${room}>)
  endif()
endforeach()
add_library(kport_library ${objects})
set_target_properties(kport_library PROPERTIES
  OUTPUT_NAME kport EXPORT_NAME library LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_compile_features(kport_library INTERFACE cxx_std_20)
target_link_libraries(kport_library PUBLIC Boost::headers PRIVATE TBB::tbb fmt::fmt)
set(kport_needs tbb fmt)
set(kport_needs_expat OFF)
if(TARGET kport_files)
  target_link_libraries(kport_library PRIVATE EXPAT::EXPAT ZLIB::ZLIB)
  list(APPEND kport_needs expat zlib)
  set(kport_needs_expat ON)
endif()
target_include_directories(kport_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kport)
install(TARGETS kport_library EXPORT kport-library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT kport-library NAMESPACE kport:: DESTINATION ${package_folder} COMPONENT development)
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/kport DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

configure_package_config_file(cmake/kport-config.cmake.in ${PROJECT_BINARY_DIR}/package/kport-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/kport-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/kport-config.cmake ${PROJECT_BINARY_DIR}/package/kport-config-version.cmake
  DESTINATION ${package_folder} COMPONENT development)

file(RELATIVE_PATH kport_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
# A static library's users link what it uses.
list(JOIN kport_needs " " kport_requires)
if(BUILD_SHARED_LIBS)
  string(PREPEND kport_requires "Requires.private: ")
else()
  string(PREPEND kport_requires "Requires: ")
endif()
configure_file(cmake/kport.pc.in ${PROJECT_BINARY_DIR}/package/kport.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/kport.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(KPORT_PROGRAM)
  install(TARGETS kport RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # The program writes its manual page and completions itself.
  set(written)
  function(kport_writes folder file)
    set(path ${PROJECT_BINARY_DIR}/package/${folder}/${file})
    add_custom_command(OUTPUT ${path}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/package/${folder}
      COMMAND kport ${ARGN} > ${path} DEPENDS kport COMMENT "" VERBATIM)
    install(FILES ${path} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT program)
    set(written ${written} ${path} PARENT_SCOPE)
  endfunction()
  kport_writes(man/man1 kport.1 manual)
  kport_writes(bash-completion/completions kport completion bash)
  kport_writes(zsh/site-functions _kport completion zsh)
  kport_writes(fish/vendor_completions.d kport.fish completion fish)
  add_custom_target(kport_manual ALL DEPENDS ${written})
  install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kport COMPONENT program)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kport COMPONENT program PATTERN Doxyfile EXCLUDE)
endif()

# cpack -G DEB: a package for each component that there is. Each has the licence.
set(CPACK_PACKAGE_NAME kport)
set(CPACK_PACKAGE_CONTACT "The kport authors <kport@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL)
function(kport_package component package section about)
  cmake_parse_arguments(PARSE_ARGV 4 package "" "DEPENDS;SUGGESTS" "")
  string(TOUPPER ${component} name)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright COMPONENT ${component})
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${package_DEPENDS}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SUGGESTS "${package_SUGGESTS}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${name}_DESCRIPTION "${about}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(development_needs "libtbb-dev, libboost-dev (>= 1.74), libfmt-dev, libexpat1-dev, zlib1g-dev")
if(BUILD_SHARED_LIBS)
  set(libkport libkport${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  kport_package(library ${libkport} libs "The shared library.")
  string(APPEND development_needs ", ${libkport} (= ${PROJECT_VERSION})")
endif()
kport_package(development libkport-dev libdevel "The library and its headers, for programs of one's own." DEPENDS "${development_needs}")
if(KPORT_PROGRAM)
  # The suggested packages compile algorithms in files.
  kport_package(program kport science "The program, its manual page, completions and documents." SUGGESTS "libkport-dev, g++, bubblewrap, librsvg2-2, libwebpmux3")
endif()
if(TARGET kport_python)
  math(EXPR after "${Python_VERSION_MINOR} + 1")
  kport_package(python python3-kport python "The module for Python."
    DEPENDS "kport (= ${PROJECT_VERSION}), python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${after})"
    SUGGESTS "python3-numpy, python3-networkx, python3-pandas, python3-tqdm")
endif()
foreach(mpi openmpi mpich)
  if(TARGET kport_ranks_${mpi})
    kport_package(${mpi} kport-${mpi} science "The plug-in with which several processes of ${mpi} run one machine."
      DEPENDS "kport (= ${PROJECT_VERSION})")
  endif()
endforeach()
include(CPack)
