/// @file schedule_file_writer.cpp   Writes a schedule as JSON, a line a transfer.
#include <algorithm>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/files/promise_file.hpp"
#include "app/files/schedule_file.hpp"
#include "app/files/text_pieces.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/topology/members.hpp"

namespace kport {
namespace {

std::string counts_member(const Counts& counts) {
    const Counts* const bytes = counts.bytes();
    return fmt::format("\"{}\": \"{}\", ", bytes != nullptr ? "sizes" : "counts",
                       text(bytes != nullptr ? *bytes : counts));
}

void put(TextPieces& out, const PacketBlock& block) {
    if (block == PacketBlock{block.first}) return out.put(block.first);
    out.put("{\"first\":", block.first, ",\"stride\":", block.stride, ",\"count\":", block.count);
    if (block.all_rows() != Progression{})
        out.put(",\"row\":", block.row, ",\"row_stride\":", block.row_stride, ",\"rows\":", block.rows);
    out.put("}");
}

void put(TextPieces& out, std::span<const PacketBlock> packets) {
    out.put("[");
    for (std::size_t i = 0; i < packets.size(); ++i) {
        if (i != 0) out.put(",");
        put(out, packets[i]);
    }
    out.put("]");
}

void put(TextPieces& out, Round round, const Transfer& transfer) {
    out.put("{\"round\":", round, ",\"from\":", transfer.from, ",\"to\":", transfer.to, ",\"route\":[");
    for (std::size_t i = 0; i < transfer.route.size(); ++i)
        out.put(std::string_view(i == 0 ? "" : ","), transfer.route[i]);
    out.put("],\"packets\":");
    put(out, transfer.packets);
    out.put("}");
}

std::string text_of(const Silence& silence) {
    if (silence.count == 1) return fmt::to_string(silence.first);
    return fmt::format(R"({{"first":{},"count":{}}})", silence.first, silence.count);
}

/// Returns the member that lists them, with a comma after it; empty if there are none.
std::string text_of(const std::vector<Silence>& silences) {
    std::string text;
    for (const Silence& silence : silences) text += (text.empty() ? "" : ",") + text_of(silence);
    return text.empty() ? text : fmt::format("\"silent_rounds\": [{}], ", text);
}

/// Writes a line for each node.
template <class PacketsOf>
void put_by_node(TextPieces& out, std::string_view member, NodeId nodes, const PacketsOf& packets_of) {
    out.put(std::string_view(",\n\""), member, std::string_view("\": ["));
    for (NodeId v = 0; v < nodes; ++v) {
        out.put(std::string_view(v == 0 ? "\n" : ",\n"));
        put(out, packets_of(v).blocks());
    }
    out.put("]");
}

void put_own_folds(TextPieces& out, const Collective& own, const Topology& topology) {
    out.put(fmt::format("\"own\": {{\"name\": {}, \"noun\": {}, \"promise\": {}}},\n",
                        nlohmann::json(name(own.operation)).dump(), nlohmann::json(own.operation->noun).dump(),
                        nlohmann::json(folds_in_lines(own, topology)).dump()));
}

void put_own(TextPieces& out, const Collective& own, NodeId nodes) {
    out.put(fmt::format("\"own\": {{\"name\": {}, \"noun\": {}, \"packets\": {}",
                        nlohmann::json(name(own.operation)).dump(), nlohmann::json(own.operation->noun).dump(),
                        own.packets(nodes)));
    put_by_node(out, "owned", nodes, [&](NodeId v) { return own.owned(v, nodes); });
    put_by_node(out, "wanted", nodes, [&](NodeId v) { return own.wanted(v, nodes); });
    if (!own.own()->bytes.empty()) out.put(fmt::format(", \"sizes\": \"{}\"", fmt::join(own.own()->bytes, ",")));
    if (const auto& passes_on = own.own()->passes_on) {
        std::vector<NodeId> relays;
        for (NodeId v = 0; v < nodes; ++v)
            if (passes_on(v)) relays.push_back(v);
        out.put(fmt::format(", \"relays\": \"{}\"", list_of_nodes(relays)));
    }
    out.put("},\n");
}

}  // namespace

void write_schedule(std::ostream& out, const Schedule& schedule, const Topology& topology,
                    const std::optional<Collective>& collective, const std::optional<Machine>& machine,
                    const std::string& options) {
    std::string operation;
    if (collective && !collective->is_own())
        operation = fmt::format("\"operation\": \"{}\", ", name(collective->operation)) +
                    (collective->rooted() ? fmt::format("\"root\": {}, ", collective->root) : "") +
                    (collective->operation == Operation::permutation
                         ? fmt::format("\"permutation\": \"{}\", ", text_without_file(collective->permutation))
                         : "") +
                    (collective->counts != nullptr   ? counts_member(*collective->counts)
                     : collective->packets_each != 1 ? fmt::format("\"packets\": {}, ", collective->packets_each)
                                                     : "") +
                    (collective->members != nullptr
                         ? fmt::format("\"members\": \"{}\", ", list_in_words(collective->members->nodes(), topology))
                         : "") +
                    (collective->unfolded  ? "\"unfolded\": true, "
                     : collective->in_runs ? "\"in_runs\": true, "
                                           : "");
    const std::string of_machine = machine ? fmt::format("\"machine\": \"{}\", ", rules_in_words(*machine)) : "";
    TextPieces pieces(out);
    const std::string as_judged =
        options.empty() ? "" : fmt::format("\"options\": {}, ", nlohmann::json(options).dump());
    pieces.put(fmt::format("{{\"kport_schedule\": {}, \"topology\": {}, {}{}{}", schedule_file_version,
                           nlohmann::json(spec_with_members(topology)).dump(), as_judged, of_machine, operation));
    if (collective && collective->own_folds() != nullptr)
        put_own_folds(pieces, *collective, topology);
    else if (collective && collective->is_own())
        put_own(pieces, *collective, topology.nodes());
    pieces.put(text_of(schedule.silences()), std::string_view("\"transfers\": ["));
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        pieces.put(std::string_view(i == 0 ? "\n" : ",\n"));
        put(pieces, schedule.round(i), schedule.transfer(i));
    }
    pieces.put("\n]}\n");
    pieces.flush();
}

}  // namespace kport
