# WebAssembly with Debian's clang-19, lld-19, libc++-19-dev-wasm32 and wasi-libc. Used by the preset `lab`.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)
set(KPORT_WASM ${CMAKE_CURRENT_LIST_DIR})

# Libraries of this computer do not serve. The solver is compiled from its source, where ./dev lab has put it.
file(GLOB cadical ${KPORT_WASM}/../../build/wasm-sources/cadical-*/src)
if(cadical)
  set(KPORT_CADICAL_LIBRARY kport_wasm_cadical CACHE STRING "" FORCE)
endif()
set(KPORT_CADICAL_INCLUDE "${cadical}" CACHE PATH "" FORCE)
set(KPORT_SECCOMP_LIBRARY "" CACHE FILEPATH "" FORCE)
set(KPORT_SECCOMP_INCLUDE "" CACHE PATH "" FORCE)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/packages)

# Headers without binaries are taken from the packages of this computer, and nothing else of /usr/include is.
set(headers ${CMAKE_BINARY_DIR}/wasm/include)
foreach(package boost fmt nlohmann CLI)
  if(NOT EXISTS ${headers}/${package})
    file(MAKE_DIRECTORY ${headers})
    file(CREATE_LINK /usr/include/${package} ${headers}/${package} SYMBOLIC)
  endif()
endforeach()

# libc++ as Debian configures it for WebAssembly has no files: the page has none either, but the library names their types. Its
# std::array has iterators that are no pointers.
set(library /usr/lib/llvm-19/include/wasm32-wasi/c++/v1)
if(NOT EXISTS ${headers}/over/__config_site AND EXISTS ${library}/__config_site)
  file(READ ${library}/__config_site text)
  string(REGEX REPLACE "[^\n]*NO_FILESYSTEM[^\n]*" "" text "${text}")
  file(WRITE ${headers}/over/__config_site "${text}")
  file(READ ${library}/__configuration/abi.h text)
  string(REGEX REPLACE "[^\n]*WRAP_ITER_IN_STD_(ARRAY|STRING_VIEW)\n" "\n" text "${text}")
  file(WRITE ${headers}/over/__configuration/abi.h "${text}")
  file(READ ${library}/__configuration/availability.h text) # the runtime of exceptions is an older one
  string(REGEX REPLACE "(define _LIBCPP_AVAILABILITY_HAS_INIT_PRIMARY_EXCEPTION)[^\n]*" "\\1 0" text "${text}")
  file(WRITE ${headers}/over/__configuration/availability.h "${text}")
endif()

string(JOIN " " CMAKE_CXX_FLAGS_INIT -isystem ${KPORT_WASM}/stand_ins -isystem ${headers} -nostdinc++ -isystem ${headers}/over -isystem ${library}
  -fwasm-exceptions -Wno-c++11-narrowing -Wno-shorten-64-to-32 -D_WASI_EMULATED_MMAN -D_WASI_EMULATED_GETPID -DFMT_HEADER_ONLY -DBOOST_DISABLE_THREADS
  -DBOOST_NO_CXX98_FUNCTION_BASE -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=/usr/bin/wasm-ld-19 -fwasm-exceptions")
