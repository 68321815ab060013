#include "emulator/report/judgement.hpp"

#include <array>

namespace kport {

std::string_view name(ScheduleFault fault) {
    constexpr std::array<std::string_view, 14> names = {"unmatched", "deadlock",  "count", "size",  "race",
                                                        "link",      "bandwidth", "ports", "order", "unwritten",
                                                        "fold",      "delivery",  "NODUP", "NOHO"};
    return names.at(static_cast<std::size_t>(fault));
}

}  // namespace kport
