#include "app/measure/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kport::measure {

namespace {

using Rows = std::vector<std::vector<double>>;

/// Returns a fit, and the counts left out because their price would be negative: the most negative share first.
std::pair<Fit, std::vector<bool>> fit_of(const CostModel& model, Rows counts, const std::vector<double>& ns) {
    std::vector<bool> left_out(model.counts.size());
    while (true) {
        Fit fit = least_squares(counts, ns);
        if (model.may_be_negative) return {std::move(fit), left_out};
        std::optional<std::size_t> worst;
        double share = 0;
        for (std::size_t c = 0; c < left_out.size(); ++c) {
            if (!fit.prices[c] || fit.prices[c]->value >= 0) continue;
            double least = 0;  // over all cells
            for (std::size_t i = 0; i < ns.size(); ++i)
                least = std::min(least, counts[i][c] * fit.prices[c]->value / ns[i]);
            if (worst && least >= share) continue;
            worst = c;
            share = least;
        }
        if (!worst) return {std::move(fit), left_out};
        left_out[*worst] = true;
        for (std::vector<double>& row : counts) row[*worst] = 0;
    }
}

/// Returns the root mean square error of each cell predicted from the others.
std::optional<double> left_out_miss(const CostModel& model, const Rows& counts, const std::vector<double>& ns) {
    if (ns.size() < 2) return std::nullopt;
    double squares = 0;
    for (std::size_t i = 0; i < ns.size(); ++i) {
        Rows others = counts;
        std::vector<double> times = ns;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        times.erase(times.begin() + static_cast<std::ptrdiff_t>(i));
        const Fit fit = fit_of(model, others, times).first;
        double predicted = 0;
        for (std::size_t c = 0; c < counts[i].size(); ++c)
            if (fit.prices[c]) predicted += fit.prices[c]->value * counts[i][c];
        squares += (predicted / ns[i] - 1) * (predicted / ns[i] - 1);
    }
    return std::sqrt(squares / static_cast<double>(ns.size()));
}

Candidate candidate(const CostModel& model, const std::vector<Observation>& observations) {
    Rows counts;
    std::vector<double> ns;
    for (const Observation& observation : observations) {
        counts.push_back(counts_of(model, observation.work));
        ns.push_back(observation.seconds * ns_a_second);
    }
    auto [fit, left_out] = fit_of(model, counts, ns);
    for (double& fitted : fit.fitted) fitted /= ns_a_second;
    return {{&model, std::move(fit.prices), std::move(fit.made_of), std::move(left_out), observations.size(), fit.miss,
             left_out_miss(model, counts, ns)},
            std::move(fit.fitted)};
}

}  // namespace

Calibration calibrated(const CalibrationKey& key, std::vector<Observation> observations) {
    constexpr double worth_more_prices = 0.9;
    constexpr double good_enough = 1e-3;  // only rounding is left to explain
    Calibration calibration{key, std::move(observations), {}, 0};
    for (const CostModel& model : cost_models()) {
        calibration.candidates.push_back(candidate(model, calibration.observations));
        const std::optional<double> miss = calibration.candidates.back().prices.left_out_miss;
        const double so_far = calibration.used().prices.left_out_miss.value_or(0);
        if (miss && so_far > good_enough && *miss < worth_more_prices * so_far)
            calibration.best = calibration.candidates.size() - 1;
    }
    return calibration;
}

}  // namespace kport::measure
