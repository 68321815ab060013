set(EXPAT_FOUND TRUE) # its headers, or what stands in for them: ../toolchain.cmake
if(NOT TARGET EXPAT::EXPAT)
  add_library(EXPAT::EXPAT INTERFACE IMPORTED GLOBAL)
endif()
