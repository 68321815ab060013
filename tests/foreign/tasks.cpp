#include "tests/foreign/tasks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace foreign {
namespace {

using Ranks = std::set<int>;

class Judge {
  public:
    Judge(Tasks tasks, const Question& question) : given_(std::move(tasks)), question_(question) {}

    Verdict verdict() {
        match();
        if (!verdict_.findings.empty()) return verdict_;
        for (const auto& [send, receive] : partner_) given_.reach.before(at(send).finish, at(receive).finish);
        if (!given_.reach.close()) verdict_.blame(Fault::deadlock, "a cycle");
        if (!verdict_.findings.empty()) return verdict_;
        for (const auto& [send, receive] : partner_)
            for (const auto& [other, its] : partner_)
                if (may_meet(send, its) && at(its).size && *at(send).size > *at(its).size)
                    verdict_.blame(Fault::size, place(send));
        const auto& operation = question_.operation;
        if (operation == "none") {
        } else if (!operation) {
            verdict_.not_judged.emplace_back("no operation");
        } else {
            promise(*operation);
            if (any_source_) verdict_.not_judged.emplace_back("a receive from any");
        }
        for (const auto& why : given_.not_judged) verdict_.not_judged.push_back(why);
        return verdict_;
    }

  private:
    [[nodiscard]] const Task& at(std::size_t task) const { return given_.tasks[task]; }
    [[nodiscard]] std::string place(std::size_t task) const {
        return "rank " + std::to_string(at(task).rank) + " operation " + std::to_string(task);
    }
    [[nodiscard]] bool before(std::size_t first, std::size_t second) const { return given_.reach.leads(first, second); }

    [[nodiscard]] bool fits(std::size_t send, std::size_t receive) const {
        return !partner_.contains(send) && at(send).peer == at(receive).rank &&
               (at(receive).peer == any || at(receive).peer == at(send).rank) &&
               (at(receive).tag == any || at(send).tag == any || at(receive).tag == at(send).tag);
    }

    /// Gives a receive the first send that fits; false if there is none.
    bool take(std::size_t receive, const std::vector<std::size_t>& sends) {
        const auto send = std::ranges::find_if(sends, [&](auto each) { return fits(each, receive); });
        if (send == sends.end()) return false;
        if (at(receive).peer == any)
            any_source_ = any_source_ || std::ranges::any_of(sends, [&](auto other) {
                              return fits(other, receive) && at(other).rank != at(*send).rank;
                          });
        partner_[*send] = receive;
        sender_of_[receive] = *send;
        return true;
    }

    /// Runs what can run, one event after the other. A receive of any rank takes a send only where all others are stuck.
    void run() {
        const auto& next = given_.reach.next();
        std::vector<std::size_t> waits(next.size());
        for (const auto& after : next)
            for (const auto event : after) ++waits[event];
        std::map<std::size_t, std::size_t> starts;
        for (std::size_t task = 0; task < given_.tasks.size(); ++task) {
            starts[at(task).start] = task;
            if (at(task).kind == Task::Kind::receive) ++waits[at(task).finish];
        }
        std::set<std::size_t> ready;
        for (std::size_t event = 0; event < next.size(); ++event)
            if (waits[event] == 0) ready.insert(event);
        std::vector<std::size_t> sends, receives, from_any;
        const auto pass = [&](std::size_t event) {
            if (--waits[event] == 0) ready.insert(event);
        };
        const auto take_one = [&](std::vector<std::size_t>& open) {
            const auto done = std::ranges::find_if(open, [&](auto receive) { return take(receive, sends); });
            if (done == open.end()) return false;
            pass(at(*done).finish);
            open.erase(done);
            return true;
        };
        do {
            while (!ready.empty()) {
                const auto event = *ready.begin();
                ready.erase(ready.begin());
                for (const auto after : next[event]) pass(after);
                const auto task = starts.find(event);
                if (task == starts.end() || at(task->second).kind == Task::Kind::other) continue;
                if (at(task->second).kind == Task::Kind::send)
                    sends.push_back(task->second);
                else
                    (at(task->second).peer == any ? from_any : receives).push_back(task->second);
                take_one(receives);
            }
        } while (take_one(from_any));
    }

    /// Whether a send may meet a receive, its own or that of another send that nothing orders.
    [[nodiscard]] bool may_meet(std::size_t send, std::size_t receive) const {
        const auto own = partner_.at(send);
        if (own == receive) return true;
        const auto alike = [&](std::size_t one, std::size_t two) {
            return at(one).rank == at(two).rank && at(one).peer == at(two).peer && at(one).tag == at(two).tag &&
                   at(one).tag != any && at(one).peer != any;
        };
        if (!alike(send, sender_of_.at(receive)) || !alike(own, receive)) return false;
        const auto places = [&](std::size_t task, bool sends) {
            std::pair<std::size_t, std::size_t> before_and_not_after{0, 0};
            for (const auto& [one, two] : partner_) {
                const auto other = sends ? one : two;
                if (!alike(one, send) || !alike(two, own)) continue;
                before_and_not_after.first += before(at(other).start, at(task).start) ? 1 : 0;
                before_and_not_after.second += other != task && !before(at(task).start, at(other).start) ? 1 : 0;
            }
            return before_and_not_after;
        };
        const auto mine = places(send, true), its = places(receive, false);
        return mine.first <= its.second && its.first <= mine.second;
    }

    void match() {
        run();
        std::vector<std::size_t> receives, from_any, sends;  // the rest, which cannot run
        for (std::size_t task = 0; task < given_.tasks.size(); ++task) {
            if (at(task).kind == Task::Kind::send) sends.push_back(task);
            if (at(task).kind == Task::Kind::receive && !sender_of_.contains(task))
                (at(task).peer == any ? from_any : receives).push_back(task);
        }
        receives.insert(receives.end(), from_any.begin(), from_any.end());
        for (const auto receive : receives)
            if (!take(receive, sends)) verdict_.blame(Fault::unmatched, place(receive));
        for (const auto send : sends)
            if (!partner_.contains(send)) verdict_.blame(Fault::unmatched, place(send));
    }

    /// What each send carries: its rank's own, and what the receives before it brought.
    void carry_certain() {
        for (const auto event : given_.reach.order())
            for (const auto& [send, receive] : partner_) {
                if (at(send).start != event) continue;
                carried_[send] = own(at(send).rank);
                for (const auto& [other, sender] : sender_of_)
                    if (at(other).rank == at(send).rank && before(at(other).finish, at(send).start))
                        carried_[send].insert(carried_[sender].begin(), carried_[sender].end());
            }
    }

    /// The most that each send can carry: all that receives which do not come after it may bring.
    void carry_most() {
        for (const auto& [send, receive] : partner_) most_[send] = own(at(send).rank);
        for (bool grows = true; grows;) {
            grows = false;
            for (const auto& [send, receive] : partner_)
                for (const auto& [other, sender] : sender_of_)
                    if (at(other).rank == at(send).rank && !before(at(send).start, at(other).finish))
                        for (const int rank : most_[sender]) grows = most_[send].insert(rank).second || grows;
        }
    }

    [[nodiscard]] Ranks own(int rank) const {
        if ((question_.operation == "broadcast" || question_.operation == "scatter") && rank != question_.root)
            return {};
        return {rank};
    }

    /// The ranks that a rank has heard of at the end.
    [[nodiscard]] Ranks heard(int rank, const std::map<std::size_t, Ranks>& carried) const {
        Ranks result = own(rank);
        for (const auto& [receive, send] : sender_of_)
            if (at(receive).rank == rank) result.insert(carried.at(send).begin(), carried.at(send).end());
        return result;
    }

    /// The ranks that a rank must hear of.
    [[nodiscard]] Ranks wanted(int rank) const {
        Ranks all;
        for (int other = 0; other < given_.ranks; ++other) all.insert(other);
        const auto& operation = *question_.operation;
        if (operation == "broadcast" || operation == "scatter") return {question_.root};
        if (operation == "reduce" || operation == "gather") return rank == question_.root ? all : Ranks{};
        if (operation == "scan") return {all.begin(), all.upper_bound(rank)};
        return all;
    }

    void promise(const std::string& operation) {
        carry_certain();
        carry_most();
        const bool barrier = operation == "barrier";
        const bool certain = barrier || operation == "broadcast" || operation == "reduce" || operation == "gather";
        if (!certain) verdict_.not_judged.emplace_back("delivery");
        for (int rank = 0; rank < given_.ranks; ++rank) {
            const auto sure = heard(rank, carried_), best = heard(rank, most_);
            for (const int other : wanted(rank)) {
                const auto what = std::to_string(rank) + " of " + std::to_string(other);
                if (!best.contains(other))
                    verdict_.blame(Fault::delivery, what);
                else if (certain && !sure.contains(other))
                    verdict_.blame(barrier ? Fault::order : Fault::delivery, what);
            }
        }
        if (certain && !barrier) {
            late();
            again();
        }
    }

    /// Sends that may go before a receive brings what they should carry.
    void late() {
        for (const auto& [send, to] : partner_)
            for (const auto& [receive, sender] : sender_of_)
                // a message to oneself has no receiver
                if (at(to).rank != at(send).rank && at(sender).rank != at(receive).rank &&
                    at(receive).rank == at(send).rank && !before(at(send).start, at(receive).finish) &&
                    !before(at(receive).finish, at(send).start) &&
                    !std::ranges::includes(carried_[send], carried_[sender]))
                    verdict_.blame(Fault::order, place(send) + " may go before " + place(receive));
    }

    void again() {
        std::map<int, Ranks> had;
        for (const auto& [receive, sender] : sender_of_) {
            const int rank = at(receive).rank;
            if (at(sender).rank == rank) continue;
            for (const int other : carried_[sender]) {
                if (own(rank).contains(other)) verdict_.blame(Fault::NOHO, place(receive));
                if (!had[rank].insert(other).second) verdict_.blame(Fault::NODUP, place(receive));
            }
        }
    }

    Tasks given_;
    const Question& question_;
    Verdict verdict_;
    bool any_source_ = false;
    std::map<std::size_t, std::size_t> partner_, sender_of_;  // receive of a send, send of a receive
    std::map<std::size_t, Ranks> carried_, most_;
};

}  // namespace

Verdict judge_tasks(Tasks tasks, const Question& question) {
    if (question.root < 0 || question.root >= tasks.ranks) throw Refused("no such root");
    return Judge(std::move(tasks), question).verdict();
}

}  // namespace foreign
