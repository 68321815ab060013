#include "app/files/plain_lines.hpp"

#include <algorithm>
#include <ios>

namespace kport {

bool PlainLines::fill() {
    held_.erase(0, at_);
    at_ = 0;
    const std::size_t before = held_.size();
    held_.resize(before + piece);
    in_.read(held_.data() + before, piece);
    held_.resize(before + static_cast<std::size_t>(in_.gcount()));
    if (in_.bad()) throw std::ios_base::failure("read error");  // the reader's stream is bad then, too
    return held_.size() > before;
}

PlainLines::int_type PlainLines::underflow() {
    const auto pass_on = [this](char* begin, char* end) {
        setg(begin, begin, end);
        return traits_type::to_int_type(*begin);
    };
    blank_lines_.clear();
    for (;;) {
        const std::size_t end = held_.find('\n', at_);
        if (end == std::string::npos && held_.size() - at_ < piece && fill()) continue;
        const bool whole = end != std::string::npos;
        const std::string_view line = std::string_view(held_).substr(at_, whole ? end - at_ : std::string::npos);
        if (whole && at_begin_ && blank_lines_.size() < piece && take_(line, before_)) {
            blank_lines_ += '\n';
            before_ = line.empty() ? before_ : line.back();
            at_ = end + 1;
            continue;
        }
        if (!blank_lines_.empty()) return pass_on(blank_lines_.data(), blank_lines_.data() + blank_lines_.size());
        if (line.empty() && !whole) return traits_type::eof();
        char* const begin = held_.data() + at_;
        at_ += line.size() + (whole ? 1 : 0);
        at_begin_ = whole;
        if (!line.empty()) before_ = line.back();
        return pass_on(begin, held_.data() + at_);
    }
}

}  // namespace kport
