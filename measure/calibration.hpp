/// @file calibration.hpp   What a startup, a hop and a byte cost on this computer, from the cells of a bench.
///
/// The model (model section 1) says that an operation takes t = r ts + h td + v tm: r rounds, h path sum, v volume in bytes.
/// A calibration finds the three prices that explain the measured times best, and by how much they miss.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/audit/metrics.hpp"
#include "measure/least_squares.hpp"

namespace kport::measure {

/// What is priced, in the order in which a price is given where they cannot be told apart.
enum Priced : std::size_t { startup = 0, byte = 1, hop = 2 };
inline constexpr std::size_t priced_count = 3;
inline constexpr double ns_a_second = 1e9;

/// What an operation costs the model: r, v, h.
[[nodiscard]] std::vector<double> model_counts(double rounds, double volume, double path_sum);
[[nodiscard]] std::vector<double> model_counts(const Metrics& metrics);

/// What was measured of one cell.
struct Observation {
    std::string name;
    Metrics metrics;
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

/// The prices in ns, by Priced. See Fit.
struct Prices {
    std::vector<std::optional<Estimate>> of;
    std::vector<std::vector<double>> made_of;
    std::size_t cells = 0;
    double miss = 0;  ///< root of the mean square of the relative misses

    /// In seconds.
    [[nodiscard]] double predict(const std::vector<double>& counts) const;
    /// The first price that the cells could not tell and of which these counts have something else than the cells had.
    [[nodiscard]] std::optional<Priced> beyond(const std::vector<double>& counts) const;
};

struct Calibration {
    CalibrationKey key;
    Prices prices;
    std::vector<Observation> observations;
    std::vector<double> fitted;  ///< seconds, one for each observation
    /// The same times explained by messages, the bytes that they carry, and something for each run: in ns, by PaidFor.
    Fit by_messages;
};

enum PaidFor : std::size_t { message = 0, message_byte = 1, operation = 2 };

/// Requires at least one observation, each with at least one round.
[[nodiscard]] Calibration calibrated(const CalibrationKey& key, std::vector<Observation> observations);

}  // namespace kport::measure
