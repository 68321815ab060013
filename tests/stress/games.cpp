#include "tests/stress/games.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/run_algorithm.hpp"
#include "app/stress/drawing.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::test {

namespace {

constexpr std::array specs = {"line:1",      "line:2",      "line:3",     "line:5",     "line:8",      "ring:3",
                              "ring:4",      "ring:5",      "ring:8",     "mesh:2x3",   "mesh:3x3",    "mesh:4x4",
                              "mesh:2x2x3",  "torus:3x3",   "torus:2x2",  "torus:3x4",  "torus:4x4",   "cbt:1",
                              "cbt:2",       "complete:2",  "complete:5", "complete:7", "hypercube:0", "hypercube:1",
                              "hypercube:2", "hypercube:3", "hypercube:4"};

constexpr std::array specs_with_switches = {
    "crossbar:1",       "crossbar:4",         "crossbar:7",      "leaf-spine:2,1,2",
    "leaf-spine:2,2,3", "leaf-spine:2,1,2,2", "nvswitch:4,2",    "nvswitch:3,1,2",
    "rail:2,2",         "rail:2,3,1",         "bcube:2,1",       "dcell:2,1",
    "kary-ntree:2,2",   "xgft:2x2,1x2,2x1",   "hosts(2,ring:3)", "hammingmesh:1x2,2x2"};

std::vector<Sent> messages_of(const Schedule& schedule) {
    std::vector<Sent> sent;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        sent.push_back({schedule.round(i),
                        transfer.from,
                        transfer.to,
                        {transfer.route.begin(), transfer.route.end()},
                        {transfer.packets.begin(), transfer.packets.end()}});
    }
    return sent;
}

Schedule schedule_of(std::vector<Sent> sent) {
    std::ranges::stable_sort(sent, {}, &Sent::round);
    Schedule schedule;
    for (const Sent& message : sent)
        schedule.add(message.round, {message.from, message.to, message.route, message.packets});
    return schedule;
}

bool lost_its_way(const Topology& topology, const Sent& message) {
    NodeId at = message.from;
    for (const Port port : message.route)
        if (at = topology.wires().across(at, port).node; at == no_node) return true;
    return at != message.to;
}

}  // namespace

std::string ScheduledGame::text() const {
    std::string text =
        fmt::format("{} from {} on {}, {}, combining {}, {} bytes, costs {} {} {}\n", name(collective.operation),
                    collective.root, machine.topology->spec(), machine.describe(), machine.combining,
                    collective.packet_bytes, machine.costs.startup, machine.costs.hop, machine.costs.byte);
    for (const Sent& message : messages_of(schedule)) {
        text += fmt::format("  {}: {}>{} by {} packets", message.round, message.from, message.to,
                            fmt::join(message.route, ","));
        for (const PacketBlock& b : message.packets)
            text += fmt::format(" [{}+{}*{} rows {}+{}*{}]", b.first, b.stride, b.count, b.row, b.row_stride, b.rows);
        text += '\n';
    }
    return text;
}

Machine Games::machine() {
    Machine machine;
    machine.topology = make_topology(on_ == On::links ? one_of(specs) : one_of(specs_with_switches));
    machine.costs = {static_cast<double>(below(3)), static_cast<double>(below(3)) / 4,
                     static_cast<double>(below(3)) / 8};
    loosen(machine);
    return machine;
}

void Games::loosen(Machine& machine) {
    const std::size_t k = below(8);
    machine.ports = k == 0 ? PortLimit::all() : PortLimit(k >= 5 ? 1 : static_cast<Port>(k));
    machine.duplex = once_in(3) ? Duplex::half : Duplex::full;
    machine.links = once_in(4) ? Duplex::half : Duplex::full;
    machine.pairwise = once_in(5);
    if (on_ == On::switches) machine.switch_limit = once_in(4) ? static_cast<Port>(1 + below(3)) : no_port;
    if (on_ == On::links && k >= 6 && machine.duplex == Duplex::full && !machine.pairwise)
        machine.ports = k == 6 ? PortLimit(2, 1) : PortLimit(1, 3);
    machine.noho = once_in(3) ? Noho::strict : Noho::wide;
    machine.switching = once_in(2) ? Switching::wormhole : Switching::store_and_forward;
    machine.combining = !once_in(3);
}

Collective Games::collective(const Machine& machine) {
    if (once_in(6)) return own(machine.topology->nodes());
    Operation operation = operations()[below(operations().size())];
    while (!has_operation(*machine.topology, operation)) operation = operations()[below(operations().size())];
    const NodeId root = below(machine.topology->nodes());
    return fitted(Collective::of(operation, root, below(4)), *machine.topology);
}

PacketSet Games::some_of(std::uint64_t packets) {
    PacketSet some;
    for (std::size_t i = below(3); i-- > 0;) {
        PacketBlock block{static_cast<std::uint32_t>(below(packets)), static_cast<std::uint32_t>(1 + below(3))};
        block.count = static_cast<std::uint32_t>(1 + below((packets - 1 - block.first) / block.stride + 1));
        some.add(without({&block, 1}, some.blocks()));
    }
    return some;
}

/// Some packets, more or fewer than nodes, for each node some that it owns and some that it must hold.
Collective Games::own(NodeId nodes) {
    OwnCollective own;
    own.name = "own";
    own.packets = 1 + below(2 * nodes + 3);
    own.packet_bytes = below(4);
    std::vector<PacketSet> owned;
    std::vector<PacketSet> wanted;
    for (NodeId v = 0; v < nodes; ++v) {
        owned.push_back(some_of(own.packets));
        wanted.push_back(once_in(2) ? some_of(own.packets) : owned.back());
    }
    own.owned = [owned](NodeId v) { return owned[v]; };
    own.wanted = [wanted](NodeId v) { return wanted[v]; };
    if (once_in(2)) {
        std::vector<bool> may;
        for (NodeId v = 0; v < nodes; ++v) may.push_back(once_in(2));
        own.passes_on = [may](NodeId v) { return may[v]; };
    }
    return Collective::custom(std::move(own));
}

ScheduledGame Games::lawful() {
    // Recording costs more than judging: most games reuse a recorded schedule.
    if (!recorded_.empty() && !once_in(16)) return one_of(recorded_);
    while (true) {
        ScheduledGame game;
        game.machine = machine();
        game.collective = collective(game.machine);
        if (game.collective.is_own()) continue;
        // What moves does not depend on the bytes.
        const Collective with_bytes = Collective::of(game.collective.operation, game.collective.root, 8);
        const auto rows = applicable(game.machine, with_bytes, {});
        if (rows.empty()) continue;
        RunOptions options;
        options.recorded_schedule = &game.schedule;
        const Algorithm& row = *one_of(rows);
        static_cast<void>(run_algorithm(row, game.machine, with_bytes, {}, Payload{false}, options));
        game.collective = judged_collective(row, game.collective, {});
        recorded_.push_back(std::move(game));
        return recorded_.back();
    }
}

ScheduledGame Games::mutilated() {
    ScheduledGame game = lawful();
    if (once_in(3)) loosen(game.machine);
    std::vector<Sent> sent = messages_of(game.schedule);
    for (std::size_t i = below(5); i-- > 0;) mutilate(sent, game);
    game.schedule = schedule_of(std::move(sent));
    return game;
}

ScheduledGame Games::chance() {
    ScheduledGame game;
    game.machine = machine();
    game.collective = collective(game.machine);
    std::vector<Sent> sent;
    if (game.machine.topology->nodes() > 1)
        for (std::size_t i = below(14); i-- > 0;) sent.push_back(message(game, static_cast<Round>(1 + below(4))));
    game.schedule = schedule_of(std::move(sent));
    return game;
}

ScheduledGame Games::any() {
    const std::size_t kind = below(8);
    return kind == 0 ? lawful() : kind < 3 ? chance() : mutilated();
}

/// Some packets that the operation has: disjoint blocks, usually one.
std::vector<PacketBlock> Games::packets(const ScheduledGame& game) {
    const Operation operation = game.collective.operation;
    const NodeId nodes = game.machine.topology->nodes();
    if (operation == Operation::broadcast) return {PacketBlock{0}};
    if (operation.folds() && once_in(4)) return {result_packet(nodes)};
    if (operation.is_own()) {
        const PacketSet some = some_of(game.collective.packets(nodes));
        if (some.empty()) return {PacketBlock{0}};
        return {some.blocks().begin(), some.blocks().end()};
    }
    const auto progression = [&](std::uint32_t& first, std::uint32_t& stride, std::uint32_t& count) {
        first = static_cast<std::uint32_t>(below(nodes));
        stride = once_in(3) ? static_cast<std::uint32_t>(1 + below(3)) : 1;
        count = once_in(2) ? 1 : static_cast<std::uint32_t>(1 + below((nodes - 1 - first) / stride + 1));
    };
    std::vector<PacketBlock> chosen;
    for (std::size_t i = once_in(4) ? 1 + below(3) : 1; i-- > 0;) {
        PacketBlock block;
        progression(block.first, block.stride, block.count);
        if (operation == Operation::alltoall) progression(block.row, block.row_stride, block.rows);
        for (const PacketBlock& rest : without({&block, 1}, chosen)) chosen.push_back(rest);
    }
    return chosen;
}

/// A walk over links, which may visit nodes twice.
std::vector<Port> Games::walk(const Topology& topology, NodeId& at, std::size_t hops) {
    std::vector<Port> route;
    while (route.size() < hops) {
        const Port port = static_cast<Port>(below(topology.ports()));
        const NodeId next = topology.across(at, port).node;
        if (next == no_node) continue;
        route.push_back(port);
        at = next;
    }
    return route;
}

/// A walk, on machines with switches usually the route to a host.
std::vector<Port> Games::way(const ScheduledGame& game, NodeId& at, std::size_t hops) {
    const Topology& topology = *game.machine.topology;
    if (topology.fabric() == nullptr || at >= topology.nodes() || once_in(4)) return walk(topology.wires(), at, hops);
    std::vector<Port> route;
    for (; hops > 0 && topology.degree(at) > 0; --hops) {
        NodeId next = no_node;
        while (next == no_node) next = topology.across(at, static_cast<Port>(below(topology.ports()))).node;
        topology.fabric()->append_route(at, next, /*any=*/false, route);
        at = next;
    }
    return route.empty() ? walk(topology.wires(), at, 1) : route;
}

/// A host, sometimes a switch.
NodeId Games::any_end(const Topology& topology) {
    return below(once_in(20) ? topology.wires().nodes() : topology.nodes());
}

Sent Games::message(const ScheduledGame& game, Round round) {
    const Topology& topology = *game.machine.topology;
    Sent sent{round, once_in(2) ? game.collective.root : any_end(topology), 0, {}, packets(game)};
    sent.to = sent.from;
    const bool far = once_in(game.machine.switching == Switching::wormhole ? 2 : 20);
    sent.route = way(game, sent.to, far ? 1 + below(4) : 1);
    if (once_in(30)) sent.to = any_end(topology);
    if (once_in(30)) sent.route.front() = static_cast<Port>(below(topology.wires().ports()));
    return sent;
}

void Games::mutilate(std::vector<Sent>& sent, const ScheduledGame& game) {
    const Topology& topology = *game.machine.topology;
    if (topology.nodes() == 1) return;  // nowhere to go
    const Round rounds = sent.empty() ? 1 : std::ranges::max(sent, {}, &Sent::round).round;
    const auto any_round = [&] { return static_cast<Round>(1 + below(rounds + 2)); };
    if (sent.empty() || once_in(6)) {
        sent.push_back(message(game, any_round()));
        return;
    }
    const std::size_t i = below(sent.size());
    Sent& victim = sent[i];
    switch (below(12)) {
        case 0: sent.erase(sent.begin() + static_cast<std::ptrdiff_t>(i)); return;
        case 1: sent.push_back(Sent(victim)); return;  // twice in a round
        case 2:                                        // again in another
            sent.push_back(Sent(victim));
            sent.back().round = any_round();
            return;
        case 3: victim.round = any_round(); return;
        case 4: victim.round += 1; return;
        case 5: {  // echo to the sender, in the same round or the next
            if (lost_its_way(topology, victim)) return;
            Sent echo{victim.round + static_cast<Round>(below(2)), victim.to, victim.from, {}, victim.packets};
            for (NodeId at = victim.from; const Port port : victim.route) {
                const LinkEnd end = topology.wires().across(at, port);
                echo.route.insert(echo.route.begin(), end.port);
                at = end.node;
            }
            sent.push_back(std::move(echo));
            return;
        }
        case 6: victim.to = any_end(topology); return;
        case 7:
            victim.to = victim.from;
            victim.route = way(game, victim.to, 1 + below(2));
            return;
        case 8: victim.packets = packets(game); return;
        case 9: {  // some other packets besides
            const PacketBlock result = result_packet(topology.nodes());
            if (game.collective.one_packet() || victim.packets.front() == result) return;
            for (const PacketBlock& more : packets(game))
                for (const PacketBlock& rest : without({&more, 1}, victim.packets))
                    if (more != result) victim.packets.push_back(rest);
            return;
        }
        case 10: {  // on over one more link
            NodeId at = victim.to;
            for (const Port port : way(game, at, 1)) victim.route.push_back(port);
            if (!once_in(4)) victim.to = at;
            return;
        }
        default: {  // a round late, with all that follows
            const Round from = victim.round;
            for (Sent& message : sent)
                if (message.round >= from) message.round += static_cast<Round>(1 + below(2));
        }
    }
}

}  // namespace kport::test
