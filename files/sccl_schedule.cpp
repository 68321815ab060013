/// @file sccl_schedule.cpp   Schedules of the SCCL solver, as msccl-tools writes them.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "files/foreign_schedule.hpp"
#include "files/whole_text.hpp"

namespace kport {

namespace {

using nlohmann::json;

/// Which ranks have each packet before and after.
struct Chunks {
    NodeId ranks = 0;
    std::vector<PacketSet> before;  ///< by rank
    std::vector<PacketSet> after;
    std::map<std::uint64_t, std::uint32_t> packet_of;  ///< by address
};

bool same(const PacketSet& a, const PacketSet& b) { return a.size() == b.size() && a.covers(b.blocks()); }

class ScclReader {
  public:
    ScclReader(std::istream& in, const std::string& name, const ScheduleContext& context)
        : name_(name), context_(context), file_(json_in(in, fmt::format("schedule {}", quoted(name)))) {}

    ToldSchedule read() {
        read_chunks(member(file_, "the file", "collective"));
        told_.topology = context_.machine.topology;
        if (told_.topology == nullptr) {
            told_.topology = make_topology(fmt::format("complete:{}", chunks_.ranks));
            told_.remarks.emplace_back("the topology, which the file does not name, is a complete graph");
        }
        if (told_.topology->nodes() != chunks_.ranks)
            refuse(fmt::format("has {}, and {} has {}; want as many", counted(chunks_.ranks, "rank"),
                               told_.topology->spec(), counted(told_.topology->nodes(), "node")));
        choose_collective();
        read_steps(member(file_, "the file", "steps"));
        return std::move(told_);
    }

  private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw RequestError(fmt::format("schedule {} {}", quoted(name_), why));
    }
    const json& member(const json& object, const std::string& where, const char* wanted) const {
        if (!object.is_object() || !object.contains(wanted)) refuse(fmt::format("has no '{}' in {}", wanted, where));
        return object.at(wanted);
    }
    std::uint64_t number(const json& value, const std::string& where, std::uint64_t most) const {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
            refuse(fmt::format("has {} in {}; want a whole number from 0 to {}", quoted(value.dump()), where, most));
        return value.get<std::uint64_t>();
    }
    const json& array(const json& value, const std::string& where) const {
        if (!value.is_array()) refuse(fmt::format("has {} in {}; want an array", quoted(value.dump()), where));
        return value;
    }

    void read_chunks(const json& collective) {
        constexpr NodeId ranks_max = 1 << 20;
        chunks_.ranks = number(member(collective, "collective", "nodes"), "collective.nodes", ranks_max);
        if (chunks_.ranks == 0) refuse("has no ranks; want at least one");
        chunks_.before.resize(chunks_.ranks);
        chunks_.after.resize(chunks_.ranks);
        const json& chunks = array(member(collective, "collective", "chunks"), "collective.chunks");
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const std::string where = fmt::format("collective.chunks[{}]", i);
            const std::uint64_t address =
                number(member(chunks[i], where, "addr"), where + ".addr", own_packets_max - 1);
            if (!chunks_.packet_of.emplace(address, 0).second)
                refuse(fmt::format(
                    "gives address {} to two chunks, as a reduction does; only chunks that are copied are read",
                    address));
        }
        std::uint32_t next = 0;
        for (auto& [address, packet] : chunks_.packet_of) packet = next++;
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const std::string where = fmt::format("collective.chunks[{}]", i);
            const PacketBlock packet{chunks_.packet_of.at(chunks[i].at("addr").get<std::uint64_t>())};
            read_ranks(member(chunks[i], where, "pre"), where + ".pre", packet, chunks_.before);
            read_ranks(member(chunks[i], where, "post"), where + ".post", packet, chunks_.after);
        }
    }

    void read_ranks(const json& ranks, const std::string& where, const PacketBlock& packet,
                    std::vector<PacketSet>& into) const {
        for (const json& rank : array(ranks, where)) {
            PacketSet& packets = into[number(rank, where, chunks_.ranks - 1)];
            if (!packets.covers({&packet, 1})) packets.add(packet);
        }
    }

    /// The operation whose packets the chunks are, if there is one.
    [[nodiscard]] std::optional<Collective> known_collective() const {
        for (const Operation& operation : operations()) {
            if (operation.folds() || (context_.operation && *context_.operation != operation)) continue;
            for (NodeId root = 0; root < (operation.rooted() ? chunks_.ranks : 1); ++root) {
                const Collective collective = Collective::of(operation, root, context_.packet_bytes);
                bool is_it = true;
                for (NodeId v = 0; v < chunks_.ranks && is_it; ++v)
                    is_it = same(in_numbers(collective.owned(v, chunks_.ranks)), chunks_.before[v]) &&
                            covers_all(in_numbers(collective.wanted(v, chunks_.ranks)), v);
                if (is_it) return collective;
            }
        }
        return std::nullopt;
    }
    /// What the operation promises the file may leave out where it is there from the start.
    [[nodiscard]] bool covers_all(const PacketSet& wanted, NodeId v) const {
        PacketSet all = chunks_.after[v];
        all.include(chunks_.before[v]);
        PacketSet own = wanted;
        own.include(chunks_.before[v]);
        return same(all, own);
    }
    /// Chunks have one number each; where every node has a packet for every node it is row * N + column.
    [[nodiscard]] PacketSet in_numbers(const PacketSet& packets) const {
        PacketSet flat;
        for (const PacketBlock& block : packets.blocks())
            for (std::uint32_t j = 0; j < block.rows; ++j) {
                const std::uint64_t first = block.number(j, 0, chunks_.ranks);
                flat.add({static_cast<std::uint32_t>(first), block.stride, block.count});
            }
        return flat;
    }

    void choose_collective() {
        if (const auto known = known_collective()) {
            told_.collective = *known;
            return;
        }
        if (context_.operation)
            refuse(fmt::format("has other chunks than the packets of {}; leave the operation out",
                               name(*context_.operation)));
        told_.collective = Collective::custom(
            {"collective", chunks_.packet_of.size(), [all = chunks_.before](NodeId v) { return all[v]; },
             [all = chunks_.after](NodeId v) { return all[v]; }, context_.packet_bytes});
        told_.remarks.emplace_back("its chunks are the packets of none of kport's operations: no bounds are known");
    }

    [[nodiscard]] PacketBlock block_of_chunk(std::uint32_t packet) const {
        const auto rows = told_.collective.operation->packets(told_.collective, chunks_.ranks).rows;
        if (rows == 1) return {packet};
        const auto ranks = static_cast<std::uint32_t>(chunks_.ranks);
        return {packet % ranks, 1, 1, packet / ranks};
    }

    void read_steps(const json& steps) {
        bool bundled = false;
        Round round = 0;
        for (std::size_t i = 0; i < array(steps, "steps").size(); ++i) {
            const std::string where = fmt::format("steps[{}].sends", i);
            std::map<std::pair<NodeId, NodeId>, PacketSet> messages;
            for (const json& send : array(member(steps[i], fmt::format("steps[{}]", i), "sends"), where)) {
                if (!send.is_array() || send.size() != 3)
                    refuse(fmt::format("has {} in {}; want [address, from, to]", quoted(send.dump()), where));
                const std::uint64_t address = number(send[0], where, own_packets_max - 1);
                const NodeId from = number(send[1], where, chunks_.ranks - 1);
                const NodeId to = number(send[2], where, chunks_.ranks - 1);
                const auto packet = chunks_.packet_of.find(address);
                if (packet == chunks_.packet_of.end())
                    refuse(fmt::format("sends address {} in {}, which no chunk has", address, where));
                if (from == to) refuse(fmt::format("sends from rank {} to itself in {}", from, where));
                const PacketBlock block = block_of_chunk(packet->second);
                PacketSet& packets = messages[{from, to}];
                if (packets.covers({&block, 1}))
                    refuse(fmt::format("sends address {} twice from {} to {} in {}", address, from, to, where));
                bundled = bundled || !packets.empty();
                packets.add(block);
            }
            if (messages.empty()) continue;
            ++round;
            for (const auto& [ends, packets] : messages) add(round, ends.first, ends.second, packets);
        }
        if (bundled)
            told_.remarks.emplace_back("the chunks that a step sends from one rank to another are one message");
    }

    void add(Round round, NodeId from, NodeId to, const PacketSet& packets) {
        std::vector<Port> route;
        for (NodeId at = from; at != to; at = told_.topology->across(at, route.back()).node)
            route.push_back(told_.topology->route(at, to));
        told_.schedule.add(round, {from, to, route, packets.blocks()});
    }

    std::string name_;
    const ScheduleContext& context_;
    json file_;
    Chunks chunks_;
    ToldSchedule told_;
};

}  // namespace

bool begins_sccl(std::string_view head) {
    return head.starts_with('{') && head.find("\"msccl_type\"") != std::string_view::npos;
}

ToldSchedule read_sccl(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return ScclReader(in, name, context).read();
}

}  // namespace kport
