/// @file cost_model.hpp   Cost models: counts of a run, each with a price.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/chip/hardware.hpp"
#include "emulator/machine/metrics.hpp"

namespace kport::measure {

/// What may have a price.
enum class Count : std::uint8_t {
    round,         ///< r of the machine's model (model section 1)
    volume_byte,   ///< v
    hop,           ///< h, the path sum
    run,           ///< 1
    message,       ///< every message, however many move at once
    message_byte,  ///< every byte that a message carries
    byte_past_core,
    byte_past_chip  ///< of these bytes the share that cannot lie in the caches of a core, or in any cache
};

/// Names of a count in texts.
struct CountInfo {
    std::string_view price;   ///< "ts"
    std::string_view symbol;  ///< "r"
    std::string_view about;   ///< "a startup"
    std::string_view many;    ///< "rounds"
};
[[nodiscard]] const CountInfo& info(Count count);

struct CostModel {
    std::string_view name;
    std::string_view formula;
    std::vector<Count> counts;  ///< if two cannot be distinguished, the first gets the price
    bool may_be_negative;       ///< negative prices are kept
};
/// Returns all models. The machine's model is first; simpler ones come before those with more prices.
[[nodiscard]] const std::vector<CostModel>& cost_models();
/// Returns the model of that name, or null.
[[nodiscard]] const CostModel* cost_model_named(std::string_view name);

/// Bytes that fit into the caches of one core, and into all that a core can reach. 0 if the system does not report
/// them.
struct Caches {
    double core = 0;
    double chip = 0;
    friend bool operator==(const Caches&, const Caches&) = default;
};
[[nodiscard]] Caches caches_of(const chip::Hardware& machine);

/// The counts of a run that may have prices.
struct Work {
    Metrics metrics;
    double bytes_held = 0;  ///< by all nodes together
    Caches caches;
};
/// Returns one value for each count of the model.
[[nodiscard]] std::vector<double> counts_of(const CostModel& model, const Work& work);

}  // namespace kport::measure
