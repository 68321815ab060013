# What other projects link. A component is a few rooms:
#
#   kport_component(emulator ROOMS emulator)
#
# makes kport::emulator, whose headers are used as <kport/emulator/...>: <build>/include/kport has a copy of every public
# header, in which the includes of the project begin with kport/, and app/ and bindings/ are left out. Public is what kport.hpp includes, directly or through
# others. Only those headers make their names visible: a shared library shows nothing else.

# The header and every header of the project that it includes, directly or through others.
function(kport_includes header result)
  set(seen ${${result}})
  if(NOT header IN_LIST seen)
    list(APPEND seen ${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      kport_includes(${included} seen)
    endforeach()
  endif()
  set(${result} ${seen} PARENT_SCOPE)
endfunction()

# Copies the public headers into <build>/include/kport; `kport_public_headers` does it in a build.
set(kport_public_headers)
kport_includes(kport.hpp kport_public_headers)
if(nlohmann_json_FOUND)
  kport_includes(app/files/json_report.hpp kport_public_headers)
endif()
# What is compiled against these headers fits a kport of the same name, and no other.
set(kport_build)
foreach(header IN LISTS kport_public_headers)
  file(SHA256 ${PROJECT_SOURCE_DIR}/${header} hash)
  string(APPEND kport_build ${hash})
endforeach()
string(SHA256 kport_build "${kport_build}")
string(SUBSTRING ${kport_build} 0 16 kport_build)
string(PREPEND kport_build "${PROJECT_VERSION}-")
set(kport_header_copies)
foreach(header IN LISTS kport_public_headers)
  string(REGEX REPLACE "^(app|bindings)/" "" name ${header})
  set(copy ${PROJECT_BINARY_DIR}/include/kport/${name})
  set(build)
  if(header STREQUAL algorithms/own_algorithm.hpp)
    set(build -DBUILD=${kport_build})
  endif()
  add_custom_command(OUTPUT ${copy}
    COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_SOURCE_DIR}/${header} -DTO=${copy} ${build} -P ${PROJECT_SOURCE_DIR}/cmake/public_header.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/${header} ${PROJECT_SOURCE_DIR}/cmake/public_header.cmake
    COMMENT "" VERBATIM)
  list(APPEND kport_header_copies ${copy})
endforeach()
add_custom_target(kport_public_headers ALL DEPENDS ${kport_header_copies})

function(kport_component name)
  cmake_parse_arguments(PARSE_ARGV 1 component "" "" "ROOMS")
  set(target kport_component_${name})
  add_library(${target} INTERFACE)
  add_library(kport::${name} ALIAS ${target})
  add_dependencies(${target} kport_public_headers)
  target_include_directories(${target} INTERFACE ${PROJECT_BINARY_DIR}/include)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} INTERFACE Boost::headers)
  foreach(room IN LISTS component_ROOMS)
    # Linked, without the include folder of the rooms: outside there is one way to name a header.
    target_link_libraries(${target} INTERFACE $<LINK_ONLY:room::${room}>)
  endforeach()
endfunction()
