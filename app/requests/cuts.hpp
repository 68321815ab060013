/// @file cuts.hpp   Messages that are cut into packets, in words and pictures: kport compare and explain --message.
#pragma once

#include <cstdint>
#include <string>

#include "app/pictures/plot.hpp"
#include "app/requests/command_line.hpp"
#include "app/requests/request.hpp"
#include "app/session/message_sizes.hpp"

namespace kport::requests {

/// "64 KiB", but "14564 B".
[[nodiscard]] std::string message_text(std::uint64_t bytes);

/// The operation, the machine, and at which prices its messages are predicted.
[[nodiscard]] std::string heading_of_messages(const Experiment& experiment, std::size_t width);

/// Lines, where the message is faster with --combining off, and where the algorithm cannot cut it; else empty.
[[nodiscard]] std::string notes_of_cut(const Experiment& experiment, std::uint64_t bytes, const CutMessage& best,
                                       std::size_t width);

/// A picture of latencies without its series. `along`: what its axis counts.
[[nodiscard]] plots::Plot plot_of_latencies(const Experiment& experiment, plots::PlotAxis axis,
                                            const std::string& along);
/// Adds a point to the algorithm's series.
void add_point(plots::Plot& plot, double x, const CutMessage& cut, std::optional<double> bound);

/// One message over M: which cut costs each algorithm least.
struct Cuts {
    Experiment best;   ///< the cheapest algorithm at its best cut
    std::string text;  ///< two tables, and of a pipeline the formula of the best cut
    Json json;
    std::string plot;  ///< the picture that --plot asks for
};

/// The size in --message. Throws RequestError, also where several sizes are asked for.
[[nodiscard]] Cuts cuts_of(Request& request, const Experiment& experiment);

/// The sizes of --message, which goes with neither --bytes nor --packets.
[[nodiscard]] std::vector<std::uint64_t> message_sizes_of(const Words& words);

}  // namespace kport::requests
