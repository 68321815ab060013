set(Boost_FOUND TRUE) # its headers, or what stands in for them: ../toolchain.cmake
if(NOT TARGET Boost::headers)
  add_library(Boost::headers INTERFACE IMPORTED GLOBAL)
endif()
