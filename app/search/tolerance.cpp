#include "app/search/tolerance.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/search/least_cost.hpp"
#include "app/search/search.hpp"
#include "app/search/symmetry.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/smaller_machine.hpp"
#include "emulator/schedule/port_needs.hpp"
#include "emulator/topology/broken_sets.hpp"

namespace kport::search {
namespace {

using Clock = std::chrono::steady_clock;
using BrokenSet = BrokenSets::Set;

/// Schedules found so far, by the links that they use: a set that breaks none of these takes no more rounds.
class KnownSchedules {
  public:
    void add(const Schedule& schedule, const Topology& wires, Round rounds, const BrokenSets& sets) {
        constexpr std::size_t most = 256;
        std::vector<bool> uses(sets.links());
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            NodeId at = schedule.transfer(i).from;
            for (const Port port : schedule.transfer(i).route) {
                const NodeId next = wires.across(at, port).node;
                uses[sets.link(at, next)] = true;
                at = next;
            }
        }
        const std::scoped_lock lock(mutex_);
        if (all_.size() < most) all_.emplace_back(rounds, std::move(uses));
    }
    /// Returns the fewest rounds of those that use no link of the set.
    [[nodiscard]] Round without(const BrokenSet& links) const {
        const std::scoped_lock lock(mutex_);
        Round fewest = rounds_unknown;
        for (const auto& [rounds, uses] : all_)
            if (rounds < fewest && std::ranges::none_of(links, [&](std::uint32_t link) { return uses[link]; }))
                fewest = rounds;
        return fewest;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::pair<Round, std::vector<bool>>> all_;
};

/// A set that stands for all that automorphisms take it to.
struct Kind {
    std::size_t set = 0;  ///< the first of them
    Round least = 0;
    Round most = rounds_unknown;
};

class ToleranceSearch {
  public:
    ToleranceSearch(const ToleranceQuestion& asked, const ToleranceOptions& options)
        : asked_(asked), options_(options), graph_(asked.question.machine.topology),
          sets_(graph_->wires(), asked.links, asked.nodes, source()) {
        if (options.seconds)
            end_ = Clock::now() +
                   std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*options.seconds));
        require_few();
    }

    Tolerance run() {
        ask_whole();
        all_ = asked_.sample ? sets_.sample(*asked_.sample, asked_.seed) : sets_.all();
        found_.sets = all_.size();
        part();
        choose_kinds();
        found_.kinds = kinds_.size();
        worst_ = 0;
        in_parallel("sets", kinds_.size(), [&](std::size_t i) { look_at(kinds_[i]); });
        in_parallel("sets without an answer by bounds", kinds_.size(), [&](std::size_t i) {
            if (kinds_[i].most > worst_.load()) settle(kinds_[i]);
        });
        for (const Kind& kind : kinds_) {
            found_.worst_least = std::max(found_.worst_least, kind.least);
            found_.worst_most = std::max(found_.worst_most, kind.most);
        }
        if (found_.exact()) name_worst();
        found_.searched = searched_;
        return std::move(found_);
    }

  private:
    [[nodiscard]] NodeId source() const {
        return asked_.question.operation().rooted() ? asked_.question.collective.root : no_node;
    }
    [[nodiscard]] bool stopped() const {
        return (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) ||
               (end_ && Clock::now() > *end_);
    }
    void require_few() const {
        const auto count = sets_.count();
        if (asked_.sample) {
            if (*asked_.sample == 0 || *asked_.sample > tolerance_sets_max)
                throw RequestError(fmt::format("sample {}: want 1 to {} sets", *asked_.sample, tolerance_sets_max));
        } else if (!count || *count > tolerance_sets_max) {
            throw RequestError(fmt::format("there are {} sets, and at most {} are looked at; want fewer broken parts",
                                           count ? fmt::to_string(*count) : "astronomically many", tolerance_sets_max));
        }
    }

    void ask_whole() {
        if (asked_.rounds_of) {
            found_.rounds_before = asked_.rounds_of(asked_.question);
            return;
        }
        require_valid(asked_.question);
        const LeastCost cost = least_cost(asked_.question, Least::rounds, search_options(false));
        found_.rounds_before = cost.rounds.most;
        least_before_ = cost.rounds.least;
        if (!cost.rounds.exact())
            throw DoesNotFit(fmt::format("the whole machine takes {} to {} rounds, and which is not known in the time",
                                         cost.rounds.least,
                                         cost.rounds.most == rounds_unknown ? "?" : fmt::to_string(cost.rounds.most)));
        note(cost, *graph_);
    }
    [[nodiscard]] SearchOptions search_options(bool quick) const {
        SearchOptions search;
        search.only_heuristics = quick;
        search.stop = options_.stop;
        if (end_) search.seconds = std::max(0.0, std::chrono::duration<double>(*end_ - Clock::now()).count());
        return search;
    }
    /// Schedules of machines that keep their nodes hold for others of these.
    void note(const LeastCost& cost, const Topology& left) {
        const Topology& wires = graph_->wires();
        if (cost.rounds.most != rounds_unknown && left.wires().nodes() == wires.nodes())
            known_.add(cost.rounds.schedule, wires, cost.rounds.most, sets_);
    }

    /// A link that breaks leaves two neighbours less, so that less is wanted: costs of the whole are no bounds.
    [[nodiscard]] bool is_among_neighbours() const { return asked_.question.collective.neighbours != nullptr; }
    /// The permutation as a list of nodes if it is named by rows, columns or bits: only the whole machine has these.
    [[nodiscard]] Permutation permutation_left() const {
        const Permutation& asked = asked_.question.collective.permutation;
        const bool is_by_place = asked.dimension || asked.kind == Permutation::Kind::transpose ||
                                 asked.kind == Permutation::Kind::bit_reversal;
        if (asked_.question.operation() != Operation::permutation || asked_.nodes != 0 || !is_by_place ||
            asked.kind == Permutation::Kind::move)
            return asked;
        std::vector<NodeId> targets;
        const NodeId nodes = graph_->nodes();
        for (NodeId v = 0; v < nodes; ++v) targets.push_back(asked.target(v, nodes));
        return listed_permutation(std::move(targets));
    }

    // ---- sets ------------------------------------------------------------------------------------------------------

    [[nodiscard]] std::shared_ptr<const Topology> left_of(const BrokenSet& set) const {
        return kport::without(graph_, parts_of(set), "broken parts");
    }
    [[nodiscard]] BrokenParts parts_of(const BrokenSet& set) const { return sets_.parts(set); }
    [[nodiscard]] Question question_on(std::shared_ptr<const Topology> left) const {
        Question question = asked_.question;
        question.collective.permutation = permutation_left();
        if (is_among_neighbours()) question.collective = fitted(std::move(question.collective), *left);
        if (source() != no_node) question.collective.root = number_left(*graph_, *left, source());
        question.machine = remaining_machine(asked_.question.machine, std::move(left));
        return question;
    }

    void part() {
        is_apart_.assign(all_.size(), 0);
        in_parallel("sets for parted nodes", all_.size(), [&](std::size_t i) {
            try {
                const std::shared_ptr<const Topology> left = left_of(all_[i]);
                if (asked_.question.machine.node_ports == nullptr) return;
                const Question question = question_on(left);  // nodes that only send, or only receive, hand nothing on
                require_ports(question.machine, question.collective);
            } catch (const DoesNotFit&) {
                is_apart_[i] = 1;
            }
        });
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (is_apart_[i] == 0) continue;
            if (found_.sets_apart++ == 0) found_.apart = parts_of(all_[i]);
        }
    }

    /// Sets that automorphisms take to each other are of one kind.
    void choose_kinds() {
        constexpr std::size_t worth_symmetry = 8;
        std::vector<std::size_t> kind_of(all_.size());
        std::iota(kind_of.begin(), kind_of.end(), std::size_t{0});
        const auto first = [&](std::size_t i) {
            while (kind_of[i] != i) i = kind_of[i] = kind_of[kind_of[i]];
            return i;
        };
        if (all_.size() > worth_symmetry && !asked_.rounds_of && !asked_.sample) {
            constexpr std::size_t images_max = 5'000'000;  // some seconds; fewer automorphisms leave more kinds
            std::size_t images = 0;
            for (const Automorphism& image : automorphisms()) {
                images += all_.size();
                if (images > images_max) break;
                for (std::size_t i = 0; i < all_.size(); ++i) {
                    const BrokenSet other = sets_.image(all_[i], image);
                    const auto at = std::ranges::lower_bound(all_, other);
                    const std::size_t one = first(i);
                    const std::size_t two = first(static_cast<std::size_t>(at - all_.begin()));
                    kind_of[std::max(one, two)] = std::min(one, two);
                }
            }
        }
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (first(i) == i && is_apart_[i] == 0) kinds_.push_back({i});
    }
    [[nodiscard]] std::vector<Automorphism> automorphisms() const {
        constexpr NodeId compared_nodes_max = 4096;
        if (graph_->wires().nodes() > compared_nodes_max) return {};
        const Graph graph(graph_->wires());
        const auto root = static_cast<Node32>(asked_.question.collective.root);
        std::vector<Automorphism> found = Symmetry(graph).generators(
            source() == no_node ? std::span<const Node32>() : std::span<const Node32>(&root, 1));
        std::erase_if(found, [&](const Automorphism& image) {
            return !keeps(asked_.question, image) || !keeps_capacities(*graph_, image);
        });
        return found;
    }

    // ---- costs -----------------------------------------------------------------------------------------------------

    void look_at(Kind& kind) {
        const BrokenSet& set = all_[kind.set];
        if (!asked_.rounds_of && asked_.nodes == 0 && !is_among_neighbours()) {
            kind.least = least_before_;  // a schedule of what is left is one of the whole
            raise_worst(kind.least);
            kind.most = known_.without(set);
            if (kind.most <= worst_.load()) return;
        }
        ask(kind, true);
    }
    void settle(Kind& kind) {
        ++searched_;
        ask(kind, false);
    }
    void ask(Kind& kind, bool quick) {
        const Question question = question_on(left_of(all_[kind.set]));
        if (asked_.rounds_of) {
            kind.least = kind.most = asked_.rounds_of(question);
        } else {
            const LeastCost cost = least_cost(question, Least::rounds, search_options(quick));
            kind.least = std::max(kind.least, cost.rounds.least);
            kind.most = std::min(kind.most, std::max(cost.rounds.most, kind.least));
            note(cost, *question.machine.topology);
        }
        raise_worst(kind.least);
    }
    void raise_worst(Round rounds) {
        Round now = worst_.load();
        while (now < rounds && !worst_.compare_exchange_weak(now, rounds)) {
        }
    }

    /// The first set that takes the most rounds, however the threads went.
    void name_worst() {
        for (Kind& kind : kinds_) {
            if (kind.most < found_.worst_most || stopped()) continue;
            if (kind.least < found_.worst_most) settle(kind);
            if (kind.least < found_.worst_most) continue;
            found_.worst = parts_of(all_[kind.set]);
            return;
        }
    }

    /// Calls work(i) for all i on all threads, in any order; the thread that asks shows progress. Rethrows the exception
    /// of the lowest i.
    template <class Work>
    void in_parallel(const char* what, std::size_t count, const Work& work) {
        std::atomic<std::size_t> next = 0;
        std::atomic<std::size_t> done = 0;
        std::atomic<unsigned> ended = 0;
        std::mutex mutex;
        std::map<std::size_t, std::exception_ptr> errors;
        const auto take_turns = [&] {
            for (std::size_t i = next++; i < count && !stopped(); i = next++) {
                try {
                    work(i);
                } catch (...) {
                    const std::scoped_lock lock(mutex);
                    errors.emplace(i, std::current_exception());
                    next = count;
                }
                ++done;
            }
            ++ended;
        };
        const auto helpers = static_cast<unsigned>(std::min<std::size_t>(options_.threads, count));
        {
            std::vector<std::jthread> threads;
            for (unsigned i = 0; i < helpers; ++i) threads.emplace_back(take_turns);
            while (ended < helpers) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (options_.progress)
                    options_.progress(fmt::format("{} of {} {}; most rounds so far: {}", done.load(), count, what,
                                                  std::max(worst_.load(), found_.rounds_before)));
            }
        }
        if (!errors.empty()) std::rethrow_exception(errors.begin()->second);
    }

    const ToleranceQuestion& asked_;
    const ToleranceOptions& options_;
    std::shared_ptr<const Topology> graph_;
    BrokenSets sets_;
    std::optional<Clock::time_point> end_;
    std::vector<BrokenSet> all_;
    std::vector<char> is_apart_;
    std::vector<Kind> kinds_;
    KnownSchedules known_;
    Round least_before_ = 0;
    std::atomic<Round> worst_ = 0;  ///< some set is known to take so many rounds at least
    std::atomic<std::uint64_t> searched_ = 0;
    Tolerance found_;
};

}  // namespace

Tolerance tolerance(const ToleranceQuestion& asked, const ToleranceOptions& options) {
    return ToleranceSearch(asked, options).run();
}

}  // namespace kport::search
