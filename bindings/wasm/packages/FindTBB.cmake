set(TBB_FOUND TRUE) # its headers, or what stands in for them: ../toolchain.cmake
if(NOT TARGET TBB::tbb)
  add_library(TBB::tbb INTERFACE IMPORTED GLOBAL)
endif()
