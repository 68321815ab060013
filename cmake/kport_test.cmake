# One test executable a folder:
#
#   kport_test(topology
#     SOURCES grid_test.cpp hypercube_test.cpp
#     LIBRARIES room::topology
#     LABELS core concurrent threads)    core: also run in the asan build; concurrent: several threads are at work, also
#                            run in the tsan build; threads: repeated there; none: only in the release build
#
# makes tests/<folder>/kport_topology_test, which `./dev test <folder>` builds and runs, and eight ctest entries, each of which runs an eighth of its tests: most tests
# are shorter than the start of a process. GoogleTest (with main), GoogleMock and RapidCheck are linked. The tests run in
# the root of the repository.

# What `./dev test` builds: every test (release), and those labelled core (asan), threads and concurrent (tsan).
foreach(group all core concurrent threads)
  add_custom_target(${group}_tests)
endforeach()

# Compiler options of tests that differ from those of the libraries.
function(kport_test_flags target)
  if(KPORT_SANITIZE MATCHES "undefined")
    # A third of the time it takes to compile a test. The libraries are optimised and keep this check.
    target_compile_options(${target} PRIVATE -O0 -fno-sanitize=alignment)
  elseif(KPORT_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The libraries are optimised; optimising the tests would only cost time, as does the compiler's garbage collector.
    target_compile_options(${target} PRIVATE -O0 --param=ggc-min-heapsize=600000)
  endif()
endfunction()

# What all tests include is read once: a program, as tests are, since g++ takes a precompiled header only with the same -fPIE.
function(kport_test_headers)
  file(CONFIGURE OUTPUT headers.cpp CONTENT "")
  add_executable(kport_test_headers EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
  target_link_libraries(kport_test_headers PRIVATE kport_warnings GTest::gtest_main GTest::gmock rapidcheck fmt::fmt)
  kport_test_flags(kport_test_headers)
  target_precompile_headers(kport_test_headers PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp
    <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h>)
endfunction()

function(kport_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LIBRARIES;LABELS")
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kport_test(${name}): do not know ${test_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT test_SOURCES)
    return()
  endif()
  if(NOT test_LABELS)
    set(test_LABELS release)
  endif()
  set(target kport_${name}_test)
  add_executable(${target} ${test_SOURCES})
  target_link_libraries(${target} PRIVATE kport_warnings ${test_LIBRARIES} GTest::gtest_main GTest::gmock rapidcheck fmt::fmt)
  target_precompile_headers(${target} REUSE_FROM kport_test_headers)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE KPORT_PROGRAM="${PROJECT_BINARY_DIR}/kport" KPORT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  kport_test_flags(${target})
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(NOT TARGET ${folder}_tests)
    add_custom_target(${folder}_tests)
  endif()
  add_dependencies(${folder}_tests ${target})
  add_dependencies(all_tests ${target})
  foreach(label core concurrent threads)
    if(label IN_LIST test_LABELS)
      add_dependencies(${label}_tests ${target})
    endif()
  endforeach()
  foreach(shard RANGE 7)
    add_test(NAME ${name}:shard${shard} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    # RC_PARAMS: the same drawn cases in every run; `./dev night` draws others.
    set_tests_properties(${name}:shard${shard} PROPERTIES LABELS "${test_LABELS};${folder}" TIMEOUT 1200
      ENVIRONMENT "RC_PARAMS=seed=1;GTEST_TOTAL_SHARDS=8;GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
