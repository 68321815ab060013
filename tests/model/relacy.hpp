/// @file relacy.hpp   Relacy in place of the machine: its std::atomic and plain variables, and memory orders that a
///                    test may weaken.
///
/// Relacy runs a scenario of a few threads again and again, in every interleaving that a search is to visit, and answers each
/// load with any value that the memory model of C++ allows. A plain variable that two threads use without an order is an
/// error, and so is a scenario that does not end.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ostream>
#include <source_location>
#include <span>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include <relacy/relacy.hpp>

// It puts words of its own in the place of these.
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

namespace kport::model {

/// A memory order in the text under test: where it stands and which of the orders of its statement it is.
struct Site {
    unsigned line = 0;
    bool on_failure = false;  ///< the second order of a compare_exchange

    bool operator==(const Site&) const = default;
};

/// What was met at a site.
struct Met {
    Site site;
    std::memory_order order = std::memory_order_relaxed;
    bool is_one_step = false;  ///< it reads and writes
};

/// The orders that were met, and the fault that is planted. One for the process, since Atomics are made without arguments;
/// without memory of its own, since what is allocated within a scenario belongs to Relacy.
class Orders {
  public:
    /// The order to be used where the text says another one or this.
    std::memory_order at(const Met& here) {
        if (here.site == weakened) return weaker;
        const auto met = all();
        if (std::none_of(met.begin(), met.end(), [&](const Met& one) { return one.site == here.site; }))
            met_.at(count_++) = here;
        return here.order;
    }
    [[nodiscard]] std::span<const Met> all() const { return {met_.data(), count_}; }

    Site weakened;  ///< has the order `weaker` instead of its own; line 0: none has
    std::memory_order weaker = std::memory_order_relaxed;
    Site torn;  ///< reads and writes in two steps instead of one

  private:
    std::array<Met, 32> met_{};
    std::size_t count_ = 0;
};
inline Orders orders;

[[nodiscard]] inline rl::memory_order in_relacy(std::memory_order order) {
    switch (order) {
        case std::memory_order_relaxed: return rl::mo_relaxed;
        case std::memory_order_consume: return rl::mo_consume;
        case std::memory_order_acquire: return rl::mo_acquire;
        case std::memory_order_release: return rl::mo_release;
        case std::memory_order_acq_rel: return rl::mo_acq_rel;
        default: return rl::mo_seq_cst;
    }
}

/// Where in the text under test: what a history of Relacy shows.
[[nodiscard]] inline rl::debug_info info(const std::source_location& where) {
    return {where.function_name(), where.file_name(), static_cast<unsigned>(where.line())};
}

/// What std::atomic is to the text under test.
template <class T>
class Atomic {
    using Where = std::source_location;

  public:
    Atomic() = default;
    explicit Atomic(T value) { value_.store(value, rl::mo_relaxed, {}); }

    T load(std::memory_order order, Where where = Where::current()) const {
        return value_.load(in_relacy(orders.at({site(where), order})), info(where));
    }
    void store(T value, std::memory_order order, Where where = Where::current()) {
        value_.store(value, in_relacy(orders.at({site(where), order})), info(where));
    }
    T exchange(T value, std::memory_order order, Where where = Where::current()) {
        if (site(where) == orders.torn) {
            const T before = value_.load(rl::mo_seq_cst, info(where));
            value_.store(value, rl::mo_seq_cst, info(where));
            return before;
        }
        return value_.exchange(value, in_relacy(orders.at({site(where), order, true})), info(where));
    }
    T fetch_add(T more, std::memory_order order, Where where = Where::current()) {
        if (site(where) == orders.torn) {
            const T before = value_.load(rl::mo_seq_cst, info(where));
            value_.store(before + more, rl::mo_seq_cst, info(where));
            return before;
        }
        return value_.fetch_add(more, in_relacy(orders.at({site(where), order, true})), info(where));
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               Where where = Where::current()) {
        if (site(where) == orders.torn) return torn_compare_exchange(expected, desired, where);
        return value_.compare_exchange_weak(expected, desired, in_relacy(orders.at({site(where), success, true})),
                                            info(where), in_relacy(orders.at({site(where, true), failure})),
                                            info(where));
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure,
                                 Where where = Where::current()) {
        if (site(where) == orders.torn) return torn_compare_exchange(expected, desired, where);
        return value_.compare_exchange_strong(expected, desired, in_relacy(orders.at({site(where), success, true})),
                                              info(where), in_relacy(orders.at({site(where, true), failure})),
                                              info(where));
    }

    /// A wait that is woken at every step: what may be waited for never comes in another way.
    void wait(T old, std::memory_order order, Where where = Where::current()) const {
        while (load(order, where) == old) rl::yield(1, info(where));
    }
    void notify_all() {}

  private:
    static Site site(const Where& where, bool on_failure = false) {
        return {static_cast<unsigned>(where.line()), on_failure};
    }
    bool torn_compare_exchange(T& expected, T desired, const Where& where) {
        const T seen = value_.load(rl::mo_seq_cst, info(where));
        if (seen != std::exchange(expected, seen)) return false;
        value_.store(desired, rl::mo_seq_cst, info(where));
        return true;
    }

    rl::atomic<T> value_;
};

/// A plain variable, watched for races.
template <class T>
class Plain {
    using Where = std::source_location;

  public:
    Plain& operator=(T value) {
        value_(info(Where::current())) = value;
        return *this;
    }
    operator T() const {  // NOLINT: it stands for a T
        return value_(info(Where::current()));
    }

  private:
    rl::var<T> value_;
};

/// What Relacy says, as far as there is room: it writes within a scenario, where memory belongs to it.
class Story : public std::streambuf {
  public:
    Story() { setp(text_.data(), text_.data() + text_.size()); }
    [[nodiscard]] std::string text() const { return {pbase(), pptr()}; }

  private:
    int overflow(int c) override { return c; }

    std::array<char, 16384> text_;
};

/// A search that has not ended by then has not passed.
constexpr rl::iteration_t interleavings_max = 10'000'000;

/// What became of a search.
struct Search {
    bool passed;
    std::uint64_t interleavings;
    std::string story;  ///< what Relacy says
};

/// Every interleaving, or all with at most so many switches that no thread asked for.
template <class Scenario, unsigned switches_max = 0>
[[nodiscard]] Search search() {
    Story story;
    std::ostream stream(&story);
    rl::test_params params;
    params.output_stream = &stream;
    params.progress_stream = &stream;
    params.execution_depth_limit = 500;
    params.iteration_count = interleavings_max;
    params.context_bound = switches_max;
    params.search_type = switches_max == 0 ? rl::sched_full : rl::sched_bound;
    const bool passed = rl::simulate<Scenario>(params) && params.stop_iteration < interleavings_max;
    return {passed, params.stop_iteration, story.text()};
}

/// The orders that are weaker than this one, the weakest last.
[[nodiscard]] inline std::vector<std::memory_order> weaker_than(std::memory_order order) {
    switch (order) {
        case std::memory_order_relaxed: return {};
        case std::memory_order_acq_rel:
            return {std::memory_order_acquire, std::memory_order_release, std::memory_order_relaxed};
        case std::memory_order_seq_cst:
            return {std::memory_order_acq_rel, std::memory_order_acquire, std::memory_order_release,
                    std::memory_order_relaxed};
        default: return {std::memory_order_relaxed};
    }
}

}  // namespace kport::model
