/// @file cost_model.hpp   What the time of a run may be made of: counts, each with a price.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/chip/hardware.hpp"
#include "emulator/machine/metrics.hpp"

namespace kport::measure {

/// What may be paid for.
enum class Count : std::uint8_t {
    round,         ///< r of the machine's model (model section 1)
    volume_byte,   ///< v
    hop,           ///< h, the path sum
    run,           ///< 1
    message,       ///< every one, however many move at once
    message_byte,  ///< every byte that a message carries
    byte_past_core,
    byte_past_chip  ///< of these bytes the share that cannot lie in the caches of a core, or in any cache
};

/// How people call it.
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
    std::vector<Count> counts;  ///< of two that cannot be told apart the first gets the price
    bool may_be_negative;       ///< prices are left as they come out
};
/// The machine's own model is the first; a simpler one comes before one with more prices.
[[nodiscard]] const std::vector<CostModel>& cost_models();
/// Null where there is none of that name.
[[nodiscard]] const CostModel* cost_model_named(std::string_view name);

/// Bytes that lie near: in the caches of one core, and in all that a core can reach. 0 where the system does not tell.
struct Caches {
    double core = 0;
    double chip = 0;
    friend bool operator==(const Caches&, const Caches&) = default;
};
[[nodiscard]] Caches caches_of(const chip::Hardware& machine);

/// What a run did, as far as it may have to be paid for.
struct Work {
    Metrics metrics;
    double bytes_held = 0;  ///< by all nodes together
    Caches caches;
};
/// One for each count of the model.
[[nodiscard]] std::vector<double> counts_of(const CostModel& model, const Work& work);

}  // namespace kport::measure
