#include "app/measure/cost_model.hpp"

#include <algorithm>
#include <array>

namespace kport::measure {

namespace {

/// Returns the share of so many bytes that does not fit into a cache.
double past(double cache, double held) { return held > cache ? 1 - cache / held : 0; }

double count_of(Count count, const Work& work) {
    const Metrics& m = work.metrics;
    switch (count) {
        case Count::round: return static_cast<double>(m.rounds);
        case Count::volume_byte: return static_cast<double>(m.volume);
        case Count::hop: return static_cast<double>(m.path_sum);
        case Count::run: return 1;
        case Count::message: return static_cast<double>(m.transfers);
        case Count::message_byte: return static_cast<double>(m.bytes);
        case Count::byte_past_core: return static_cast<double>(m.bytes) * past(work.caches.core, work.bytes_held);
        case Count::byte_past_chip: return static_cast<double>(m.bytes) * past(work.caches.chip, work.bytes_held);
    }
    return 0;
}

}  // namespace

const CountInfo& info(Count count) {
    static constexpr std::array<CountInfo, 8> all = {
        {{"ts", "r", "a startup", "rounds"},
         {"tm", "v", "a byte", "bytes"},
         {"td", "h", "a hop", "hops"},
         {"tr", "1", "a run", "run"},
         {"tw", "w", "a message", "messages"},
         {"tb", "b", "a byte of a message", "bytes"},
         {"tc", "c", "a byte past a core's caches", "past a core's caches"},
         {"tp", "p", "a byte past all caches", "past all caches"}}};
    return all.at(static_cast<std::size_t>(count));
}

const std::vector<CostModel>& cost_models() {
    using enum Count;
    static const std::vector<CostModel> all = {
        {"rounds", "r ts + h td + v tm", {round, volume_byte, hop}, true},
        {"messages", "w tw + b tb + tr", {message, message_byte, run}, false},
        {"caches",
         "w tw + b tb + c tc + p tp + tr",
         {message, message_byte, byte_past_core, byte_past_chip, run},
         false},
        {"both", "r ts + w tw + b tb + tr", {message, message_byte, round, run}, false}};
    return all;
}

const CostModel* cost_model_named(std::string_view name) {
    const auto found = std::find_if(cost_models().begin(), cost_models().end(),
                                    [&](const CostModel& model) { return model.name == name; });
    return found == cost_models().end() ? nullptr : &*found;
}

Caches caches_of(const chip::Hardware& machine) {
    if (machine.caches.empty()) return {};
    const std::size_t last = machine.caches.size() - 1;
    return {static_cast<double>(machine.caches[last == 0 ? 0 : last - 1].bytes),
            static_cast<double>(machine.caches[last].bytes)};
}

std::vector<double> counts_of(const CostModel& model, const Work& work) {
    std::vector<double> counts;
    counts.reserve(model.counts.size());
    for (const Count count : model.counts) counts.push_back(count_of(count, work));
    return counts;
}

}  // namespace kport::measure
