#include "app/requests/texts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/session/options.hpp"
#include "emulator/report/words.hpp"
#include "emulator/schedule/operation.hpp"

namespace kport::requests {

namespace {

Tone tone_of(Reachable reachable) {
    switch (reachable) {
        case Reachable::yes: return Tone::good;
        case Reachable::no: return Tone::warning;
        case Reachable::unknown: break;
    }
    return Tone::plain;
}

std::string_view word_for(Reachable reachable) {
    switch (reachable) {
        case Reachable::yes: return "yes";
        case Reachable::no: return "no";
        case Reachable::unknown: break;
    }
    return "unknown";
}

}  // namespace

Cell reachable_text(const Bound& bound) {
    std::string text(word_for(bound.reachable));
    if (bound.least) text += fmt::format(", at least {}", grouped(*bound.least));
    if (!bound.reachable_why.empty()) text += ": " + bound.reachable_why;
    return {std::move(text), tone_of(bound.reachable)};
}

void put_arguments(Json& json, const Bounds& bounds) {
    for (const QuantityRow& row : quantity_rows) {
        Json list = Json::array();
        for (const Argument& argument : bounds[row.quantity].arguments)
            list.push_back({{"name", argument.name},
                            {"value", argument.value},
                            {"why", argument.why},
                            {"source", argument.source}});
        json["arguments"][row.key] = std::move(list);
    }
    for (const QuantityRow& row : quantity_rows) {
        const Bound& bound = bounds[row.quantity];
        json["reachable"][row.key] = bound.largest()
                                         ? Json({{"answer", word_for(bound.reachable)}, {"why", bound.reachable_why}})
                                         : Json(nullptr);
        if (bound.least) json["reachable"][row.key]["least"] = *bound.least;
    }
}

namespace {

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) line += (line.empty() ? "" : ",") + csv_field(field);
    return line + "\n";
}

namespace {

struct Translation {
    std::string_view said;
    std::string_view options;
};

/// What follows them.
constexpr Translation of_others[] = {{"for type ", "for --type "},
                                     {"alltoall with counts", "alltoall with --counts"},
                                     {"wants type ", "wants --type "},
                                     {"leave engine ", "leave --engine "},
                                     {"leave threads ", "leave --threads "}};
constexpr Translation of_needs[] = {{"messages with bytes", "bytes (--payload copy)"},
                                    {"pairwise", "--pairwise"},
                                    {"half duplex links", "--links half"},
                                    {"by concat", "with --op concat"}};
/// Why an algorithm does not run, as it says so: the option that would mend it.
constexpr Translation of_misfits[] = {
    {"needs wormhole switching", "needs wormhole switching (--switching wh)"},
    {"needs a 1-port machine", "needs a 1-port machine (--ports 1)"},
    {"needs all ports", "needs all ports (--ports all)"},
    {"needs full duplex ports or two ports", "needs full duplex ports or two ports (--duplex full)"},
    {"needs full duplex ports", "needs full duplex ports (--duplex full)"},
    {"needs full duplex links", "needs full duplex links (--links full)"},
    {"needs two ports", "needs two ports (--ports 2)"},
    {"needs more than one partner a round", "needs more than one partner a round (leave --pairwise out)"},
    {"needs a combining machine", "needs a combining machine (--combining on)"},
    {"is for machines that do not combine", "is for machines that do not combine (--combining off)"},
    {" is one: hypercube:", " is one: --on hypercube:"},
    {"(knoedel:5,46)", "(--on knoedel:5,46)"},
    {"takes no preorder", "takes no --order preorder"},
    {"takes more with preorder", "takes more with --order preorder"},
    {"needs packets_each ", "needs --packets "},
    {"needs permutation ", "needs --permutation "},
    {"did you mean 'permutation ", "did you mean 'permutation --permutation "},
    {"needs one port or all", "needs one port or all (--ports 1, --ports all)"},
    {"for which op concat needs", "for which --op concat needs"},
    {"of the tree, or preorder", "of the tree, or --order preorder"},
    {"needs dimensions to name", "needs --dimensions to name"},
    {"has no root", "has no root (leave --source out)"},
    {"which policy strict forbids", "which --policy strict forbids"},
    {"which op concat needs", "which --op concat needs"}};
/// What a request that does not fit may try instead.
constexpr Translation of_advice[] = {{"; payload = false holds ", "; --payload none holds "},
                                     {"; packets_each ", "; --packets "}};

std::string translated(std::span<const Translation> table, std::string text) {
    for (const Translation& row : table)
        if (const auto at = text.find(row.said); at != std::string::npos)
            text.replace(at, row.said.size(), row.options);
    return text;
}

/// The phrase that the text begins with, and what it is in options; nothing if there is none. Of several the longest is meant.
std::optional<std::pair<std::string, std::string>> misfit_at(std::string_view text) {
    // What has been told in options stays: a line of a file is told so before the whole refusal is.
    const auto done =
        std::ranges::find_if(of_misfits, [&](const Translation& one) { return text.starts_with(one.options); });
    if (done != std::end(of_misfits)) return std::pair(std::string(done->options), std::string(done->options));
    const auto row =
        std::ranges::find_if(of_misfits, [&](const Translation& one) { return text.starts_with(one.said); });
    if (row != std::end(of_misfits)) return std::pair(std::string(row->said), std::string(row->options));
    constexpr std::string_view takes_no = "takes no ";
    if (!text.starts_with(takes_no)) return std::nullopt;
    for (const Option& option : all_options())
        if (const std::string_view member = option.member.in_errors; option.group == OptionGroup::algorithm &&
                                                                     !member.empty() &&
                                                                     text.substr(takes_no.size()).starts_with(member))
            return std::pair(fmt::format("{}{}", takes_no, member), fmt::format("{}{}", takes_no, option.name));
    return std::nullopt;
}

std::string with_misfits(std::string_view text) {
    std::string in_words;
    while (!text.empty()) {
        const auto [said, options] =
            misfit_at(text).value_or(std::pair(std::string(1, text.front()), std::string(1, text.front())));
        in_words += options;
        text.remove_prefix(said.size());
    }
    return in_words;
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
    if (const std::size_t preorder = members.find("preorder"); preorder != std::string::npos)
        members.insert(preorder, "order ");
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
    if (refusal.starts_with("preorder: ")) return in_options(fmt::format("order {}", refusal));
    for (const Option& option : all_options()) {
        const std::string_view member = option.member.in_errors;
        if (member.empty() || !refusal.starts_with(member)) continue;
        const std::string_view rest = refusal.substr(member.size());
        const bool is_operation =
            std::ranges::any_of(operations(), [&](const Operation& one) { return name(one) == member; });
        if (rest.starts_with(is_operation ? " '" : " ") || rest.starts_with(':'))
            return with_needs(translated(of_others, std::string(option.name) + with_misfits(rest)));
    }
    return with_misfits(with_picky_options(translated(of_advice, std::string(refusal))));
}

std::string misfit_in_options(std::string_view why) { return with_misfits(why); }

std::string need_in_options(std::string_view need) { return translated(of_needs, std::string(need)); }

}  // namespace kport::requests
