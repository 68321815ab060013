/// @file audit.cpp   What does the audit of a transfer cost?
///
/// The transfers of a spanning binomial tree are made in advance, in an engine's order, and passed to the auditor as an
/// engine does. The contender `walk` only reads the same transfers.
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "bench/support/register.hpp"
#include "emulator/audit/auditor.hpp"
#include "emulator/node/message.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport::bench {

namespace {

using Stream = std::vector<std::vector<Message>>;  // round by round

/// All-port: a node sends to all its children in the round after the one that informed it.
Stream all_port_stream(int n) {
    struct Informed {
        NodeId node;
        int by;
    };
    Stream stream;
    std::vector<Informed> front = {{0, -1}};
    while (true) {
        std::vector<Informed> next;
        std::vector<Message> round;
        for (const auto& [v, by] : front)
            for (int d = by + 1; d < n; ++d) {
                next.push_back({Hypercube::neighbour(v, d), d});
                round.push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(next.back().node),
                                 Hypercube::port(d), Hypercube::port(d), 0});
            }
        if (round.empty()) return stream;
        stream.push_back(std::move(round));
        front = std::move(next);
    }
}

/// 1-port: in round d + 1 every informed node sends across dimension d.
Stream one_port_stream(int n) {
    Stream stream;
    std::vector<NodeId> informed = {0};
    for (int d = 0; d < n; ++d) {
        std::vector<Message> round;
        for (const NodeId v : informed)
            round.push_back({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(Hypercube::neighbour(v, d)),
                             Hypercube::port(d), Hypercube::port(d), 0});
        for (const Message& message : round) informed.push_back(message.to);
        stream.push_back(std::move(round));
    }
    return stream;
}

Outcome walk(const Stream& stream, NodeId nodes) {
    Measurement measurement;
    std::uint64_t sum = 0;
    for (const std::vector<Message>& round : stream)
        for (const Message& message : round) sum += message.to;
    measurement.pause();
    return measurement.outcome(nodes - 1, nodes, sum == nodes * (nodes - 1) / 2);
}

/// fetch_ahead: how many transfers ahead the records are prefetched, as in the engine; 0: no prefetch.
Outcome audit(const Stream& stream, int n, PortLimit ports, std::size_t fetch_ahead) {
    const NodeId nodes = NodeId{1} << n;
    Machine machine;
    machine.topology = std::make_shared<const Hypercube>(n);
    machine.ports = ports;
    const std::array<unsigned, 1> shards = {0};
    Measurement measurement;
    std::optional<Auditor> auditor(std::in_place, machine, Collective::broadcast(0, 8), 1, false);
    for (std::size_t i = 0; i < stream.size(); ++i) {
        const auto round = static_cast<Round>(i + 1);
        const std::vector<Message>& messages = stream[i];
        const auto show = [&](auto&& prefetch_node, auto&& judge) {
            for (std::size_t m = 0; m < messages.size(); ++m) {
                if (fetch_ahead != 0 && m + fetch_ahead < messages.size())
                    auditor->prefetch(prefetch_node(messages[m + fetch_ahead]));
                const Message& message = messages[m];
                judge(Hop{message.from, message.to, message.out, message.content});
            }
        };
        show([](const Message& m) { return m.from; }, [&](const Hop& hop) { auditor->sent(0, round, hop); });
        show([](const Message& m) { return m.to; }, [&](const Hop& hop) { auditor->received(0, round, hop); });
        auditor->end_round(round, shards);
    }
    const Verdict verdict = auditor->finish();
    auditor.reset();
    measurement.pause();
    return measurement.outcome(nodes - 1, nodes,
                               verdict.lawful() && verdict.delivered && verdict.metrics.work == nodes - 1);
}

std::vector<Contender> contenders() {
    std::vector<Contender> all;
    for (const int n : tiny() ? std::vector{6} : std::vector{10, 16, 20, 22})
        for (const bool all_port : {true, false}) {
            // Made when first used, and shared by the contenders of a size.
            const auto shared = std::make_shared<Stream>();
            const auto stream = [=]() -> const Stream& {
                if (shared->empty()) *shared = all_port ? all_port_stream(n) : one_port_stream(n);
                return *shared;
            };
            const PortLimit ports = all_port ? PortLimit::all() : PortLimit(1);
            const std::string size = fmt::format("{}/hypercube:{}", all_port ? "all_port" : "1_port", n);
            all.push_back({"Audit/walk/" + size, [=] { return walk(stream(), NodeId{1} << n); }});
            all.push_back({"Audit/auditor/" + size, [=] { return audit(stream(), n, ports, 0); }});
            all.push_back({"Audit/auditor_fetch_ahead/" + size, [=] { return audit(stream(), n, ports, 12); }});
        }
    return all;
}

[[maybe_unused]] const bool registered = register_contenders(contenders());

}  // namespace

}  // namespace kport::bench
