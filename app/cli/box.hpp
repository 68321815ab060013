/// @file box.hpp   A box for programs of strangers: bubblewrap, with limits of time, memory and output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/process.hpp"

namespace kport::cli {

/// What runs in a box and what it may use. It sees /usr, what `shows` names and 16 MiB of /tmp: no network, no other file, no process of
/// this computer, no other environment.
struct Box {
    std::vector<std::string> command;           ///< it begins in an empty folder that it may write to
    std::vector<std::string> shows = {};        ///< files and folders, under their names; read-only
    std::vector<std::string> environment = {};  ///< "NAME=value"
    std::string folder =
        {};  ///< the empty folder where the system around is the box: no bubblewrap, only limits; empty: bubblewrap
    double seconds = 10;                              ///< on the clock, for all of it
    std::uint64_t processor_seconds = 10;             ///< of each process
    std::uint64_t memory = std::uint64_t{512} << 20;  ///< bytes of addresses of each process
    std::size_t output = std::size_t{16} << 20;       ///< bytes; it is ended when it writes more
};

/// Runs it to its end, or to that of its limits (Ended::cut). Any number of threads. Throws OutputError where the system starts no process.
[[nodiscard]] Ended run_in_box(const Box& box);

/// Why there can be no boxes here: bubblewrap is missing, or namespaces are off. Nothing where they work.
[[nodiscard]] std::optional<std::string> why_no_box();

/// Whether this process is root, and nothing limits what such a process can do: no container, no limit of processes.
[[nodiscard]] bool is_root_without_container();

}  // namespace kport::cli
