#include <stdexcept>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

void expect(bool holds, std::string_view what) {
    if (!holds) throw std::logic_error(fmt::format("this does not hold: {}", what));
}

void feed(void (*target)(std::string_view text), std::string_view text) {
    const auto refused = [](std::string_view why) {
        expect(!why.empty() && why.find('\n') == std::string_view::npos, "a refusal is one line");
    };
    try {
        target(text);
    } catch (const RequestError& error) {
        refused(error.what());
    } catch (const DoesNotFit& error) {
        refused(error.what());
    }
}

}  // namespace kport::fuzz
