#include "algorithms/support/line_streams.hpp"
#include "emulator/base/numbers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace kport {

namespace {

/// Returns the messages on a line: over each link, one for each round in which a packet crosses it.
std::uint64_t messages_on_line(NodeId size, Streams streams) {
    if (streams == Streams::two_way) return size * (size - 1);
    const std::uint64_t forward = size / 2 * ((size + 1) / 2);
    const std::uint64_t late = (size + 1) / 2;  // on odd lines the first link backward has its turn in round 2
    return size % 2 == 0 ? 2 * forward : forward + late * late - 1;
}

}  // namespace

Segment LineStreams::across(std::uint64_t c, Direction way, Round round) const {
    const std::uint64_t x = round;
    const bool alternating = streams_ == Streams::odd_even;
    if (alternating && (c + x) % 2 == 0) return {};
    const std::uint64_t width = alternating ? 2 : 1;
    // Forward the origins c+1-x, and in odd_even c+2-x, as far as they are on the line up to c; backward mirrored.
    if (way == Direction::forward) {
        const std::uint64_t last = std::min(c + 1, c + 1 + width - std::min(x, c + 1 + width));
        const std::uint64_t first = c + 1 - std::min(x, c + 1);
        return {std::min(first, last), last};
    }
    const std::uint64_t first = std::max(c + 1, c + 1 + x - width);
    const std::uint64_t last = std::min(c + 1 + x, size_);
    return {std::min(first, last), last};
}

std::optional<std::string> misfit_line_streams(const Machine& machine, Streams streams,
                                               const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    const auto mesh = unless(grid != nullptr && !grid->wraps(), "needs a mesh or line");
    const auto both_ways =
        streams == Streams::two_way ? first_of({needs_two_ports(machine), needs_partners(machine)}) : std::nullopt;
    return first_of({mesh, both_ways, needs_full_duplex(machine), needs_full_links(machine), needs_table(machine),
                     takes_no_options(options)});
}

ExpectedCost line_streams_cost(const Grid& mesh, Streams streams,
                               std::uint64_t (*volume_on_line)(NodeId size, Streams streams),
                               std::uint64_t (*packets_in)(const Grid& mesh, int dimension)) {
    std::uint64_t rounds = 0;
    std::uint64_t work = 0;
    std::uint64_t volume = 0;
    std::vector<std::string> derivation;
    for (int d = mesh.dimensions(); d-- > 0;) {
        const NodeId side = mesh.side(d);
        const NodeId lines = mesh.nodes() / side;
        const std::uint64_t of_line = LineStreams::rounds_on(side, streams);
        const std::uint64_t messages = messages_on_line(side, streams);
        const std::uint64_t packets = packets_in(mesh, d) * volume_on_line(side, streams);
        rounds += of_line;
        work += lines * messages;
        volume += packets;
        derivation.push_back(
            fmt::format("dimension {}, {} line{} of {}: {} round{}, {} over one link on every line, {}", d, lines,
                        lines == 1 ? "" : "s", side, of_line, of_line == 1 ? "" : "s", counted(messages, "message"),
                        counted(packets, "packet")));
    }
    derivation.push_back(fmt::format("the dimensions follow one another: {}, work {}, volume {}",
                                     counted(rounds, "round"), work, counted(volume, "packet")));
    return {rounds, work, rounds, volume, std::move(derivation)};
}

}  // namespace kport
