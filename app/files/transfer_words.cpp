#include "app/files/transfer_words.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/trim.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/pair_packets.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

constexpr std::uint64_t column_max = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::string_view signs_of_transfers = " \t,{}#";

/// Routes that a file does not spell out may not take more memory than the file's transfers.
constexpr std::size_t hops_max = std::size_t{1} << 24;

Progression range(LineCursor& cursor) {
    const std::uint64_t first = cursor.number("a packet", 0, column_max);
    if (!cursor.take("..") && !cursor.take("-")) return {static_cast<std::uint32_t>(first)};
    const std::uint64_t last = cursor.number("a packet behind the first", first, column_max);
    const std::uint64_t stride = cursor.take_word("step") ? cursor.number("a step", 1, column_max) : 1;
    const std::uint64_t count = (last - first) / stride + 1;
    if (count == 1) return {static_cast<std::uint32_t>(first), 1, 1};  // a step beyond the last is irrelevant
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(stride), static_cast<std::uint32_t>(count)};
}

/// Returns the packets, or segments, of each node; in an alltoall one of those common to all.
Progression rows_unsaid(const ToldSchedule& told) {
    if (has_pairs(told.collective.operation)) return {};
    return all_segments(told.collective.operation->packets(told.collective, told.topology->nodes()).rows);
}

/// What some nodes give, or the results that there are; a node that gives nothing is named all the same.
PacketBlocks all_given(const Progression& nodes, const OwnFolds& folds, const ToldSchedule& told) {
    const NodeId all = told.topology->nodes();
    PacketSet given;
    for (std::uint32_t i = 0; i < nodes.count && nodes[i] < all; ++i)
        given.include(told.collective.owned(nodes[i], all).blocks());
    for (std::uint32_t s = 0; nodes.first == all && s < told.collective.own()->packets; ++s)
        if (!folds.in_result(s).empty()) given.add(block_of({s}, nodes));
    if (given.empty()) return {block_of(rows_unsaid(told), nodes)};
    return {given.blocks().begin(), given.blocks().end()};
}

/// All packets of each of some nodes, where counts differ those that there are; a node without packets is named all the same.
PacketBlocks all_of_nodes(const Progression& nodes, const ToldSchedule& told) {
    if (const OwnFolds* const folds = told.collective.own_folds()) return all_given(nodes, *folds, told);
    const PacketBlock all = block_of(rows_unsaid(told), nodes);
    const PacketSet existing = told.collective.existing(all);
    if (existing.empty()) return {all};
    return {existing.blocks().begin(), existing.blocks().end()};
}

PacketBlocks blocks_in(LineCursor& cursor, const ToldSchedule& told) {
    const std::size_t column = cursor.column();
    const Progression first =
        cursor.take_word("result") ? result_packet(told.topology->nodes()).columns() : range(cursor);
    if (!has_pairs(told.collective.operation)) {
        if (cursor.take(">"))
            cursor.refuse(column, fmt::format("from>to names packets of an alltoall; want numbers, as {} has",
                                              name(told.collective.operation)));
        return cursor.take(":") ? PacketBlocks{block_of(range(cursor), first)} : all_of_nodes(first, told);
    }
    return {cursor.take(">") ? block_of(first, range(cursor)) : block_of({}, first)};
}

std::string text_of(const Progression& p) {
    if (p.count == 1) return fmt::to_string(p.first);
    if (p.stride == 1) return fmt::format("{}..{}", p.first, p.last());
    return fmt::format("{}..{} step {}", p.first, p.last(), p.stride);
}

}  // namespace

std::string quoted_name(LineCursor& cursor) {
    const std::string_view rest = cursor.rest();
    std::string name;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '"' && !rest.substr(i + 1).starts_with('"')) {
            cursor.forward(i + 1);
            return name;
        }
        i += rest[i] == '"' ? 1 : 0;
        name += rest[i];
    }
    cursor.forward(rest.size());
    cursor.want("\"", "a name");
    return name;
}

std::string in_double_quotes(std::string_view text) {
    return fmt::format("\"{}\"", boost::algorithm::replace_all_copy(std::string(text), "\"", "\"\""));
}

NodeId node_said(const Topology& hosts, std::string_view word) {
    const Topology& topology = hosts.wires();
    if (const auto number = to_count(word); number && *number < topology.nodes()) return *number;
    if (word.size() > 1 && word.front() == '"' && word.back() == '"') {
        const std::string what;
        LineCursor cursor(word, what, 0);
        return topology.node(quoted_name(cursor));
    }
    if (word.starts_with('(') && word.ends_with(')')) word = word.substr(1, word.size() - 2);
    return topology.node(word);
}

NodeWords::NodeWords(const Topology& topology) : topology_(topology.wires()), has_names_(kport::has_names(topology)) {}

std::string NodeWords::operator()(NodeId node) const {
    if (!has_names_) return fmt::to_string(node);
    const std::string label = topology_.label(node);
    return in_double_quotes(label.empty() ? fmt::to_string(node) : label);
}

ScheduleWriting::ScheduleWriting(const Lines& lines, const ScheduleContext& context)
    : lines_(lines), context_(context) {
    told_.topology = context.machine.topology;
    told_.collective.packet_bytes = context.packet_bytes;
    told_.collective.packets_each = context.packets_each.value_or(1);
    if (context.operation) told_.collective.operation = *context.operation;
    if (context.promise) told_.collective = *context.promise;
    is_named_ = context.operation.has_value();
}

bool ScheduleWriting::took_header(LineCursor& cursor) {
    if (settled_) return false;
    if (cursor.take_word("on")) {
        require_first(cursor, has_topology_, "topology");
        const std::size_t column = (void(cursor.at_end()), cursor.column());
        const std::string spec = cursor.peek() == '"' ? quoted_name(cursor) : std::string(cursor.until(" \t#"));
        if (told_.topology == nullptr) try {
                told_.topology = make_topology(spec);
            } catch (const RequestError& error) {
                lines_.refuse(column, error.what());
            }
        if (context_.promise && spec != told_.topology->spec())
            lines_.refuse(column,
                          fmt::format("the schedule is for {}, and the promise for {}", spec, told_.topology->spec()));
        return true;
    }
    if (LineCursor options = cursor; options.take_word(word_of_options) && options.take(sign_of_options)) {
        (void)cursor.take_word(word_of_options);
        require_first(cursor, has_options_, quoted(word_of_options));
        told_.options = trimmed_options(cursor.rest());
        cursor.forward(cursor.rest().size());
        return true;
    }
    if (LineCursor packets = cursor;
        packets.take_word("packets") && !packets.at_end() && packets.peek() >= '0' && packets.peek() <= '9') {
        require_first(cursor, has_packets_, "'packets'");
        told_.collective.packets_each = packets.number("a number of packets", 1, own_packets_max);
        if (context_.packets_each) told_.collective.packets_each = *context_.packets_each;
        cursor.forward(packets.column() - cursor.column());
        return true;
    }
    for (const bool are_sizes : {false, true}) {
        const std::string_view word = are_sizes ? "sizes" : "counts";
        LineCursor counts = cursor;
        if (!counts.take_word(word) || counts.at_end()) continue;
        require_first(cursor, has_counts_, quoted(word));
        counts_ = {std::string(counts.until(" \t#")), are_sizes};
        cursor.forward(counts.column() - cursor.column());
        return true;
    }
    if (LineCursor members = cursor; members.take_word("members") && !members.at_end()) {
        require_first(cursor, has_members_, "'members'");
        members_ = members.until(" \t#");
        cursor.forward(members.column() - cursor.column());
        return true;
    }
    if (cursor.take_word("in-runs")) {
        told_.collective.in_runs = true;
        return true;
    }
    if (cursor.take_word("unfolded")) {
        told_.collective.in_runs = told_.collective.unfolded = true;
        return true;
    }
    if (cursor.take_word(name(Operation::none))) {
        require_first(cursor, has_operation_, "operation");
        if (context_.operation.value_or(Operation::none) == Operation::none) told_.collective = Collective::none();
        is_named_ = true;
        return true;
    }
    LineCursor ahead = cursor;
    const std::string_view word = ahead.until(" \t#");
    if (const auto meant = operation_meant(word)) {
        const Operation& operation = *meant;
        require_first(cursor, has_operation_, "operation");
        cursor.forward(ahead.column() - cursor.column());
        is_named_ = true;
        if (!context_.operation) told_.collective.operation = operation;
        if (operation == Operation::permutation) {
            const std::size_t column = (void(cursor.at_end()), cursor.column());
            const std::string_view words = cursor.until(" \t#");
            if (!words.empty()) try {
                    told_.collective.permutation = permutation_named(words);
                } catch (const RequestError& error) {
                    lines_.refuse(column, error.what());
                }
        } else if (cursor.take_word("from") || cursor.take_word("to")) {
            (void)cursor.at_end();
            root_line_ = lines_.number();
            root_column_ = cursor.column();
            root_ = cursor.peek() == '"' ? in_double_quotes(quoted_name(cursor)) : std::string(cursor.until("#"));
        }
        return true;
    }
    return false;
}

void ScheduleWriting::require_first(const LineCursor& cursor, bool& is_there, std::string_view what) {
    if (std::exchange(is_there, true)) cursor.refuse(fmt::format("a second {}; want one", what));
}

void ScheduleWriting::settle() {
    if (settled_) return;
    settled_ = true;
    if (!is_named_) lines_.refuse(no_operation_in_file);
    if (told_.collective.signals()) told_.collective.packet_bytes = 0;
    told_.collective.in_runs = told_.collective.in_runs && told_.collective.folds();
    told_.collective.unfolded = told_.collective.unfolded && told_.collective.folds();
    try {
        if (told_.collective.in_runs || told_.collective.unfolded) require_values_in_one(told_.collective);
        if (has_packets_) require_no_promise(context_, "packets");
    } catch (const RequestError& error) {
        lines_.refuse(error.what());
    }
    if (has_packets_ && has_counts_)
        lines_.refuse("has both packets and counts or sizes, which say how many there are; want one of them");
    if (told_.topology == nullptr)
        lines_.refuse(
            "does not say on which topology it runs; want a line such as 'on hypercube:3', or --on hypercube:3");
    if ((context_.root || !root_.empty()) && told_.collective.rooted()) try {
            told_.collective.root =
                context_.root ? told_.topology->node(*context_.root) : node_said(*told_.topology, root_);
        } catch (const RequestError& error) {
            if (context_.root) throw;
            Lines::refuse(lines_.what(), root_line_, root_column_, error.what());
        }
    try {
        put_counts(told_.collective, context_, counts_, told_.topology->nodes());
        put_members(told_.collective, context_, members_, *told_.topology);
        told_.collective = fitted(told_.collective, *told_.topology);
        require_valid(told_.collective, *told_.topology);
    } catch (const RequestError& error) {
        lines_.refuse(error.what());
    }
    if (context_.all_held && !may_carry_all_held(told_.collective.operation))
        lines_.refuse(no_all_held_of(told_.collective.operation));
    held_.emplace(told_.collective, told_.topology->nodes(), context_.all_held);
}

NodeId ScheduleWriting::node(LineCursor& cursor) {
    const std::size_t column = (void(cursor.at_end()), cursor.column());
    if (cursor.take("(")) {
        const std::string_view coordinates = cursor.until(")");
        cursor.want(")", "coordinates");
        return node(coordinates, column);
    }
    if (cursor.peek() == '"') return node(in_double_quotes(quoted_name(cursor)), column);
    const std::string_view text = cursor.until(signs_of_transfers);
    // "0->1" and "0<->1" have no blanks.
    const std::size_t arrow = std::min(text.find("<->"), text.find("->"));
    if (arrow != std::string_view::npos) cursor.back(text.size() - arrow);
    return node(text.substr(0, arrow), column);
}

NodeId ScheduleWriting::node(std::string_view word, std::size_t column) {
    settle();
    try {
        return node_said(*told_.topology, word);
    } catch (const RequestError& error) {
        const std::string_view text = error.what();  // "source '9': line:3 has nodes 0 to 2"
        const bool is_name = word.size() > 1 && word.starts_with('"');
        lines_.refuse(column, fmt::format("{} is no node{}", quoted(is_name ? word.substr(1, word.size() - 2) : word),
                                          text.substr(text.rfind("': ") + 1)));
    }
}

void ScheduleWriting::read_packets(LineCursor& cursor, std::string_view ends) {
    settle();
    packets_ = kport::read_packets(cursor, ends, told_);
}

void ScheduleWriting::require_later(std::size_t column, std::uint64_t round, std::uint64_t least) const {
    if (round < least)
        lines_.refuse(column, fmt::format("round {} stands after round {}; want rounds in order", round, round_));
}

void ScheduleWriting::begin_round(std::size_t column, std::uint64_t round) {
    settle();
    require_later(column, round, round_);
    if (round != round_) held_->end_round();
    round_ = static_cast<Round>(round);
}

void ScheduleWriting::add_silent(std::size_t column, std::uint64_t first, std::uint64_t last) {
    settle();
    require_later(column, first, std::uint64_t{round_} + 1);
    held_->end_round();
    told_.schedule.add_silent(static_cast<Round>(first), last - first + 1);
    round_ = static_cast<Round>(last);
}

void ScheduleWriting::add(const LineCursor& cursor, NodeId from, NodeId to, const std::vector<NodeId>& via,
                          bool has_packets) {
    const Collective& collective = told_.collective;
    if (from == to) cursor.refuse(fmt::format("node {} sends to itself; want two nodes", from));
    if (!has_packets && !held_->follows())
        cursor.refuse(fmt::format("which packets? Of operation {} a transfer says it: {} -> {} {{4,5}}{}",
                                  name(collective.operation), from, to,
                                  may_carry_all_held(collective.operation) ? "; or say --promise all-held" : ""));
    if (!has_packets) {
        told_.took_all_held = context_.all_held;
        const PacketSet all = held_->all_of(from);
        packets_.assign(all.blocks().begin(), all.blocks().end());
    }
    find_route(cursor, from, to, via);
    told_.schedule.add(round_, {from, to, route_, span_of(packets_)});
    held_->came(to, span_of(packets_));
}

PacketSet HeldByAll::all_of(NodeId v) const {
    if (!collective_.promises()) return contents_packets(1);
    if (collective_.one_packet()) return PacketBlock{};
    PacketSet all = collective_.owned(v, nodes_);
    if (const auto held = held_.find(v); held != held_.end()) all.include(held->second);
    return result_or(std::move(all), collective_, nodes_);
}

void HeldByAll::came(NodeId v, std::span<const PacketBlock> packets) {
    if (sends_all_) came_.emplace_back(v, PacketSet()).second.add(packets);
}

void HeldByAll::end_round() {
    for (const auto& [v, packets] : came_) held_[v].include(packets);
    came_.clear();
}

PacketSet result_or(PacketSet held, const Collective& collective, NodeId nodes) {
    if (collective.operation != Operation::allreduce) return held;
    const PacketBlock results = result_packets(nodes, all_segments(collective.segments(nodes)));
    const bool has_all =
        held.covers({&results, 1}) || held.covers(collective.in_results(std::span(&results, 1), nodes).blocks());
    return has_all ? PacketSet(results) : held;
}

std::string no_all_held_of(const Operation& operation) {
    return fmt::format(
        "is of operation {}; --promise all-held is for barrier, broadcast, gather, reduce, allgather, "
        "allreduce, whose messages may carry all that their senders hold",
        name(operation));
}

PacketBlocks read_packets(LineCursor& cursor, std::string_view ends, const ToldSchedule& told) {
    const auto at_end = [&] { return cursor.at_end() || ends.find(cursor.peek()) != std::string_view::npos; };
    PacketBlocks packets;
    while (!at_end()) {
        const std::size_t column = cursor.column();
        const PacketBlocks read = blocks_in(cursor, told);
        if (common_size(span_of(read), span_of(packets)) != 0)
            cursor.refuse(column, "names a packet twice; want each once");
        packets.insert(packets.end(), read.begin(), read.end());
        if (!at_end() && cursor.take(",") && at_end()) cursor.refuse("a packet is missing after the comma");
    }
    if (packets.empty()) cursor.refuse("no packet; want at least one, such as {4,5}");
    return packets;
}

void ScheduleWriting::find_route(const LineCursor& cursor, NodeId from, NodeId to, const std::vector<NodeId>& via) {
    route_.clear();
    NodeId at = from;
    for (const NodeId next : via) walk(cursor, at, next);
    if (via.empty() && at != to && takes_fixed_route(from, to)) {
        told_.topology->fabric()->append_route(from, to, /*any=*/false, route_);
        return;
    }
    walk(cursor, at, to);
}

/// Whether the ends are hosts of a fabric that are one message apart.
bool ScheduleWriting::takes_fixed_route(NodeId from, NodeId to) const {
    const Topology& hosts = *told_.topology;
    return hosts.fabric() != nullptr && from < hosts.nodes() && to < hosts.nodes() &&
           hosts.port_to(from, to) != no_port;
}

void ScheduleWriting::walk(const LineCursor& cursor, NodeId& at, NodeId to) {
    const Topology& topology = told_.topology->wires();
    if (const Port direct = topology.port_to(at, to); direct != no_port) {
        route_.push_back(direct);
        at = to;
        return;
    }
    for (; at != to; at = topology.across(at, route_.back()).node) {
        if (route_.size() == hops_max) cursor.refuse(fmt::format("the way is longer than {} links", hops_max));
        route_.push_back(topology.route(at, to));
    }
}

ToldSchedule ScheduleWriting::take() {
    settle();
    return std::move(told_);
}

std::string packets_in_words(std::span<const PacketBlock> packets, const ToldSchedule& told) {
    const bool pairs = has_pairs(told.collective.operation);
    const Progression unsaid = rows_unsaid(told);
    const Progression result = result_packet(told.topology->nodes()).columns();
    std::string text;
    for (const PacketBlock& block : packets) {
        if (!text.empty()) text += ", ";
        if (pairs) text += text_of(block.all_rows()) + ">";
        text += told.collective.folds() && block.columns() == result ? "result" : text_of(block.columns());
        if (!pairs && block.all_rows() != unsaid) text += ":" + text_of(block.all_rows());
    }
    return text;
}

std::vector<NodeId> way_in_words(const Transfer& transfer, const Topology& hosts) {
    const Topology& topology = hosts.wires();
    std::vector<NodeId> way;
    // Through switches the way is named: which one is taken without a word depends on the machine.
    bool own = transfer.route.size() == 1 ||
               (hosts.fabric() == nullptr && topology.port_to(transfer.from, transfer.to) == no_port);
    NodeId at = transfer.from;
    for (const Port port : transfer.route) {
        own = own && (transfer.route.size() == 1 || topology.route(at, transfer.to) == port);
        at = topology.across(at, port).node;
        if (at == no_node) break;
        way.push_back(at);
    }
    if (way.empty() || way.back() != transfer.to || way.size() != transfer.route.size())
        throw RequestError(
            fmt::format("the transfer from node {} to node {} follows a route that does not lead there; only "
                        "JSON can say that",
                        transfer.from, transfer.to));
    way.pop_back();
    if (own) way.clear();
    return way;
}

std::string trimmed_options(std::string_view rest) { return boost::algorithm::trim_copy(std::string(rest)); }

std::vector<std::string> header_in_words(const ToldSchedule& told, const NodeWords* words) {
    const Collective& collective = told.collective;
    if (collective.is_own())
        throw RequestError(fmt::format("only JSON can say what {} promises; want a file x.json, or --to json",
                                       name(collective.operation)));
    std::vector<std::string> header;
    const std::string spec = spec_with_members(*told.topology);
    const bool plain = spec.find_first_of(" \t#\"") == std::string::npos;
    if (spec != unnamed_network) header.push_back(fmt::format("on {}", plain ? spec : in_double_quotes(spec)));
    if (words != nullptr && !told.options.empty())
        header.push_back(fmt::format("{} {}", word_of_options, told.options));
    const std::string root = words == nullptr ? fmt::to_string(collective.root) : (*words)(collective.root);
    header.push_back(collective.rooted() ? fmt::format("{} {} {}", name(collective.operation),
                                                       collective.inwards() ? "to" : "from", root)
                                         : std::string(name(collective.operation)));
    if (collective.operation == Operation::permutation)
        header.back() += " " + text_without_file(collective.permutation);
    if (collective.has_sizes())
        header.push_back(fmt::format("sizes {}", text(*collective.counts->bytes())));
    else if (collective.counts != nullptr)
        header.push_back(fmt::format("counts {}", text(*collective.counts)));
    else if (collective.packets_each != 1)
        header.push_back(fmt::format("packets {}", collective.packets_each));
    if (collective.members != nullptr)
        header.push_back(fmt::format("members {}", list_in_words(collective.members->nodes(), *told.topology)));
    if (collective.in_runs) header.emplace_back(collective.unfolded ? "unfolded" : "in-runs");
    return header;
}

}  // namespace kport
