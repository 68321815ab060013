#include "emulator/audit/violation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

std::string_view name(Rule rule) {
    switch (rule) {
        case Rule::ports: return "ports";
        case Rule::channel: return "channel";
        case Rule::combining: return "combining";
        case Rule::nodup: return "nodup";
        case Rule::noho: return "noho";
        case Rule::delivery: return "delivery";
        case Rule::strict: return "strict";
        case Rule::rounds: return "rounds";
        case Rule::transfers: return "transfers";
    }
    invariant(false, "a rule without a name");
    return {};
}

Rule Violation::rule() const {
    switch (breach) {
        case Breach::sends_exceed_ports:
        case Breach::receives_exceed_ports:
        case Breach::several_partners:
        case Breach::both_exceed_ports: return Rule::ports;
        case Breach::link_both_ways:
        case Breach::channel_twice:
        case Breach::no_such_link:
        case Breach::path_visits_twice:
        case Breach::jumped: return Rule::channel;
        case Breach::bundled: return Rule::combining;
        case Breach::received_again: return Rule::nodup;
        case Breach::received_own: return Rule::noho;
        case Breach::sent_unheld:
        case Breach::never_received:
        case Breach::waits_for_ever:
        case Breach::folded_twice:
        case Breach::folded_out_of_order:
        case Breach::never_a_result:
        case Breach::result_lacks:
        case Breach::result_exceeds:
        case Breach::result_not_due:
        case Breach::value_differs:
        case Breach::contents_differ:
        case Breach::result_unheld:
        case Breach::taken_apart:
        case Breach::result_differs:
        case Breach::payload_differs:
        case Breach::payload_missing:
        case Breach::no_packet:
        case Breach::no_such_packet:
        case Breach::packet_twice:
        case Breach::no_step:
        case Breach::beside_result:
        case Breach::sent_passed:
        case Breach::passed_away: return Rule::delivery;
        case Breach::would_wait_receive:
        case Breach::would_wait_channel:
        case Breach::would_wait_link:
        case Breach::would_wait_partner:
        case Breach::would_wait_send: return Rule::strict;
        case Breach::silent_round:
        case Breach::round_again: return Rule::rounds;
        case Breach::sides_differ:
        case Breach::paths_differ:
        case Breach::wrong_round:
        case Breach::shown_late: return Rule::transfers;
    }
    invariant(false, "a breach without a rule");
    return Rule::strict;
}

int Violation::stage() const {
    switch (breach) {
        case Breach::waits_for_ever: return 1;
        case Breach::never_received:
        case Breach::never_a_result:
        case Breach::result_lacks:
        case Breach::result_exceeds: return 2;
        case Breach::payload_missing:
        case Breach::payload_differs:
        case Breach::result_differs: return 3;
        default: return 0;
    }
}

bool comes_of_competition(Breach breach) {
    return breach == Breach::receives_exceed_ports || breach == Breach::both_exceed_ports ||
           breach == Breach::channel_twice || breach == Breach::link_both_ways || breach == Breach::several_partners;
}

namespace {

/// " by port 3", or nothing where the port is not known.
std::string by(Port port) { return port == no_port ? std::string() : fmt::format(" by port {}", port); }

struct Teller {
    const Violation& v;
    const Topology& topology;

    [[nodiscard]] std::string node(NodeId id) const { return "node " + topology.name(id); }
    [[nodiscard]] std::string who() const { return node(v.node); }

    /// The headline, then the events in the order in which they happened, then the way out.
    [[nodiscard]] std::vector<std::string> tell() const {
        switch (v.breach) {
            case Breach::sends_exceed_ports:
                return {fmt::format("ports broken: {} starts more than {} in round {}", who(), counted(v.limit, "send"),
                                    v.round),
                        fmt::format("the extra send goes to {}{}", node(v.other), by(v.port))};
            case Breach::receives_exceed_ports:
                return {fmt::format("ports broken: {} receives more than {} in round {}", who(),
                                    counted(v.limit, "message"), v.round),
                        fmt::format("the extra message comes from {}{}", node(v.other), by(v.port))};
            case Breach::both_exceed_ports:
                return {fmt::format("ports broken: {} uses more than {} in round {}", who(),
                                    counted(v.limit, "half duplex port"), v.round),
                        fmt::format("the extra use is with {}{}", node(v.other), by(v.port))};
            case Breach::channel_twice:
                return {fmt::format("channel broken: the channel of {}{} lies on two paths of round {}", who(),
                                    by(v.port), v.round),
                        fmt::format("the message from {} uses it", node(v.earlier_other)),
                        fmt::format("and the message from {} uses it again", node(v.other))};
            case Breach::link_both_ways:
                return {fmt::format("channel broken: the link of {}{} carries both directions in round {}", who(),
                                    by(v.port), v.round),
                        fmt::format("the message from {} goes one way", node(v.earlier_other)),
                        fmt::format("and the message from {} the other; the links are half duplex", node(v.other))};
            case Breach::several_partners:
                return {fmt::format("ports broken: {} has {} in round {}", who(), counted(v.limit, "partner"), v.round),
                        fmt::format("{} is one of them", node(v.earlier_other)),
                        fmt::format("and {} another; a pairwise machine allows one", node(v.other))};
            case Breach::no_such_link:
                return {fmt::format("channel broken: {} has no link{} to {}", who(), by(v.port), node(v.other)),
                        fmt::format("yet a transfer of round {} claims to use it", v.round)};
            case Breach::jumped:
                return {fmt::format("channel broken: {} sends {} links far in round {}", who(), v.limit, v.round),
                        fmt::format("to {}; a store-and-forward message crosses one link a round", node(v.other))};
            case Breach::path_visits_twice:
                return {fmt::format("channel broken: {} sends to {} in round {} by a path that visits a node twice",
                                    who(), node(v.other), v.round),
                        fmt::format("it leaves{}; a message takes a simple path", by(v.port))};
            case Breach::silent_round:
                return {v.limit == 1 ? fmt::format("rounds broken: no transfer in round {}", v.round)
                                     : fmt::format("rounds broken: no transfer in rounds {} to {}", v.round,
                                                   v.round + v.limit - 1),
                        "something moves in every round, unless a program waits on purpose (next_round)"};
            case Breach::round_again:
                return {fmt::format("rounds broken: round {} ends after round {}", v.round, v.limit),
                        "rounds do not go back: a fault of the engine"};
            case Breach::sides_differ:
            case Breach::paths_differ:
                return {fmt::format("transfers broken: the senders show {} of round {}, the {} {}",
                                    counted(v.limit, "transfer"), v.round,
                                    v.breach == Breach::sides_differ ? "receivers" : "paths",
                                    v.limit == v.other ? "others" : fmt::to_string(v.other)),
                        "each shows every transfer once: a fault of the engine"};
            case Breach::wrong_round:
                return {
                    fmt::format("transfers broken: transfers are shown in round {} that name another round", v.round),
                    "a fault of the engine"};
            case Breach::shown_late:
                return {fmt::format(
                            "transfers broken: {} shown in no round that was closed; round {} was the last",
                            v.limit == 1 ? "1 end of a transfer is" : fmt::format("{} ends of transfers are", v.limit),
                            v.round),
                        "a fault of the engine"};
            case Breach::bundled:
                return {fmt::format("combining broken: {} sends {} packets in one message in round {}", who(), v.limit,
                                    v.round),
                        fmt::format("it went to {}{}; without combining a message carries one packet", node(v.other),
                                    by(v.port))};
            case Breach::folded_twice:
                return {fmt::format("delivery broken: {} folds contribution {} twice in round {}", who(), v.packet,
                                    v.round),
                        "both of the values that it folds have it"};
            case Breach::folded_out_of_order:
                return {fmt::format("delivery broken: {} folds contribution {} before {} in round {}", who(), v.packet,
                                    v.limit, v.round),
                        "the operator is not commutative: left and right must stand in the order of the nodes"};
            case Breach::never_a_result: return {fmt::format("delivery broken: {} ends without a result", who())};
            case Breach::result_lacks:
                return {fmt::format("delivery broken: the result of {} lacks the contribution of node {}", who(),
                                    topology.name(v.packet))};
            case Breach::result_exceeds:
                return {fmt::format(
                    "delivery broken: the result of {} has the contribution of node {} twice, or must not have it",
                    who(), topology.name(v.packet))};
            case Breach::result_not_due:
                return {fmt::format("delivery broken: {} gives a result in round {} and owes none", who(), v.round),
                        fmt::format("the operation promises its result to {} alone", node(v.other))};
            case Breach::result_unheld:
                return {
                    fmt::format("delivery broken: the result of {} has the contribution of node {}, which never came "
                                "to it",
                                who(), topology.name(v.packet)),
                    "a result sums up what its node contributes and what it has received in messages"};
            case Breach::taken_apart:
                if (v.other == no_node)
                    return {fmt::format("delivery broken: the result of {} has the contribution of node {}, which the "
                                        "node has only folded with others",
                                        who(), topology.name(v.packet)),
                            "the result lacks some of those; a value cannot be taken apart"};
                return {fmt::format("delivery broken: {} sends contribution {} in round {} and has it only folded with "
                                    "others",
                                    who(), v.packet, v.round),
                        fmt::format("it went to {}{} without some of those; a value cannot be taken apart",
                                    node(v.other), by(v.port))};
            case Breach::result_differs:
                return {fmt::format(
                    "delivery broken: the result of {} differs in byte {} from every fold of its contributions", who(),
                    v.limit)};
            case Breach::value_differs:
                if (v.other == no_node)
                    return {fmt::format(
                                "delivery broken: {} uses a value with contribution {} in round {} that nobody made",
                                who(), v.packet, v.round),
                            "values come from contribution(), fold(), whole() and messages, and never change"};
                return {
                    fmt::format("delivery broken: the value with contribution {} that {} receives from {} in round {} "
                                "differs from what was sent",
                                v.packet, who(), node(v.other), v.round)};
            case Breach::contents_differ:
                return {
                    fmt::format("delivery broken: the contents that {} receives from {} in round {} differ from "
                                "what was sent",
                                who(), node(v.other), v.round)};
            case Breach::received_again:
                if (v.earlier_other == no_node)
                    return {fmt::format("NODUP broken: {} receives packet {} again", who(), v.packet),
                            fmt::format("round {} from {}{}    again; it came in an earlier message", v.round,
                                        node(v.other), by(v.port))};
                return {fmt::format("NODUP broken: {} receives packet {} again", who(), v.packet),
                        fmt::format("round {} from {}    first", v.earlier, node(v.earlier_other)),
                        fmt::format("round {} from {}{}    again", v.round, node(v.other), by(v.port))};
            case Breach::received_own:
                if (v.earlier == 0)
                    return {fmt::format("NOHO broken: {} receives packet {}, which it sent itself", who(), v.packet),
                            fmt::format("round {} from {}{}    received; it was sent before", v.round, node(v.other),
                                        by(v.port))};
                return {fmt::format("NOHO broken: {} receives packet {}, which it sent itself", who(), v.packet),
                        fmt::format("round {}    sent", v.earlier),
                        fmt::format("round {} from {}{}    received", v.round, node(v.other), by(v.port))};
            case Breach::sent_unheld:
                return {fmt::format("delivery broken: {} sends packet {} in round {} and does not hold it", who(),
                                    v.packet, v.round),
                        fmt::format("it went to {}{}; a packet can be sent from the round after its arrival",
                                    node(v.other), by(v.port))};
            case Breach::never_received:
                return {fmt::format("delivery broken: {} never receives packet {}", who(), v.packet)};
            case Breach::waits_for_ever:
                if (v.limit != 0 && v.port != no_port)
                    return {
                        fmt::format("delivery broken: {} waits for ever for a message by one of {}, such as port {}",
                                    who(), counted(v.limit, "port"), v.port)};
                if (v.limit != 0)
                    return {
                        fmt::format("delivery broken: {} waits for ever for a message from one of {}, such as node {}",
                                    who(), counted(v.limit, "sender"), v.earlier_other)};
                if (v.port == no_port && v.other == no_node)
                    return {fmt::format("delivery broken: {} waits for ever for a message by any port", who())};
                if (v.other != no_node && v.other >= topology.nodes())
                    return {
                        fmt::format("delivery broken: {} waits for ever for a message from a node that is not there",
                                    who()),
                        fmt::format("{} has nodes 0 to {}", topology.spec(), topology.nodes() - 1)};
                if (v.other == no_node)
                    return {fmt::format("delivery broken: {} waits for ever for a message{}, which it does not have",
                                        who(), by(v.port))};
                return {fmt::format("delivery broken: {} waits for ever for a message{} from {}", who(), by(v.port),
                                    node(v.other))};
            case Breach::payload_differs:
                return {fmt::format("delivery broken: packet {} at {} differs from what was sent in byte {}", v.packet,
                                    who(), v.limit)};
            case Breach::payload_missing:
                return {fmt::format("delivery broken: {} holds packet {} without its bytes", who(), v.packet)};
            case Breach::no_packet:
                return {fmt::format("delivery broken: {} sends a message without a packet in round {}", who(), v.round),
                        fmt::format("it went to {}{}; a message carries at least one", node(v.other), by(v.port))};
            case Breach::no_such_packet:
                return {fmt::format("delivery broken: {} sends packet {} in round {}, and there is none", who(),
                                    v.packet, v.round),
                        fmt::format("it went to {}{}; the operation has no such packet", node(v.other), by(v.port))};
            case Breach::packet_twice:
                return {fmt::format("delivery broken: {} sends packet {} twice in one message in round {}", who(),
                                    v.packet, v.round),
                        fmt::format("it went to {}{}; a message carries a set of packets", node(v.other), by(v.port))};
            case Breach::no_step:
                return {fmt::format("delivery broken: {} sends packet {} as a progression with steps of 0 in round {}",
                                    who(), v.packet, v.round),
                        fmt::format("it went to {}{}; a step is at least 1", node(v.other), by(v.port))};
            case Breach::beside_result:
                return {fmt::format("delivery broken: {} sends packet {}, the result, with others in round {}", who(),
                                    v.packet, v.round),
                        fmt::format("it went to {}{}; the result travels in a message of its own", node(v.other),
                                    by(v.port))};
            case Breach::passed_away:
                return {fmt::format("delivery broken: {} passes packet {} on in round {} and must hold it at the end",
                                    who(), v.packet, v.round),
                        "a node sends what it keeps and passes on what it needs no more"};
            case Breach::sent_passed:
                return {fmt::format("delivery broken: {} sends packet {} in round {}, which it passed on in round {}",
                                    who(), v.packet, v.round, v.earlier),
                        "a node does not hold what it has passed on; it sends what it keeps"};
            case Breach::would_wait_receive:
                return {
                    fmt::format("strict broken: {} is sent more than its ports receive in round {}", who(), v.round),
                    fmt::format("the message from {} is first", node(v.earlier_other)),
                    fmt::format("the message from {}{} would have to wait", node(v.other), by(v.port))};
            case Breach::would_wait_channel:
                return {fmt::format("strict broken: the channel of {}{} is asked for twice in round {}", who(),
                                    by(v.port), v.round),
                        fmt::format("the message from {} is first", node(v.earlier_other)),
                        fmt::format("the message from {} would have to wait", node(v.other))};
            case Breach::would_wait_link:
                return {fmt::format("strict broken: the link of {}{} is asked for in both directions in round {}",
                                    who(), by(v.port), v.round),
                        fmt::format("the message from {} is first", node(v.earlier_other)),
                        fmt::format("the message from {} would have to wait", node(v.other))};
            case Breach::would_wait_partner:
                return {fmt::format("strict broken: {} needs more than one partner in round {}", who(), v.round),
                        fmt::format("{} is its partner", node(v.earlier_other)),
                        fmt::format("the message from {}{} would have to wait", node(v.other), by(v.port))};
            case Breach::would_wait_send:
                return {fmt::format("strict broken: {} declares more sends for round {} than its {} can start", who(),
                                    v.round, counted(v.limit, "port")),
                        fmt::format("the send to {}{} would have to wait", node(v.other), by(v.port)),
                        "sends that are awaited one after the other may take several rounds"};
        }
        invariant(false, "a breach without a story");
        return {};
    }
};

}  // namespace

std::vector<std::string> story(const Violation& violation, const Topology& topology) {
    return Teller{violation, topology}.tell();
}

std::string sentence(const Violation& violation, const Topology& topology) {
    const std::vector<std::string> lines = story(violation, topology);
    std::string text = lines.front();
    if (lines.size() > 1) text += fmt::format(": {}", fmt::join(lines.begin() + 1, lines.end(), ", "));
    // The columns of a story are for the eye; a sentence needs one space.
    for (std::size_t gap = text.find("    "); gap != std::string::npos; gap = text.find("    "))
        text.replace(gap, 4, " ");
    return text;
}

void ViolationLog::add(const Violation& violation) {
    ++count_;
    ++by_rule_[static_cast<std::size_t>(violation.rule())];
    competition_ |= comes_of_competition(violation.breach);
    keep(violation);
}

void ViolationLog::merge(const ViolationLog& other) {
    count_ += other.count_;
    for (std::size_t i = 0; i < std::size(by_rule_); ++i) by_rule_[i] += other.by_rule_[i];
    competition_ |= other.competition_;
    for (const Violation& violation : other.heap_) keep(violation);
}

void ViolationLog::keep(const Violation& violation) {
    if (heap_.size() == listed_max) {
        if (!(violation < heap_.front())) return;
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
    }
    heap_.push_back(violation);
    std::push_heap(heap_.begin(), heap_.end());
}

std::vector<Violation> ViolationLog::listed() const {
    std::vector<Violation> sorted = heap_;
    std::sort_heap(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace kport
