/// @file sccl_text.cpp   Parses the JSON of SCCL, msccl-tools and TACCL.
#include "app/files/chunk_schedule.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/files/whole_text.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::sccl {

namespace {

using chunked::Chunk;
using chunked::Effect;
using nlohmann::json;

class ScclText {
  public:
    ScclText(std::istream& in, const std::string& name)
        : name_(name), json_(json_in(in, fmt::format("schedule {}", quoted(name)))) {}

    ScclFile read() {
        is_sccl_type_ = json_.contains("sccl_type");
        read_collective(member(json_, "the file", "collective"));
        read_topology();
        read_instance();
        read_addresses();
        read_steps(array(member(json_, "the file", "steps"), "steps"));
        file_.schedule.rank_name = [](NodeId rank) { return fmt::format("rank {}", rank); };
        file_.schedule.address_name = [addresses = file_.schedule.addresses](std::uint32_t i) {
            return fmt::format("address {}", addresses[i]);
        };
        return std::move(file_);
    }

  private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw RequestError(fmt::format("schedule {} {}", quoted(name_), why));
    }
    [[noreturn]] void refuse(const json& value, const std::string& where, const std::string& wanted) const {
        refuse(fmt::format("has {} in {}; want {}", quoted(one_line(value.dump(), 60)), where, wanted));
    }
    const json& member(const json& object, const std::string& where, const char* wanted) const {
        if (!object.is_object() || !object.contains(wanted)) refuse(fmt::format("has no '{}' in {}", wanted, where));
        return object.at(wanted);
    }
    [[nodiscard]] const json& array(const json& value, const std::string& where) const {
        if (!value.is_array()) refuse(value, where, "an array");
        return value;
    }
    [[nodiscard]] std::uint64_t whole(const json& value, const std::string& where, std::uint64_t least,
                                      std::uint64_t most) const {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
            refuse(value, where, fmt::format("a whole number from {} to {}", least, most));
        return value.get<std::uint64_t>();
    }
    [[nodiscard]] double number(const json& value, const std::string& where, double least) const {
        if (!value.is_number() || value.get<double>() < least)
            refuse(value, where, fmt::format("a number of at least {}", least));
        return value.get<double>();
    }
    [[nodiscard]] NodeId rank(const json& value, const std::string& where) const {
        return whole(value, where, 0, file_.schedule.ranks - 1);
    }
    [[nodiscard]] std::vector<NodeId> ranks(const json& value, const std::string& where) const {
        std::vector<NodeId> ranks;
        for (const json& one : array(value, where)) ranks.push_back(rank(one, where));
        std::ranges::sort(ranks);
        const auto twice = std::ranges::unique(ranks);
        ranks.erase(twice.begin(), twice.end());
        return ranks;
    }

    void read_collective(const json& collective) {
        constexpr std::uint64_t ranks_max = 1 << 20;
        file_.schedule.ranks = whole(member(collective, "collective", "nodes"), "collective.nodes", 1, ranks_max);
        const json& chunks = array(member(collective, "collective", "chunks"), "collective.chunks");
        if (chunks.empty()) refuse("has no chunks in collective.chunks; want at least one");
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            const std::string where = fmt::format("collective.chunks[{}]", i);
            file_.schedule.chunks.push_back(
                {whole(member(chunks[i], where, "addr"), where + ".addr", 0, own_packets_max - 1),
                 ranks(member(chunks[i], where, "pre"), where + ".pre"),
                 ranks(member(chunks[i], where, "post"), where + ".post")});
        }
        file_.schedule.index();
        for (const char* key : {"runtime_name", "name"})
            if (collective.contains(key) && collective.at(key).is_string() && file_.operation.empty() &&
                collective.at(key) != "custom")
                file_.operation = first_word(collective.at(key).get<std::string>());
    }
    /// Returns "Allgather" for "Allgather(n=4)".
    static std::string first_word(const std::string& text) {
        const auto end =
            std::ranges::find_if(text, [](unsigned char c) { return std::isalpha(c) == 0 && c != '-' && c != '_'; });
        return {text.begin(), end};
    }

    void read_topology() {
        if (!json_.contains("topology")) return;
        file_.has_topology = true;
        const json& topology = json_.at("topology");
        if (topology.is_object() && !topology.contains("links") && topology.contains("node_links")) {
            file_.is_taccl = true;
            return;
        }
        const json& links = array(member(topology, "topology", "links"), "topology.links");
        if (links.size() != file_.schedule.ranks)
            refuse(fmt::format("has {} rows in topology.links and {} ranks in collective.nodes; want as many",
                               links.size(), file_.schedule.ranks));
        for (std::size_t to = 0; to < links.size(); ++to) {
            const std::string where = fmt::format("topology.links[{}]", to);
            if (array(links[to], where).size() != links.size())
                refuse(fmt::format("has {} numbers in {}; want {}", links[to].size(), where, links.size()));
            std::vector<double>& row = file_.links.emplace_back();
            for (const json& link : links[to]) row.push_back(number(link, where, 0));
        }
        if (topology.contains("switches")) read_switches(array(topology.at("switches"), "topology.switches"));
    }

    void read_switches(const json& switches) {
        for (std::size_t i = 0; i < switches.size(); ++i) {
            const std::string where = fmt::format("topology.switches[{}]", i);
            const json& one = switches[i];
            if (!one.is_array() || one.size() != 4) refuse(one, where, "[sources, destinations, bandwidth, name]");
            const double bandwidth = number(one[2], where, 0);
            if (bandwidth == 0) refuse(one[2], where, "a bandwidth above 0");
            file_.switches.push_back({one[3].is_string() ? one[3].get<std::string>() : one[3].dump(),
                                      ranks(one[0], where), ranks(one[1], where), bandwidth});
        }
    }

    void read_instance() {
        if (!json_.contains("instance")) return;
        const json& instance = json_.at("instance");
        if (!instance.is_object()) refuse(instance, "instance", "an object");
        if (instance.contains("chunks"))
            chunks_each_ = whole(instance.at("chunks"), "instance.chunks", 1, chunks_each_max);
        if (instance.contains("pipeline") && !instance.at("pipeline").is_null())
            file_.pipeline = whole(instance.at("pipeline"), "instance.pipeline", 1, own_packets_max);
    }

    /// Whether the sends and the maps name chunks of chunks; otherwise there is one of each, whatever the instance
    /// says.
    void read_addresses() {
        if (chunks_each_ == 1) return;
        std::set<std::uint64_t> used;
        for (const char* map : {"input_map", "output_map"})
            if (json_.contains(map) && json_.at(map).is_object())
                for (const json& list : json_.at(map))
                    for (const json& address : list)
                        if (address.is_number_unsigned()) used.insert(address.get<std::uint64_t>());
        if (json_.contains("steps") && json_.at("steps").is_array())
            for (const json& step : json_.at("steps"))
                if (step.is_object() && step.contains("sends"))
                    for (const json& send : step.at("sends"))
                        if (send.is_array() && !send.empty() && send[0].is_number_unsigned())
                            used.insert(send[0].get<std::uint64_t>());
        if (std::ranges::all_of(used, [&](std::uint64_t address) { return index_of(address) != none; })) return;
        chunk_up();
    }
    void chunk_up() {
        const std::vector<Chunk>& whole_chunks = file_.schedule.chunks;
        if (whole_chunks.size() > chunks_max / chunks_each_ ||
            file_.schedule.addresses.back() >= own_packets_max / chunks_each_)
            refuse(fmt::format("has {} chunks, each of {} parts (instance.chunks); want at most {} of both",
                               whole_chunks.size(), chunks_each_, chunks_max));
        std::vector<Chunk> chunks;
        for (const Chunk& chunk : whole_chunks)
            for (std::uint64_t j = 0; j < chunks_each_; ++j)
                chunks.push_back({chunk.address * chunks_each_ + j, chunk.before, chunk.after});
        file_.schedule.chunks = std::move(chunks);
        file_.schedule.index();
    }

    static constexpr std::uint32_t none = 0xFFFFFFFF;
    [[nodiscard]] std::uint32_t index_of(std::uint64_t address) const {
        const std::vector<std::uint64_t>& all = file_.schedule.addresses;
        const auto found = std::ranges::lower_bound(all, address);
        return found == all.end() || *found != address ? none : static_cast<std::uint32_t>(found - all.begin());
    }

    void read_steps(const json& steps) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const std::string where = fmt::format("steps[{}]", i);
            file_.rounds.push_back(
                number(member(steps[i], where, "rounds"), where + ".rounds", file_.is_taccl ? 0 : 1));
            chunked::Step& step = file_.schedule.steps.emplace_back();
            step.place = where;
            const json& sends = array(member(steps[i], where, "sends"), where + ".sends");
            std::set<std::tuple<std::uint32_t, NodeId, NodeId>> seen;
            for (std::size_t k = 0; k < sends.size(); ++k) {
                const std::string at = fmt::format("{}.sends[{}]", where, k);
                step.sends.push_back(send(sends[k], at));
                const chunked::Send& read = step.sends.back();
                if (!seen.emplace(read.address, read.from, read.to).second)
                    refuse(fmt::format("sends address {} from rank {} to {} twice in {}",
                                       file_.schedule.addresses[read.address], read.from, read.to, where));
            }
        }
    }

    [[nodiscard]] chunked::Send send(const json& value, const std::string& where) const {
        const std::size_t most = is_sccl_type_ ? 6 : 3;
        if (!value.is_array() || value.size() < 3 || value.size() > most)
            refuse(value, where,
                   is_sccl_type_ ? "[address, from, to], with time, link and redop behind it or not"
                                 : "[address, from, to]");
        const std::uint64_t address = whole(value[0], where, 0, own_packets_max - 1);
        const chunked::Send send{index_of(address), rank(value[1], where), rank(value[2], where), effect(value, where)};
        if (send.address == none) refuse(fmt::format("sends address {} in {}, which no chunk has", address, where));
        if (send.from == send.to) refuse(fmt::format("sends from rank {} to itself in {}", send.from, where));
        return send;
    }
    [[nodiscard]] Effect effect(const json& value, const std::string& where) const {
        for (std::size_t i = 3; i < std::min<std::size_t>(value.size(), 5); ++i)
            if (!value[i].is_number()) refuse(value[i], where, "a number");
        if (value.size() < 6) return Effect::by_sets;
        if (value[5].is_null()) return Effect::replace;
        if (value[5] != "rrc") refuse(value[5], where, "\"rrc\" or null as redop");
        return Effect::fold;
    }

    static constexpr std::uint64_t chunks_max = std::uint64_t{1} << 24;
    static constexpr std::uint64_t chunks_each_max = std::uint64_t{1} << 20;

    std::string name_;
    json json_;
    ScclFile file_;
    bool is_sccl_type_ = false;
    std::uint64_t chunks_each_ = 1;
};

}  // namespace

ScclFile read_sccl_text(std::istream& in, const std::string& name) { return ScclText(in, name).read(); }

}  // namespace kport::sccl
