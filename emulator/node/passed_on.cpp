#include "emulator/node/passed_on.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <boost/container/small_vector.hpp>

namespace kport {

/// The notes of one node: a message is its blocks one after the other.
struct PassedOn::Book {
    struct Note {
        PacketBlock block;
        Round round;
        Did did;
        bool begins;  ///< a message
    };
    static_assert(sizeof(Note) == 32);

    boost::container::small_vector<Note, 1> notes;

    [[nodiscard]] bool surely_right() const {
        if (notes.size() < 2) return true;
        if (notes.size() == 2) return !common(notes.front().block, notes.back().block);
        PacketBlocks all;
        all.reserve(notes.size());
        for (const Note& note : notes) all.push_back(note.block);
        return !common_to_two(span_of(all));
    }

    [[nodiscard]] std::vector<Again> all_again(NodeId nodes) const {
        std::vector<Again> found;
        std::vector<Note> gone;  // passed on, and not got back
        for (auto message = notes.begin(); message != notes.end();) {
            const auto end = std::find_if(message + 1, notes.end(), [](const Note& note) { return note.begins; });
            std::optional<Again> again;
            std::vector<Note> still;
            for (const Note& one : gone) {
                PacketBlocks rest{one.block};
                for (auto note = message; note != end; ++note) {
                    const auto both = common(one.block, note->block);
                    if (!both) continue;
                    if (note->did == Did::get_back)
                        rest = without(span_of(rest), {&*both, 1});
                    else if (!again || both->lowest(nodes) < again->packets.lowest(nodes))
                        again = Again{note->round, *both, one.round};
                }
                for (const PacketBlock& block : rest) still.push_back({block, one.round, one.did, true});
            }
            gone.swap(still);
            if (again) found.push_back(*again);
            if (message->did == Did::pass) gone.insert(gone.end(), message, end);
            message = end;
        }
        return found;
    }
};

void PassedOn::note(NodeId v, Round round, Did did, std::span<const PacketBlock> packets, FramePool& pool) {
    Book*& book = books_[v];
    if (book == nullptr) book = new (pool.allocate(sizeof(Book))) Book();
    for (const PacketBlock& block : packets) book->notes.push_back({block, round, did, &block == packets.data()});
}

std::vector<PassedOn::Again> PassedOn::told_of(NodeId v, NodeId nodes, FramePool& pool) {
    std::vector<Again> found;
    if (books_[v] != nullptr && !books_[v]->surely_right()) found = books_[v]->all_again(nodes);
    forget(v, pool);
    return found;
}

void PassedOn::forget(NodeId v, FramePool& pool) {
    Book* book = std::exchange(books_[v], nullptr);
    if (book == nullptr) return;
    std::destroy_at(book);
    pool.deallocate(book, sizeof(Book));
}

}  // namespace kport
