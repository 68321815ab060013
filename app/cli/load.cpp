#include "app/cli/load.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "app/chip/pinning.hpp"
#include "app/cli/output.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

std::optional<double> load_average() {
    double load = 0;
    return getloadavg(&load, 1) == 1 ? std::optional(load) : std::nullopt;
}

std::optional<std::string> warning_of_load(double load, unsigned cores) {
    if (load < 0.5 * cores) return std::nullopt;
    return fmt::format("this computer is busy: load {:.1f} over the last minute on {}; times will be longer", load,
                       counted(cores, "core"));
}

void warn_of_load() {
    const auto load = load_average();
    if (!load) return;
    if (const auto warning = warning_of_load(*load, static_cast<unsigned>(chip::usable_pus().size())))
        complain(*warning);
}

}  // namespace kport::cli
