#include "tests/foreign/mutate.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace foreign {
namespace {

using nlohmann::ordered_json;
using Lines = std::vector<std::string>;

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}
    std::size_t below(std::size_t end) { return end == 0 ? 0 : static_cast<std::size_t>(random_() % end); }
    bool one_in(std::size_t sides) { return below(sides) == 0; }
    template <typename List>
    auto& of(List& list) {
        return list[below(list.size())];
    }
    /// A number near another, or a small one.
    long long near(long long number) {
        const long long drawn =
            one_in(2) ? number + (one_in(2) ? 1 : -1) : static_cast<long long>(below(5)) - (one_in(8) ? 1 : 0);
        return drawn == number ? number + 1 : drawn;
    }

  private:
    std::mt19937_64 random_;
};

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    return lines;
}

std::string text_of(const Lines& lines) {
    std::string text;
    for (const auto& line : lines) text += line + '\n';
    return text;
}

/// Deletes, doubles or moves an entry of a list.
template <typename List>
void rearrange(List& list, std::size_t at, Dice& dice) {
    const auto place = [&](std::size_t index) { return list.begin() + static_cast<std::ptrdiff_t>(index); };
    switch (dice.below(3)) {
        case 0: list.erase(place(at)); break;
        case 1: {
            const auto again = list[at];
            list.insert(place(at), again);
            break;
        }
        default:
            if (at + 1 < list.size()) std::swap(list[at], list[at + 1]);
    }
}

// --- MSCCL XML: a line an element

void set_attribute(std::string& line, const std::string& key, const std::string& value) {
    line = std::regex_replace(line, std::regex(" " + key + "=\"[^\"]*\""), " " + key + "=\"" + value + "\"");
}

std::string attribute(const std::string& line, const std::string& key) {
    std::smatch match;
    return std::regex_search(line, match, std::regex(" " + key + "=\"([^\"]*)\"")) ? match[1].str() : "0";
}

void renumber(Lines& lines) {
    int step = 0;
    for (auto& line : lines) {
        if (line.find("<tb") != std::string::npos) step = 0;
        if (line.find("<step") != std::string::npos) set_attribute(line, "s", std::to_string(step++));
    }
}

void change_step(std::string& line, Dice& dice) {
    static const Lines types = {"s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"}, buffers = {"i", "o", "s"};
    static const Lines keys = {"type",   "type", "srcbuf", "dstbuf", "srcoff", "srcoff", "dstoff",
                               "dstoff", "cnt",  "dep",    "dep",    "depid",  "deps",   "hasdep"};
    const auto& key = dice.of(keys);
    if (key == "type") return set_attribute(line, key, dice.of(types));
    if (key.ends_with("buf")) return set_attribute(line, key, dice.of(buffers));
    if (key == "hasdep") return set_attribute(line, key, attribute(line, key) == "0" ? "1" : "0");
    if (key == "dep") {  // both, so that they stay consistent
        const bool none = attribute(line, "depid") != "-1" && dice.one_in(2);
        set_attribute(line, "depid", none ? "-1" : std::to_string(dice.below(4)));
        return set_attribute(line, "deps", none ? "-1" : std::to_string(dice.below(3)));
    }
    set_attribute(line, key, std::to_string(dice.near(std::stoll(attribute(line, key)))));
}

void change_xml(Lines& lines, Dice& dice) {
    std::vector<std::size_t> steps, blocks;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        if (lines[at].find("<step") != std::string::npos) steps.push_back(at);
        if (lines[at].find("<tb") != std::string::npos) blocks.push_back(at);
    }
    if (steps.empty() || dice.one_in(40)) {
        set_attribute(lines[0], "inplace", attribute(lines[0], "inplace") == "0" ? "1" : "0");
    } else if (dice.one_in(10)) {
        static const Lines keys = {"send", "recv", "chan"};
        auto& line = lines[dice.of(blocks)];
        const auto& key = dice.of(keys);
        set_attribute(line, key, std::to_string(dice.near(std::stoll(attribute(line, key)))));
    } else if (dice.one_in(3)) {
        rearrange(lines, dice.of(steps), dice);
        renumber(lines);
    } else {
        change_step(lines[dice.of(steps)], dice);
    }
}

// --- GOAL and SimGrid: a line an operation

void change_word(std::string& line, Dice& dice) {
    static const std::map<std::string, std::string> others = {{"requires", "irequires"}, {"irequires", "requires"},
                                                              {"send", "isend"},         {"isend", "send"},
                                                              {"recv", "irecv"},         {"irecv", "recv"}};
    std::istringstream words(line);
    Lines read;
    for (std::string word; words >> word;) read.push_back(word);
    if (read.empty()) return;
    auto& word = dice.of(read);
    const bool goal = line.find(':') != std::string::npos;
    if (const auto other = others.find(word); other != others.end() && !goal) {
        word = other->second;
    } else if (const auto digit = word.find_first_of("0123456789"); digit != std::string::npos && digit < 2) {
        std::size_t end = digit;
        while (end < word.size() && std::isdigit(static_cast<unsigned char>(word[end])) != 0) ++end;
        if (end - digit > 9) return;
        word.replace(digit, end - digit, std::to_string(dice.near(std::stoll(word.substr(digit, end - digit)))));
    }
    line.clear();
    for (const auto& each : read) line += (line.empty() ? "" : " ") + each;
}

void change_line(Lines& lines, Dice& dice) {
    const std::size_t at = dice.below(lines.size());
    const auto& line = lines[at];
    const bool frame = line.empty() || line.starts_with("num_ranks") || line.starts_with("rank ") || line == "}";
    if (frame) return;
    if (dice.one_in(2))
        rearrange(lines, at, dice);
    else
        change_word(lines[at], dice);
}

// --- JSON

/// Calls `act` with every number, and every list, that an operation or a send of the file has.
void each_part(ordered_json& value, const std::function<void(ordered_json&)>& act) {
    if (value.is_number_integer() || value.is_array()) act(value);
    if (value.is_structured())
        for (auto& part : value) each_part(part, act);
}

void change_part(ordered_json& root, Dice& dice) {
    std::vector<ordered_json*> parts;
    each_part(root, [&](ordered_json& part) { parts.push_back(&part); });
    if (parts.empty()) return;
    auto& part = *dice.of(parts);
    if (part.is_array()) {
        if (!part.empty()) rearrange(part, dice.below(part.size()), dice);
    } else {
        part = dice.near(part.get<long long>());
    }
}

void change_plan(ordered_json& file, Dice& dice) {
    auto& block = dice.of(dice.of(file["gpus"])["threadblocks"]);
    auto& operations = block["ops"];
    if (operations.empty()) return;
    auto& operation = dice.of(operations);
    if (dice.one_in(3)) {
        static const std::vector<Lines> kinds = {
            {"signal", "wait", "rlxsignal", "rlxwait"}, {"copy"}, {"put", "get"}, {"rre", "rres", "re", "res"}};
        for (const auto& names : kinds)
            if (std::ranges::find(names, operation["name"].get<std::string>()) != names.end())
                operation["name"] = dice.of(names);
    } else if (dice.one_in(2)) {
        rearrange(operations, dice.below(operations.size()), dice);
    } else {
        change_part(operation, dice);
    }
    if (dice.one_in(40)) file["inplace"] = !file["inplace"].get<bool>();
}

void change_flows(ordered_json& file, Dice& dice) {
    auto& flows = file["7-Flows"];
    if (dice.one_in(2)) return rearrange(flows, dice.below(flows.size()), dice);
    auto& flow = dice.of(flows);
    auto text = flow.get<std::string>();
    static const std::regex number("[0-9]+");
    std::vector<std::smatch> found(std::sregex_iterator(text.begin(), text.end(), number), {});
    const auto& match = dice.of(found);
    const auto drawn = std::max(0LL, dice.near(std::stoll(match.str())));
    text.replace(static_cast<std::size_t>(match.position()), static_cast<std::size_t>(match.length()),
                 std::to_string(drawn));
    flow = text;
}

void change_json(ordered_json& file, Dice& dice) {
    if (file.contains("gpus")) return change_plan(file, dice);
    if (file.contains("7-Flows")) return change_flows(file, dice);
    if (dice.one_in(12)) {
        auto& links = file["topology"].contains("links") ? file["topology"]["links"] : file["steps"];
        return change_part(dice.of(links), dice);
    }
    if (dice.one_in(12)) return change_part(dice.of(file["collective"]["chunks"]), dice);
    auto& steps = file["steps"];
    if (dice.one_in(12)) return rearrange(steps, dice.below(steps.size()), dice);
    if (!steps.empty()) change_part(dice.of(steps), dice);
}

}  // namespace

std::string mutate(const std::string& text, std::uint64_t seed) {
    Dice dice(seed);
    const auto start = text.find_first_not_of(" \t\r\n");
    if (start == std::string::npos) return text;
    std::string result = text;
    for (int tries = 0; tries < 50 && result == text; ++tries) {
        for (bool again = true; again; again = dice.one_in(6)) {
            if (text[start] == '{') {
                auto file = ordered_json::parse(result);
                change_json(file, dice);
                result = file.dump(1) + '\n';
            } else {
                auto lines = lines_of(result);
                if (lines.empty()) break;
                text[start] == '<' ? change_xml(lines, dice) : change_line(lines, dice);
                result = text_of(lines);
            }
        }
    }
    return result;
}

}  // namespace foreign
