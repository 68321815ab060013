/// @file judge_main.cpp   judge FILE [OPERATION] [--root R] [--ports K|all]: prints the verdict, and each finding.
#include "tests/foreign/verdict.hpp"

#include <iostream>
#include <string>
#include <vector>

int main(int count, char** arguments) {
    foreign::Question question;
    std::vector<std::string> words(arguments + 1, arguments + count), names;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const bool more = at + 1 < words.size();
        if (words[at] == "--root" && more)
            question.root = std::stoi(words[++at]);
        else if (words[at] == "--ports" && more) {
            if (words[++at] != "all") question.ports = std::stoi(words[at]);
        } else
            names.push_back(words[at]);
    }
    if (names.empty() || names.size() > 2) {
        std::cerr << "judge FILE [OPERATION] [--root R] [--ports K|all]\n";
        return 2;
    }
    if (names.size() == 2) question.operation = names[1];
    const auto verdict = foreign::judge(names[0], question);
    std::cout << verdict.text() << '\n';
    for (const auto& finding : verdict.findings)
        std::cout << "  " << foreign::name(finding.fault) << ": " << finding.text << '\n';
    for (const auto& why : verdict.not_judged) std::cout << "  not judged: " << why << '\n';
    if (verdict.refused) std::cout << "  " << verdict.refusal << '\n';
    return verdict.status();
}
