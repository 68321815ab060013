#include "measure/calibration.hpp"

#include <utility>

namespace kport::measure {

namespace {

/// By PaidFor.
std::vector<double> message_counts(const Metrics& metrics) {
    return {static_cast<double>(metrics.transfers), static_cast<double>(metrics.bytes), 1};
}

}  // namespace

Calibration calibrated(const CalibrationKey& key, std::vector<Observation> observations) {
    std::vector<std::vector<double>> model;
    std::vector<std::vector<double>> messages;
    std::vector<double> ns;
    for (const Observation& observation : observations) {
        model.push_back(model_counts(observation.metrics));
        messages.push_back(message_counts(observation.metrics));
        ns.push_back(observation.seconds * ns_a_second);
    }
    Fit fit = least_squares(model, ns);
    for (double& fitted : fit.fitted) fitted /= ns_a_second;
    return {key,
            {std::move(fit.prices), std::move(fit.made_of), observations.size(), fit.miss},
            std::move(observations),
            std::move(fit.fitted),
            least_squares(messages, ns)};
}

}  // namespace kport::measure
