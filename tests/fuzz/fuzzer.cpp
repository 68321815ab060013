/// @file fuzzer.cpp   libFuzzer's entry: a program for each target. `./dev fuzz` calls them.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    kport::fuzz::feed(kport::fuzz::KPORT_FUZZ_TARGET, {reinterpret_cast<const char*>(data), size});
    return 0;
}
