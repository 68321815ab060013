#include "app/session/choose.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/engine/choose_execution.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/payload/packet_store.hpp"

namespace kport {

namespace {

constexpr NodeId run_nodes_max = (NodeId{1} << 32) - 1;

/// The most nodes at one distance from the root; guessed where a list of them would be long.
double widest_level(const Topology& topology, NodeId root) {
    constexpr Hops profile_max = 1'000'000;
    const Hops levels = topology.eccentricity(root) + 1;
    if (levels > profile_max) return 4.0 * static_cast<double>(topology.nodes()) / static_cast<double>(levels);
    const std::vector<std::uint64_t> profile = topology.distance_profile(root);
    return static_cast<double>(*std::max_element(profile.begin(), profile.end()));
}

/// Nodes whose programs have started and not ended, at most, in a broadcast: on no machine more than half of all, and
/// where the packet spreads link by link no more than a few levels of the graph at a time.
double alive_at_once(const Experiment& e) {
    const Topology& topology = e.topology();
    const auto nodes = static_cast<double>(topology.nodes());
    if (e.machine.has_paths()) return nodes / 2;
    const double widest = widest_level(topology, e.collective.root);
    const double levels_at_once = 2.0 * topology.max_degree() + 2;
    return std::min(nodes / 2, levels_at_once * widest);
}

/// All nodes start at once where every one has something to say.
bool all_start(const Operation& operation) { return !operation.rooted(); }

/// All nodes get the same packets, which have a place at each of them.
bool is_broadcast(const Collective& collective) { return collective.operation->carries == Carries::copies; }

bool has_paths(const Machine& machine) { return machine.has_paths(); }

/// Whether an arbiter looks at the messages of each round, or may have to.
bool arbitrates(const Machine& machine) { return has_paths(machine) || machine.is_exclusive(); }
bool may_compete(const Experiment& e) {
    return arbitrates(e.machine) || e.machine.duplex == Duplex::half ||
           e.machine.common_ports().receives() < e.topology().max_degree();
}
/// Sends nothing: stands for the broadcast that keeps the least of a node, before an algorithm is chosen.
class ToNobody final : public Forwarding {
  public:
    using Forwarding::Forwarding;

    [[nodiscard]] Port first(NodeId, Port) const override { return no_port; }
    [[nodiscard]] Port next(NodeId, Port) const override { return no_port; }
};

/// Whether the node program can be made before its memory is admitted, for equal counts: it has no tables, no plan, and no code of a
/// user's.
bool is_made_at_once(const Algorithm& row) {
    return row.way == Way::program && row.table_bytes_per_node == 0 && row.plan == nullptr && !row.is_own;
}

Demands demands_on(const Experiment& e, bool is_recorded) {
    Demands demands;
    demands.free = e.engine == EngineKind::free && e.until == 0;
    demands.has_order = e.order.has_value();
    demands.has_faults = e.injection.has_value();
    demands.is_recorded = is_recorded;
    demands.has_ranks = e.company.processes > 1;
    return demands;
}

/// The job whose execution is estimated; with no program where nodes run programs or follow a schedule in any case.
Job job_of(const Experiment& e, const Algorithm* algorithm) {
    const bool is_one_run = e.collective.counts == nullptr && e.collective.groups == nullptr;
    if (algorithm != nullptr && is_made_at_once(*algorithm) && is_one_run) {
        Job job = make_job(*algorithm, e.machine, e.collective, e.options);
        job.payload = e.payload;
        return job;
    }
    Job job;
    job.machine = e.machine;
    job.collective = e.collective;
    if (algorithm != nullptr || !is_broadcast(e.collective)) return job;
    job.program = PlanProgram(std::make_shared<ToNobody>(e.collective, true));
    job.starters = {e.collective.root};
    job.payload = e.payload;
    return job;
}

/// A run whose memory is asked for.
struct Run {
    const Experiment& experiment;
    const Algorithm* algorithm;
    ChosenExecution chosen;
    NodeBytes bytes;
    bool relays;  ///< its program hands segments around the nodes, whatever executes it

    Run(const Experiment& e, const Algorithm* the_algorithm, const Job& job, bool is_recorded)
        : experiment(e), algorithm(the_algorithm), chosen(choose_execution(job, demands_on(e, is_recorded))),
          bytes(estimate(chosen, e.machine)), relays(plan_of<SegmentRelay>(job) != nullptr) {
        if (algorithm != nullptr && algorithm->way != Way::program) chosen.nodes = Execution::scripts;
    }
    [[nodiscard]] bool keeps_values() const {
        return chosen.nodes == Execution::exchange || chosen.nodes == Execution::relay;
    }
};

/// Coroutine frames, their nodes, and messages in flight on both sides; or cursors, or values.
double bytes_at_work(const Run& run) {
    const Experiment& e = run.experiment;
    constexpr double bytes_for_tables = 120;  // of programs that walk a tree in a table
    constexpr double bytes_in_order = 80;     // of the list of those that have something to do in a round
    const bool has_tables = run.algorithm != nullptr && run.algorithm->table_bytes_per_node != 0;
    const bool all = run.bytes.all_at_work || all_start(e.collective.operation);
    const double alive = all ? static_cast<double>(e.topology().nodes()) : alive_at_once(e);
    return alive * (run.bytes.at_work + (has_tables ? bytes_for_tables : 0) + (e.order ? bytes_in_order : 0));
}

/// What node v's text has grown to when all contributions are concatenated: digits and a dot each.
double bytes_of_whole_text(const Experiment& e) {
    const auto nodes = static_cast<double>(e.topology().nodes());
    double given = 0;
    for (const std::string& value : e.options.reduction.values) given += static_cast<double>(value.size());
    return given > 0 ? given : nodes * (std::log10(std::max(nodes, 1.0)) + 2);
}

/// The bytes that a user-defined collective leaves at all nodes.
double bytes_wanted(const Collective& collective, NodeId nodes) {
    double packets = 0;
    for (NodeId v = 0; v < nodes; ++v) packets += static_cast<double>(collective.wanted(v, nodes).size());
    return packets * static_cast<double>(collective.packet_bytes);
}

/// The bytes that all nodes hold of what the operation moves, at its fullest and as measured with some room: the packets
/// that end where they are wanted, those on their way, and of reductions three values a node.
double bytes_of_payload(const Run& run) {
    const Experiment& e = run.experiment;
    const auto nodes = static_cast<double>(e.topology().nodes());
    const auto packet = static_cast<double>(e.collective.packet_bytes) * static_cast<double>(e.collective.packets_each);
    if (is_broadcast(e.collective)) return nodes * packet;
    if (e.collective.is_own()) return 4 * bytes_wanted(e.collective, e.topology().nodes());  // on their way, too
    if (!e.collective.folds()) {
        if (e.collective.rooted()) return 4 * nodes * packet;
        if (e.collective.operation == Operation::permutation) return 4 * nodes * packet;
        if (e.collective.neighbours != nullptr)
            return 4 * (nodes + static_cast<double>(e.collective.neighbours->pairs())) * packet;
        const double held = nodes * nodes * packet;  // of each by all, or of all for each
        return e.collective.packets(e.topology().nodes()) > e.collective.packets_each * e.topology().nodes()
                   ? 2.4 * held
                   : 1.6 * held;  // all, half of them at once on their way, and bits
    }
    const bool is_of_blocks = e.collective.operation == Operation::reduce_scatter;  // which every node has of all
    const double vectors = is_of_blocks && run.algorithm != nullptr && !run.relays ? 1.1 * nodes * nodes * packet : 0;
    constexpr double bytes_of_a_value = 120;  // with its name
    if (run.algorithm != nullptr && run.algorithm->unfolded) return 3 * nodes * nodes * (packet + bytes_of_a_value);
    if (e.options.reduction.commutative()) return vectors + 3 * nodes * packet;
    const double whole = bytes_of_whole_text(e) * static_cast<double>(e.collective.segments(e.topology().nodes()));
    return e.collective.inwards() ? whole * std::log2(nodes + 1) * 2 : 3 * nodes * whole;
}

/// Messages, as far as memory counts them, and the blocks of packets in them.
struct Traffic {
    double messages = 0;
    double blocks = 0;
};

/// The traffic of a planned schedule, where its plan knows it.
std::optional<Traffic> planned_traffic(const Experiment& e, const Algorithm& algorithm) {
    if (algorithm.plan == nullptr) return std::nullopt;
    const PlanSize plan = algorithm.plan(planning_machine(algorithm, e.machine, e.collective, e.options), e.collective);
    return plan.messages > 0 ? std::optional(Traffic{plan.messages, plan.blocks}) : std::nullopt;
}

/// A guess for programs whose work is not known; without an algorithm, what every one sends.
Traffic traffic_of(const Experiment& e, const Algorithm* algorithm) {
    constexpr double blocks_of_a_bundle = 2;
    const auto nodes = static_cast<double>(e.topology().nodes());
    const auto each = static_cast<double>(e.collective.packets_each);
    const bool is_of_one_value = e.collective.folds() && e.collective.segments(e.topology().nodes()) == 1;
    if (algorithm == nullptr || is_of_one_value) return {nodes, nodes};
    if (const auto planned = planned_traffic(e, *algorithm)) return *planned;
    // Where counts differ at most as many are sent as with equal ones.
    const bool thinned = is_thinned(*algorithm, e.machine, e.collective);
    const Collective& sent = thinned ? with_equal_counts(e.collective) : e.collective;
    const auto work = expected_cost(*algorithm, e.machine, sent, e.options).work;
    double messages = nodes * std::max(nodes, each);
    if (work) {
        const bool crosses_one_link = !has_paths(e.machine) || algorithm->single_links;
        const auto hops = static_cast<double>(*work);
        messages = crosses_one_link ? hops : std::min(hops, messages);
    }
    const bool of_one = (algorithm->single_packets && each == 1) || !e.machine.combining;
    return {messages, of_one ? messages : blocks_of_a_bundle * messages};
}

/// Packets of which each is for one node: what a message leaves in the ledger, and of each block a note that it was passed on
/// (payload/passed_on.hpp) and what its receiver keeps, as far as blocks do not join.
double bytes_of_passing(const Experiment& e, const Traffic& traffic) {
    constexpr double few_blocks = 2;
    constexpr double bytes_body = 80;
    constexpr double bytes_block = 110;
    const double bytes_noted = traffic.blocks > few_blocks * traffic.messages ? 280 : 70;
    const double messages = traffic.messages * (bytes_noted + (e.payload ? bytes_body : 0));
    return e.collective.rooted() ? messages : messages + traffic.blocks * bytes_block;
}

/// Packets that all nodes get: bits that say who holds them and who has sent them, and where they have no places bodies.
double bytes_of_keeping(const Experiment& e, const Traffic& traffic) {
    constexpr double bytes_packet = 3.0 / 8;
    constexpr double bytes_body = 180;
    const NodeId nodes = e.topology().nodes();
    const bool has_bodies = e.payload && !PacketStore::gives_places(e.collective);
    return static_cast<double>(nodes) * static_cast<double>(e.collective.packets(nodes)) * bytes_packet +
           (has_bodies ? traffic.messages * bytes_body : 0);
}

/// Operations of many packets: what the nodes and the auditor note of them.
double bytes_of_bundles(const Run& run) {
    const Experiment& e = run.experiment;
    const Algorithm* algorithm = run.algorithm;
    constexpr double bytes_node = 300;
    constexpr double bytes_message = 180;
    constexpr double bytes_value = 17;
    constexpr double bytes_of_books = 8;
    constexpr double bytes_of_groups = 600;  // of segments, which have books together
    constexpr double bytes_of_a_part = 120;  // of a scatter: the body that a node splits, and its compact audit
    if (e.collective.one_packet()) return 0;
    const auto nodes = static_cast<double>(e.topology().nodes());
    const auto each = static_cast<double>(e.collective.packets_each);
    if (is_broadcast(e.collective)) {
        constexpr double bytes_packet = 3.0 / 8;  // bits that say who holds it and who has sent it
        return nodes * ((run.chosen.nodes == Execution::timetable ? 0 : bytes_node) + each * bytes_packet);
    }
    // Around the nodes come contributions that follow one another: they take no more with every message.
    if (run.keeps_values() || run.relays)
        return nodes * ((run.keeps_values() ? bytes_of_books : bytes_node) + (run.relays ? bytes_of_groups : 0));
    if (run.chosen.nodes == Execution::splitting) return nodes * bytes_of_a_part;
    const Traffic traffic = traffic_of(e, algorithm);
    if (e.collective.operation == Operation::allgather) return nodes * bytes_node + bytes_of_keeping(e, traffic);
    if (!e.collective.folds()) return nodes * bytes_node + bytes_of_passing(e, traffic);
    double values = 0;  // the ledger keeps which contributions came together
    if (algorithm != nullptr)
        values = static_cast<double>(expected_cost(*algorithm, e.machine, e.collective, e.options).work.value_or(0));
    return nodes * bytes_node + traffic.messages * bytes_message + values * bytes_value;
}

/// What is reversed in time: the schedule recorded, turned round, and of a vector as segments; then the steps of those that follow
/// it. Those that wait for a message of a tree or a plan keep more than programs do.
double bytes_of_reversal(const Experiment& e, const Algorithm* algorithm) {
    constexpr double bytes_message = 120;
    constexpr double bytes_block = 100;
    constexpr double bytes_of_segments = 1200;  // which a block behind the first of a message takes apart
    constexpr double bytes_follower = 1200;
    if (algorithm == nullptr || algorithm->way == Way::program) return 0;
    const Traffic traffic = traffic_of(e, algorithm);
    const double further = e.collective.operation == Operation::reduce_scatter ? traffic.blocks - traffic.messages : 0;
    const bool of_table = algorithm->table_bytes_per_node != 0 || algorithm->plan != nullptr;
    return traffic.messages * bytes_message + (e.collective.one_packet() ? 0 : traffic.blocks * bytes_block) +
           further * bytes_of_segments + (of_table ? alive_at_once(e) * bytes_follower : 0);
}

/// What the engine and the auditor note of channels: who has taken them in the round, for wormhole paths; and by which
/// of many ports a node has sent, in each of the engine's partitions.
double bytes_of_channels(const Experiment& e) {
    constexpr Port few_ports = 8;
    constexpr double dense_ports_max = 64;  // above, only the channels of the round are noted
    constexpr double bytes_noted = 100;
    const Topology& topology = e.topology();
    const double ports = topology.ports();
    const auto nodes = static_cast<double>(topology.nodes());
    double bytes = 0;
    const bool is_dense = ports <= dense_ports_max && topology.fabric() == nullptr;
    if (has_paths(e.machine)) bytes += nodes * (is_dense ? 2 * 8 * ports : bytes_noted);
    if (e.machine.highest_ports().sends() > few_ports)
        bytes += 8 * ports * Deal(topology.nodes(), e.partition_nodes).partitions();
    return bytes;
}

/// Where counts differ nodes follow a schedule; a thinned one is that of equal counts while it is recorded, and what is left of it.
double bytes_of_counts(const Experiment& e, const Algorithm& algorithm) {
    constexpr double blocks_a_message = 4;
    if (e.collective.counts == nullptr) return 0;
    Experiment recorded = e;
    if (is_thinned(algorithm, e.machine, e.collective))
        recorded.collective = with_equal_counts(std::move(recorded.collective));
    const double messages = traffic_of(recorded, &algorithm).messages;
    return 2 * plan_bytes({.messages = messages, .blocks = blocks_a_message * messages});
}

/// Where messages are given switches, nodes follow a schedule; it is recorded among the hosts first.
double bytes_of_switches(const Experiment& e, const Algorithm& algorithm) {
    if (!is_switched(algorithm, e.machine, e.collective, e.options)) return 0;
    const Traffic traffic = traffic_of(e, &algorithm);
    return 2 * plan_bytes({.messages = traffic.messages, .blocks = traffic.blocks});
}

/// Trees send each node one message. A program that does not tell its work may use every channel in a round.
double bytes_of_flood(const Experiment& e, const Algorithm& algorithm) {
    constexpr double bytes_message = 40;
    const bool tree =
        algorithm.table_bytes_per_node != 0 || expected_cost(algorithm, e.machine, e.collective, e.options).work;
    return tree ? 0 : bytes_message * static_cast<double>(e.topology().channels());
}

/// What the free-running engine notes of every message until the audit, as measured with some room; and its clocks. What is
/// reversed in time follows a schedule, which every node does from the start.
double bytes_of_free_running(const Experiment& e, const Algorithm* algorithm) {
    constexpr double bytes_message = 150;
    constexpr double bytes_node = 32;
    constexpr double bytes_follower = 400;
    if (e.engine != EngineKind::free) return 0;
    const auto nodes = static_cast<double>(e.topology().nodes());
    double messages = nodes;
    bool follows = false;
    if (algorithm != nullptr) {
        const auto work = expected_cost(*algorithm, e.machine, e.collective, e.options).work;
        const bool trees = e.collective.one_packet();
        const double most = nodes * std::max(nodes, static_cast<double>(e.collective.packets_each));
        const auto planned = planned_traffic(e, *algorithm);
        if (!trees) messages = work ? static_cast<double>(*work) : planned ? planned->messages : most;
        follows = algorithm->way != Way::program;
    }
    // Contributions are made before the programs run.
    const double made = e.payload && e.collective.folds()
                            ? static_cast<double>(e.collective.packet_bytes) *
                                  static_cast<double>(e.collective.segments(e.topology().nodes()))
                            : 0;
    return nodes * (bytes_node + made + (follows ? bytes_follower : 0)) + messages * bytes_message;
}

/// A power of two of packets that fits, where those asked for take `much` times what there is; nothing: fewer do not help.
std::optional<std::uint64_t> fewer_packets(const Experiment& e, double much,
                                           const std::function<bool(const Experiment&)>& do_fit) {
    Experiment fewer = e;
    auto packets = static_cast<std::uint64_t>(static_cast<double>(e.collective.packets_each) / much);
    for (packets = std::bit_floor(packets); packets > 0; packets /= 2) {
        fewer.collective.packets_each = packets;
        if (do_fit(fewer)) return packets;
    }
    return std::nullopt;
}

/// Not sure before an algorithm is chosen, which may need more.
std::string told_packets(const std::optional<std::uint64_t>& packets, bool is_sure) {
    return packets ? fmt::format("; packets_each {} {} do", *packets, is_sure ? "would" : "may") : "";
}

/// Rounds are counted in 32 bits; more would overflow.
void require_few_rounds(const Experiment& e, const Algorithm& algorithm) {
    constexpr std::uint64_t rounds_max = std::numeric_limits<Round>::max() - 1;
    // What an algorithm takes may be found by planning it. It is no more than a round for each packet and node.
    const std::uint64_t each = e.collective.packets_each;
    if (each == 1 || each < rounds_max / 4 / e.topology().nodes()) return;
    const auto rounds_of = [&](const Experiment& some) {
        return expected_cost(algorithm, some.machine, some.collective, some.options).rounds.value_or(0);
    };
    const std::uint64_t rounds = rounds_of(e);
    if (rounds <= rounds_max) return;
    const auto are_few = [&](const Experiment& fewer) { return rounds_of(fewer) <= rounds_max; };
    const double much = static_cast<double>(rounds) / static_cast<double>(rounds_max);
    throw DoesNotFit(fmt::format("{} on {} takes {} rounds here; a run counts fewer than 2^32{}", algorithm.name,
                                 e.topology().spec(), rounds, told_packets(fewer_packets(e, much, are_few), true)));
}

/// Several processes divide what belongs to nodes; the rest each of them has.
struct Need {
    double divided = 0;
    double each = 0;
    double untouched = 0;  ///< and divided: reserved arrays that only other machines fill
};

Need need_of(const Run& run) {
    const Experiment& e = run.experiment;
    const Algorithm* algorithm = run.algorithm;
    constexpr double bytes_base = 16.0 * 1024 * 1024;   // the program itself
    constexpr double bytes_thread = 1.0 * 1024 * 1024;  // what a thread touches
    constexpr double bytes_round = 800;                 // a row of the table of rounds, as an entry and as text or JSON
    constexpr double bytes_of_an_encounter = 120;  // of the auditor and the arbiter, in a round in which all nodes meet
    const Topology& topology = e.topology();
    const auto nodes = static_cast<double>(topology.nodes());
    Need need{nodes * run.bytes.kept, bytes_base + e.thread_count() * bytes_thread + bytes_of_channels(e),
              nodes * run.bytes.untouched};
    // Where claims compete each process has the messages of all, and arbitrates them.
    (arbitrates(e.machine) ? need.each : need.divided) += bytes_at_work(run);
    if (e.machine.is_exclusive()) need.each += nodes * bytes_of_an_encounter;
    if (e.company.processes > 1 && may_compete(e)) need.each += nodes * sizeof(Claims);
    need.divided += bytes_of_bundles(run) + bytes_of_free_running(e, algorithm);
    need.each += bytes_of_reversal(e, algorithm);
    if (e.payload) need.divided += bytes_of_payload(run);
    if (algorithm != nullptr) {
        need.each += nodes * static_cast<double>(algorithm->table_bytes_per_node);
        need.divided += bytes_of_flood(e, *algorithm);
        need.each += bytes_of_counts(e, *algorithm) + bytes_of_switches(e, *algorithm);
    }
    if (algorithm != nullptr)
        need.each += plan_bytes_of(*algorithm, with_fewer_ports(e.machine, e.options), e.collective);
    if (e.per_round)
        need.each += bytes_round * lower_bounds(e.machine, e.collective)[Quantity::rounds].largest().value_or(0);
    return need;
}

Need need_of(const Experiment& e, const Algorithm* algorithm) {
    return need_of(Run(e, algorithm, job_of(e, algorithm), false));
}

/// What each process needs.
double bytes_of_one(const Experiment& e, const Need& need) { return need.divided / e.company.processes + need.each; }

/// Stacks, too, are reserved before they are touched; only a limit of the address space minds.
double addresses_of_one(const Experiment& e, const Need& need) {
    constexpr double bytes_stack = 8.0 * 1024 * 1024;
    return bytes_of_one(e, need) + need.untouched / e.company.processes + e.thread_count() * bytes_stack;
}

/// What would fit instead of what needs so many times the memory; may be empty.
std::string advice(const Experiment& e, const Algorithm* algorithm, double much,
                   const std::function<bool(const Experiment&)>& does_fit) {
    Experiment bare = e;
    bare.payload = false;
    std::string text = e.payload && does_fit(bare) ? "; payload = false holds no packets" : "";
    const bool is_planned = algorithm != nullptr && algorithm->plan != nullptr;  // each plan takes its time
    if (e.collective.packets_each > 1 && e.collective.counts == nullptr && !is_planned)
        text += told_packets(fewer_packets(e, much, does_fit), algorithm != nullptr);
    return text;
}

}  // namespace

std::string gib(double bytes) {
    const double value = bytes / (1024.0 * 1024 * 1024);
    return fmt::format("{:.{}f} GiB", value, value < 1 ? 3 : 1);
}

double bytes_needed(const Experiment& e, const Algorithm* algorithm) {
    const Need need = need_of(e, algorithm);
    return need.divided + need.each;
}

Execution execution_of(const Experiment& e, const Algorithm* algorithm, bool is_recorded) {
    return Run(e, algorithm, job_of(e, algorithm), is_recorded).chosen.nodes;
}

bool may_fit(const Experiment& e, const Algorithm& algorithm) {
    const auto there = static_cast<double>(std::min(e.memory.value_or(memory_unlimited), memory_in_all()));
    // Its tables alone: they are not made to count what the rest takes.
    const auto tables = static_cast<double>(e.topology().nodes()) * static_cast<double>(algorithm.table_bytes_per_node);
    if (tables * e.company.here > there) return false;
    const Need need = need_of(e, &algorithm);
    return bytes_of_one(e, need) * e.company.here <= there &&
           addresses_of_one(e, need) <= static_cast<double>(address_space_left());
}

void admit(const Experiment& e, const Algorithm* algorithm, double besides, bool is_recorded) {
    Job job = job_of(e, algorithm);
    const Need parts = need_of(Run(e, algorithm, job, is_recorded));
    const double need_of_one = bytes_of_one(e, parts) + besides;
    const double need = need_of_one * e.company.here;
    const auto there = static_cast<double>(std::min(e.memory.value_or(memory_unlimited), memory_available()));
    const double reserved = addresses_of_one(e, parts) + besides;
    const auto addresses = static_cast<double>(address_space_left());
    const NodeId nodes = e.topology().nodes();
    const std::string spec = e.topology().spec();
    if (nodes > run_nodes_max)
        throw DoesNotFit(
            fmt::format("{} has {} nodes; a run holds fewer than 2^32 and needs about {} here, {} are available", spec,
                        nodes, gib(need), gib(there)));
    if (algorithm != nullptr) require_few_rounds(e, *algorithm);
    const auto does_fit = [&](const Experiment& other) {
        job.payload = other.payload;
        job.collective.packets_each = other.collective.packets_each;
        return bytes_of_one(other, need_of(Run(other, algorithm, job, is_recorded))) * other.company.here <= there;
    };
    if (need > there)
        throw DoesNotFit(
            fmt::format("{} with {}{}-byte packets needs about {} and {} are available{}", spec,
                        e.collective.packets_each > 1 ? fmt::format("{} times ", e.collective.packets_each) : "",
                        e.collective.packet_bytes, gib(need), gib(there),
                        besides == 0 ? advice(e, algorithm, need / there, does_fit) : ""));
    if (reserved > addresses)
        throw DoesNotFit(fmt::format("{} on {} threads needs about {} of address space and {} are available", spec,
                                     e.thread_count(), gib(reserved), gib(addresses)));
}

}  // namespace kport
