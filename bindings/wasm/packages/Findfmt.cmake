set(fmt_FOUND TRUE) # its headers, or what stands in for them: ../toolchain.cmake
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
endif()
