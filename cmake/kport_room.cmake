# A room is a folder with one library. Its DEPENDS are its only arrows to other rooms.
#
#   kport_room(topology
#     SOURCES grid.cpp hypercube.cpp     every .cpp of the folder, by name
#     DEPENDS base                       rooms this one may include
#     LIBRARIES fmt::fmt)                packages
#
# makes the static library kport_topology, alias room::topology. A room without sources yet (or with headers
# only) is an interface library. Includes are written from the root of the repository.
function(kport_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SOURCES;DEPENDS;LIBRARIES")
  if(room_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kport_room(${name}): do not know ${room_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM room_DEPENDS PREPEND room::)
  set(target kport_${name})
  if(room_SOURCES)
    add_library(${target} STATIC ${room_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE kport_warnings)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(room::${name} ALIAS ${target})
  target_compile_features(${target} ${scope} cxx_std_20)
  if(BUILD_SHARED_LIBS)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/kport ${PROJECT_BINARY_DIR}/visible)
    file(CREATE_LINK ../include/kport ${PROJECT_BINARY_DIR}/visible/app SYMBOLIC)
    file(CREATE_LINK ../include/kport ${PROJECT_BINARY_DIR}/visible/bindings SYMBOLIC)
    target_include_directories(${target} ${scope} ${PROJECT_BINARY_DIR}/include/kport ${PROJECT_BINARY_DIR}/include ${PROJECT_BINARY_DIR}/visible)
    add_dependencies(${target} kport_public_headers)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} ${scope} ${room_DEPENDS} ${room_LIBRARIES})
endfunction()
