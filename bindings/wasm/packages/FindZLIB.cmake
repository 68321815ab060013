set(ZLIB_FOUND TRUE) # its headers, or what stands in for them: ../toolchain.cmake
if(NOT TARGET ZLIB::ZLIB)
  add_library(ZLIB::ZLIB INTERFACE IMPORTED GLOBAL)
endif()
