#include "emulator/schedule/neighbourhood.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

Neighbourhood::Neighbourhood(const Topology& topology) {
    constexpr std::uint64_t pairs_max = std::uint64_t{1} << 28;
    if (topology.fabric() != nullptr)
        throw RequestError(
            topology.fabric()->switches() == 0
                ? fmt::format("{} has trunks, over which no operation among neighbours runs; want links of one message",
                              topology.spec())
                : fmt::format("the hosts of {} are joined by switches, and have no neighbours", topology.spec()));
    if (topology.nodes() >= pairs_max || topology.channels() > pairs_max)
        throw DoesNotFit(fmt::format("{} has {} pairs of neighbours; lists of neighbours hold 2^28", topology.spec(),
                                     topology.channels()));
    first_.reserve(topology.nodes() + 1);
    all_.reserve(topology.channels());
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        for_each_neighbour(topology, v, [&](NodeId w) { all_.push_back(static_cast<std::uint32_t>(w)); });
        const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(first_.back());
        std::sort(begin, all_.end());
        all_.erase(std::unique(begin, all_.end()), all_.end());
        largest_ = std::max<std::uint64_t>(largest_, all_.size() - first_.back());
        first_.push_back(all_.size());
    }
}

}  // namespace kport
