/// @file calibration.hpp   What a startup, a hop, a message, a byte cost on this computer, from the cells of a bench.
///
/// The machine's model (model section 1) says that an operation takes t = r ts + h td + v tm: r rounds, h path sum, v volume
/// in bytes. A chip may pay for something else, for every message, say. A calibration fits several models (cost_models())
/// and uses the one that predicts cells best that it has not seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure/cost_model.hpp"
#include "app/measure/least_squares.hpp"

namespace kport::measure {

inline constexpr double ns_a_second = 1e9;

/// What was measured of one cell.
struct Observation {
    std::string name;
    Work work;
    double seconds = 0;
};

/// Of what a calibration is.
struct CalibrationKey {
    std::string operation;
    std::string algorithm;
    std::string engine;
    unsigned threads = 1;

    bool operator==(const CalibrationKey&) const = default;
    /// "broadcast by sbt, lockstep, 2 threads".
    [[nodiscard]] std::string text() const;
};

/// The prices of a model in ns, in the order of its counts. See Fit.
struct Prices {
    const CostModel* model = &cost_models().front();
    std::vector<std::optional<Estimate>> of;
    std::vector<std::vector<double>> made_of;
    /// Counts that are not paid for, because their price would be negative.
    std::vector<bool> left_out;
    std::size_t cells = 0;
    double miss = 0;  ///< root of the mean square of the relative misses
    /// The same of each cell as the others predict it; nothing where there are no others.
    std::optional<double> left_out_miss;

    /// In seconds.
    [[nodiscard]] double predict(const std::vector<double>& counts) const;
    /// The first count whose price the cells could not tell and of which these counts have something else than the cells had.
    [[nodiscard]] std::optional<std::size_t> beyond(const std::vector<double>& counts) const;
    /// In ns, not below 0; 0 where there is none.
    [[nodiscard]] double price(Count count) const;
};

/// One model for the cells.
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
    /// ts, tm, td.
    [[nodiscard]] const Prices& of_rounds() const { return candidates.front().prices; }
};

/// The model that misses least what it has not seen; a model with more prices only where it misses a tenth less.
///
/// Requires  at least one observation, each with at least one round.
/// Cost      O(observations^2) for each model.
[[nodiscard]] Calibration calibrated(const CalibrationKey& key, std::vector<Observation> observations);

}  // namespace kport::measure
