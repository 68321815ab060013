# A table whose rows stand in files of their own, so that a row comes with a file and its line here:
#
#   kport_table(families                       the name of the table
#     ROW TopologyFamily                       the type of a row, and the header that has it
#     HEADER emulator/topology/family.hpp
#     FILES grid.cpp families/star.cpp)        in the order of the rows
#
# Each file defines std::vector<ROW> families_in_<file>(), where <file> is its path in the folder without "families/" and with
# _ for /. <name>_table is a source that defines std::vector<ROW> families_in_files(), the rows of all. Functions that are
# called, not objects that register themselves: no linker drops them, and their order is that of the list.
function(kport_table name)
  cmake_parse_arguments(PARSE_ARGV 1 table "" "ROW;HEADER" "FILES")
  if(table_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kport_table(${name}): do not know ${table_UNPARSED_ARGUMENTS}")
  endif()
  set(calls ${table_FILES})
  list(TRANSFORM calls REPLACE "^${name}/" "")
  list(TRANSFORM calls REPLACE "\\.cpp$" "")
  list(TRANSFORM calls REPLACE "/" "_")
  list(TRANSFORM calls PREPEND "${name}_in_")
  set(declarations "")
  foreach(call IN LISTS calls)
    string(APPEND declarations "std::vector<${table_ROW}> ${call}();\n")
  endforeach()
  list(JOIN calls ", " calls)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/table.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp @ONLY)
  set(${name}_table ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp PARENT_SCOPE)
endfunction()
