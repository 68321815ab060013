#include "emulator/payload/passed_on.hpp"

#include <algorithm>
#include <optional>

namespace kport {

/// A block of a message; the notes of a node are a list from the last to the first.
struct PassedOn::Note {
    PacketBlock block;
    Round round;
    Did did;
    bool begins;  ///< it is the message's first block
    Note* before;
};

namespace {

/// Whether no packet is in two of the notes.
template <class Note>
bool lie_apart(const Note* last) {
    if (last == nullptr || last->before == nullptr) return true;
    if (last->before->before == nullptr) return !common(last->block, last->before->block);
    PacketBlocks all;
    for (const Note* note = last; note != nullptr; note = note->before) all.push_back(note->block);
    return !common_to_two(span_of(all));
}

}  // namespace

std::vector<PassedOn::Again> PassedOn::all_again(const Note* last, NodeId nodes) {
    std::vector<Note> notes;
    for (const Note* note = last; note != nullptr; note = note->before) notes.push_back(*note);
    std::ranges::reverse(notes);
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
            for (const PacketBlock& block : rest) {
                still.push_back(one);
                still.back().block = block;
            }
        }
        gone.swap(still);
        if (again) found.push_back(*again);
        if (message->did == Did::pass) gone.insert(gone.end(), message, end);
        message = end;
    }
    return found;
}

void PassedOn::note(NodeId v, Round round, Did did, std::span<const PacketBlock> packets, FramePool& pool) {
    for (const PacketBlock& block : packets)
        last_[v] = new (pool.allocate(sizeof(Note))) Note{block, round, did, &block == packets.data(), last_[v]};
}

std::vector<PassedOn::Again> PassedOn::told_of(NodeId v, NodeId nodes, FramePool& pool) {
    std::vector<Again> found;
    if (!lie_apart(last_[v])) found = all_again(last_[v], nodes);
    forget(v, pool);
    return found;
}

void PassedOn::forget(NodeId v, FramePool& pool) {
    while (Note* note = last_[v]) {
        last_[v] = note->before;
        pool.deallocate(note, sizeof(Note));
    }
}

}  // namespace kport
