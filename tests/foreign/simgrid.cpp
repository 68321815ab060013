/// @file simgrid.cpp   SimGrid time-independent traces: one file, an index of files, or a folder of them.
#include "tests/foreign/tasks.hpp"
#include "tests/foreign/verdict.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace foreign {
namespace {

using Words = std::vector<std::string>;

std::vector<Words> lines_of(const std::string& text) {
    std::vector<Words> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) {
        std::istringstream words(line);
        Words read;
        for (std::string word; words >> word;) read.push_back(word);
        if (!read.empty() && read.front().front() != '#') lines.push_back(read);
    }
    return lines;
}

std::vector<Words> all_lines(const std::filesystem::path& path) {
    std::vector<Words> result;
    std::vector<std::filesystem::path> files = {path};
    if (std::filesystem::is_directory(path)) {
        files.clear();
        for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
        std::ranges::sort(files);
    } else {
        const auto lines = lines_of(contents_of(path));
        if (!lines.empty() && std::ranges::all_of(lines, [](const Words& words) { return words.size() == 1; })) {
            files.clear();
            for (const auto& words : lines) files.push_back(path.parent_path() / words.front());
        }
    }
    for (const auto& file : files)
        for (auto& line : lines_of(contents_of(file))) result.push_back(std::move(line));
    return result;
}

int whole(const std::string& word) {
    int value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) throw Refused("no whole number: " + word);
    return value;
}

double floating(const std::string& word) {
    double value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc{} || read.ptr != word.data() + word.size() || !std::isfinite(value))
        throw Refused("no number: " + word);
    return std::trunc(value);
}

std::uint64_t bytes_of_type(const std::string& word) {
    static const std::vector<std::uint64_t> bytes = {8,  4,      1, 2, 8, 4,  1,  8, 1, 1, 2,  4, 8,
                                                     8,  14 + 2, 4, 1, 1, 2,  4,  8, 1, 2, 4,  8, 8,
                                                     16, 32,     8, 8, 8, 16, 16, 8, 8, 8, 16, 16};
    const int type = whole(word);
    if (type < 0 || type >= static_cast<int>(bytes.size())) throw Refused("no such type: " + word);
    return bytes[static_cast<std::size_t>(type)];
}

class Trace {
  public:
    Tasks read(const std::vector<Words>& lines) {
        for (const auto& words : lines) {
            const int rank = whole(words.front());
            if (rank < 0 || rank > 100000) throw Refused("no such rank");
            ranks_ = std::max(ranks_, rank + 1);
        }
        if (ranks_ == 0) throw Refused("an empty trace");
        of_.resize(static_cast<std::size_t>(ranks_));
        for (auto& rank : of_) rank.cursor = tasks_.reach.event();
        for (const auto& words : lines) action(words);
        for (const auto& rank : of_)
            if (rank.meetings != of_.front().meetings) stuck_ = true;
        tasks_.ranks = ranks_;
        return std::move(tasks_);
    }
    [[nodiscard]] bool stuck() const { return stuck_; }

  private:
    using Key = std::tuple<int, int, int>;  // source, target, tag
    struct Rank {
        std::size_t cursor = 0;
        std::uint64_t unit = 1;
        std::list<std::pair<Key, std::size_t>> under_way = {};
        std::set<Key> tested = {};
        std::vector<std::string> meetings = {};  ///< barriers and collective actions
        std::size_t barriers = 0;
    };

    void action(const Words& words) {
        static const std::set<std::string> collective = {"bcast",      "reduce",  "allreduce", "alltoall",
                                                         "alltoallv",  "gather",  "gatherv",   "allgather",
                                                         "allgatherv", "scatter", "scatterv",  "reducescatter"};
        static const std::set<std::string> local = {"compute",  "sleep",      "location", "comm_size",
                                                    "finalize", "comm_split", "comm_dup"};
        if (words.size() < 2) throw Refused("no action");
        const int rank = whole(words[0]);
        auto& state = of_[static_cast<std::size_t>(rank)];
        const auto& name = words[1];
        if (name == "init") {
            state.unit = words.size() > 2 ? 8 : 1;
        } else if (name == "send" || name == "isend" || name == "recv" || name == "irecv") {
            if (words.size() < 5 || words.size() > 6) throw Refused("too few or too many words");
            message(rank, name, words[2], words[3], words[4], words.size() > 5 ? words[5] : "");
        } else if (name == "sendRecv" || name == "sendrecv") {
            if (words.size() != 6 && words.size() != 8) throw Refused("too few or too many words");
            const auto before = state.cursor;
            message(rank, "send", words[3], "0", words[2], words.size() > 6 ? words[6] : "");
            const auto sent = std::exchange(state.cursor, before);
            message(rank, "recv", words[5], "0", words[4], words.size() > 6 ? words[7] : "");
            tasks_.reach.before(sent, join(state));
        } else if (name == "wait" || name == "test") {
            if (words.size() != 5) throw Refused("too few or too many words");
            wait(state, {whole(words[2]), whole(words[3]), whole(words[4])}, name == "wait");
        } else if (name == "waitall") {
            const auto joined = join(state);
            for (const auto& [key, task] : state.under_way) tasks_.reach.before(tasks_.tasks[task].finish, joined);
            state.under_way.clear();
        } else if (name == "barrier") {
            barrier(state);
        } else if (collective.contains(name)) {
            check_collective(words);
            state.meetings.push_back(name);
            tasks_.not_judged.push_back(name);
        } else if (!local.contains(name)) {
            throw Refused("no such action: " + name);
        }
    }

    /// Which word is a root, and from which on they are datatypes.
    void check_collective(const Words& words) const {
        static const std::map<std::string, std::pair<std::size_t, std::size_t>> known = {
            {"bcast", {3, 4}},  {"reduce", {4, 5}},    {"allreduce", {0, 4}}, {"alltoall", {0, 4}},
            {"gather", {4, 5}}, {"allgather", {0, 4}}, {"scatter", {4, 5}}};
        const auto found = known.find(words[1]);
        if (found == known.end()) return;
        const auto [root, types] = found->second;
        if (root > 0 && root < words.size() && (whole(words[root]) < 0 || whole(words[root]) >= ranks_))
            throw Refused("no such root");
        for (std::size_t word = types; word < words.size(); ++word) bytes_of_type(words[word]);
    }

    std::size_t join(Rank& state) {
        const auto joined = tasks_.reach.event();
        tasks_.reach.before(state.cursor, joined);
        state.cursor = joined;
        return joined;
    }

    void message(int rank, const std::string& name, const std::string& partner, const std::string& tag,
                 const std::string& size, const std::string& type) {
        auto& state = of_[static_cast<std::size_t>(rank)];
        const bool sends = name.ends_with("send");
        Task task;
        task.kind = sends ? Task::Kind::send : Task::Kind::receive;
        task.rank = rank;
        task.peer = whole(partner);
        task.tag = whole(tag);
        if (!sends && task.peer == -555)
            task.peer = any;
        else if (task.peer < 0 || task.peer >= ranks_)
            throw Refused("no such partner");
        const Key key = sends ? Key{rank, task.peer, whole(tag)} : Key{whole(partner), rank, whole(tag)};
        if (!sends && task.tag == -444)
            task.tag = any;
        else if (task.tag < 0)
            throw Refused("no such tag");
        const double count = floating(size);
        if (sends && count < 0) throw Refused("less than nothing is sent");
        if (sends || count > 0)
            task.size = static_cast<std::uint64_t>(count) * (type.empty() ? state.unit : bytes_of_type(type));
        else if (!type.empty())
            bytes_of_type(type);
        const auto added = tasks_.add(task);
        tasks_.reach.before(state.cursor, tasks_.tasks[added].start);
        if (name.front() == 'i')
            state.under_way.emplace_back(key, added);
        else
            state.cursor = tasks_.tasks[added].finish;
    }

    void wait(Rank& state, const Key& key, bool waits) {
        const auto found = std::ranges::find(state.under_way, key, [](const auto& each) { return each.first; });
        if (!waits) {
            state.tested.insert(key);
        } else if (found != state.under_way.end()) {
            tasks_.reach.before(tasks_.tasks[found->second].finish, join(state));
            state.under_way.erase(found);
        } else if (!state.tested.contains(key)) {
            throw Refused("a wait for what is not under way");
        }
    }

    void barrier(Rank& state) {
        state.meetings.emplace_back("barrier");
        if (state.barriers == barriers_.size()) barriers_.push_back(tasks_.reach.event());
        const auto meeting = barriers_[state.barriers++];
        tasks_.reach.before(state.cursor, meeting);
        state.cursor = tasks_.reach.event();
        tasks_.reach.before(meeting, state.cursor);
    }

    int ranks_ = 0;
    bool stuck_ = false;
    std::vector<Rank> of_;
    std::vector<std::size_t> barriers_;
    Tasks tasks_;
};

}  // namespace

Verdict judge_simgrid(const std::string& path, const Question& question) {
    Trace trace;
    auto tasks = trace.read(all_lines(path));
    auto verdict = judge_tasks(std::move(tasks), question);
    if (trace.stuck()) verdict.blame(Fault::deadlock, "barriers or collective actions that not all ranks call");
    return verdict;
}

}  // namespace foreign
