#include "cli/in_options.hpp"

#include <span>

namespace kport::cli {

namespace {

struct Translation {
    std::string_view said;
    std::string_view options;
};

/// Members of Experiment and of what it holds, as refusals begin with them.
constexpr Translation of_members[] = {{"op ", "--op "},
                                      {"packet_bytes ", "--bytes "},
                                      {"packets_each ", "--packets "},
                                      {"values gives ", "--values gives "},
                                      {"values: ", "--values: "},
                                      {"rules '", "--rules '"},
                                      {"ts '", "--ts '"},
                                      {"td '", "--td '"},
                                      {"tm '", "--tm '"},
                                      {"injection ", "--inject "},
                                      {"partition_nodes ", "--partition-nodes "},
                                      {"until ", "--until "},
                                      {"order ", "--order "}};
/// What follows them.
constexpr Translation of_others[] = {{"for type ", "for --type "},
                                     {"wants type ", "wants --type "},
                                     {"leave engine ", "leave --engine "},
                                     {"leave threads ", "leave --threads "}};
constexpr Translation of_needs[] = {{"messages with bytes", "--payload copy"},
                                    {"pairwise", "--pairwise"},
                                    {"half duplex links", "--links half"},
                                    {"by concat", "with --op concat"}};
/// Of what does not fit.
constexpr Translation of_advice[] = {{"; payload = false holds ", "; --payload none holds "}};

std::string translated(std::span<const Translation> table, std::string text) {
    for (const Translation& row : table)
        if (const auto at = text.find(row.said); at != std::string::npos)
            text.replace(at, row.said.size(), row.options);
    return text;
}

/// "no algorithm of scan on line:4 runs with keep, op concat: ...": each of them.
std::string with_picky_options(std::string text) {
    constexpr std::string_view with = " runs with ";
    const std::size_t at = text.find(with);
    if (!text.starts_with("no algorithm of ") || at == std::string::npos) return text;
    const std::size_t member = at + with.size();
    const std::size_t end = text.find(':', member);
    std::string members = text.substr(member, end - member);
    for (std::size_t comma = 0; (comma = members.find(", ", comma)) != std::string::npos; ++comma)
        members.replace(comma, 2, ", --");
    return text.replace(member, end - member, "--" + members);
}

/// What a fault needs, at the end of its refusal.
std::string with_needs(const std::string& text) {
    constexpr std::string_view needs = "; it needs ";
    const std::size_t at = text.find(needs);
    return at == std::string::npos ? text : text.substr(0, at) + need_in_options(text.substr(at));
}

}  // namespace

std::string in_options(std::string_view refusal) {
    for (const Translation& row : of_members)
        if (refusal.starts_with(row.said))
            return with_needs(
                translated(of_others, std::string(row.options) + std::string(refusal.substr(row.said.size()))));
    return with_picky_options(translated(of_advice, std::string(refusal)));
}

std::string need_in_options(std::string_view need) { return translated(of_needs, std::string(need)); }

}  // namespace kport::cli
