#include <cmath>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

void numbers(std::string_view text) {
    const auto refused = [&](auto&& read) {
        try {
            read();
            return false;
        } catch (const RequestError&) {
            return true;
        }
    };
    const auto count = to_count(text);
    if (count) expect(fmt::to_string(*count) == text, "a count stands in canonical form");
    expect(refused([&] { expect(parse_count(text, "x") == count, "a count is read as it stands"); }) == !count,
           "what is no count is refused");
    refused([&] { expect(parse_size(text, "x") >= count.value_or(0), "a suffix makes no size smaller"); });
    refused([&] {
        const double seconds = parse_seconds(text, "x");
        expect(std::isfinite(seconds) && seconds >= 0, "a time is finite and not negative");
    });
    const double cost = parse_cost(text, "x");
    expect(std::isfinite(cost) && cost >= 0, "a cost is finite and not negative");
}

}  // namespace kport::fuzz
