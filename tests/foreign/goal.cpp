/// @file goal.cpp   GOAL: labelled operations of ranks, and what requires what.
#include "tests/foreign/tasks.hpp"
#include "tests/foreign/verdict.hpp"

#include <charconv>
#include <cstdint>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace foreign {
namespace {

std::vector<std::string> words_of(const std::string& text) {
    static const std::regex comment("//[^\n]*|/\\*([^*]|\\*+[^*/])*\\*+/"), word("[A-Za-z0-9_-]+|[{}:]|[^ \t\r\n]");
    const auto plain = std::regex_replace(text, comment, " ");
    return {std::sregex_token_iterator(plain.begin(), plain.end(), word), {}};
}

class Goal {
  public:
    explicit Goal(const std::string& text) : words_(words_of(text)) {}

    Tasks read() {
        expect("num_ranks");
        ranks_ = number(next());
        if (ranks_ < 1 || ranks_ > 100000) throw Refused("no ranks");
        std::set<long long> seen;
        while (at_ < words_.size()) {
            expect("rank");
            const auto rank = number(next());
            if (rank < 0 || rank >= ranks_ || !seen.insert(rank).second) throw Refused("no such rank, or twice");
            read_block(static_cast<int>(rank));
        }
        tasks_.ranks = static_cast<int>(ranks_);
        post();
        return std::move(tasks_);
    }

  private:
    std::string next() {
        if (at_ == words_.size()) throw Refused("the file ends early");
        return words_[at_++];
    }
    [[nodiscard]] bool follows(const std::string& word) const { return at_ < words_.size() && words_[at_] == word; }
    void expect(const std::string& word) {
        if (next() != word) throw Refused("expected " + word);
    }
    template <typename Number = long long>
    static Number number(const std::string& word) {
        Number value{};
        const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
        if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) throw Refused("no number: " + word);
        return value;
    }
    static std::uint64_t bytes(std::string word) {
        if (!word.ends_with('b')) throw Refused("no size: " + word);
        word.pop_back();
        return number<std::uint64_t>(word);
    }

    void read_block(int rank) {
        expect("{");
        std::map<std::string, std::size_t> labels;
        std::vector<std::tuple<std::string, std::string, bool>> named;  // a label may be given later
        while (!follows("}")) {
            const auto first = next();
            if (follows(":")) {
                next();
                if (!labels.emplace(first, operation(rank, next())).second) throw Refused("label twice: " + first);
            } else if (follows("requires") || follows("irequires")) {
                const bool whole = next() == "requires";
                const auto second = next();
                named.push_back({first, second, whole});
            } else {
                operation(rank, first);
            }
        }
        next();
        for (const auto& [after, before, whole] : named) {
            if (!labels.contains(after) || !labels.contains(before)) throw Refused("no such label");
            requires_.push_back({labels[after], labels[before], whole});
        }
    }

    std::size_t operation(int rank, const std::string& kind) {
        Task task;
        task.rank = rank;
        if (kind == "calc") {
            number<std::uint64_t>(next());
        } else if (kind == "send" || kind == "recv") {
            const bool sends = kind == "send";
            task.kind = sends ? Task::Kind::send : Task::Kind::receive;
            task.size = bytes(next());
            expect(sends ? "to" : "from");
            const auto peer = number(next());
            if (peer >= ranks_ || peer < (sends ? 0 : -1)) throw Refused("no such peer");
            task.peer = static_cast<int>(peer);
            task.tag = 0;
            if (follows("tag")) {
                next();
                task.tag = number(next());
            }
        } else {
            throw Refused("no such operation: " + kind);
        }
        for (const auto* extra : {"cpu", "nic"})
            if (follows(extra)) {
                next();
                number(next());
            }
        read_.push_back(task);
        return read_.size() - 1;
    }

    /// Orders the operations as they are posted: after what they require, otherwise as in the file.
    void post() {
        std::vector<std::size_t> waits(read_.size()), posted(read_.size());
        std::vector<std::vector<std::size_t>> after(read_.size());
        for (const auto& each : requires_) {
            ++waits[each.later];
            after[each.earlier].push_back(each.later);
        }
        std::set<std::size_t> ready, left;
        for (std::size_t each = 0; each < read_.size(); ++each) (waits[each] == 0 ? ready : left).insert(each);
        while (!ready.empty() || !left.empty()) {
            auto& from = ready.empty() ? left : ready;  // a cycle: as in the file
            const auto each = *from.begin();
            from.erase(from.begin());
            posted[each] = tasks_.add(read_[each]);
            for (const auto later : after[each])
                if (left.contains(later) && --waits[later] == 0) {
                    left.erase(later);
                    ready.insert(later);
                }
        }
        for (const auto& each : requires_) {
            const auto& earlier = tasks_.tasks[posted[each.earlier]];
            tasks_.reach.before(each.whole ? earlier.finish : earlier.start, tasks_.tasks[posted[each.later]].start);
        }
    }

    struct Requires {
        std::size_t later, earlier;
        bool whole;
    };
    std::vector<std::string> words_;
    std::size_t at_ = 0;
    long long ranks_ = 0;
    std::vector<Task> read_;
    std::vector<Requires> requires_;
    Tasks tasks_;
};

}  // namespace

Verdict judge_goal(const std::string& text, const Question& question) {
    return judge_tasks(Goal(text).read(), question);
}

}  // namespace foreign
