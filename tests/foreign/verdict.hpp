/// @file verdict.hpp   What the interpreter of foreign schedules is asked, and what it answers.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace foreign {

/// A kind of fault. If there are several, the first names the verdict.
enum class Fault {
    unmatched,
    deadlock,
    count,
    size,
    race,
    link,
    bandwidth,
    ports,
    order,
    unwritten,
    fold,
    delivery,
    NODUP,
    NOHO
};

/// "race", "NODUP"
std::string name(Fault fault);

/// The file is not well formed.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Question {
    std::optional<std::string> operation;  ///< "allgather", "none"; without one, the file's own
    int root = 0;
    std::optional<int> ports;  ///< limit of messages that a rank sends, and receives, in a round; otherwise no limit
};

/// One fault in words, for the reader of a disagreement.
struct Finding {
    Fault fault;
    std::string text;
};

struct Verdict {
    std::vector<Finding> findings = {};
    std::vector<std::string> not_judged = {};
    bool refused = false;
    std::string refusal = {};

    void blame(Fault fault, std::string text) { findings.push_back({fault, std::move(text)}); }
    [[nodiscard]] std::optional<Fault> first() const;
    /// "lawful", "broken", "refused", "not-judged"
    [[nodiscard]] std::string kind() const;
    /// The status that `kport check` promises.
    [[nodiscard]] int status() const;
    /// "broken race", "lawful"
    [[nodiscard]] std::string text() const;
};

Verdict judge_msccl(const std::string& text, const Question& question);
Verdict judge_mscclpp(const std::string& text, const Question& question);
Verdict judge_sccl(const std::string& text, const Question& question);
Verdict judge_teccl(const std::string& text, const Question& question);
Verdict judge_goal(const std::string& text, const Question& question);
/// `path` is a trace, an index file, or a folder.
Verdict judge_simgrid(const std::string& path, const Question& question);

/// Judges the file or folder by its format, which its contents show. Throws nothing.
Verdict judge(const std::string& path, const Question& question);

/// The whole file. Throws Refused.
std::string contents_of(const std::string& path);

}  // namespace foreign
