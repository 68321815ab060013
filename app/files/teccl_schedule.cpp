/// @file teccl_schedule.cpp   Schedules in TE-CCL's JSON: chunks that travel over links in epochs, and the demands that
///                            they meet.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/files/chunk_schedule.hpp"
#include "app/files/foreign_schedule.hpp"
#include "app/files/whole_text.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace teccl {

namespace {

using nlohmann::json;

/// Chunk `chunk` of a GPU: numbers as in the file.
using ChunkName = std::pair<std::uint64_t, std::uint64_t>;

/// "Chunk 0 from 1 traveled over 1->2 in epoch 3 via switches 7".
struct Flow {
    ChunkName chunk;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t epoch = 0;
    bool is_part = false;   ///< "with volume 0.2": a part of a chunk
    std::size_t index = 0;  ///< in "7-Flows"
};

class Reader {
  public:
    Reader(std::istream& in, const std::string& name, const ScheduleContext& context)
        : json_(json_in(in, fmt::format("schedule {}", quoted(name)))), context_(context) {}

    ToldSchedule read() {
        const json& flows = member("7-Flows", json::value_t::array);
        for (std::size_t i = 0; i < flows.size(); ++i) flows_.push_back(flow(flows[i], i));
        if (json_.contains("6-Demand_Met")) read_demands(member("6-Demand_Met", json::value_t::object));
        if (json_.contains("8-Chunk paths"))
            for (const auto& [demand, path] : member("8-Chunk paths", json::value_t::object).items())
                read_demand(demand);
        number_ranks();
        chunked::ChunkFile file;
        file.likely_operation = name(Operation::allgather);
        file.schedule = schedule();
        file.topology = context_.machine.topology;
        if (file.topology == nullptr) {
            file.topology = make_topology(fmt::format("complete:{}", ranks_.size()));
            file.remarks.emplace_back("the topology, which the file does not name, is a complete graph");
        }
        return judged(std::move(file));
    }

  private:
    [[noreturn]] static void refuse(const std::string& why) { throw RequestError(why); }

    const json& member(const char* key, json::value_t kind) const {
        if (!json_.is_object() || !json_.contains(key) || json_.at(key).type() != kind)
            refuse(
                fmt::format("has no '{}', or not as {}", key, kind == json::value_t::array ? "an array" : "an object"));
        return json_.at(key);
    }

    /// Returns the number after a word: "GPU 3". Reads it strictly.
    [[nodiscard]] std::uint64_t numbered(std::string_view text, std::string_view word, const std::string& where) const {
        const std::vector<std::string_view> words = split(text, ' ');
        const std::optional<std::uint64_t> number = words.size() == 2 ? to_count(words[1]) : std::nullopt;
        if (!number || words[0] != word)
            refuse(fmt::format("has {} in {}; want such as '{} 3'", quoted(text), where, word));
        return *number;
    }

    [[nodiscard]] Flow flow(const json& value, std::size_t index) const {
        const auto wrong = [&] {
            refuse(fmt::format("has {} in 7-Flows[{}]; want such as 'Chunk 0 from 1 traveled over 1->2 in epoch 3'",
                               quoted(one_line(value.dump(), 100)), index));
        };
        if (!value.is_string()) wrong();
        std::vector<std::string_view> words = split(value.get_ref<const std::string&>(), ' ');
        Flow flow;
        if (words.size() > 9 && words[7] == "with" && words[8] == "volume" && to_real(words[9]).value_or(0) > 0) {
            flow.is_part = *to_real(words[9]) != 1;
            words.erase(words.begin() + 7, words.begin() + 10);
        }
        const bool has_form =
            words.size() >= 10 && words[0] == "Chunk" && words[2] == "from" && words[4] == "traveled" &&
            words[5] == "over" && words[7] == "in" && words[8] == "epoch" &&
            (words.size() == 10 || (words.size() > 12 && words[10] == "via" && words[11] == "switches"));
        if (!has_form) wrong();
        const auto number = [&](std::string_view word) {
            const std::optional<std::uint64_t> count = to_count(word);
            if (!count) wrong();
            return count.value_or(0);
        };
        const std::size_t arrow = words[6].find("->");
        if (arrow == std::string_view::npos) wrong();
        flow.chunk = {number(words[3]), number(words[1])};
        flow.from = number(words[6].substr(0, arrow));
        flow.to = number(words[6].substr(arrow + 2));
        flow.epoch = number(words[9]);
        if (flow.from == flow.to) wrong();
        return flow;
    }
    /// A key of "8-Chunk paths": "Demand at 2 for chunk 0 from 1 met by epoch 3".
    void read_demand(std::string_view text) {
        const std::vector<std::string_view> words = split(text, ' ');
        const auto number = [&](std::size_t i) { return i < words.size() ? to_count(words[i]) : std::nullopt; };
        const auto has = [&](std::size_t i, std::string_view word) { return i < words.size() && words[i] == word; };
        const bool has_form = has(0, "Demand") && has(1, "at") && has(3, "for") && has(4, "chunk") && has(6, "from");
        if (!has_form || !number(2) || !number(5) || !number(7))
            refuse(fmt::format("has {} in 8-Chunk paths; want such as 'Demand at 2 for chunk 0 from 1 met by epoch 3'",
                               quoted(one_line(std::string(text), 100))));
        demands_[{*number(7), *number(5)}].insert(*number(2));
    }

    /// By destination, then by source, then by chunk.
    void read_demands(const json& by_target) {
        for (const auto& [target, by_source] : by_target.items()) {
            const std::uint64_t to = numbered(target, "GPU", "6-Demand_Met");
            if (!by_source.is_object()) refuse(fmt::format("has no object in 6-Demand_Met of {}", quoted(target)));
            for (const auto& [source, chunks] : by_source.items()) {
                const std::uint64_t from = numbered(source, "GPU", fmt::format("6-Demand_Met of {}", quoted(target)));
                if (!chunks.is_object())
                    refuse(fmt::format("has no object of chunks in 6-Demand_Met of {}", quoted(target)));
                for (const auto& [chunk, finish] : chunks.items())
                    demands_[{from, numbered(chunk, "Chunk", "6-Demand_Met")}].insert(to);
            }
        }
    }

    /// Ranks are the numbers that occur, in order: a file may begin at 1. Switches are not ranks.
    void number_ranks() {
        std::set<std::uint64_t> numbers;
        for (const Flow& flow : flows_) numbers.insert({flow.chunk.first, flow.from, flow.to});
        for (const auto& [chunk, targets] : demands_) {
            numbers.insert(chunk.first);
            numbers.insert(targets.begin(), targets.end());
        }
        if (numbers.size() < 2) refuse("names fewer than two GPUs");
        for (const std::uint64_t number : numbers) {
            rank_of_.emplace(number, ranks_.size());
            ranks_.push_back(number);
        }
    }

    chunked::ChunkSchedule schedule() {
        std::map<ChunkName, std::set<std::uint64_t>> targets = demands_;
        for (const Flow& flow : flows_) targets[flow.chunk];
        chunked::ChunkSchedule all;
        all.ranks = ranks_.size();
        std::vector<ChunkName> names;
        std::map<ChunkName, std::uint32_t> address_of;
        for (const auto& [chunk, needed] : targets) {
            address_of.emplace(chunk, names.size());
            std::set<NodeId> after = {rank_of_.at(chunk.first)};
            for (const std::uint64_t target : needed) after.insert(rank_of_.at(target));
            all.chunks.push_back({names.size(), {rank_of_.at(chunk.first)}, {after.begin(), after.end()}});
            names.push_back(chunk);
        }
        all.index();
        std::map<std::uint64_t, chunked::Step> by_epoch;
        for (const Flow& flow : flows_) {
            chunked::Step& step = by_epoch[flow.epoch];
            step.place = fmt::format("epoch {}", flow.epoch);
            step.sends.push_back({address_of.at(flow.chunk), rank_of_.at(flow.from), rank_of_.at(flow.to)});
            all.in_parts = all.in_parts || flow.is_part;
        }
        for (auto& [epoch, step] : by_epoch) all.steps.push_back(std::move(step));
        all.rank_name = [ranks = ranks_](NodeId rank) { return fmt::format("GPU {}", ranks[rank]); };
        all.address_name = [names](std::uint32_t i) {
            return fmt::format("chunk {} of GPU {}", names[i].second, names[i].first);
        };
        return all;
    }

    /// The demands are the promise, unless an operation is named. In an alltoall each target has packets of its own,
    /// which only paths distinguish.
    [[nodiscard]] ToldSchedule judged(chunked::ChunkFile file) const {
        std::optional<NotJudged> missing;
        if (demands_.empty()) missing = {"delivery", "the file has no demands (6-Demand_Met, 8-Chunk paths)"};
        if (context_.operation == Operation::alltoall)
            missing = {"delivery", "an alltoall needs the path of each demand, and kport does not follow paths"};
        if (!missing) {
            const bool in_parts = file.schedule.in_parts;
            ToldSchedule told = judged_chunks(std::move(file), context_);
            if (in_parts && context_.operation != Operation::none)
                told.judgement.not_judged.push_back(
                    {"delivery", "flows carry parts of chunks (with volume), and the file does not say which"});
            return told;
        }
        ScheduleContext context = context_;
        context.operation = Operation::none;
        ToldSchedule told = judged_chunks(std::move(file), context);
        if (context_.operation != Operation::none) told.judgement.not_judged.push_back(*std::move(missing));
        return told;
    }

    using Demands = std::map<ChunkName, std::set<std::uint64_t>>;

    json json_;
    const ScheduleContext& context_;
    std::vector<Flow> flows_;
    Demands demands_;
    std::vector<std::uint64_t> ranks_;  ///< their numbers in the file
    std::map<std::uint64_t, NodeId> rank_of_;
};

}  // namespace

}  // namespace teccl

bool begins_teccl(std::string_view head) {
    return head.starts_with('{') && (head.find("\"7-Flows\"") != std::string_view::npos ||
                                     head.find("\"1-Epoch_Duration\"") != std::string_view::npos);
}

ToldSchedule read_teccl(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return chunked::read_named(name, [&] { return teccl::Reader(in, name, context).read(); });
}

}  // namespace kport
