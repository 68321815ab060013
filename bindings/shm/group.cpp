#include "bindings/shm/group.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bindings/shm/movements.hpp"
#include "emulator/base/error.hpp"

namespace kport::shm {

namespace {

/// A vector is moved in parts of so many bytes a thread, so that what one thread has folded is in a cache when the others read it.
constexpr std::size_t part_of_a_thread = std::size_t{256} << 10;
/// Sources are folded in chunks that stay in the nearest cache.
constexpr std::size_t chunk = std::size_t{4} << 10;

/// The order of magnitude of a size: plans are the same within it.
int magnitude(std::uint64_t bytes) {
    constexpr int largest = 15;  // from a GiB on
    return std::min(largest, static_cast<int>(std::bit_width(bytes)) / 2);
}

/// What a group does.
const std::vector<Operation>& offered() {
    static const std::vector<Operation> all{Operation::barrier, Operation::broadcast, Operation::scatter,
                                            Operation::gather,  Operation::allgather, Operation::alltoall,
                                            Operation::reduce,  Operation::allreduce, Operation::reduce_scatter};
    return all;
}

/// What they are called with, besides sizes. Foldings: those of the table, and null, which folds nothing.
const std::vector<const Folding*>& foldings() {
    static const std::vector<const Folding*> all = [] {
        std::vector<const Folding*> made{nullptr};
        for (const Operator& op : operators())
            for (const Folding& one : op->on) made.push_back(&one);
        return made;
    }();
    return all;
}

/// What a call is, in one word: the places of its operation and folding among those offered, the root, the size of an element.
struct What {
    std::uint64_t operation;
    std::uint64_t folding;
    std::uint64_t root;
    std::uint64_t element;

    [[nodiscard]] std::uint64_t packed() const { return operation << 60 | folding << 54 | root << 48 | element; }
    [[nodiscard]] static What of(std::uint64_t word) {
        return {word >> 60, word >> 54 & 63, word >> 48 & 63, word & ((std::uint64_t{1} << 48) - 1)};
    }
};

template <class T>
std::uint64_t place_among(const std::vector<T>& all, const T& one) {
    return static_cast<std::uint64_t>(std::ranges::find(all, one) - all.begin());
}

/// "sum on double".
std::string text_of_folding(const Folding* folding) {
    for (const Operator& op : operators())
        for (const Folding& one : op->on)
            if (&one == folding) return fmt::format("{} on {}", name(op), one.type->name);
    return "";
}

/// Throws RequestError where the operator is not defined for the type, or does not commute.
const Folding& folding_of(const Operator& op, const ElementType& type) {
    const Folding* const folding = op.on(type);
    if (folding == nullptr || folding->fold == nullptr || !op->commutative || op.is_own() ||
        place_among(foldings(), folding) == foldings().size())
        throw RequestError(fmt::format("operator '{}' on {}: want one of the table that folds numbers in any order",
                                       name(op), name(type)));
    return *folding;
}

void require_thread(std::string_view what, unsigned number, unsigned threads) {
    if (number >= threads)
        throw RequestError(
            fmt::format("{} {}: the group has {} threads; want 0 to {}", what, number, threads, threads - 1));
}

void require_offered(const Operation& operation) {
    if (place_among(offered(), operation) != offered().size()) return;
    std::vector<std::string_view> names;
    for (const Operation& one : offered()) names.push_back(name(one));
    throw RequestError(
        fmt::format("operation '{}': a group does not do it; want {}", name(operation), fmt::join(names, ", ")));
}

/// Plans of all groups of the process: the same for as many threads.
struct Plans {
    std::mutex mutex;
    std::map<std::tuple<const void*, unsigned, unsigned, int>, Movements> of;
};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

}  // namespace

/// What threads compare: whether they have called the same.
struct Called {
    std::uint64_t bytes = 0;
    std::uint64_t what = 0;  ///< of What, packed

    bool operator==(const Called&) const = default;
};

/// What a thread shows the others, written by it alone; what they wait for on a line of its own.
struct alignas(128) Shown {
    /// Calls and movements that the thread has ended, summed up. Released last.
    std::atomic<std::uint64_t> progress{0};
    std::atomic<std::uint64_t> number{0};  ///< of the call; it is written before what it is
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> what{0};
    std::atomic<const std::byte*> given{nullptr};
    std::atomic<std::byte*> taken{nullptr};
    std::atomic<const std::byte*> kept{nullptr};
    std::atomic<bool> has_ended{false};           ///< the thread
    alignas(128) std::atomic<bool> reads{false};  ///< or writes what others have, just now
};

/// What a thread knows, by itself.
struct alignas(128) Own {
    std::uint64_t base = 0;      ///< progress of all threads before the call
    std::uint64_t calls = 0;     ///< that have begun
    std::byte* taken = nullptr;  ///< of the call
    std::byte* kept_at = nullptr;
    std::vector<std::byte> kept;
    std::map<std::tuple<const void*, unsigned, int>, const Movements*> known;
};

class Group::Impl {
  public:
    explicit Impl(unsigned threads)
        : shown_(threads), own_(threads), holders_(threads),
          spins_(std::thread::hardware_concurrency() >= threads ? 2'000 : 0) {}

    [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(shown_.size()); }
    /// Returns how many bytes of a call move at once.
    [[nodiscard]] std::uint64_t part_of(const Operation& operation, std::uint64_t bytes) const {
        return has_vector(operation) ? std::min<std::uint64_t>(bytes, part_of_a_thread * threads()) : bytes;
    }

    void belong(unsigned rank, const std::shared_ptr<Impl>& self);
    void end(unsigned rank) { shown_[rank].has_ended.store(true, std::memory_order_release); }

    void call(unsigned rank, const Call& call);
    [[nodiscard]] const Movements& movements(const Operation& operation, unsigned root, std::uint64_t bytes) const;

  private:
    /// The buffers of a call, cut into pieces.
    struct Cut {
        std::size_t piece;  ///< bytes
        std::size_t whole;  ///< of a vector that is cut; its last piece may be shorter
        const Folding* folding;

        [[nodiscard]] std::size_t size_of(std::uint32_t at) const {
            const std::size_t begin = std::min(whole, at * piece);
            return std::min(piece, whole - begin);
        }
    };

    [[nodiscard]] std::uint64_t require_fitting(const Call& call, unsigned rank) const;
    void move_all(unsigned rank, const Movements& movements, const Cut& cut);
    void read_and_move(unsigned rank, const Movement& movement, const Cut& cut);
    void move(unsigned rank, const Movement& movement, const Cut& cut) const;
    [[nodiscard]] const std::byte* at(const Location& source, const Cut& cut) const;
    /// A place among those that its thread takes.
    [[nodiscard]] std::byte* result_at(const Location& result, const Cut& cut) const;
    void wait_for(unsigned rank, const Need& need, std::uint64_t progress);
    void require_same(unsigned rank, unsigned other);
    [[nodiscard]] Called called(unsigned rank) const;
    [[nodiscard]] std::string text(unsigned rank) const;
    [[noreturn]] void fail(unsigned rank, const std::string& sentence);
    /// Throws GroupError where the group has failed, when no other thread reads the caller's buffers.
    void require_whole(unsigned rank);
    /// Around a reading or writing of what other threads have.
    void begin_reading(unsigned rank);
    void end_reading(unsigned rank) { shown_[rank].reads.store(false, std::memory_order_release); }
    /// Whether the other thread shows the same call.
    [[nodiscard]] bool is_in_call(unsigned rank, unsigned other) const;
    [[noreturn]] void fail_by_difference(unsigned rank, unsigned other);

    std::vector<Shown> shown_;
    std::vector<Own> own_;
    std::vector<std::thread::id> holders_;  ///< the thread of each rank; guarded by mutex_
    std::uint64_t spins_;

    std::mutex mutex_;
    std::string failure_;
    std::atomic<bool> failed_{false};
};

namespace {

/// The ranks of a thread, which end with it.
class Memberships {
  public:
    Memberships() = default;
    Memberships(const Memberships&) = delete;
    Memberships& operator=(const Memberships&) = delete;
    ~Memberships() {
        for (const One& one : all_)
            if (const std::shared_ptr<Group::Impl> group = one.group.lock()) group->end(one.rank);
    }

    /// Whether the thread is that rank of the group.
    [[nodiscard]] bool has(const std::shared_ptr<Group::Impl>& group, unsigned rank) const {
        return std::ranges::any_of(all_, [&](const One& one) {
            return one.rank == rank && !one.group.owner_before(group) && !group.owner_before(one.group);
        });
    }
    void add(const std::shared_ptr<Group::Impl>& group, unsigned rank) {
        std::erase_if(all_, [](const One& one) { return one.group.expired(); });
        all_.push_back({group, rank});
    }

  private:
    struct One {
        std::weak_ptr<Group::Impl> group;
        unsigned rank;
    };
    std::vector<One> all_;
};

thread_local Memberships
    memberships;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): one a thread, by nature

}  // namespace

void Group::Impl::belong(unsigned rank, const std::shared_ptr<Impl>& self) {
    if (memberships.has(self, rank)) return;
    require_thread("rank", rank, threads());
    const std::lock_guard lock(mutex_);
    const auto held = std::ranges::find(holders_, std::this_thread::get_id());
    if (held != holders_.end() && !shown_[static_cast<std::size_t>(held - holders_.begin())].has_ended)
        throw RequestError(fmt::format("rank {}: this thread is rank {} of the group; want one rank a thread", rank,
                                       held - holders_.begin()));
    if (holders_[rank] != std::thread::id())
        throw RequestError(fmt::format("rank {}: it belongs to another thread; want one thread a rank", rank));
    holders_[rank] = std::this_thread::get_id();
    memberships.add(self, rank);
}

std::uint64_t Group::Impl::require_fitting(const Call& call, unsigned rank) const {
    const bool is_root = rank == call.root;
    const auto refuse = [&](std::size_t size, std::size_t want) {
        throw RequestError(fmt::format("{}: the buffer of all parts has {} bytes; want {}: {} parts of {}",
                                       name(call.operation), size, want, threads(), want / threads()));
    };
    const auto require_parts = [&](std::size_t all, std::size_t part) {
        if (all != part * threads()) refuse(all, part * threads());
    };
    if (call.operation.rooted()) require_thread("root", call.root, threads());
    if (call.operation == Operation::scatter) {
        if (is_root) require_parts(call.given.size(), call.taken.size());
        return call.taken.size();
    }
    if (call.operation == Operation::gather) {
        if (is_root) require_parts(call.taken.size(), call.given.size());
        return call.given.size();
    }
    if (call.operation == Operation::allgather) {
        require_parts(call.taken.size(), call.given.size());
        return call.given.size();
    }
    if (call.operation == Operation::reduce_scatter) {
        require_parts(call.given.size(), call.taken.size());
        return call.taken.size();
    }
    if (call.operation == Operation::alltoall) {
        if (call.given.size() % (threads() * call.element) != 0 || call.given.size() != call.taken.size())
            throw RequestError(fmt::format("alltoall: buffers of {} and {} bytes; want equal ones of {} equal parts",
                                           call.given.size(), call.taken.size(), threads()));
        return call.given.size() / threads();
    }
    if (call.operation == Operation::reduce && is_root && call.given.size() != call.taken.size())
        throw RequestError(fmt::format("reduce: the result has {} bytes; want {}, as many as the data",
                                       call.taken.size(), call.given.size()));
    return call.given.size();
}

void Group::Impl::call(unsigned rank, const Call& call) {
    require_whole(rank);
    const Folding* const folding = call.op == nullptr ? nullptr : &folding_of(*call.op, *call.type);
    const std::uint64_t bytes = require_fitting(call, rank);
    const bool is_vector = has_vector(call.operation);
    std::uint64_t part = part_of(call.operation, bytes);
    part = std::max(part - part % call.element, std::min<std::uint64_t>(bytes, call.element));
    Own& own = own_[rank];
    Shown& shown = shown_[rank];
    const Movements*& known = own.known[{call.operation.operator->(), call.root, magnitude(part)}];
    if (known == nullptr) known = &movements(call.operation, call.root, part);
    const What what{place_among(offered(), call.operation), place_among(foldings(), folding), call.root, call.element};
    std::uint64_t begin = 0;
    do {
        const std::uint64_t size = std::min(part, bytes - begin);
        const std::uint64_t elements = is_vector ? size / call.element : 0;
        const std::uint64_t piece = is_vector ? (elements + known->pieces - 1) / known->pieces * call.element : size;
        const Cut cut{piece, is_vector ? size : ~std::size_t{0}, folding};
        if (own.kept.size() < known->kept * piece) own.kept.resize(known->kept * piece);
        own.kept_at = own.kept.data();
        own.taken = call.taken.data() + begin;
        shown.number.store(++own.calls, std::memory_order_release);
        shown.bytes.store(bytes, std::memory_order_release);
        shown.what.store(what.packed(), std::memory_order_release);
        shown.given.store(call.given.data() + begin, std::memory_order_relaxed);
        shown.taken.store(call.taken.data() + begin, std::memory_order_relaxed);
        shown.kept.store(own.kept.data(), std::memory_order_relaxed);
        move_all(rank, *known, cut);
        begin += size;
    } while (begin < bytes);
}

void Group::Impl::move_all(unsigned rank, const Movements& movements, const Cut& cut) {
    Own& own = own_[rank];
    std::atomic<std::uint64_t>& progress = shown_[rank].progress;
    const std::uint64_t called = own.base + 1;
    progress.store(called, std::memory_order_release);
    std::uint64_t ended = 0;
    for (const Movement& movement : movements.of[rank]) {
        for (const Need& need : movement.needs) wait_for(rank, need, called + need.ended);
        if (!movement.from.empty()) read_and_move(rank, movement, cut);
        progress.store(called + ++ended, std::memory_order_release);
    }
    own.base = called + movements.longest() + 1;
    progress.store(own.base, std::memory_order_release);
}

const std::byte* Group::Impl::at(const Location& source, const Cut& cut) const {
    const Shown& shown = shown_[source.rank];
    if (source.place.space == Space::taken) return result_at(source, cut);
    const std::atomic<const std::byte*>& space = source.place.space == Space::given ? shown.given : shown.kept;
    return space.load(std::memory_order_relaxed) + std::size_t{source.place.piece} * cut.piece;
}

std::byte* Group::Impl::result_at(const Location& result, const Cut& cut) const {
    return shown_[result.rank].taken.load(std::memory_order_relaxed) + std::size_t{result.place.piece} * cut.piece;
}

/// A thread of the same call stays in it until its readers have ended, or it fails and waits for them.
void Group::Impl::read_and_move(unsigned rank, const Movement& movement, const Cut& cut) {
    begin_reading(rank);
    for (const std::vector<Location>* touched : {&movement.from, &movement.also})
        for (const Location& location : *touched)
            if (location.rank != rank && !is_in_call(rank, location.rank)) [[unlikely]] {
                end_reading(rank);
                fail_by_difference(rank, location.rank);
            }
    move(rank, movement, cut);
    end_reading(rank);
}

void Group::Impl::move(unsigned rank, const Movement& movement, const Cut& cut) const {
    const std::size_t size = cut.size_of(movement.piece);
    std::byte* const to = (movement.to.space == Space::taken ? own_[rank].taken : own_[rank].kept_at) +
                          std::size_t{movement.to.piece} * cut.piece;
    if (movement.from.size() == 1) {
        const std::byte* const from = at(movement.from.front(), cut);
        if (from != to && size != 0) std::memcpy(to, from, size);
        return;
    }
    std::array<const std::byte*, threads_max> from;
    const auto sources = static_cast<unsigned>(movement.from.size());
    bool is_read_late = false;  // what is written: not before it was read
    for (unsigned i = 0; i < sources; ++i) {
        from[i] = at(movement.from[i], cut);
        is_read_late |= i > 1 && from[i] == to;
    }
    alignas(64) std::array<std::byte, chunk> aside;
    for (std::size_t begin = 0; begin < size; begin += chunk) {
        const std::size_t bytes = std::min(chunk, size - begin);
        std::byte* const into = is_read_late ? aside.data() : to + begin;
        cut.folding->fold(*cut.folding, into, from[0] + begin, from[1] + begin, bytes);
        for (unsigned i = 2; i < sources; ++i) cut.folding->fold(*cut.folding, into, into, from[i] + begin, bytes);
        if (is_read_late) std::memcpy(to + begin, into, bytes);
        for (const Location& other : movement.also) std::memcpy(result_at(other, cut) + begin, into, bytes);
    }
}

void Group::Impl::wait_for(unsigned rank, const Need& need, std::uint64_t progress) {
    const Shown& other = shown_[need.rank];
    const auto is_there = [&] { return other.progress.load(std::memory_order_acquire) >= progress; };
    constexpr std::uint64_t yields = 1000;
    for (std::uint64_t turn = 0; !is_there(); ++turn) {
        if (turn < spins_) {
            pause();
            if (turn % 256 != 255) continue;
        } else if (turn < spins_ + yields) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        require_whole(rank);
        // What it calls can be read when it has begun this call.
        if (other.progress.load(std::memory_order_acquire) > own_[rank].base) require_same(rank, need.rank);
        if (other.has_ended.load(std::memory_order_acquire) && !is_there())
            fail(rank, fmt::format("the thread of rank {} has ended, and rank {} waits for it: {}", need.rank, rank,
                                   text(rank)));
    }
    require_same(rank, need.rank);
}

void Group::Impl::require_same(unsigned rank, unsigned other) {
    const std::uint64_t own = own_[rank].calls;
    if (is_in_call(rank, other)) [[likely]]
        return;
    // What it shows may be of a later call: then it has ended this one.
    if (shown_[other].number.load(std::memory_order_acquire) > own) return;
    fail_by_difference(rank, other);
}

bool Group::Impl::is_in_call(unsigned rank, unsigned other) const {
    return shown_[other].number.load(std::memory_order_acquire) == own_[rank].calls && called(rank) == called(other);
}

void Group::Impl::fail_by_difference(unsigned rank, unsigned other) {
    const auto call_of = [this](unsigned at) {
        return fmt::format("rank {} calls {} as its call {}", at, text(at),
                           shown_[at].number.load(std::memory_order_acquire));
    };
    fail(rank, fmt::format("{}, {}; want the same calls by all threads", call_of(std::min(rank, other)),
                           call_of(std::max(rank, other))));
}

Called Group::Impl::called(unsigned rank) const {
    return {shown_[rank].bytes.load(std::memory_order_acquire), shown_[rank].what.load(std::memory_order_acquire)};
}

std::string Group::Impl::text(unsigned rank) const {
    const Called shown = called(rank);
    const What what = What::of(shown.what);
    const Operation& operation = offered()[what.operation];
    if (operation.signals()) return std::string(name(operation));
    return fmt::format("{}{} of {} x {} bytes{}", name(operation),
                       operation.rooted() ? fmt::format(" with root {}", what.root) : "", shown.bytes / what.element,
                       what.element, what.folding == 0 ? "" : " by " + text_of_folding(foldings()[what.folding]));
}

void Group::Impl::fail(unsigned rank, const std::string& sentence) {
    {
        const std::lock_guard lock(mutex_);
        if (failure_.empty()) failure_ = sentence;
    }
    failed_ = true;
    require_whole(rank);
    std::terminate();  // unreachable: it has failed
}

void Group::Impl::require_whole(unsigned rank) {
    if (!failed_.load(std::memory_order_acquire)) [[likely]]
        return;
    // The caller frees its buffers, so those who read them must have ended. A thread that begins to read later looks at the failure first.
    for (unsigned other = 0; other < threads(); ++other)
        while (other != rank && shown_[other].reads) std::this_thread::yield();
    const std::lock_guard lock(mutex_);
    throw GroupError(failure_);
}

void Group::Impl::begin_reading(unsigned rank) {
    // In one order with the failure and the look at `reads` in require_whole().
    shown_[rank].reads = true;
    if (!failed_) [[likely]]
        return;
    end_reading(rank);
    require_whole(rank);
}

const Movements& Group::Impl::movements(const Operation& operation, unsigned root, std::uint64_t bytes) const {
    static Plans plans;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): guarded
    const int order = magnitude(bytes);
    const std::lock_guard lock(plans.mutex);
    const std::tuple key(static_cast<const void*>(operation.operator->()), threads(), root, order);
    if (const auto at = plans.of.find(key); at != plans.of.end()) return at->second;
    return plans.of.emplace(key, judged_movements(operation, root, threads(), std::uint64_t{1} << (2 * order)))
        .first->second;
}

Group::Group(unsigned threads) {
    if (threads < 1 || threads > threads_max)
        throw RequestError(fmt::format("a group of {} threads; want 1 to {}", threads, threads_max));
    impl_ = std::make_shared<Impl>(threads);
}

unsigned Group::threads() const { return impl_->threads(); }

void Group::barrier(unsigned rank) { call(rank, {Operation::barrier, 0, 1, {}, {}}); }

void Group::call(unsigned rank, const Call& call) {
    impl_->belong(rank, impl_);
    impl_->call(rank, call);
}

std::string Group::algorithm(const Operation& operation, std::uint64_t bytes, unsigned root) const {
    require_offered(operation);
    require_thread("root", root, threads());
    const Movements& movements = impl_->movements(operation, root, impl_->part_of(operation, bytes));
    if (movements.algorithm.empty()) return "one thread moves nothing";
    return fmt::format("{}, {} round{}{}", movements.algorithm, movements.rounds, movements.rounds == 1 ? "" : "s",
                       movements.pieces == 1 ? "" : fmt::format(", {} pieces", movements.pieces));
}

}  // namespace kport::shm
