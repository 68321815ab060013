/// @file lab.cpp   kport lab: kport in the browser of this computer.
#include <cstdlib>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/process.hpp"
#include "app/cli/progress.hpp"
#include "app/lab/server.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

namespace {

bool has_screen() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

}  // namespace

int lab(const Words& words) {
    constexpr std::uint64_t port_max = 65535;
    lab::ServerOptions options;
    options.folder = std::filesystem::current_path();
    options.stop = &interrupted();
    if (const auto port = words.get("--port"))
        options.port = static_cast<int>(parse_count(*port, "--port", 1, port_max));
    if (const auto time = words.get("--for")) {
        constexpr double milliseconds = 1000;
        options.run_most =
            std::chrono::milliseconds(static_cast<std::int64_t>(parse_seconds(*time, "--for") * milliseconds));
        if (options.run_most.count() == 0)
            throw RequestError(
                fmt::format("--for '{}': no request ends in no time; want a millisecond or more", *time));
    }
    const bool opens = !words.has("--no-open") && has_screen();
    options.ready = [opens](const std::string& url) {
        something_to_tell();
        write_out(fmt::format("{}\nCtrl-C ends it\n", url));
        if (opens) (void)run_program("xdg-open", {"xdg-open", url});
    };
    lab::serve_by_plug_in(options);
    return status_lawful;
}

}  // namespace kport::cli
