#include "bindings/shm/group.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bindings/shm/judged_schedule.hpp"
#include "emulator/base/error.hpp"

namespace kport::shm {

namespace {

/// A vector is moved in parts of so many bytes a thread, so that what one thread has folded is in a cache when the others read it.
constexpr std::size_t part_of_a_thread = std::size_t{256} << 10;
/// Sources are folded in chunks that stay in the nearest cache.
constexpr std::size_t chunk = std::size_t{4} << 10;

/// The order of magnitude of a size: plans are the same within it.
int magnitude(std::uint64_t bytes) { return static_cast<int>(std::bit_width(bytes)) / 2; }

/// Whether its buffers are one vector, which may be cut; else they have a part for each thread.
bool has_vector(const Operation& operation) {
    return operation == Operation::broadcast || operation == Operation::reduce || operation == Operation::allreduce;
}

std::uint64_t word_of(const void* record) { return reinterpret_cast<std::uintptr_t>(record); }

/// The name of the operator of a folding, which is shown as a word.
std::string_view operator_of(std::uint64_t folding) {
    for (const Operator& op : operators())
        for (const Folding& one : op->on)
            if (word_of(&one) == folding) return name(op);
    return "of one's own";
}

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
    std::uint64_t operation = 0;
    std::uint64_t root = 0;
    std::uint64_t bytes = 0;
    std::uint64_t folding = 0;

    bool operator==(const Called&) const = default;
};

/// What a thread shows the others, written by it alone. On lines of its own, so that others wait for it without disturbing it.
struct alignas(128) Shown {
    /// Calls and movements that the thread has ended, summed up. Released last.
    std::atomic<std::uint64_t> progress{0};
    std::atomic<const std::byte*> given{nullptr};
    std::atomic<const std::byte*> taken{nullptr};
    std::atomic<const std::byte*> kept{nullptr};
    std::atomic<std::uint64_t> number{0};  ///< of the call
    std::atomic<std::uint64_t> operation{0};
    std::atomic<std::uint64_t> root{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> folding{0};
    std::atomic<bool> has_ended{false};  ///< the thread
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
          spins_(std::thread::hardware_concurrency() >= threads ? 20'000 : 0) {}

    [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(shown_.size()); }
    /// Returns how many bytes of a call move at once.
    [[nodiscard]] std::uint64_t part_of(const Operation& operation, std::uint64_t bytes) const {
        return has_vector(operation) ? std::min<std::uint64_t>(bytes, part_of_a_thread * threads()) : bytes;
    }

    void belong(unsigned rank, const std::shared_ptr<Impl>& self);
    void end(unsigned rank) { shown_[rank].has_ended.store(true, std::memory_order_release); }

    void call(unsigned rank, const Call& call);
    [[nodiscard]] const Movements& movements(const Operation& operation, unsigned root, std::uint64_t bytes);

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
    void move(unsigned rank, const Movement& movement, const Cut& cut) const;
    [[nodiscard]] const std::byte* at(const Source& source, const Cut& cut) const;
    void wait_for(unsigned rank, const Need& need, std::uint64_t progress);
    void require_same(unsigned rank, unsigned other);
    [[nodiscard]] Called called(unsigned rank) const;
    [[nodiscard]] std::string text(unsigned rank) const;
    [[noreturn]] void fail(const std::string& sentence);
    void require_whole();

    std::vector<Shown> shown_;
    std::vector<Own> own_;
    std::vector<std::thread::id> holders_;  ///< the thread of each rank; guarded by mutex_
    std::uint64_t spins_;

    std::mutex mutex_;
    std::map<std::tuple<const void*, unsigned, int>, Movements> plans_;
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
    if (rank >= threads())
        throw RequestError(
            fmt::format("rank {}: the group has {} threads; want 0 to {}", rank, threads(), threads() - 1));
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
    if (call.operation.rooted() && call.root >= threads())
        throw RequestError(
            fmt::format("root {}: the group has {} threads; want 0 to {}", call.root, threads(), threads() - 1));
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
    require_whole();
    const std::uint64_t bytes = require_fitting(call, rank);
    const bool is_vector = has_vector(call.operation);
    std::uint64_t part = part_of(call.operation, bytes);
    part -= part % call.element;
    Own& own = own_[rank];
    Shown& shown = shown_[rank];
    const Movements*& known = own.known[{call.operation.operator->(), call.root, magnitude(part)}];
    if (known == nullptr) known = &movements(call.operation, call.root, part);
    std::uint64_t begin = 0;
    do {
        const std::uint64_t size = std::min(part, bytes - begin);
        const std::uint64_t elements = is_vector ? size / call.element : 0;
        const std::uint64_t piece = is_vector ? (elements + known->pieces - 1) / known->pieces * call.element : size;
        const Cut cut{piece, is_vector ? size : ~std::size_t{0}, call.folding};
        if (own.kept.size() < known->kept * piece) own.kept.resize(known->kept * piece);
        own.kept_at = own.kept.data();
        own.taken = call.taken.data() + begin;
        // What others compare comes before the number: who sees a new value sees a new number, too.
        shown.number.store(++own.calls, std::memory_order_release);
        shown.operation.store(word_of(call.operation.operator->()), std::memory_order_release);
        shown.root.store(call.root, std::memory_order_release);
        shown.bytes.store(bytes, std::memory_order_release);
        shown.folding.store(word_of(call.folding), std::memory_order_release);
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
        if (!movement.from.empty()) move(rank, movement, cut);
        progress.store(called + ++ended, std::memory_order_release);
    }
    own.base = called + movements.longest() + 1;
    progress.store(own.base, std::memory_order_release);
}

const std::byte* Group::Impl::at(const Source& source, const Cut& cut) const {
    const Shown& shown = shown_[source.rank];
    const std::atomic<const std::byte*>& space = source.place.space == Space::given   ? shown.given
                                                 : source.place.space == Space::taken ? shown.taken
                                                                                      : shown.kept;
    return space.load(std::memory_order_relaxed) + std::size_t{source.place.piece} * cut.piece;
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
        require_whole();
        if (other.number.load(std::memory_order_acquire) == own_[rank].calls) require_same(rank, need.rank);
        if (other.has_ended.load(std::memory_order_acquire) && !is_there())
            fail(fmt::format("the thread of rank {} has ended, and rank {} waits for it: {}", need.rank, rank,
                             text(rank)));
    }
    require_same(rank, need.rank);
}

void Group::Impl::require_same(unsigned rank, unsigned other) {
    const auto number_of = [&](unsigned at) { return shown_[at].number.load(std::memory_order_acquire); };
    const std::uint64_t own = own_[rank].calls;
    const std::uint64_t theirs = number_of(other);
    if (theirs == own && called(rank) == called(other)) [[likely]]
        return;
    if (theirs > own || number_of(other) > own) return;  // it has ended this call, and shows a later one
    fail(fmt::format("call {}: rank {} calls {}, rank {} calls {}; want the same call by all threads", own,
                     std::min(rank, other), text(std::min(rank, other)), std::max(rank, other),
                     text(std::max(rank, other))));
}

Called Group::Impl::called(unsigned rank) const {
    const Shown& shown = shown_[rank];
    return {shown.operation.load(std::memory_order_acquire), shown.root.load(std::memory_order_acquire),
            shown.bytes.load(std::memory_order_acquire), shown.folding.load(std::memory_order_acquire)};
}

std::string Group::Impl::text(unsigned rank) const {
    const Called shown = called(rank);
    for (const Operation& operation : operations()) {
        if (word_of(operation.operator->()) != shown.operation) continue;
        if (operation.signals()) return std::string(name(operation));
        return fmt::format("{}{} of {} bytes{}", name(operation),
                           operation.rooted() ? fmt::format(" with root {}", shown.root) : "", shown.bytes,
                           shown.folding == 0 ? "" : fmt::format(" by operator {}", operator_of(shown.folding)));
    }
    return "nothing";
}

void Group::Impl::fail(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = sentence;
    failed_.store(true, std::memory_order_release);
    throw GroupError(failure_);
}

void Group::Impl::require_whole() {
    if (!failed_.load(std::memory_order_acquire)) [[likely]]
        return;
    const std::lock_guard lock(mutex_);
    throw GroupError(failure_);
}

const Movements& Group::Impl::movements(const Operation& operation, unsigned root, std::uint64_t bytes) {
    const int order = magnitude(bytes);
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = plans_.try_emplace({operation.operator->(), root, order});
    if (is_new) at->second = judged_movements(operation, root, threads(), std::uint64_t{1} << (2 * order));
    return at->second;
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

const Folding& Group::folding_on(const Operator& op, const ElementType& type) {
    const Folding* const folding = op.on(type);
    if (folding == nullptr || folding->fold == nullptr || !op->commutative)
        throw RequestError(
            fmt::format("operator '{}' on {}: want one that folds numbers in any order", name(op), name(type)));
    return *folding;
}

std::string Group::algorithm(const Operation& operation, std::uint64_t bytes, unsigned root) const {
    if (root >= threads())
        throw RequestError(
            fmt::format("root {}: the group has {} threads; want 0 to {}", root, threads(), threads() - 1));
    const Movements& movements = impl_->movements(operation, root, impl_->part_of(operation, bytes));
    if (movements.algorithm.empty()) return "one thread moves nothing";
    return fmt::format("{}, {} rounds{}", movements.algorithm, movements.rounds,
                       movements.pieces == 1 ? "" : fmt::format(", {} pieces", movements.pieces));
}

}  // namespace kport::shm
