#include <vector>

#include "app/requests/several.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

void sizes(std::string_view text) {
    const std::vector<std::uint64_t> all = requests::sizes_of(text);
    expect(!all.empty() && all.size() <= requests::sizes_max, "there are sizes, and not too many");
}

}  // namespace kport::fuzz
