/// @file fuzzer.cpp   libFuzzer's entry: feeds the target that KPORT_FUZZ_TARGET names. `./dev fuzz` calls it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "fuzz/targets.hpp"

namespace {

const kport::fuzz::Target& chosen() {
    const char* name = std::getenv("KPORT_FUZZ_TARGET");
    for (const auto targets : {kport::fuzz::emulator_targets(), kport::fuzz::program_targets()})
        for (const kport::fuzz::Target& target : targets)
            if (name != nullptr && target.name == name) return target;
    std::fputs("KPORT_FUZZ_TARGET names no target\n", stderr);
    std::_Exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const kport::fuzz::Target& target = chosen();
    kport::fuzz::feed(target, {reinterpret_cast<const char*>(data), size});
    return 0;
}
