# The headers of the libraries that most files include, compiled once: a quarter of the time that a build takes. They
# stand in no file's place: every file includes what it uses, which the preset clang sees to, where this is off.
#
#   kport_precompiled(kport_engine SHAPE room)     room: the standard library and fmt; test: GoogleTest and RapidCheck too
#
# A precompiled header serves those that are compiled with the same flags: one for each shape of kport_room and kport_test.
option(KPORT_PRECOMPILED "Compile the headers of libraries once" ON)

set(kport_headers_of_room
  <algorithm> <array> <atomic> <functional> <map> <memory> <optional> <span> <string> <string_view> <utility> <vector>
  <fmt/format.h> <fmt/ranges.h>)
set(kport_headers_of_test ${kport_headers_of_room} <set> <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h>)

function(kport_precompiled target shape)
  if(NOT KPORT_PRECOMPILED)
    return()
  endif()
  set(headers kport_headers_${shape})
  if(NOT TARGET ${headers})
    file(WRITE ${PROJECT_BINARY_DIR}/${headers}.cpp "")
    add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/${headers}.cpp)
    target_link_libraries(${headers} PRIVATE kport_warnings fmt::fmt)
    if(shape STREQUAL "test")
      target_link_libraries(${headers} PRIVATE GTest::gtest GTest::gmock rapidcheck)
      kport_test_flags(${headers})
    endif()
    target_compile_features(${headers} PRIVATE cxx_std_20)
    target_precompile_headers(${headers} PRIVATE ${kport_headers_of_${shape}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
