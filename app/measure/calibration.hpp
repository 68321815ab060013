/// @file calibration.hpp   The prices of a startup, a hop, a message, a byte on this computer, fitted to the cells of a
///                         bench.
///
/// The machine's model (model section 1) says that an operation takes t = r ts + h td + v tm: r rounds, h path sum, v
/// volume in bytes. A real computer may have other costs, such as one for every message. A calibration fits several
/// models (cost_models()) and uses the one that best predicts cells it was not fitted to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure/cost_model.hpp"
#include "app/measure/least_squares.hpp"

namespace kport::measure {

inline constexpr double ns_a_second = 1e9;

/// The measurement of one cell.
struct Observation {
    std::string name;
    Work work;
    double seconds = 0;
};

/// What a calibration applies to.
struct CalibrationKey {
    std::string operation;
    std::string algorithm;
    std::string engine;
    unsigned threads = 1;

    bool operator==(const CalibrationKey&) const = default;
    /// Returns "broadcast by sbt, lockstep, 2 threads".
    [[nodiscard]] std::string text() const;
};

/// The prices of a model in ns, in the order of its counts. See Fit.
struct Prices {
    const CostModel* model = &cost_models().front();
    std::vector<std::optional<Estimate>> of;
    std::vector<std::vector<double>> made_of;
    /// Counts without a price, because it would be negative.
    std::vector<bool> left_out;
    std::size_t cells = 0;
    double miss = 0;  ///< root mean square of the relative errors
    /// Root mean square error of each cell predicted from the others; nothing if there are no others.
    std::optional<double> left_out_miss;

    /// Returns seconds.
    [[nodiscard]] double predict(const std::vector<double>& counts) const;
    /// Returns the first count whose price the cells could not determine and for which these counts differ from those
    /// of the cells.
    [[nodiscard]] std::optional<std::size_t> beyond(const std::vector<double>& counts) const;
    /// Returns ns, at least 0; 0 if there is none.
    [[nodiscard]] double price(Count count) const;
};

/// A model fitted to the cells.
struct Candidate {
    Prices prices;
    std::vector<double> fitted;  ///< seconds, one for each observation
};

struct Calibration {
    CalibrationKey key;
    std::vector<Observation> observations;
    std::vector<Candidate> candidates;  ///< in the order of cost_models()
    std::size_t best = 0;               ///< the one that is used

    [[nodiscard]] const Candidate& used() const { return candidates[best]; }
    /// Returns ts, tm, td.
    [[nodiscard]] const Prices& of_rounds() const { return candidates.front().prices; }
};

/// Chooses the model with the least error on cells it was not fitted to; one with more prices only if its error is 10 %
/// less.
///
/// Requires  at least one observation, each with at least one round.
/// Cost      O(observations^2) for each model.
[[nodiscard]] Calibration calibrated(const CalibrationKey& key, std::vector<Observation> observations);

}  // namespace kport::measure
