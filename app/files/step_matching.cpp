#include "app/files/ranked_steps.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/files/step_order.hpp"

namespace kport {

namespace {

using Tag = std::optional<std::uint64_t>;  ///< nothing: any

/// Posted steps of one kind between two ranks, in the order of posting.
class PostedSteps {
  public:
    void add(std::uint32_t step, const Tag& tag) { by_tag_[tag].emplace_back(posted_++, step); }

    /// Returns the first one that fits a tag; RankedStep::none if there is none.
    [[nodiscard]] std::uint32_t first(const Tag& tag) {
        const auto at = list_for(tag);
        return at == by_tag_.end() ? RankedStep::none : at->second.front().second;
    }
    std::uint32_t take(const Tag& tag) {
        const auto at = list_for(tag);
        if (at == by_tag_.end()) return RankedStep::none;
        const std::uint32_t step = at->second.front().second;
        at->second.pop_front();
        if (at->second.empty()) by_tag_.erase(at);
        return step;
    }

  private:
    using Lists = std::map<Tag, std::deque<std::pair<std::uint64_t, std::uint32_t>>>;

    [[nodiscard]] Lists::iterator list_for(const Tag& tag) {
        const auto earlier = [&](Lists::iterator one, Lists::iterator two) {
            if (one == by_tag_.end() || two == by_tag_.end()) return one == by_tag_.end() ? two : one;
            return one->second.front() < two->second.front() ? one : two;
        };
        if (tag) return earlier(by_tag_.find(tag), by_tag_.find(std::nullopt));
        auto best = by_tag_.end();
        for (auto list = by_tag_.begin(); list != by_tag_.end(); ++list) best = earlier(best, list);
        return best;
    }

    Lists by_tag_;
    std::uint64_t posted_ = 0;
};

/// An execution of all ranks.
class StepExecution {
  public:
    explicit StepExecution(std::vector<RankedStep>& steps)
        : steps_(steps), open_(steps.size()), at_end_(steps.size()), at_start_(steps.size()), posted_(steps.size()) {
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            open_[i] = steps[i].after.size() + steps[i].after_start.size();
            for (const std::uint32_t before : steps[i].after) at_end_[before].push_back(i);
            for (const std::uint32_t before : steps[i].after_start) at_start_[before].push_back(i);
            if (open_[i] == 0) ready_.push(i);
            if (steps[i].kind == RankedStep::Kind::send) ++spare_[key_of(steps[i].peer, steps[i].rank, steps[i].tag)];
            if (steps[i].kind == RankedStep::Kind::receive && steps[i].peer != no_node)
                --spare_[key_of(steps[i].rank, steps[i].peer, steps[i].tag)];
        }
    }

    StepMatching match() {
        execute();
        for (std::uint32_t i = 0; i < steps_.size(); ++i)
            if (!posted_[i]) post(i);
        execute();
        note_choices();
        return std::move(matching_);
    }

  private:
    using Channel = std::pair<NodeId, NodeId>;  ///< receiver, sender
    using Key = std::tuple<NodeId, NodeId, Tag>;
    /// A receive from any rank, and the sends that it could have taken.
    struct Choice {
        std::uint32_t receive;
        std::vector<std::uint32_t> others;
        bool starves;  ///< one of them is needed by another receive of its rank
    };

    [[nodiscard]] static Key key_of(NodeId to, NodeId from, const Tag& tag) { return {to, from, tag}; }

    void execute() {
        do {
            while (!ready_.empty()) {
                const std::uint32_t step = ready_.top();
                ready_.pop();
                post(step);
            }
        } while (take_from_any());
    }

    void release(const std::vector<std::uint32_t>& waiting) {
        for (const std::uint32_t step : waiting)
            if (--open_[step] == 0 && !posted_[step]) ready_.push(step);
    }

    void post(std::uint32_t i) {
        const RankedStep& step = steps_[i];
        posted_[i] = true;
        release(at_start_[i]);
        if (step.kind == RankedStep::Kind::send) {
            const Channel channel{step.peer, step.rank};
            const std::uint32_t receive = receives_[channel].take(step.tag);
            if (receive == RankedStep::none)
                sends_[channel].add(i, step.tag);
            else
                join(i, receive);
        } else if (step.kind == RankedStep::Kind::receive) {
            const Channel channel{step.rank, step.peer};
            const std::uint32_t send = step.peer == no_node ? RankedStep::none : sends_[channel].take(step.tag);
            if (send != RankedStep::none)
                join(send, i);
            else if (step.peer == no_node)
                of_any_.push_back(i);
            else
                receives_[channel].add(i, step.tag);
            return;
        }
        release(at_end_[i]);
    }

    void join(std::uint32_t send, std::uint32_t receive) {
        steps_[send].partner = receive;
        steps_[receive].partner = send;
        release(at_end_[receive]);
    }

    /// Lets each open receive from any rank take an available send; returns false if none did.
    bool take_from_any() {
        const std::vector<std::uint32_t> open = std::exchange(of_any_, {});
        for (const std::uint32_t receive : open)
            if (!take_for(receive)) of_any_.push_back(receive);
        return of_any_.size() != open.size();
    }

    bool take_for(std::uint32_t receive) {
        const NodeId rank = steps_[receive].rank;
        std::vector<std::uint32_t> fitting;
        for (auto at = sends_.lower_bound({rank, 0}); at != sends_.end() && at->first.first == rank; ++at) {
            const std::uint32_t send = at->second.first(steps_[receive].tag);
            if (send != RankedStep::none) fitting.push_back(send);
        }
        if (fitting.empty()) return false;
        const auto spare = [&](std::uint32_t send) {
            return spare_[key_of(steps_[send].peer, steps_[send].rank, steps_[send].tag)] > 0;
        };
        const auto found = std::ranges::find_if(fitting, spare);
        const std::uint32_t send = found == fitting.end() ? fitting.front() : *found;
        const bool starves = found != fitting.end() && !std::ranges::all_of(fitting, spare);
        std::erase(fitting, send);
        --spare_[key_of(rank, steps_[send].rank, steps_[send].tag)];
        (void)sends_[{rank, steps_[send].rank}].take(steps_[receive].tag);
        matching_.remarks.push_back(fmt::format("line {}: a receive from any rank takes what rank {} sends",
                                                steps_[receive].line, steps_[send].rank));
        join(send, receive);
        choices_.push_back({receive, std::move(fitting), starves});
        return true;
    }

    [[nodiscard]] bool exceeds(std::uint32_t send, std::uint32_t receive) const {
        return receive != RankedStep::none && !steps_[receive].takes_any_size &&
               steps_[send].bytes > steps_[receive].bytes;
    }

    /// Whether a message would be too long for its receive if `receive` took `other`, and is not now.
    [[nodiscard]] bool changes_sizes(std::uint32_t receive, std::uint32_t other) const {
        const std::uint32_t send = steps_[receive].partner;
        const std::uint32_t left = steps_[other].partner;
        return (exceeds(other, receive) || exceeds(send, left)) != (exceeds(send, receive) || exceeds(other, left));
    }

    void note_choices() {
        for (const Choice& choice : choices_) {
            const bool sizes = std::ranges::any_of(
                choice.others, [&](std::uint32_t other) { return changes_sizes(choice.receive, other); });
            if (!sizes && !choice.starves) continue;
            matching_.not_judged.push_back(
                {"matching",
                 fmt::format("{} could take messages of several ranks, {}", in_words(steps_[choice.receive]),
                             sizes ? "with different sizes" : "one of which another receive needs")});
            return;
        }
    }

    std::vector<RankedStep>& steps_;
    std::vector<std::size_t> open_;                     ///< of each step: number of steps it waits for
    std::vector<std::vector<std::uint32_t>> at_end_;    ///< of each step: those that wait for its end
    std::vector<std::vector<std::uint32_t>> at_start_;  ///< and for its start
    std::vector<bool> posted_;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready_;
    std::map<Channel, PostedSteps> sends_;
    std::map<Channel, PostedSteps> receives_;
    std::vector<std::uint32_t> of_any_;  ///< posted receives from any rank
    std::map<Key, std::int64_t> spare_;  ///< sends not needed by receives of their rank
    std::vector<Choice> choices_;
    StepMatching matching_;
};

}  // namespace

StepMatching match_steps(std::vector<RankedStep>& steps) { return StepExecution(steps).match(); }

}  // namespace kport
