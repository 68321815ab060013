#include "app/files/whole_text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <boost/algorithm/string/erase.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

std::string text_in(std::istream& in, const std::string& what) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    std::string text;
    try {
        while (in && text.size() <= whole_text_bytes_max) {
            const std::size_t before = text.size();
            text.resize(before + piece);
            in.read(text.data() + before, piece);
            text.resize(before + static_cast<std::size_t>(in.gcount()));
        }
    } catch (const std::ios_base::failure&) {
        in.setstate(std::ios_base::badbit);  // a folder's buffer throws whatever the stream's exceptions() are
    }
    if (in.bad()) throw RequestError(fmt::format("{} cannot be read", what));
    if (text.size() > whole_text_bytes_max)
        throw RequestError(fmt::format("{} has more than {} MiB; files of this form are read up to there", what,
                                       whole_text_bytes_max >> 20));
    return text;
}

std::string text_in_file(const std::string& file, const std::string& what) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw RequestError(fmt::format("{} {} cannot be opened: {}", what, quoted(file), std::strerror(errno)));
    return text_in(in, fmt::format("{} {}", what, quoted(file)));
}

nlohmann::json json_in(std::istream& in, const std::string& what) {
    constexpr int json_depth_max = 100;  // recursion depth of code that visits the values
    const std::string text = text_in(in, what);
    try {
        return nlohmann::json::parse(text, [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
            if (depth > json_depth_max)
                throw RequestError(
                    fmt::format("{}: arrays and objects {} deep; want at most {}", what, depth, json_depth_max));
            return true;
        });
    } catch (const nlohmann::json::exception& error) {
        throw RequestError(fmt::format("{}: {}", what, told_by_json(error)));
    }
}

std::string told_by_json(const nlohmann::detail::exception& error) {
    constexpr std::size_t longest = 300;
    std::string text = error.what();
    text.erase(0, text.find("] ") == std::string::npos ? 0 : text.find("] ") + 2);
    boost::erase_all(text, "<U+000A>");  // line ends, of which many may have been read
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return text;
}

}  // namespace kport
