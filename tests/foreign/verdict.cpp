#include "tests/foreign/verdict.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace foreign {

std::string name(Fault fault) {
    static const std::array<const char*, 14> names = {"unmatched", "deadlock",  "count", "size",  "race",
                                                      "link",      "bandwidth", "ports", "order", "unwritten",
                                                      "fold",      "delivery",  "NODUP", "NOHO"};
    return names.at(static_cast<std::size_t>(fault));
}

std::optional<Fault> Verdict::first() const {
    if (findings.empty()) return std::nullopt;
    return std::ranges::min_element(findings, {}, &Finding::fault)->fault;
}

std::string Verdict::kind() const {
    if (refused) return "refused";
    if (!findings.empty()) return "broken";
    return not_judged.empty() ? "lawful" : "not-judged";
}

int Verdict::status() const {
    if (refused) return 2;
    if (!findings.empty()) return 1;
    return not_judged.empty() ? 0 : 4;
}

std::string Verdict::text() const {
    const auto fault = refused ? std::nullopt : first();
    return fault ? kind() + " " + name(*fault) : kind();
}

std::string contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Refused("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

Verdict judge(const std::string& path, const Question& question) {
    try {
        if (std::filesystem::is_directory(path)) return judge_simgrid(path, question);
        const auto text = contents_of(path);
        const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
        const auto start = text.find_first_not_of(" \t\r\n");
        if (start == std::string::npos) throw Refused("an empty file");
        if (text[start] == '<') return judge_msccl(text, question);
        if (text[start] == '{') {
            if (has("\"7-Flows\"")) return judge_teccl(text, question);
            if (has("\"gpus\"")) return judge_mscclpp(text, question);
            return judge_sccl(text, question);
        }
        if (has("num_ranks")) return judge_goal(text, question);
        return judge_simgrid(path, question);
    } catch (const std::exception& error) {
        Verdict verdict;
        verdict.refused = true;
        verdict.refusal = error.what();
        return verdict;
    }
}

}  // namespace foreign
