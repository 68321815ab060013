#include "app/files/promise_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/lines.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

bool names_counts_file(std::string_view text) {
    constexpr std::string_view of_numbers = "0123456789,/-+.";
    const bool is_list =
        text.find(',') != std::string_view::npos || text.find_first_not_of(of_numbers) == std::string_view::npos;
    return !is_list && !text.starts_with("random:");
}

Counts read_counts(const std::string& path, std::string_view what, NodeId nodes, CountedFor counted_for) {
    const std::string file = fmt::format("counts {}", quoted(path));
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw RequestError(fmt::format("{} is a folder; want a file of numbers", file));
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw RequestError(
            fmt::format("{}: no such file can be opened ({}); want numbers such as 3,0,5, "
                        "random:0..4, or a file of them",
                        file, std::strerror(errno)));
    const bool of_pairs = counted_for == CountedFor::pairs;
    const std::uint64_t wanted = of_pairs ? nodes * nodes : nodes;
    Lines lines(in, file);
    std::vector<std::uint32_t> numbers;
    while (lines.next()) {
        LineCursor cursor(lines.text().substr(0, lines.text().find('#')), lines.what(), lines.number());
        const std::size_t before = numbers.size();
        while (!cursor.at_end()) {
            if (numbers.size() == wanted || (of_pairs && numbers.size() - before == nodes))
                cursor.refuse(fmt::format("one number too many; {} on {} takes {}", what, counted(nodes, "node"),
                                          of_pairs ? fmt::format("{} in each row", nodes) : fmt::to_string(nodes)));
            numbers.push_back(static_cast<std::uint32_t>(cursor.number("a number of packets", 0, own_packets_max)));
            (void)cursor.take(",");
        }
        if (of_pairs && numbers.size() != before && numbers.size() - before != nodes)
            cursor.refuse(fmt::format("the row ends after {}; {} on {} takes {} in each row",
                                      counted(numbers.size() - before, "number"), what, counted(nodes, "node"), nodes));
    }
    if (numbers.size() != wanted)
        lines.refuse(fmt::format("has {}; {} on {} takes {}", counted(numbers.size(), "number"), what,
                                 counted(nodes, "node"),
                                 of_pairs ? fmt::format("a row of {} for each", nodes) : fmt::to_string(nodes)));
    return {std::move(numbers), nodes, counted_for};
}

}  // namespace kport
