# One file a question:
#
#   kport_bench(mailbox_handover SOURCES mailbox_handover.cpp LIBRARIES room::node)
#
# makes bench/mailbox_handover, and a ctest entry which runs it for a hundredth of a second a case, so that it stays correct.
function(kport_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 bench "" "" "SOURCES;LIBRARIES")
  if(bench_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kport_bench(${name}): do not know ${bench_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(bench_${name} ${bench_SOURCES})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name})
  target_link_libraries(bench_${name} PRIVATE kport_warnings ${bench_LIBRARIES} benchmark::benchmark_main)
  target_include_directories(bench_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  add_test(NAME bench:${name} COMMAND bench_${name} --benchmark_min_time=0.01)
  set_tests_properties(bench:${name} PROPERTIES LABELS bench TIMEOUT 120 ENVIRONMENT KPORT_BENCH_TINY=1)
endfunction()
