#include "algorithms/bounds/judge.hpp"
#include "emulator/base/error.hpp"

namespace kport::bounds {
namespace {

constexpr const char* hard_in_general = "deciding it is NP-complete on general graphs (Garey-Johnson ND49)";

Knowledge about_broadcast(const Facts& facts, const Derivation& found) {
    Knowledge known;
    known.schedules = known_broadcasts(with_known_schedules(facts));
    known.rounds = refute_broadcast_rounds(facts, found.rounds.value());
    known.path_sum = refute_broadcast_path_sum(facts, found);
    known.packets = known.rounds;  // a packet a round, exactly
    if (facts.store_and_forward && facts.one_port()) known.open_question = hard_in_general;
    return known;
}

/// A combining scatter holds a broadcast, in which every node is informed by its own packet; and every broadcast makes a
/// scatter, with a bundle for each subtree. So both need the same rounds and hops.
Knowledge about_scatter(const Facts& facts, const Derivation& found) {
    Knowledge known;
    known.schedules = known_scatters(with_known_schedules(facts));
    known.packets = refute_scatter_packets(facts, found.packets.value());
    if (facts.machine.combining) {
        known.rounds = refute_broadcast_rounds(facts, found.rounds.value());
        known.path_sum = refute_broadcast_path_sum(facts, found);
        return known;
    }
    known.rounds = known.packets;  // a packet a round, exactly
    if (facts.store_and_forward && facts.grid != nullptr && facts.full_duplex)
        known.open_question = "maximum flows meet it on every small mesh and torus tried";
    if (facts.store_and_forward) known.path_sum = known.packets;  // and a hop
    return known;
}

Knowledge about_scan(const Facts& facts) {
    Knowledge known;
    known.schedules = known_scans(with_known_schedules(facts));
    known.work = refute_scan_work(facts);
    return known;
}

Knowledge only(std::vector<Schedule> schedules) {
    Knowledge known;
    known.schedules = std::move(schedules);
    return known;
}

}  // namespace

Knowledge knowledge_of(const Facts& facts, const Derivation& found) {
    switch (facts.operation) {
        case Operation::broadcast:
        case Operation::reduce: return about_broadcast(facts, found);
        case Operation::scatter:
        case Operation::gather: return about_scatter(facts, found);
        case Operation::allreduce: return only(known_allreduces(with_known_schedules(facts)));
        case Operation::scan: return about_scan(facts);
        case Operation::allgather: return only(known_allgathers(with_known_schedules(facts)));
        case Operation::alltoall: return only(known_alltoalls(with_known_schedules(facts)));
        case Operation::none: break;
    }
    invariant(false, "an operation of which nothing is known");
    return {};
}

}  // namespace kport::bounds
