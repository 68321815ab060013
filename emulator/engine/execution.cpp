#include "emulator/engine/execution.hpp"

#include <array>

namespace kport {

std::string_view name(Execution execution) {
    constexpr std::array<std::string_view, executions_count> names = {
        "programs", "scripts", "forwarding",   "splitting",   "timetable",   "in step",
        "exchange", "relay",   "small rounds", "full rounds", "arbitration", "order",
        "threads",  "ranks",   "free",         "replay",      "mover"};
    return names[static_cast<std::size_t>(execution)];
}

}  // namespace kport
