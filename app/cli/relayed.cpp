#include "app/cli/relayed.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "app/cli/output.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::cli {

namespace {

constexpr std::size_t relayed_max = std::size_t{1} << 20;
constexpr std::size_t line_max = 4096;

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
    if (speaker_.empty() || written_ > relayed_max) {
        write(line_);
        line_.clear();
        return;
    }
    std::string lines;
    std::size_t at = 0;
    for (std::size_t end = 0; (end = line_.find('\n', at)) != std::string::npos || line_.size() - at > line_max;) {
        const std::size_t size = std::min(end, at + line_max) - at;
        lines += fmt::format("{}: {}\n", speaker_, one_line(std::string_view(line_).substr(at, size), line_max));
        at += size + (at + size == end ? 1 : 0);
    }
    line_.erase(0, at);
    if (!lines.empty()) write(lines);
}

void Relayed::write(std::string_view text) {
    if (written_ > relayed_max) return;
    write_err(text.substr(0, relayed_max - std::min(written_, relayed_max) + 1));
    written_ += text.size();
    if (written_ > relayed_max) complain(fmt::format("{} writes more than 1 MiB; the rest is left out", name_));
}

}  // namespace kport::cli
