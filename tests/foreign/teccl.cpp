/// @file teccl.cpp   TE-CCL: sentences of flows in epochs, and the demands that they meet.
#include "tests/foreign/verdict.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace foreign {
namespace {

using nlohmann::json;

struct Flow {
    int chunk, owner, from, to;
};

int last_number(const std::string& key, const std::string& word) {
    static const std::regex form("([A-Za-z]+) ([0-9]{1,8})");
    std::smatch match;
    if (!std::regex_match(key, match, form) || match[1] != word)
        throw Refused("expected " + word + " and a number: " + key);
    return std::stoi(match[2]);
}

/// Node, owner, chunk.
using Demands = std::set<std::tuple<int, int, int>>;

/// The allgather that is named overrides what the file demands: each node wants all chunks, and owns as many as every other.
/// Nothing if nodes own other chunks than that.
std::optional<Demands> demands_of_allgather(const std::set<int>& nodes, const std::set<std::pair<int, int>>& chunks) {
    Demands demands;
    for (const int node : nodes) {
        const auto own = std::ranges::count(chunks, node, &std::pair<int, int>::first);
        if (own == 0 || static_cast<std::size_t>(own) * nodes.size() != chunks.size()) return std::nullopt;
        for (const auto& [owner, chunk] : chunks) demands.insert({node, owner, chunk});
    }
    return demands;
}

}  // namespace

Verdict judge_teccl(const std::string& text, const Question& question) {
    static const std::regex form(
        "Chunk ([0-9]{1,8}) from ([0-9]{1,8}) traveled over ([0-9]{1,8})->([0-9]{1,8}) in epoch ([0-9]{1,8})( via "
        "switches .*)?");
    const auto file = json::parse(text);
    Verdict verdict;
    std::map<int, std::vector<Flow>> epochs;
    std::set<int> nodes;
    std::set<std::pair<int, int>> owned;
    for (const auto& each : file.at("7-Flows")) {
        const auto sentence = each.get<std::string>();
        std::smatch match;
        if (!std::regex_match(sentence, match, form)) throw Refused("no flow: " + sentence);
        const Flow flow{std::stoi(match[1]), std::stoi(match[2]), std::stoi(match[3]), std::stoi(match[4])};
        if (flow.from == flow.to) throw Refused("a flow to itself");
        nodes.insert({flow.owner, flow.from, flow.to});
        owned.insert({flow.owner, flow.chunk});
        epochs[std::stoi(match[5])].push_back(flow);
    }
    Demands demands;
    if (file.contains("6-Demand_Met"))
        for (const auto& [target, owners] : file.at("6-Demand_Met").items())
            for (const auto& [owner, chunks] : owners.items())
                for (const auto& [chunk, time] : chunks.items()) {
                    demands.insert(
                        {last_number(target, "GPU"), last_number(owner, "GPU"), last_number(chunk, "Chunk")});
                    nodes.insert({last_number(target, "GPU"), last_number(owner, "GPU")});
                }
    static const std::regex demand_form("Demand at ([0-9]{1,8}) for chunk ([0-9]{1,8}) from ([0-9]{1,8})( .*)?");
    if (file.contains("8-Chunk paths"))
        for (const auto& [key, path] : file.at("8-Chunk paths").items()) {
            std::smatch match;
            if (!std::regex_match(key, match, demand_form)) throw Refused("no demand: " + key);
            demands.insert({std::stoi(match[1]), std::stoi(match[3]), std::stoi(match[2])});
            nodes.insert({std::stoi(match[1]), std::stoi(match[3])});
        }
    for (const auto& demand : demands) owned.insert({std::get<1>(demand), std::get<2>(demand)});
    std::set<std::tuple<int, int, int>> held, received;
    const bool contents = !question.operation || *question.operation != "none";
    for (const auto& [epoch, flows] : epochs) {
        const auto before = held;
        std::map<int, std::set<int>> targets, sources;
        for (const auto& flow : flows) {
            targets[flow.from].insert(flow.to);
            sources[flow.to].insert(flow.from);
            const std::tuple packet{flow.to, flow.owner, flow.chunk};
            if (flow.from != flow.owner && !before.contains({flow.from, flow.owner, flow.chunk}) && contents)
                verdict.blame(Fault::delivery,
                              "node " + std::to_string(flow.from) + " passes on what it does not hold");
            else
                held.insert(packet);
            if (!contents) continue;
            if (flow.to == flow.owner) verdict.blame(Fault::NOHO, "its own");
            if (!received.insert(packet).second) verdict.blame(Fault::NODUP, "again");
        }
        if (!question.ports) continue;
        for (const auto* peers : {&targets, &sources})
            for (const auto& [node, all] : *peers)
                if (static_cast<int>(all.size()) > *question.ports)
                    verdict.blame(Fault::ports, "node " + std::to_string(node));
    }
    if (!contents) return verdict;
    const bool named = question.operation == "allgather" && !demands.empty();
    const auto of_allgather = named ? demands_of_allgather(nodes, owned) : std::nullopt;
    if (of_allgather) demands = *of_allgather;
    for (const auto& demand : demands)
        if (std::get<0>(demand) != std::get<1>(demand) && !held.contains(demand))
            verdict.blame(Fault::delivery, "node " + std::to_string(std::get<0>(demand)) + " lacks a chunk");
    if (named && !of_allgather && verdict.findings.empty()) throw Refused("chunks of another operation than is named");
    if (demands.empty()) verdict.not_judged.emplace_back("no demands");
    return verdict;
}

}  // namespace foreign
