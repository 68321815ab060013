#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "app/requests/several.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

void sweep(std::string_view text) {
    constexpr std::uint64_t most = 64;  // thousands take a thousand times as long and test nothing new
    const std::vector<std::string> all = requests::swept(text, most);
    expect(!all.empty() && all.size() <= most, "there are machines, and not too many");
    expect(std::ranges::none_of(all, [](const std::string& spec) { return spec.find_first_of("{} ") != spec.npos; }),
           "no braces are left");
}

}  // namespace kport::fuzz
