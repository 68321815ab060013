#include <vector>

#include "fuzz/targets.hpp"
#include "measure/calibration_file.hpp"

namespace kport::fuzz {

void calibration(std::string_view text) {
    for (const measure::Calibrated& entry : measure::calibrations_in(text, "fuzzed")) {
        expect(entry.prices.of.size() == measure::priced_count, "a price, or none, for everything that has one");
        const std::vector<double> counts = measure::model_counts(1, 2, 3);
        (void)entry.prices.predict(counts);
        (void)entry.prices.beyond(counts);
        expect(entry.key.threads >= 1, "somebody works");
    }
}

}  // namespace kport::fuzz
