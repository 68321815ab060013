#include "app/files/contents.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace kport::slots {

namespace {

/// Appends a run behind all others, merged with the last if possible.
void append(std::vector<ContributionRun>& runs, const ContributionRun& run) {
    if (!runs.empty() && runs.back().chunk == run.chunk && runs.back().repeated == run.repeated &&
        runs.back().last + 1 == run.first)
        runs.back().last = run.last;
    else
        runs.push_back(run);
}

/// Reads the runs of a multiset from front to back; the first may be split.
class RunCursor {
  public:
    explicit RunCursor(const std::vector<ContributionRun>& runs) : at_(runs.begin()), end_(runs.end()) { load(); }

    [[nodiscard]] bool done() const { return at_ == end_; }
    [[nodiscard]] const ContributionRun& run() const { return run_; }
    /// Takes the ranks up to `last`.
    ContributionRun take(NodeId last) {
        ContributionRun taken = run_;
        taken.last = last;
        if (last == run_.last) {
            ++at_;
            load();
        } else {
            run_.first = last + 1;
        }
        return taken;
    }

  private:
    void load() {
        if (at_ != end_) run_ = *at_;
    }

    std::vector<ContributionRun>::const_iterator at_;
    std::vector<ContributionRun>::const_iterator end_;
    ContributionRun run_;
};

std::tuple<std::uint64_t, NodeId> begin_of_run(const ContributionRun& run) { return {run.chunk, run.first}; }

}  // namespace

Value value_of(const ContributionRun& run) { return std::make_shared<const Contents>(Contents{true, {run}}); }

Value unknown_value() {
    static const Value unknown = std::make_shared<const Contents>(Contents{false, {}});
    return unknown;
}

Value sum_of(const Value& a, const Value& b) {
    if (a == nullptr || b == nullptr || !a->known || !b->known) return unknown_value();
    Contents sum;
    RunCursor left(a->runs);
    RunCursor right(b->runs);
    while (!left.done() && !right.done()) {
        RunCursor& low = begin_of_run(left.run()) <= begin_of_run(right.run()) ? left : right;
        RunCursor& high = &low == &left ? right : left;
        const bool meet = low.run().chunk == high.run().chunk && high.run().first <= low.run().last;
        if (!meet) {
            append(sum.runs, low.take(low.run().last));
        } else if (low.run().first < high.run().first) {
            append(sum.runs, low.take(high.run().first - 1));
        } else {
            const NodeId last = std::min(low.run().last, high.run().last);
            ContributionRun both = low.take(last);
            (void)high.take(last);
            both.repeated = true;
            append(sum.runs, both);
        }
    }
    for (RunCursor* rest : {&left, &right})
        while (!rest->done()) append(sum.runs, rest->take(rest->run().last));
    return std::make_shared<const Contents>(std::move(sum));
}

bool is_exactly(const Value& value, const ContributionRun& run) {
    return value != nullptr && value->known && value->runs.size() == 1 && value->runs.front() == run;
}

std::string in_words(const ContributionRun& run) {
    const char* const repeated = run.repeated ? " more than once" : "";
    return run.first == run.last
               ? fmt::format("chunk {} of rank {}{}", run.chunk, run.first, repeated)
               : fmt::format("chunk {} of ranks {} to {}{}", run.chunk, run.first, run.last, repeated);
}

std::string in_words(const Value& value) {
    constexpr std::size_t runs_shown = 6;
    if (value == nullptr) return "nothing";
    if (!value->known) return "an unknown value";
    std::string text;
    for (std::size_t i = 0; i < value->runs.size(); ++i) {
        if (i == runs_shown) return fmt::format("{}, and {} more", text, value->runs.size() - i);
        text += (i == 0 ? "" : " + ") + in_words(value->runs[i]);
    }
    return text;
}

}  // namespace kport::slots
