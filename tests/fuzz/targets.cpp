#include "tests/fuzz/targets.hpp"

#include <array>

namespace kport::fuzz {

std::span<const Target> targets() {
    static constexpr std::array<Target, 11> all = {{{"calibration", calibration},
                                                    {"command_line", command_line},
                                                    {"forms", forms},
                                                    {"graph", graph},
                                                    {"numbers", numbers},
                                                    {"promise", promise},
                                                    {"schedule", schedule},
                                                    {"sizes", sizes},
                                                    {"sweep", sweep},
                                                    {"system", system},
                                                    {"topology", topology}}};
    return all;
}

}  // namespace kport::fuzz
