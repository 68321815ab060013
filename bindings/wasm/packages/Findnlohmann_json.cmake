set(nlohmann_json_FOUND TRUE) # its headers, or what stands in for them: ../toolchain.cmake
if(NOT TARGET nlohmann_json::nlohmann_json)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
endif()
