#include <cmath>

#include "app/chip/hardware.hpp"
#include "emulator/base/memory_limit.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

/// The system's files about memory and control groups.
void system(std::string_view text) {
    const auto bytes = kibibytes_of(text, "MemAvailable");
    expect(!bytes || *bytes % 1024 == 0, "kibibytes are whole");
    for (const MemoryGroup& group : memory_groups(text))
        expect(left_in_group("/nowhere", group) > 0, "no file, no limit");
    expect(!chip::time_limit_of("/nowhere", text), "no file, no limit of time");
    const auto cores = chip::cores_in(text);
    expect(!cores || (*cores > 0 && std::isfinite(*cores)), "a limit of time is some time");
}

}  // namespace kport::fuzz
