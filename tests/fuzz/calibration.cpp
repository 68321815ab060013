#include <vector>

#include "app/measure/calibration_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

void calibration(std::string_view text) {
    for (const measure::Calibrated& entry : measure::calibrations_in(text, "fuzzed")) {
        expect(entry.prices.of.size() == entry.prices.model->counts.size(), "a price, or none, for every count");
        measure::Work work;
        work.metrics.rounds = 1;
        work.caches = entry.caches;
        const std::vector<double> counts = measure::counts_of(*entry.prices.model, work);
        (void)entry.prices.predict(counts);
        (void)entry.prices.beyond(counts);
        expect(entry.key.threads >= 1, "somebody works");
    }
}

}  // namespace kport::fuzz
