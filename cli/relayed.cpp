#include "cli/relayed.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "cli/output.hpp"

namespace kport::cli {

namespace {

constexpr std::size_t relayed_max = std::size_t{1} << 20;
constexpr std::size_t line_max = 4096;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; }

}  // namespace

bool Relayed::pass_on() {
    if (pipe_.reader() < 0 || !pipe_.read_into(line_)) return false;
    write_lines();
    return true;
}

void Relayed::finish() {
    if (!line_.empty() && !speaker_.empty()) line_ += '\n';
    write_lines();
}

void Relayed::write_lines() {
    if (speaker_.empty()) {
        write(line_);
        line_.clear();
        return;
    }
    for (std::size_t end = 0; (end = line_.find('\n')) != std::string::npos || line_.size() > line_max;) {
        std::string text = line_.substr(0, std::min(end, line_max));
        line_.erase(0, text.size() + (end == text.size() ? 1 : 0));
        std::ranges::replace_if(text, is_control, '?');
        write(fmt::format("{}: {}\n", speaker_, text));
    }
}

void Relayed::write(std::string_view text) {
    if (written_ > relayed_max) return;
    written_ += text.size();
    write_err(text);
    if (written_ > relayed_max) complain(fmt::format("{} writes more than 1 MiB; the rest is left out", name_));
}

}  // namespace kport::cli
