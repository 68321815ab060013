#include "cli/in_options.hpp"

#include <span>

namespace kport::cli {

namespace {

struct Translation {
    std::string_view said;
    std::string_view options;
};

/// Members of Reduction, Collective, Rules and Costs, as refusals begin with them.
constexpr Translation of_members[] = {{"op ", "--op "},
                                      {"packet_bytes ", "--bytes "},
                                      {"values gives ", "--values gives "},
                                      {"values: ", "--values: "},
                                      {"rules '", "--rules '"},
                                      {"ts '", "--ts '"},
                                      {"td '", "--td '"},
                                      {"tm '", "--tm '"}};
/// What follows `op`.
constexpr Translation of_types[] = {{"for type ", "for --type "}, {"wants type ", "wants --type "}};
constexpr Translation of_needs[] = {{"messages with bytes", "--payload copy"},
                                    {"pairwise", "--pairwise"},
                                    {"half duplex links", "--links half"},
                                    {"by concat", "with --op concat"}};

std::string translated(std::span<const Translation> table, std::string text) {
    for (const Translation& row : table)
        if (const auto at = text.find(row.said); at != std::string::npos)
            text.replace(at, row.said.size(), row.options);
    return text;
}

}  // namespace

std::string in_options(std::string_view refusal) {
    for (const Translation& row : of_members)
        if (refusal.starts_with(row.said))
            return translated(of_types, std::string(row.options) + std::string(refusal.substr(row.said.size())));
    return std::string(refusal);
}

std::string need_in_options(std::string_view need) { return translated(of_needs, std::string(need)); }

}  // namespace kport::cli
