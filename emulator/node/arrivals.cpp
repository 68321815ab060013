#include "emulator/node/arrivals.hpp"

#include <memory>

#include <boost/multi_index/global_fun.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>

namespace kport {

/// Letters by their order, by sender, by port.
class Arrivals::Index {
  public:
    using InOrder = std::tuple<Round, NodeId, Port>;
    using BySender = std::tuple<NodeId, Round, Port>;
    using ByPort = std::tuple<Port, Round, NodeId>;
    static InOrder in_order(const Letter* letter) { return order(*letter); }
    static BySender by_sender(const Letter* letter) {
        return {letter->arrival.from, letter->arrival.round, letter->arrival.port};
    }
    static ByPort by_port(const Letter* letter) {
        return {letter->arrival.port, letter->arrival.round, letter->arrival.from};
    }

    void insert(Letter* letter) { letters_.insert(letter); }
    void erase(const Letter* letter) {
        auto place = letters_.get<0>().lower_bound(in_order(letter));
        while (*place != letter) ++place;
        letters_.get<0>().erase(place);
    }
    [[nodiscard]] bool empty() const { return letters_.empty(); }
    [[nodiscard]] Letter* first() const { return *letters_.get<0>().begin(); }
    template <class Do>
    void for_each(const Do& act) const {
        for (const Letter* letter : letters_.get<0>()) act(letter->arrival);
    }

    /// The first that is waited for; null if there is none.
    [[nodiscard]] Letter* find(const Wait& wait) const {
        switch (wait.waiting) {
            case Waiting::for_message: return first();
            case Waiting::for_message_by: return by(wait.awaited);
            case Waiting::for_message_from: return from(wait.awaited);
            case Waiting::for_message_by_one_of: return first_of(wait.ports(), [this](Port port) { return by(port); });
            case Waiting::for_message_from_one_of:
                return first_of(wait.senders(), [this](NodeId sender) { return from(sender); });
            default: return nullptr;
        }
    }

  private:
    [[nodiscard]] Letter* from(NodeId sender) const {
        const auto place = letters_.get<1>().lower_bound(BySender{sender, 0, 0});
        return place != letters_.get<1>().end() && (*place)->arrival.from == sender ? *place : nullptr;
    }
    [[nodiscard]] Letter* by(Port port) const {
        const auto place = letters_.get<2>().lower_bound(ByPort{port, 0, 0});
        return place != letters_.get<2>().end() && (*place)->arrival.port == port ? *place : nullptr;
    }
    template <class Choice, class Find>
    [[nodiscard]] static Letter* first_of(const Choice& choice, const Find& find) {
        Letter* first = nullptr;
        for (const auto& one : choice)
            if (Letter* found = find(one); found != nullptr && (first == nullptr || is_before(*found, *first)))
                first = found;
        return first;
    }
    template <class Key, Key (*key)(const Letter*)>
    using Ordered = boost::multi_index::ordered_non_unique<boost::multi_index::global_fun<const Letter*, Key, key>>;

    boost::multi_index_container<Letter*,
                                 boost::multi_index::indexed_by<Ordered<InOrder, in_order>,
                                                                Ordered<BySender, by_sender>, Ordered<ByPort, by_port>>>
        letters_;
};

// ---------------------------------------------------------------------------------------------------------------- ring

template <class Wanted>
Arrivals::Letter* Arrivals::walk(Wanted wanted) {
    Letter* before = last();
    for (int walked = 0; walked < walk_most; ++walked) {
        if (wanted(*before->next)) return before;
        before = before->next;
        if (before == last()) return nullptr;
    }
    make_index();
    return nullptr;
}

void Arrivals::insert_between(Letter* letter) {
    if (is_ring()) {
        Letter* const before = walk([&](const Letter& other) { return is_before(*letter, other); });
        if (before != nullptr) letter->next = std::exchange(before->next, letter);
    }
    if (!is_ring()) index().insert(letter);
}

bool Arrivals::has_later(const Wait& wait) {
    if (is_ring() && walk([&](const Letter& letter) { return brings(letter, wait); }) != nullptr) return true;
    return !is_ring() && index().find(wait) != nullptr;
}

Arrivals::Letter* Arrivals::take_later(const Wait& wait) {
    if (is_ring()) {
        Letter* const before = walk([&](const Letter& letter) { return brings(letter, wait); });
        if (before != nullptr) return take_behind(before);
    }
    return take_of_index(index().find(wait));
}

Arrivals::Letter* Arrivals::take_first() {
    if (empty()) return nullptr;
    return is_ring() ? take_behind(last()) : take_of_index(index().first());
}

void Arrivals::for_each(const std::function<void(const Arrival&)>& act) const {
    if (empty()) return;
    if (!is_ring()) {
        index().for_each(act);
        return;
    }
    const Letter* letter = last();
    do {
        letter = letter->next;
        act(letter->arrival);
    } while (letter != last());
}

// --------------------------------------------------------------------------------------------------------------- index

const Arrivals::Letter& Arrivals::first_in_index() const { return *index().first(); }

void Arrivals::make_index() {
    auto made = std::make_unique<Index>();
    for (Letter* letter = last()->next;; letter = letter->next) {
        made->insert(letter);
        if (letter == last()) break;
    }
    word_ = reinterpret_cast<std::uintptr_t>(made.release()) | index_bit;
}

Arrivals::Letter* Arrivals::take_of_index(Letter* letter) {
    index().erase(letter);
    if (index().empty()) {
        delete &index();
        set_last(nullptr);
    }
    return letter;
}

}  // namespace kport
