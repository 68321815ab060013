#include "bindings/shm/movements.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <utility>

#include "emulator/base/error.hpp"

namespace kport::shm {

namespace {

/// A reading of a place, and what the thread that reads has ended then.
struct Reading {
    unsigned rank;
    std::uint32_t ended;
    std::uint64_t order;  ///< among all movements, in the order in which they are made
};

/// The movements while they are made.
class Draft {
  public:
    explicit Draft(unsigned ranks) : readings_(ranks), orders_(ranks), kept_(ranks, 0) { made_.of.resize(ranks); }

    [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(made_.of.size()); }
    [[nodiscard]] std::uint32_t ended(unsigned rank) const { return static_cast<std::uint32_t>(made_.of[rank].size()); }
    [[nodiscard]] Place keep(unsigned rank) { return {Space::kept, kept_[rank]++}; }

    /// Adds a movement; a thread need not wait for itself. Returns what the thread has ended with it.
    std::uint32_t add(unsigned rank, Movement movement) {
        std::erase_if(movement.needs, [rank](const Need& need) { return need.rank == rank; });
        movement.needs = latest(std::move(movement.needs));
        std::vector<Movement>& own = made_.of[rank];
        own.push_back(std::move(movement));
        orders_[rank].push_back(++order_);
        for (const Location& source : own.back().from)
            readings_[source.rank].emplace_back(source.place, Reading{rank, ended(rank), order_});
        return ended(rank);
    }

    /// Lets the movement that folded a value write it to a place of another thread too, read as `read`, instead of a copy by that
    /// thread. Returns whether it does: all who read the place must do so before in the order of all movements, or in this one.
    bool write_also(const Location& folded, std::uint32_t ended, const Location& to, Place read) {
        Movement& movement = made_.of[folded.rank][ended - 1];
        if (movement.from.size() < 2 || movement.to != folded.place) return false;
        const std::uint64_t order = orders_[folded.rank][ended - 1];
        std::vector<Need> needs{{to.rank, 0}};
        for (const auto& [place, reading] : readings_[to.rank]) {
            if (place != read) continue;
            if (reading.order > order) return false;
            if (reading.rank != folded.rank) needs.push_back({reading.rank, reading.ended});
        }
        std::ranges::copy(movement.needs, std::back_inserter(needs));
        movement.needs = latest(std::move(needs));
        movement.also.push_back(to);
        return true;
    }

    /// Returns what must have ended before a place is written again, or, without a place, before its thread returns.
    [[nodiscard]] std::vector<Need> readers_of(unsigned rank, std::optional<Place> place) const {
        std::vector<Need> needs;
        for (const auto& [read, reading] : readings_[rank])
            if (reading.rank != rank && (!place || read == *place)) needs.push_back({reading.rank, reading.ended});
        return needs;
    }

    /// A thread returns when all have read what they read of it: the caller may then write his buffers again.
    [[nodiscard]] Movements finished() && {
        for (unsigned rank = 0; rank < ranks(); ++rank)
            if (std::vector<Need> needs = readers_of(rank, std::nullopt); !needs.empty())
                made_.of[rank].push_back({.needs = latest(std::move(needs))});
        made_.kept = *std::ranges::max_element(kept_);
        return std::move(made_);
    }

  private:
    /// Of the needs of one thread the last says all.
    [[nodiscard]] static std::vector<Need> latest(std::vector<Need> needs) {
        std::ranges::sort(
            needs, [](const Need& a, const Need& b) { return a.rank != b.rank ? a.rank < b.rank : a.ended > b.ended; });
        const auto rest = std::ranges::unique(needs, {}, &Need::rank);
        needs.erase(rest.begin(), rest.end());
        return needs;
    }

    Movements made_;
    std::vector<std::vector<std::pair<Place, Reading>>> readings_;  ///< of each thread's places
    std::vector<std::vector<std::uint64_t>> orders_;                ///< of each thread's movements
    std::uint64_t order_ = 0;
    std::vector<std::uint32_t> kept_;
};

/// Calls round(begin, end) for the transfers of each round.
template <class Round>
void for_each_round(const Schedule& schedule, const Round& round) {
    for (std::size_t begin = 0, end = 0; begin < schedule.size(); begin = end) {
        while (end < schedule.size() && schedule.round(end) == schedule.round(begin)) ++end;
        round(begin, end);
    }
}

unsigned rank_of(NodeId node) { return static_cast<unsigned>(node); }

/// Calls packet(row, column) for each packet of a transfer.
template <class Packet>
void for_each_packet(const Transfer& transfer, const Packet& packet) {
    for (const PacketBlock& block : transfer.packets) {
        const Progression rows = block.all_rows();
        const Progression columns = block.columns();
        for (std::uint32_t i = 0; i < rows.count; ++i)
            for (std::uint32_t j = 0; j < columns.count; ++j) packet(rows[i], columns[j]);
    }
}

// ---- copies: every packet has one place at each thread that holds it

/// Where a thread has a packet of an operation that copies, one packet of each node or pair (collective.hpp says how they are numbered).
Place place_of(const Collective& collective, unsigned rank, std::uint32_t row, std::uint32_t column, Draft& draft) {
    const bool is_root = collective.rooted() && rank == collective.root;
    const Operation& operation = collective.operation;
    if (operation == Operation::broadcast) return {Space::taken, column};
    if (operation == Operation::allgather) return rank == column ? Place{Space::given, 0} : Place{Space::taken, column};
    if (operation == Operation::alltoall) {
        if (rank == row) return {Space::given, column};
        if (rank == column) return {Space::taken, row};
    }
    if (operation == Operation::scatter) {
        if (is_root) return {Space::given, column};
        if (rank == column) return {Space::taken, 0};
    }
    if (operation == Operation::gather) {
        if (is_root) return {Space::taken, column};
        if (rank == column) return {Space::given, 0};
    }
    return draft.keep(rank);
}

/// What a thread gives itself is no packet.
void copy_own(const Collective& collective, Draft& draft) {
    for (unsigned rank = 0; rank < draft.ranks(); ++rank) {
        const Operation& operation = collective.operation;
        const bool is_root = rank == collective.root;
        const auto copy = [&](std::uint32_t given, std::uint32_t taken) {
            draft.add(rank, {{}, {{rank, {Space::given, given}}}, {Space::taken, taken}, 0});
        };
        if (operation == Operation::allgather || (operation == Operation::gather && is_root)) copy(0, rank);
        if (operation == Operation::alltoall) copy(rank, rank);
        if (operation == Operation::scatter && is_root) copy(rank, 0);
    }
}

Movements of_copies(const Schedule& schedule, const Collective& collective, Draft draft) {
    struct Held {
        Place place;
        std::uint32_t ended = 0;
    };
    std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, Held>> held(draft.ranks());
    copy_own(collective, draft);
    for_each_round(schedule, [&](std::size_t begin, std::size_t end) {
        std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, Held>> came(draft.ranks());
        for (std::size_t i = begin; i < end; ++i) {
            const Transfer transfer = schedule.transfer(i);
            const unsigned from = rank_of(transfer.from);
            const unsigned to = rank_of(transfer.to);
            for_each_packet(transfer, [&](std::uint32_t row, std::uint32_t column) {
                const std::pair packet(row, column);
                // A sender that has not received it owns it.
                const auto at = held[from].find(packet);
                const Held source =
                    at != held[from].end() ? at->second : Held{place_of(collective, from, row, column, draft), 0};
                const Place place = place_of(collective, to, row, column, draft);
                const std::uint32_t ended =
                    draft.add(to, {{{from, source.ended}}, {{from, source.place}}, place, column});
                came[to][packet] = {place, ended};
            });
        }
        for (unsigned rank = 0; rank < draft.ranks(); ++rank) held[rank].merge(came[rank]);
    });
    return std::move(draft).finished();
}

// ---- folds: a thread has values, its own and those that came, and folds them when it sends them or at the end

struct Value {
    std::uint64_t contributions = 0;  ///< a bit for each thread
    Location at;
    std::uint32_t ended = 0;     ///< what the thread `at` has ended when the value is there
    std::uint32_t brackets = 0;  ///< equal for values that were folded alike, so that they have the same bits
};

class Folds {
  public:
    Folds(const Collective& collective, Draft draft)
        : collective_(collective), draft_(std::move(draft)),
          segments_(static_cast<std::uint32_t>(collective.segments(draft_.ranks()))) {
        const unsigned ranks = draft_.ranks();
        all_ = ~std::uint64_t{0} >> (64 - ranks);
        values_.resize(std::size_t{ranks} * segments_);
        for (unsigned rank = 0; rank < ranks; ++rank)
            for (std::uint32_t segment = 0; segment < segments_; ++segment)
                values_of(rank, segment)
                    .push_back({std::uint64_t{1} << rank, {rank, {Space::given, segment}}, 0, rank});
    }

    [[nodiscard]] std::optional<Movements> movements(const Schedule& schedule) && {
        bool follows = true;
        for_each_round(schedule, [&](std::size_t begin, std::size_t end) {
            struct Came {
                unsigned to;
                std::uint32_t segment;
                Value value;
            };
            std::vector<Came> came;
            for (std::size_t i = begin; i < end && follows; ++i) {
                const Transfer transfer = schedule.transfer(i);
                const unsigned to = rank_of(transfer.to);
                for (const auto& [segment, contributions] : sent(transfer)) {
                    const std::optional<Value> value = made(rank_of(transfer.from), segment, contributions);
                    follows = value.has_value();
                    if (!follows) return;
                    came.push_back({to, segment, *value});
                    if (value->at.place.space == Space::given) ++seen_[{value->at.rank, segment}];
                }
            }
            for (Came& one : came) receive(one.to, one.segment, one.value);
        });
        if (!follows || !end_with_results()) return std::nullopt;
        return std::move(draft_).finished();
    }

  private:
    [[nodiscard]] std::vector<Value>& values_of(unsigned rank, std::uint32_t segment) {
        return values_[std::size_t{rank} * segments_ + segment];
    }

    /// The contributions of a message, by segment. A result has those of all.
    [[nodiscard]] std::map<std::uint32_t, std::uint64_t> sent(const Transfer& transfer) const {
        std::map<std::uint32_t, std::uint64_t> by_segment;
        for_each_packet(transfer, [&](std::uint32_t row, std::uint32_t column) {
            by_segment[row] |= column < draft_.ranks() ? std::uint64_t{1} << column : all_;
        });
        return by_segment;
    }

    /// A result replaces what a thread has.
    void receive(unsigned rank, std::uint32_t segment, const Value& value) {
        std::vector<Value>& own = values_of(rank, segment);
        std::erase_if(own, [&](const Value& one) {
            const bool is_replaced = (one.contributions & ~value.contributions) == 0;
            if (is_replaced) leave(rank, segment, one);
            return is_replaced;
        });
        own.push_back(value);
    }

    /// A thread will not look at a value again.
    void leave(unsigned rank, std::uint32_t segment, const Value& value) {
        if (value.at.rank != rank && value.at.place.space == Space::given) --seen_[{value.at.rank, segment}];
    }

    /// Returns the value of these contributions, in memory of the thread, folded where it was not; nothing if it cannot be made of what the
    /// thread has.
    [[nodiscard]] std::optional<Value> made(unsigned rank, std::uint32_t segment, std::uint64_t contributions) {
        std::vector<Value>& own = values_of(rank, segment);
        std::vector<Value> parts;
        std::uint64_t found = 0;
        for (const Value& value : own)
            if ((value.contributions & ~contributions) == 0) {
                parts.push_back(value);
                found |= value.contributions;
            }
        int bits = 0;
        for (const Value& part : parts) bits += std::popcount(part.contributions);
        if (found != contributions || bits != std::popcount(contributions)) return std::nullopt;
        if (parts.size() == 1 && parts.front().at.rank == rank) return parts.front();

        if (const std::optional<Value> pushed = written_by_maker(rank, segment, parts)) return pushed;

        // In the order of the threads, so that all fold alike.
        std::ranges::sort(parts, {}, [](const Value& part) { return std::countr_zero(part.contributions); });
        std::vector<Need> needs;
        std::vector<Location> from;
        for (const Value& part : parts) {
            needs.push_back({part.at.rank, part.ended});
            from.push_back(part.at);
        }
        for (const Value& part : parts) leave(rank, segment, part);
        const std::optional<Place> result = contributions == all_ ? place_of_result(rank, segment) : std::nullopt;
        const bool is_free = result && (!is_in_place() || seen_[{rank, segment}] == 0);
        if (is_free && is_in_place())
            std::ranges::copy(draft_.readers_of(rank, result_as_given(segment)), std::back_inserter(needs));
        const Place to = is_free ? *result : draft_.keep(rank);
        const std::uint32_t ended = draft_.add(rank, {std::move(needs), std::move(from), to, segment});
        return replace(own, {contributions, {rank, to}, ended, brackets_of(parts)});
    }

    /// Has a result in place written by the thread that folded it, if that can be. Then its own thread only waits for it.
    [[nodiscard]] std::optional<Value> written_by_maker(unsigned rank, std::uint32_t segment,
                                                        const std::vector<Value>& parts) {
        const Value& value = parts.front();
        if (!is_in_place() || parts.size() != 1 || value.contributions != all_ || value.ended == 0 ||
            seen_[{rank, segment}] != 0)
            return std::nullopt;
        const Place result = *place_of_result(rank, segment);
        if (!draft_.write_also(value.at, value.ended, {rank, result}, result_as_given(segment))) return std::nullopt;
        const std::uint32_t ended = draft_.add(rank, {.needs = {{value.at.rank, value.ended}}});
        return replace(values_of(rank, segment), {value.contributions, {rank, result}, ended, value.brackets});
    }

    /// A value that was folded or copied takes the place of its parts.
    static const Value& replace(std::vector<Value>& own, const Value& made) {
        std::erase_if(own, [&](const Value& value) { return (value.contributions & ~made.contributions) == 0; });
        return own.emplace_back(made);
    }

    [[nodiscard]] std::uint32_t brackets_of(const std::vector<Value>& parts) {
        if (parts.size() == 1) return parts.front().brackets;
        std::vector<std::uint32_t> folded;
        for (const Value& part : parts) folded.push_back(part.brackets);
        const auto next = static_cast<std::uint32_t>(draft_.ranks() + brackets_.size());
        return brackets_.try_emplace(std::move(folded), next).first->second;
    }

    /// First all fold, then those copy who could not write their results while others read.
    [[nodiscard]] bool end_with_results() {
        std::vector<std::pair<unsigned, std::uint32_t>> copied;
        for (unsigned rank = 0; rank < draft_.ranks(); ++rank)
            for (std::uint32_t segment = 0; segment < segments_; ++segment) {
                const std::optional<Place> result = place_of_result(rank, segment);
                if (!result) continue;
                const std::optional<Value> value = made(rank, segment, all_);
                if (!value || (rank > 0 && is_in_place() && value->brackets != values_of(0, segment).back().brackets))
                    return false;
                if (value->at.place != *result && !(is_in_place() && value->at.place == result_as_given(segment)))
                    copied.emplace_back(rank, segment);
            }
        for (const auto& [rank, segment] : copied) {
            std::vector<Need> needs;
            if (is_in_place()) needs = draft_.readers_of(rank, result_as_given(segment));
            draft_.add(
                rank,
                {std::move(needs), {values_of(rank, segment).back().at}, *place_of_result(rank, segment), segment});
        }
        return true;
    }

    [[nodiscard]] bool is_in_place() const { return collective_.operation == Operation::allreduce; }
    [[nodiscard]] static Place result_as_given(std::uint32_t segment) { return {Space::given, segment}; }
    [[nodiscard]] std::optional<Place> place_of_result(unsigned rank, std::uint32_t segment) const {
        if (collective_.operation == Operation::reduce_scatter)
            return segment == rank ? std::optional(Place{Space::taken, 0}) : std::nullopt;
        return collective_.gives_result(rank) ? std::optional(Place{Space::taken, segment}) : std::nullopt;
    }

    const Collective& collective_;
    Draft draft_;
    std::uint32_t segments_;
    std::uint64_t all_ = 0;
    std::vector<std::vector<Value>> values_;
    /// How many threads have a value that is a thread's own contribution to a segment, and may read it still.
    std::map<std::pair<unsigned, std::uint32_t>, std::uint64_t> seen_;
    std::map<std::vector<std::uint32_t>, std::uint32_t>
        brackets_;  ///< of values that were folded, by those of what was folded
};

// ---- signals: a thread that has sent one has got those of the rounds before

Movements of_signals(const Schedule& schedule, Draft draft) {
    std::vector<std::vector<Need>> got(draft.ranks());
    const auto wait = [&](unsigned rank) {
        return got[rank].empty() ? draft.ended(rank) : draft.add(rank, {.needs = std::exchange(got[rank], {})});
    };
    for_each_round(schedule, [&](std::size_t begin, std::size_t end) {
        std::vector<std::pair<unsigned, Need>> came;
        for (std::size_t i = begin; i < end; ++i) {
            const unsigned from = rank_of(schedule.transfer(i).from);
            came.emplace_back(rank_of(schedule.transfer(i).to), Need{from, wait(from)});
        }
        for (const auto& [to, need] : came) got[to].push_back(need);
    });
    for (unsigned rank = 0; rank < draft.ranks(); ++rank) wait(rank);
    return std::move(draft).finished();
}

}  // namespace

bool has_vector(const Operation& operation) {
    return operation == Operation::broadcast || operation == Operation::reduce || operation == Operation::allreduce;
}

std::uint32_t Movements::longest() const {
    std::size_t most = 0;
    for (const std::vector<Movement>& own : of) most = std::max(most, own.size());
    return static_cast<std::uint32_t>(most);
}

std::optional<Movements> compiled(const Schedule& schedule, const Collective& collective, unsigned ranks) {
    invariant(ranks >= 1 && ranks <= threads_max, "a group of at most 64 threads");
    std::optional<Movements> movements;
    if (collective.signals())
        movements = of_signals(schedule, Draft(ranks));
    else if (collective.folds())
        movements = Folds(collective, Draft(ranks)).movements(schedule);
    else
        movements = of_copies(schedule, collective, Draft(ranks));
    if (!movements) return std::nullopt;
    movements->pieces = has_vector(collective.operation) ? static_cast<std::uint32_t>(collective.packets_each) : 1;
    movements->rounds = schedule.rounds();
    return movements;
}

}  // namespace kport::shm
