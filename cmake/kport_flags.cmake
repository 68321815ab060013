# How every translation unit of the project is compiled.
# kport_options carries what all users of the libraries need (the language); kport_warnings and the
# sanitizers are for the project's own files.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# A project that adds this one decides these itself.
if(PROJECT_IS_TOP_LEVEL)
  get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT is_multi_config)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(KPORT_CCACHE ccache) # optional
  if(KPORT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # What includes a precompiled header is kept too.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${KPORT_CCACHE})
  endif()
  if(KPORT_QUICK_LINK)
    find_program(KPORT_MOLD mold)
    find_program(KPORT_LLD ld.lld)
    if(KPORT_MOLD)
      add_link_options(-fuse-ld=mold)
    elseif(KPORT_LLD)
      add_link_options(-fuse-ld=lld)
    endif()
  endif()
endif()
# A room in one piece compiles several times as fast: headers are read once. -DCMAKE_UNITY_BUILD=OFF compiles every file alone.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
endif()
if(BUILD_SHARED_LIBS)
  # The rooms stay static libraries; the shared one is made of their objects (kport_install.cmake). They include the public
  # headers as they are installed, which make their names visible (public_header.cmake).
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
endif()
if(KPORT_PYTHON)
  # A module for Python is a shared library of the same rooms. Nothing replaces their functions, so calls stay direct and are inlined
  # as without it.
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options(-fno-semantic-interposition)
endif()
add_compile_definitions(KPORT_PUBLIC=) # marks a public header; its installed copy says what that means

add_library(kport_warnings INTERFACE)
target_compile_options(kport_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of g++ 12: at -O3 -Wrestrict about std::string + "..." (gcc PR 105651, sometimes as -Warray-bounds),
  # -Wstringop-overflow inside fmt::format and -Wstringop-overread where a small_vector moves; -Wmismatched-new-delete
  # about coroutines whose promise has its own operator new, once that is inlined (gcc PR 109224). Try again with a
  # newer compiler.
  target_compile_options(kport_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread -Wno-mismatched-new-delete)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::stable_sort of libstdc++ 12 calls std::get_temporary_buffer, deprecated in C++17; clang warns about it.
  target_compile_options(kport_warnings INTERFACE -Wno-deprecated-declarations)
endif()
if(KPORT_WARNINGS_AS_ERRORS)
  target_compile_options(kport_warnings INTERFACE -Werror)
endif()

# Sanitizers apply to everything that is compiled here, tests and benches included.
if(KPORT_SANITIZE STREQUAL "address,undefined")
  # AddressSanitizer sees a null pointer too, and the end of an object; to check both twice is a fifth of the time.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,vptr,object-size -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS KPORT_UNDER_ADDRESS_SANITIZER)
  add_link_options(-fsanitize=address,undefined)
elseif(KPORT_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_compile_definitions(KPORT_UNDER_THREAD_SANITIZER)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Werror=tsan) # g++ does not model atomic_thread_fence: keep it out
  endif()
  add_link_options(-fsanitize=thread)
elseif(KPORT_SANITIZE)
  message(FATAL_ERROR "KPORT_SANITIZE=${KPORT_SANITIZE}: use 'address,undefined' or 'thread', or leave it empty")
endif()

if(KPORT_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "KPORT_FUZZ: libFuzzer is clang's (cmake --preset asan)")
endif()
