#include "algorithms/bounds/arguments.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/kept.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::bounds {
namespace {

constexpr std::string_view source_of_fabric = "derived for kport (docs/model.md, machines with switches)";
constexpr std::uint64_t cut_steps_max = std::uint64_t{1} << 26;
constexpr std::uint64_t pair_steps_max = std::uint64_t{1} << 26;
constexpr Hops never = ~Hops{0};

std::uint64_t divided_up(std::uint64_t amount, std::uint64_t by) { return (amount + by - 1) / by; }

/// A set of nodes, by the hosts in it and the messages a round that its links carry each way.
struct Cut {
    std::vector<bool> inside;
    NodeId hosts_in = 0;
    std::uint64_t capacity = 0;
};

/// Which way a broadcast goes in time: out of its root, or reversed, into it. Reversed, sends are receives.
enum class Direction : std::uint8_t { out, in };

/// What hosts send or receive a round.
struct HostPorts {
    std::vector<std::uint64_t> of_host;

    [[nodiscard]] std::uint64_t operator[](NodeId v) const { return of_host[v]; }
    [[nodiscard]] std::uint64_t all() const {
        return std::accumulate(of_host.begin(), of_host.end(), std::uint64_t{0});
    }
    [[nodiscard]] std::uint64_t least() const { return *std::ranges::min_element(of_host); }
    /// Of the hosts but one.
    [[nodiscard]] std::uint64_t least_without(NodeId one) const {
        std::uint64_t least = ~std::uint64_t{0};
        for (NodeId v = 0; v < of_host.size(); ++v)
            if (v != one) least = std::min(least, of_host[v]);
        return least;
    }
};

/// What is looked for once in a fabric: it depends on little of the machine, and takes long.
struct FabricSurvey {
    bool knows_pairs = false;   ///< whether all pairs of hosts were looked at
    std::vector<Hops> nearest;  ///< of each host, the links to the nearest one
    Count tree = 0;             ///< HostsOfFabric::tree()
    std::vector<Cut> cuts;
};

class Surveying {
  public:
    explicit Surveying(const Facts& facts)
        : fabric_(*facts.graph.fabric()), hosts_(fabric_.hosts()), root_(facts.root),
          switch_limit_(facts.machine.switch_limit), is_sf_(facts.machine.switching == Switching::store_and_forward) {}

    [[nodiscard]] FabricSurvey made() && {
        survey_.knows_pairs = hosts_ * (fabric_.channels() + fabric_.nodes()) <= pair_steps_max;
        if (survey_.knows_pairs) look_at_pairs();
        look_at_cuts();
        return std::move(survey_);
    }

  private:
    [[nodiscard]] Hops one_message(NodeId from, NodeId to) const {
        return is_sf_ ? fabric_.one_message(from, to).value_or(never) : fabric_.distance(from, to);
    }

    /// Prim's algorithm over all pairs.
    void look_at_pairs() {
        survey_.nearest.assign(hosts_, never);
        std::vector<Hops> to_tree(hosts_, never);
        std::vector<bool> in_tree(hosts_, false);
        NodeId last = 0;
        for (NodeId n = 0; n < hosts_; ++n) {
            in_tree[last] = true;
            NodeId next = no_node;
            for (NodeId w = 0; w < hosts_; ++w) {
                if (w == last) continue;
                const Hops links = one_message(w, last);
                survey_.nearest[last] = std::min(survey_.nearest[last], links);
                if (in_tree[w]) continue;
                to_tree[w] = std::min(to_tree[w], links);
                if (next == no_node || to_tree[w] < to_tree[next]) next = w;
            }
            if (next == no_node) break;
            survey_.tree += to_tree[next];
            last = next;
        }
    }

    void look_at_cuts() {
        const std::uint64_t steps = fabric_.nodes() + fabric_.channels();
        const bool all = steps * fabric_.nodes() * 4 <= cut_steps_max;
        if (steps > cut_steps_max) return;
        for (NodeId v = 0; v < (all ? fabric_.nodes() : 1); ++v) add_balls(all ? v : root_);
        for (NodeId w = hosts_; all && w < fabric_.nodes(); ++w) add_parts_without(w);
        if (!all) return;
        for (const std::vector<NodeId>& part : fabric_.parts()) {
            std::vector<bool> inside(fabric_.nodes(), false);
            for (const NodeId v : part) inside[v] = true;
            add(std::move(inside));
        }
    }
    void add_balls(NodeId v) {
        std::vector<bool> inside(fabric_.nodes(), false);
        inside[v] = true;
        std::vector<NodeId> level{v};
        while (!level.empty()) {
            add(inside);
            std::vector<NodeId> next;
            for (const NodeId u : level)
                for_each_neighbour(fabric_, u, [&](NodeId w) {
                    if (inside[w]) return;
                    inside[w] = true;
                    next.push_back(w);
                });
            level = std::move(next);
        }
    }
    void add_parts_without(NodeId removed) {
        std::vector<bool> seen(fabric_.nodes(), false);
        seen[removed] = true;
        for (NodeId first = 0; first < fabric_.nodes(); ++first) {
            if (seen[first]) continue;
            std::vector<bool> inside(fabric_.nodes(), false);
            std::vector<NodeId> open{first};
            seen[first] = inside[first] = true;
            while (!open.empty()) {
                const NodeId v = open.back();
                open.pop_back();
                for_each_neighbour(fabric_, v, [&](NodeId w) {
                    if (seen[w]) return;
                    seen[w] = inside[w] = true;
                    open.push_back(w);
                });
            }
            add(std::move(inside));
        }
    }
    /// Adds a cut that has hosts on both sides. A limited switch at the cut passes no more than its limit.
    void add(std::vector<bool> inside) {
        Cut cut{std::move(inside)};
        for (NodeId v = 0; v < hosts_; ++v) cut.hosts_in += cut.inside[v] ? 1 : 0;
        if (cut.hosts_in == 0 || cut.hosts_in == hosts_) return;
        if (!known_.insert(cut.inside).second) return;
        for (NodeId v = 0; v < fabric_.nodes(); ++v) {
            std::uint64_t across = 0;
            for_each_neighbour(fabric_, v, [&](NodeId w, Port port) {
                // A link between two switches counts with the one inside.
                const bool counts = cut.inside[v] ? fabric_.is_switch(v) || !fabric_.is_switch(w)
                                                  : fabric_.is_switch(v) && !fabric_.is_switch(w);
                if (cut.inside[v] != cut.inside[w] && counts) across += fabric_.capacity(v, port);
            });
            const bool is_limited = fabric_.is_switch(v) && switch_limit_ != no_port;
            cut.capacity += is_limited ? std::min(across, switch_limit_) : across;
        }
        survey_.cuts.push_back(std::move(cut));
    }

    const Fabric& fabric_;
    NodeId hosts_;
    NodeId root_;
    std::uint64_t switch_limit_;
    bool is_sf_;
    FabricSurvey survey_;
    std::set<std::vector<bool>> known_;
};

Kept<FabricSurvey>::Shared survey_of(const Facts& facts) {
    static Kept<FabricSurvey> kept;
    const std::uint64_t rules =
        2 * std::uint64_t{facts.machine.switch_limit} + (facts.machine.switching == Switching::wormhole ? 1 : 0);
    return kept.of(facts, rules, [](const Facts& of) { return Surveying(of).made(); });
}

/// The hosts of a fabric, and what messages between them cost.
class HostsOfFabric {
  public:
    explicit HostsOfFabric(const Facts& facts)
        : facts_(facts), fabric_(*facts.graph.fabric()), hosts_(fabric_.hosts()) {
        const bool has_one_partner = facts.machine.pairwise && is_sf();
        for (NodeId v = 0; v < hosts_; ++v) {
            const std::uint64_t most = has_one_partner ? most_to_one_host(v) : facts.graph.width(v);
            sends_.of_host.push_back(std::min<std::uint64_t>(most, facts.machine.sends_of(v)));
            receives_.of_host.push_back(std::min<std::uint64_t>(most, facts.machine.receives_of(v)));
        }
        if (has_one_partner) partners_.of_host.assign(hosts_, 1);
        has_host_links_ = false;
        for (NodeId v = 0; v < hosts_; ++v)
            for_each_neighbour(fabric_, v, [&](NodeId w) { has_host_links_ |= !fabric_.is_switch(w); });
        survey_ = survey_of(facts);
    }

    [[nodiscard]] NodeId hosts() const { return hosts_; }
    [[nodiscard]] const HostPorts& sends() const { return sends_; }
    [[nodiscard]] const HostPorts& receives() const { return receives_; }
    /// The other hosts that a host reaches in a round, by messages in this direction.
    [[nodiscard]] const HostPorts& reached(Direction direction) const {
        return partners_.of_host.empty() ? spreading(direction) : partners_;
    }
    /// The ports by which what is known spreads, and those by which it comes.
    [[nodiscard]] const HostPorts& spreading(Direction direction) const {
        return direction == Direction::out ? sends_ : receives_;
    }
    [[nodiscard]] const HostPorts& taking(Direction direction) const {
        return direction == Direction::out ? receives_ : sends_;
    }
    /// Messages that all hosts together exchange in a round.
    [[nodiscard]] std::uint64_t exchanged() const { return std::min(sends_.all(), receives_.all()); }
    [[nodiscard]] const std::vector<Cut>& cuts() const { return survey_->cuts; }
    [[nodiscard]] bool is_sf() const { return facts_.machine.switching == Switching::store_and_forward; }
    [[nodiscard]] bool knows_pairs() const { return survey_->knows_pairs; }
    /// Messages of a relay.
    [[nodiscard]] Hops reach(NodeId from, NodeId to) const {
        return from == to ? 0 : is_sf() ? facts_.graph.distance(from, to) : 1;
    }
    [[nodiscard]] Hops links(NodeId from, NodeId to) const { return fabric_.distance(from, to); }
    /// The least links between two hosts.
    [[nodiscard]] Hops least_links() const {
        if (knows_pairs()) return *std::ranges::min_element(survey_->nearest);
        return has_host_links_ ? 1 : 2;
    }
    /// The least links of one message to or from v.
    [[nodiscard]] Hops nearest(NodeId v) const { return knows_pairs() ? survey_->nearest[v] : least_links(); }
    /// The weight of a minimum spanning tree of the hosts, each two joined by one message.
    [[nodiscard]] Count tree() const { return knows_pairs() ? survey_->tree : Count{hosts_ - 1} * least_links(); }
    /// The most messages that all switches pass a round; nothing where a message may pass none, or there is no limit.
    [[nodiscard]] std::optional<std::uint64_t> passing() const {
        if (has_host_links_ || facts_.machine.switch_limit == no_port) return std::nullopt;
        return fabric_.switches() * std::uint64_t{facts_.machine.switch_limit};
    }
    /// "cut of 1 channel, 4 of 8 hosts"
    [[nodiscard]] std::string name_of(const Cut& cut) const {
        return fmt::format("cut of {}, {} of {} hosts", counted(cut.capacity, "channel", "channels"),
                           std::min(cut.hosts_in, hosts_ - cut.hosts_in), hosts_);
    }

  private:
    /// An upper bound on the messages from v, in a round, to one other host.
    [[nodiscard]] std::uint64_t most_to_one_host(NodeId v) const {
        if (fabric_.switches() > 0) return fabric_.width(v);
        std::uint64_t most = 0;
        for_each_neighbour(fabric_, v, [&](NodeId, Port port) { most = std::max(most, fabric_.capacity(v, port)); });
        return most;
    }
    const Facts& facts_;
    const Fabric& fabric_;
    NodeId hosts_;
    HostPorts sends_;
    HostPorts receives_;
    HostPorts partners_;  ///< where a host has one partner a round; else empty
    bool has_host_links_ = false;
    Kept<FabricSurvey>::Shared survey_;
};

/// Returns the sums of the 0, 1, 2, ... largest numbers.
std::vector<std::uint64_t> sums_of_largest(std::vector<std::uint64_t> numbers) {
    std::ranges::sort(numbers, std::greater());
    std::vector<std::uint64_t> sums{0};
    for (const std::uint64_t number : numbers) sums.push_back(sums.back() + number);
    return sums;
}

/// Rounds until a growing set of informed hosts has all.
Reason fan_out_of_hosts(const HostsOfFabric& hosts, NodeId source, Direction direction) {
    const HostPorts& ports = hosts.reached(direction);
    std::vector<std::uint64_t> others;
    for (NodeId v = 0; v < hosts.hosts(); ++v)
        if (v != source) others.push_back(ports[v]);
    const std::vector<std::uint64_t> sums = sums_of_largest(others);
    Count rounds = 0;
    for (std::uint64_t informed = 1; informed < hosts.hosts(); ++rounds) {
        std::uint64_t more = ports[source] + sums[informed - 1];
        if (const auto passing = hosts.passing()) more = std::min(more, *passing);
        informed = std::min<std::uint64_t>(hosts.hosts(), informed + more);
    }
    return {fmt::format("fan-out among {} hosts", hosts.hosts()), rounds,
            "Each informed host informs at most as many as its ports and links serve in a round.",
            std::string(source_of_fabric)};
}

/// Rounds until so many packets have come in: hosts that have none yet send none, and the source needs none.
Reason counting_of_hosts(const HostsOfFabric& hosts, NodeId source, Direction direction, Count wanted) {
    const HostPorts& sends = hosts.spreading(direction);
    const HostPorts& takes = hosts.taking(direction);
    std::vector<std::uint64_t> others;
    for (NodeId v = 0; v < hosts.hosts(); ++v)
        if (v != source) others.push_back(sends[v]);
    const std::vector<std::uint64_t> sums = sums_of_largest(others);
    std::uint64_t useful = takes.all() - takes[source];
    if (const auto passing = hosts.passing()) useful = std::min(useful, *passing);
    Count rounds = 0;
    Count received = 0;
    for (std::uint64_t informed = 1; received < wanted && useful > 0; ++rounds) {
        const std::uint64_t more = std::min(useful, sends[source] + sums[informed - 1]);
        if (more == useful || informed == hosts.hosts()) {
            rounds += ceil_div(wanted - received, more);
            break;
        }
        received += more;
        informed = std::min<std::uint64_t>(hosts.hosts(), informed + more);
    }
    return {fmt::format("counting: {} receipts, at most {} a round", wanted, useful), rounds,
            "Only hosts that have a packet send, each by its ports, and no more than the others can take is of use.",
            std::string(source_of_fabric)};
}

/// Rounds as in fan_out_of_hosts(), with both sides of a cut by themselves.
Count growth_through(const HostsOfFabric& hosts, const Cut& cut, NodeId source, Direction direction) {
    const HostPorts& ports = hosts.reached(direction);
    const bool inside = cut.inside[source];
    std::vector<std::uint64_t> here;
    std::vector<std::uint64_t> there;
    for (NodeId v = 0; v < hosts.hosts(); ++v) {
        if (v == source) continue;
        (cut.inside[v] == inside ? here : there).push_back(ports[v]);
    }
    const std::vector<std::uint64_t> sums_here = sums_of_largest(here);
    const std::vector<std::uint64_t> sums_there = sums_of_largest(there);
    std::uint64_t a = 1;
    std::uint64_t b = 0;
    Count rounds = 0;
    for (; a < here.size() + 1 || b < there.size(); ++rounds) {
        const std::uint64_t x = ports[source] + sums_here[a - 1];
        const std::uint64_t y = sums_there[b];
        const std::uint64_t more_here = a + x + std::min(cut.capacity, y);
        const std::uint64_t more_there = b + y + std::min(cut.capacity, x);
        a = std::min<std::uint64_t>(here.size() + 1, more_here);
        b = std::min<std::uint64_t>(there.size(), more_there);
    }
    return rounds;
}

/// Keeps the largest.
class Largest {
  public:
    void take(Reason reason) {
        if (!best_ || reason.value > best_->value) best_ = std::move(reason);
    }
    void add_to(Arguments& arguments) && {
        if (best_) arguments.add(std::move(*best_));
    }

  private:
    std::optional<Reason> best_;
};

class InFabric {
  public:
    explicit InFabric(const Facts& facts)
        : facts_(facts), hosts_(facts), each_(facts.packets_each),
          direction_(facts.inwards() ? Direction::in : Direction::out) {}

    [[nodiscard]] Derivation derive() {
        const Operation& op = facts_.operation;
        found_.bundles = facts_.machine.combining;
        if (op == Operation::broadcast || op == Operation::reduce)
            broadcast();
        else if (op == Operation::scatter || op == Operation::gather)
            scatter();
        else if (op == Operation::permutation)
            permutation();
        else if (facts_.scans())
            scan();
        else
            among_all();
        if (!facts_.machine.combining && !op.signals())
            for (const Reason& reason : std::vector(found_.packets.reasons())) found_.rounds.add(reason);
        if (!op.signals()) add_packet_a_round(found_);
        found_.path_sum.add({fmt::format("{} of at least {} each", counted(found_.rounds.value(), "round", "rounds"),
                                         counted(hosts_.least_links(), "link", "links")),
                             found_.rounds.value() * hosts_.least_links(), "No message is shorter.",
                             std::string(source_of_fabric)});
        return std::move(found_);
    }

  private:
    /// Rounds of a broadcast from, or a reduction to, the host.
    void spread(NodeId source, Direction direction) {
        found_.rounds.add(fan_out_of_hosts(hosts_, source, direction));
        add_growth(source, direction);
        Hops messages = 0;
        Hops links = 0;
        for (NodeId v = 0; v < hosts_.hosts(); ++v) {
            messages = std::max(messages, hosts_.reach(source, v));
            links = std::max(links, hosts_.links(source, v));
        }
        found_.rounds.add(
            {fmt::format("relay of {} from node {}", counted(messages, "message", "messages"), facts_.node(source)),
             messages, "A relay to the farthest host has as many messages, one a round.",
             std::string(source_of_fabric)});
        found_.path_sum.add(
            {fmt::format("node {} is {} from a host", facts_.node(source), counted(links, "link", "links")), links,
             "A chain of messages crosses at least the distance.", std::string(source_of_fabric)});
    }
    /// The slowest growth through a cut. Sources of one side with as many ports grow alike: each cut is looked at once for them.
    void add_growth(NodeId source, Direction direction) {
        const std::vector<Cut>& cuts = hosts_.cuts();
        const std::uint64_t ports = hosts_.reached(direction)[source];
        const Cut* slowest = nullptr;
        Count most = 0;
        for (const Cut& cut : cuts) {
            const auto [known, is_new] = growths_.try_emplace({&cut, cut.inside[source], direction, ports});
            if (is_new) known->second = growth_through(hosts_, cut, source, direction);
            if (slowest == nullptr || known->second > most) {
                slowest = &cut;
                most = known->second;
            }
        }
        if (slowest == nullptr) return;
        found_.rounds.add(
            {"growth through a " + hosts_.name_of(*slowest), most,
             "What is informed on one side of the cut grows by itself and by what the channels of the cut bring.",
             std::string(source_of_fabric)});
    }
    /// What each host owns spreads to all, and each host needs what all own.
    void spread_from_all() {
        const NodeId sources = hosts_.knows_pairs() && hosts_.hosts() <= searched_nodes_max ? hosts_.hosts() : 1;
        Derivation all;
        for (NodeId i = 0; i < 2 * sources; ++i) {
            if (i >= sources && facts_.machine.has_one_limit()) break;
            std::swap(found_, all);
            found_ = {};
            spread(i % sources, i < sources ? Direction::out : Direction::in);
            const auto larger = [](const Arguments& here, Arguments& there) {
                if (there.empty() || here.value() > there.value()) there = here;
            };
            larger(found_.rounds, all.rounds);
            larger(found_.path_sum, all.path_sum);
            all.bundles = facts_.machine.combining;
            std::swap(found_, all);
        }
    }
    void work_of_tree(Count times) {
        found_.work.add(
            {fmt::format("{}minimum spanning tree of the hosts", times == 1 ? "" : fmt::format("{} * ", times)),
             times * hosts_.tree(),
             "The messages that first reach the hosts join them all, each over at least the links of one "
             "message between its ends.",
             std::string(source_of_fabric)});
    }
    /// The traffic that crosses a cut, over its channels.
    void traffic(const std::function<std::uint64_t(const Cut&)>& crossing) {
        Largest cuts;
        for (const Cut& cut : hosts_.cuts())
            cuts.take({hosts_.name_of(cut), divided_up(crossing(cut), cut.capacity),
                       "All that must cross it goes through its channels.", std::string(source_of_fabric)});
        std::move(cuts).add_to(found_.packets);
    }
    void packets_through(std::uint64_t packets, std::uint64_t ports, std::string_view what) {
        found_.packets.add({fmt::format("{} {} through {}", packets, what, counted(ports, "port", "ports")),
                            divided_up(packets, ports), "A port moves a packet of each message a round.",
                            std::string(source_of_fabric)});
    }
    [[nodiscard]] std::uint64_t outside(const Cut& cut) const {
        return cut.inside[facts_.root] ? hosts_.hosts() - cut.hosts_in : cut.hosts_in;
    }

    void broadcast() {
        spread(facts_.root, direction_);
        work_of_tree(facts_.machine.combining ? 1 : each_);
        const std::uint64_t ports_of_root = hosts_.spreading(direction_)[facts_.root];
        if (each_ > 1) {
            found_.packets.add({"last departure", divided_up(each_, ports_of_root) - 1 + found_.rounds.value(),
                                "Some packet first leaves the source so late, and then needs the rounds of one.",
                                std::string(source_of_fabric)});
            found_.packets.add(counting_of_hosts(hosts_, facts_.root, direction_, each_ * (Count{hosts_.hosts()} - 1)));
            packets_through(each_, std::min(ports_of_root, hosts_.taking(direction_).least_without(facts_.root)),
                            "packets");
        }
        traffic([&](const Cut&) { return each_; });
    }
    void scatter() {
        spread(facts_.root, direction_);
        packets_through((hosts_.hosts() - 1) * each_, hosts_.spreading(direction_)[facts_.root], "packets");
        packets_through(each_, hosts_.taking(direction_).least_without(facts_.root), "packets of a host");
        traffic([&](const Cut& cut) { return each_ * outside(cut); });
        if (facts_.machine.combining) return work_of_tree(1);
        Count sum = 0;
        for (NodeId v = 0; v < hosts_.hosts(); ++v) sum += hosts_.links(facts_.root, v);
        found_.work.add({"sum of distances", each_ * sum, "Each packet travels alone, at least the distance.",
                         std::string(source_of_fabric)});
    }
    void heard_and_hears_in_fabric() {
        Count sum = 0;
        Hops largest = 0;
        for (NodeId v = 0; v < hosts_.hosts(); ++v) {
            sum += hosts_.nearest(v);
            largest = std::max(largest, hosts_.nearest(v));
        }
        found_.work.add({"tree of the hosts, and a message to all others", hosts_.tree() + sum - largest,
                         "Until one host depends on all, messages join all hosts; after that each other host still "
                         "receives.",
                         std::string(source_of_fabric)});
    }
    [[nodiscard]] std::pair<Count, Count> sums_of_pairs() const {
        Count reach = 0;
        Count links = 0;
        for (NodeId v = 0; hosts_.knows_pairs() && v < hosts_.hosts(); ++v)
            for (NodeId w = 0; w < hosts_.hosts(); ++w) {
                reach += hosts_.reach(v, w);
                links += hosts_.links(v, w);
            }
        return {reach, links};
    }
    void among_all() {
        spread_from_all();
        const Operation& op = facts_.operation;
        const std::uint64_t own = (hosts_.hosts() - 1) * each_;
        if (op == Operation::alltoall) {
            const auto [reach, links] = sums_of_pairs();
            packets_through(own, std::min(hosts_.sends().least(), hosts_.receives().least()), "packets of a host");
            packets_through(static_cast<std::uint64_t>(each_ * reach), hosts_.exchanged(), "messages of packets");
            traffic([&](const Cut& cut) { return each_ * cut.hosts_in * (hosts_.hosts() - cut.hosts_in); });
            if (!facts_.machine.combining)
                found_.work.add({"sum of all distances", each_ * links,
                                 "Each packet travels alone, at least the distance.", std::string(source_of_fabric)});
            else
                heard_and_hears_in_fabric();
            return;
        }
        if (op == Operation::allgather || op == Operation::reduce_scatter) {
            const bool enters = op == Operation::allgather;
            packets_through(own, enters ? hosts_.receives().least() : hosts_.sends().least(), "packets of a host");
            packets_through(own * hosts_.hosts(), hosts_.exchanged(), enters ? "receipts" : "sends");
            traffic([&](const Cut& cut) { return each_ * std::max(cut.hosts_in, hosts_.hosts() - cut.hosts_in); });
            if (facts_.machine.combining)
                heard_and_hears_in_fabric();
            else
                work_of_tree(Count{each_} * hosts_.hosts());
            return;
        }
        heard_and_hears_in_fabric();
        if (op != Operation::allreduce) return;
        traffic([&](const Cut&) { return each_; });
        packets_through(2 * own, hosts_.exchanged(), "values");
    }
    /// What the first host owns spreads to all, and the last one needs what all own.
    void scan() {
        spread(0, Direction::out);
        Derivation first = std::move(found_);
        found_ = {};
        found_.bundles = first.bundles;
        spread(hosts_.hosts() - 1, Direction::in);
        found_.rounds.add(first.rounds.reasons());
        found_.path_sum.add(first.path_sum.reasons());
        work_of_tree(1);
    }
    void permutation() {
        Count links = 0;
        Count receipts = 0;
        Hops messages = 0;
        Hops longest = 0;
        std::uint64_t fewest_ports = ~std::uint64_t{0};
        const auto goal = [&](NodeId v) { return facts_.permutation.target(v, hosts_.hosts()); };
        for (NodeId v = 0; v < hosts_.hosts(); ++v) {
            links += hosts_.links(v, goal(v));
            longest = std::max(longest, hosts_.links(v, goal(v)));
            messages = std::max(messages, hosts_.reach(v, goal(v)));
            if (goal(v) == v) continue;
            receipts += hosts_.nearest(goal(v));
            fewest_ports = std::min({fewest_ports, hosts_.sends()[v], hosts_.receives()[goal(v)]});
        }
        found_.rounds.add({"longest relay", messages, "A packet needs as many messages, one a round.",
                           std::string(source_of_fabric)});
        found_.path_sum.add(
            {"longest way", longest, "A packet crosses at least the distance.", std::string(source_of_fabric)});
        found_.work.add({facts_.machine.combining ? "a message to each host that gets packets" : "sum of distances",
                         facts_.machine.combining ? receipts : each_ * links,
                         "Each packet needs a message to its host; alone, it travels at least the distance.",
                         std::string(source_of_fabric)});
        if (messages > 0) packets_through(each_, fewest_ports, "packets of a host");
        traffic([&](const Cut& cut) {
            std::uint64_t in = 0;
            std::uint64_t out = 0;
            for (NodeId v = 0; v < hosts_.hosts(); ++v) {
                out += cut.inside[v] && !cut.inside[goal(v)] ? 1 : 0;
                in += !cut.inside[v] && cut.inside[goal(v)] ? 1 : 0;
            }
            return each_ * std::max(in, out);
        });
    }

    const Facts& facts_;
    HostsOfFabric hosts_;
    std::map<std::tuple<const Cut*, bool, Direction, std::uint64_t>, Count> growths_;
    std::uint64_t each_;
    Direction direction_;  ///< of operations with a root
    Derivation found_;
};

}  // namespace

Derivation derive_in_fabric(const Facts& facts) { return InFabric(facts).derive(); }

}  // namespace kport::bounds
