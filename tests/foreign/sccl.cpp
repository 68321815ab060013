/// @file sccl.cpp   SCCL and TACCL: steps of sends on the network of the file.
#include "tests/foreign/verdict.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace foreign {
namespace {

using nlohmann::json;
using Parts = std::set<std::size_t>;  // of the collective's chunks: contributions to an address

struct Send {
    int address = 0, from = 0, to = 0;
    std::optional<bool> folds = std::nullopt;  ///< TACCL says it
    auto operator<=>(const Send&) const = default;
};

struct Chunk {
    std::set<int> before = {}, after = {};
    int address = 0;
};

int whole(const json& value) {
    if (!value.is_number_integer()) throw Refused("no whole number: " + value.dump());
    const auto wide = value.get<long long>();
    if (wide < -1000000000 || wide > 1000000000) throw Refused("too large: " + value.dump());
    return static_cast<int>(wide);
}

class Sccl {
  public:
    Sccl(const json& file, const Question& question) : file_(file), question_(question) {
        const auto& collective = file.at("collective");
        ranks_ = whole(collective.at("nodes"));
        if (ranks_ < 1) throw Refused("no nodes");
        taccl_ = file.at("topology").contains("node_links");
        read_chunks(collective);
        read_steps();
        divide();
    }

    Verdict verdict() {
        network();
        if (question_.ports) ports();
        if (!question_.operation || *question_.operation != "none") contents();
        if (!fits_ && verdict_.findings.empty()) throw Refused("chunks of another operation than is named");
        return verdict_;
    }

  private:
    std::set<int> ranks(const json& list) const {
        std::set<int> result;
        for (const auto& each : list) result.insert(rank(each));
        return result;
    }
    int rank(const json& value) const {
        const int result = whole(value);
        if (result < 0 || result >= ranks_) throw Refused("no such rank: " + value.dump());
        return result;
    }
    void read_chunks(const json& collective) {
        for (const auto& each : collective.at("chunks"))
            chunks_.push_back({ranks(each.at("pre")), ranks(each.at("post")), whole(each.at("addr"))});
        for (const auto& chunk : chunks_)
            if (chunk.address < 0) throw Refused("an address below 0");
        if (question_.operation == "alltoall") promise_alltoall();
    }
    /// Whether the chunks are an alltoall's as the file promises them: equally many of each rank for each other rank.
    bool are_alltoall() const {
        std::map<std::pair<int, int>, int> each;
        std::set<int> addresses;
        for (const auto& chunk : chunks_) {
            auto after = chunk.after;
            after.insert(chunk.before.begin(), chunk.before.end());
            if (chunk.before.size() != 1 || after.size() > 2 || !addresses.insert(chunk.address).second) return false;
            const int source = *chunk.before.begin();
            after.erase(source);
            ++each[{source, after.empty() ? source : *after.begin()}];
        }
        const int parts = each.empty() ? 0 : each.rbegin()->second;
        int others = 0, own = 0;
        for (const auto& [pair, count] : each) {
            if (count != parts) return false;
            ++(pair.first == pair.second ? own : others);
        }
        return others == ranks_ * (ranks_ - 1) && (own == 0 || own == ranks_);
    }
    /// The operation that is named overrides what the file promises: address destination * n + source.
    void promise_alltoall() {
        if (are_alltoall()) return;
        std::set<int> addresses;
        for (auto& chunk : chunks_) {
            fits_ = fits_ && chunk.address < ranks_ * ranks_ && addresses.insert(chunk.address).second &&
                    chunk.before == std::set<int>{chunk.address % ranks_};
        }
        if (fits_)
            for (auto& chunk : chunks_) chunk.after = {chunk.address / ranks_};
    }
    void read_steps() {
        for (const auto& each : file_.at("steps")) {
            if (!each.is_object()) throw Refused("a step is an object");
            rounds_.push_back(whole(each.at("rounds")));
            if (rounds_.back() < (taccl_ ? 0 : 1)) throw Refused("too few rounds");
            std::vector<Send> sends;
            std::set<std::tuple<int, int, int>> seen;
            for (const auto& send : each.at("sends")) {
                if (!send.is_array() || send.size() < 3 || send.size() > 6 || (!taccl_ && send.size() != 3))
                    throw Refused("a send is [address, from, to]");
                Send read{whole(send[0]), rank(send[1]), rank(send[2])};
                if (read.from == read.to) throw Refused("a send to itself");
                for (std::size_t i = 3; i < std::min<std::size_t>(send.size(), 5); ++i)
                    if (!send[i].is_number()) throw Refused("time and link are numbers");
                if (send.size() == 6) {
                    if (!send[5].is_null() && send[5] != "rrc") throw Refused("no such redop");
                    read.folds = !send[5].is_null();
                }
                if (!seen.insert({read.address, read.from, read.to}).second) throw Refused("a send twice in a step");
                sends.push_back(read);
            }
            steps_.push_back(sends);
        }
    }

    /// With several chunks, each of the collective's is M packets; the addresses of the file are those of the packets.
    void divide() {
        const int parts = file_.contains("instance") ? whole(file_.at("instance").at("chunks")) : 1;
        if (parts < 1) throw Refused("chunks below 1");
        std::set<int> own, used;
        for (const auto& chunk : chunks_) own.insert(chunk.address);
        for (const auto& step : steps_)
            for (const auto& send : step) used.insert(send.address);
        for (const auto* map : {"input_map", "output_map"})
            if (file_.contains(map))
                for (const auto& addresses : file_.at(map))
                    for (const auto& address : addresses) used.insert(whole(address));
        if (parts > 1 && !std::ranges::includes(own, used)) {
            std::vector<Chunk> divided;
            for (const auto& chunk : chunks_)
                for (int part = 0; part < parts; ++part)
                    divided.push_back({chunk.before, chunk.after, chunk.address * parts + part});
            chunks_ = divided;
            own.clear();
            for (const auto& chunk : chunks_) own.insert(chunk.address);
        }
        for (const auto& step : steps_)
            for (const auto& send : step)
                if (!own.contains(send.address)) throw Refused("unknown address");
        for (std::size_t at = 0; at < chunks_.size(); ++at) all_[chunks_[at].address].insert(at);
    }

    void network() {
        if (taccl_) return;
        const auto& topology = file_.at("topology");
        std::vector<std::vector<int>> links;
        for (const auto& row : topology.at("links")) {
            links.emplace_back();
            for (const auto& each : row) {
                links.back().push_back(whole(each));
                if (links.back().back() < 0) throw Refused("a link carries 0 chunks or more");
            }
            if (static_cast<int>(links.back().size()) != ranks_) throw Refused("links is no matrix");
        }
        if (static_cast<int>(links.size()) != ranks_) throw Refused("links is no matrix");
        struct Limit {
            std::set<int> sources, targets;
            int bandwidth;
        };
        std::vector<Limit> limits;
        for (const auto& each : topology.at("switches"))
            limits.push_back({ranks(each.at(0)), ranks(each.at(1)), whole(each.at(2))});
        for (int from = 0; from < ranks_; ++from)
            for (int to = 0; to < ranks_; ++to)
                limits.push_back({{from}, {to}, links[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)]});
        const auto& pipeline = file_.contains("instance") ? file_.at("instance").value("pipeline", json()) : json();
        const auto period = pipeline.is_null() ? steps_.size() : static_cast<std::size_t>(whole(pipeline));
        if (period == 0 && !steps_.empty()) throw Refused("pipeline below 1");
        for (const auto& step : steps_)
            for (const auto& send : step)
                if (links[static_cast<std::size_t>(send.to)][static_cast<std::size_t>(send.from)] == 0)
                    verdict_.blame(Fault::link, "from " + std::to_string(send.from) + " to " + std::to_string(send.to));
        for (std::size_t first = 0; first < std::min(period, steps_.size()); ++first)
            for (const auto& limit : limits) {
                long long used = 0;
                for (std::size_t step = first; step < steps_.size(); step += period)
                    used += std::ranges::count_if(steps_[step], [&](const Send& send) {
                        return limit.sources.contains(send.from) && limit.targets.contains(send.to);
                    });
                if (used > static_cast<long long>(limit.bandwidth) * rounds_[first])
                    verdict_.blame(Fault::bandwidth, "step " + std::to_string(first));
            }
    }

    void ports() {
        for (const auto& step : steps_) {
            std::map<int, std::set<int>> targets, sources;
            for (const auto& send : step) {
                targets[send.from].insert(send.to);
                sources[send.to].insert(send.from);
            }
            for (const auto* peers : {&targets, &sources})
                for (const auto& [rank, all] : *peers)
                    if (static_cast<int>(all.size()) > *question_.ports)
                        verdict_.blame(Fault::ports, "rank " + std::to_string(rank));
        }
    }

    void contents() {
        for (std::size_t at = 0; at < chunks_.size(); ++at)
            for (const int rank : chunks_[at].before) held_[{rank, chunks_[at].address}].insert(at);
        const auto owned = held_;
        std::map<std::pair<int, int>, std::set<std::size_t>> had;  // contributions that came
        std::set<std::pair<int, int>> results;
        for (const auto& step : steps_) {
            const auto before = held_;
            std::map<std::pair<int, int>, std::vector<std::pair<Parts, std::optional<bool>>>> come;
            for (const auto& send : step) {
                const auto found = before.find({send.from, send.address});
                if (found == before.end() || found->second.empty()) {
                    verdict_.blame(Fault::delivery, "rank " + std::to_string(send.from) + " does not hold " +
                                                        std::to_string(send.address));
                    continue;
                }
                const std::pair place{send.to, send.address};
                come[place].emplace_back(found->second, send.folds);
                const auto& all = all_.at(send.address);
                if (all.size() > 1 && found->second == all) {
                    if (!results.insert(place).second) verdict_.blame(Fault::NODUP, "a result again");
                    continue;
                }
                for (const auto part : found->second) {
                    if (owned.contains(place) && owned.at(place).contains(part)) verdict_.blame(Fault::NOHO, "its own");
                    if (!had[place].insert(part).second) verdict_.blame(Fault::NODUP, "again");
                }
            }
            for (const auto& [place, values] : come) take(place, values);
        }
        for (int rank = 0; rank < ranks_; ++rank)
            for (const auto& [address, all] : all_) {
                Parts wanted;
                for (const auto part : all)
                    if (chunks_[part].after.contains(rank)) wanted.insert(part);
                if (!wanted.empty() && held_[{rank, address}] != wanted)
                    verdict_.blame(Fault::delivery,
                                   "rank " + std::to_string(rank) + " address " + std::to_string(address));
            }
    }

    void take(const std::pair<int, int>& place, const std::vector<std::pair<Parts, std::optional<bool>>>& values) {
        auto& held = held_[place];
        if (all_.at(place.second).size() == 1) {
            held = all_.at(place.second);
            return;
        }
        Parts together;
        for (const auto& [value, folds] : values)
            for (const auto part : value)
                if (!together.insert(part).second) verdict_.blame(Fault::fold, "two that come share a contribution");
        const bool told_to_fold = std::ranges::any_of(values, [](const auto& each) { return each.second == true; });
        const bool told_to_replace = std::ranges::all_of(values, [](const auto& each) { return each.second == false; });
        Parts shared;
        std::ranges::set_intersection(held, together, std::inserter(shared, shared.end()));
        if (told_to_replace || (!told_to_fold && !shared.empty() && std::ranges::includes(together, held))) {
            held = together;
        } else {
            if (!shared.empty()) verdict_.blame(Fault::fold, "rank " + std::to_string(place.first) + " folds again");
            held.insert(together.begin(), together.end());
        }
    }

    const json& file_;
    const Question& question_;
    int ranks_ = 0;
    bool taccl_ = false;
    bool fits_ = true;  ///< to the operation that is named
    std::vector<Chunk> chunks_;
    std::vector<std::vector<Send>> steps_;
    std::vector<int> rounds_;
    std::map<int, Parts> all_;
    std::map<std::pair<int, int>, Parts> held_;
    Verdict verdict_;
};

}  // namespace

Verdict judge_sccl(const std::string& text, const Question& question) {
    const auto file = json::parse(text);
    return Sccl(file, question).verdict();
}

}  // namespace foreign
