#include "bench/peers/simgrid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "bench/yardsticks/parameters.hpp"

namespace kport::bench {

namespace {

namespace s4u = simgrid::s4u;

struct Crowd {
    int n;
    bool all_ports;
    std::vector<s4u::Mailbox*> mailboxes;
    std::vector<std::uint64_t> packets;  ///< what each node has
};

void sbt(Crowd& crowd, NodeId self) {
    if (self != 0) crowd.packets[self] = *crowd.mailboxes[self]->get<std::uint64_t>();
    std::vector<s4u::CommPtr> on_the_way;
    for (int d = static_cast<int>(std::bit_width(self)); d < crowd.n; ++d) {
        s4u::Mailbox& to = *crowd.mailboxes[self ^ (NodeId{1} << d)];
        if (crowd.all_ports)
            on_the_way.push_back(to.put_async(&crowd.packets[self], sizeof(std::uint64_t)));
        else
            to.put(&crowd.packets[self], sizeof(std::uint64_t));
    }
    s4u::Comm::wait_all(on_the_way);
}

/// The settings with which SimGrid is fastest here and its stacks are smallest. CM02 without TCP's window: latency alone.
s4u::Engine engine() {
    std::array<std::string, 6> settings = {"peers",
                                           "--log=root.threshold:critical",
                                           "--cfg=contexts/stack-size:16",
                                           "--cfg=contexts/guard-size:0",
                                           "--cfg=network/model:CM02",
                                           "--cfg=network/TCP-gamma:0"};
    std::array<char*, 7> arguments{};
    std::transform(settings.begin(), settings.end(), arguments.begin(), [](std::string& word) { return word.data(); });
    int count = static_cast<int>(settings.size());
    return s4u::Engine(&count, arguments.data());
}

/// A link of its own each way for every host: SimGrid's time for a message grows with the messages that share a link.
std::vector<s4u::Host*> hosts(NodeId nodes) {
    s4u::NetZone* const zone = s4u::create_star_zone("machine");
    std::vector<s4u::Host*> all;
    all.reserve(nodes);
    for (NodeId v = 0; v < nodes; ++v) {
        s4u::Host* const host = zone->create_host(std::to_string(v), 1e9);
        const s4u::Link* const link =
            zone->create_split_duplex_link("link" + std::to_string(v), 1e12)->set_latency(0.5)->seal();
        const auto way = [&](s4u::LinkInRoute::Direction direction) {
            return std::vector<s4u::LinkInRoute>{s4u::LinkInRoute(link, direction)};
        };
        zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, way(s4u::LinkInRoute::Direction::UP));
        zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, way(s4u::LinkInRoute::Direction::DOWN), false);
        all.push_back(host);
    }
    zone->seal();
    return all;
}

}  // namespace

Outcome simgrid_sbt(int n, bool all_ports) {
    const NodeId nodes = NodeId{1} << n;
    Measurement measurement;
    const s4u::Engine simulator = engine();
    Crowd crowd{n, all_ports, {}, std::vector<std::uint64_t>(nodes)};
    crowd.packets[0] = payload;
    const std::vector<s4u::Host*> machine = hosts(nodes);
    for (NodeId v = 0; v < nodes; ++v) crowd.mailboxes.push_back(s4u::Mailbox::by_name(std::to_string(v)));
    for (NodeId v = 0; v < nodes; ++v) s4u::Actor::create("node", machine[v], [&crowd, v] { sbt(crowd, v); });
    simulator.run();
    measurement.pause();
    const bool all_have_it =
        std::all_of(crowd.packets.begin(), crowd.packets.end(), [](std::uint64_t had) { return had == payload; });
    return measurement.outcome(nodes - 1, nodes, all_have_it && std::abs(s4u::Engine::get_clock() - n) < 1e-6);
}

}  // namespace kport::bench
