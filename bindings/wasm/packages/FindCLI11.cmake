set(CLI11_FOUND TRUE) # its headers, or what stands in for them: ../toolchain.cmake
if(NOT TARGET CLI11::CLI11)
  add_library(CLI11::CLI11 INTERFACE IMPORTED GLOBAL)
endif()
