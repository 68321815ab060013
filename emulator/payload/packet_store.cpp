#include "emulator/payload/packet_store.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <ranges>
#include <utility>
#include <vector>

#include "emulator/payload/packets_met.hpp"

#include "emulator/schedule/packet_words.hpp"

namespace kport {

namespace {

/// A search in a list of bodies is long if it takes more comparisons of blocks.
constexpr std::size_t pairs_of_a_list = 64;
/// A message of more blocks costs more to compare with many bodies than an index of them costs.
constexpr std::size_t blocks_of_a_list = 32;
/// Packets passed on here and there split the rest of a body into pieces; a list does not track more pieces than this.
constexpr std::size_t fragments_max = 64;

/// Calls use(line) for the packets of a block in order, in lines as long as possible.
template <class Use>
void for_each_line(const PacketBlock& block, NodeId nodes, const Use& use) {
    if (block.count == 1) {
        use(PacketLine{block.lowest(nodes), block.row_stride * nodes, block.rows});
        return;
    }
    for (std::uint32_t row = 0; row < block.rows; ++row)
        use(PacketLine{block.number(row, 0, nodes), block.stride, block.count});
}

/// A body under construction; released if memory runs out.
class NewBody {
  public:
    NewBody(Body* body, FramePool& pool) : body_(body), pool_(pool) {}
    NewBody(const NewBody&) = delete;
    NewBody& operator=(const NewBody&) = delete;
    ~NewBody() {
        if (body_ != nullptr) body_->release(pool_);
    }
    [[nodiscard]] Body* operator->() const { return body_; }
    [[nodiscard]] Body& operator*() const { return *body_; }
    [[nodiscard]] Body* give() { return std::exchange(body_, nullptr); }

  private:
    Body* body_;
    FramePool& pool_;
};

}  // namespace

PacketStore::PacketStore(const Collective& collective, NodeId nodes, std::uint64_t seed,
                         std::shared_ptr<const Holdings> brought, const NodeShare& share, bool all_in_bodies)
    : collective_(collective), of_pairs_(collective.operation->packets(collective, nodes).rows > 1), nodes_(nodes),
      share_(share), packet_bytes_(seed), brought_(std::move(brought)) {
    if (gives_places(collective) && !(all_in_bodies && is_allgather()))
        places_.emplace(nodes, collective.packets(nodes), collective.packet_bytes, packet_bytes_, share);
    else
        held_ = NodeArray<Held>(nodes, share);
}

void PacketStore::leave_places(FramePool& pool) {
    if (!places_ || !is_allgather()) return;
    const std::optional<PacketPlaces> places = std::exchange(places_, std::nullopt);
    held_ = NodeArray<Held>(nodes_, share_);
    share_.for_each(nodes_, [&](NodeId v) {
        const PacketSet had = places->held(v);
        if (had.empty()) return;
        Body* body = Body::make(had.blocks(), had.size() * collective_.packet_bytes, pool);
        places->copy(v, had.blocks(), body->bytes());
        add(held_[v], body);
    });
}

void PacketStore::fill(std::span<const PacketBlock> packets, std::byte* at, NodeId v) const {
    const std::uint64_t bytes = collective_.packet_bytes;
    if (brought_ != nullptr) {
        const Holdings::OfNode& own = brought_->of_node[v];
        std::fill_n(at, size_of(packets) * bytes, std::byte{0});  // missing packets are found at the end
        copy_blocks(packets, at, own.packets.blocks(), own.bytes.data(), bytes);
        return;
    }
    for (const PacketBlock& block : packets)
        for_each_line(block, nodes_, [&](const PacketLine& line) {
            packet_bytes_.fill_all(at, bytes, line);
            at += line.count * bytes;
        });
}

void PacketStore::seed(NodeId v, FramePool& pool) {
    const PacketSet own = collective_.owned(v, nodes_);
    if (own.empty()) return;
    Body* body = Body::make(own.blocks(), own.size() * collective_.packet_bytes, pool);
    fill(body->blocks(), body->bytes(), v);
    add(v, body, pool);
}

std::uint64_t PacketStore::copy_common(Body& into, const Body& from) const {
    return copy_blocks(into.blocks(), into.bytes(), from.blocks(), from.bytes(), collective_.packet_bytes);
}

bool PacketStore::holds(NodeId v, std::span<const PacketBlock> packets) const {
    PacketSet found;
    for_each_body(held_[v], [&](const Body& body) {
        found.add(without(span_of(in_both(packets, body.blocks())), found.blocks()));
    });
    return found.size() == size_of(packets);
}

std::optional<std::uint64_t> PacketStore::copy_from_list(Held& held, Body& message, bool held_once) const {
    const std::uint64_t size = size_of(message.blocks());
    std::uint64_t copied = 0;
    std::size_t pairs = 0;
    const auto is_too_long = [&](const Body* body) {
        const bool was_long = pairs > pairs_of_a_list;
        pairs += body->blocks().size() * message.blocks().size();
        return pairs > pairs_of_a_list && !was_long && body->next != nullptr && held.searched_long();
    };
    const auto are_many = [&](const Body* body) {
        return std::min(body->blocks().size(), message.blocks().size()) > blocks_of_a_list;
    };
    // The latest bodies are searched first: nodes pass on what they have just received.
    for (const Body* body = held.list(); body != nullptr && held_once; body = body->next) {
        if (are_many(body)) return std::nullopt;
        copied += copy_common(message, *body);
        if (copied >= size) return copied;
        if (is_too_long(body)) return std::nullopt;
    }
    std::memset(message.bytes(), 0, message.byte_count());
    for (const Body* body = held.list(); body != nullptr; body = body->next) {
        if (are_many(body)) return std::nullopt;
        copy_common(message, *body);
        if (is_too_long(body)) return std::nullopt;
    }
    return copied;
}

Body* PacketStore::copy_out(NodeId v, std::span<const PacketBlock> packets, FramePool& pool, bool held_once,
                            bool* complete) {
    const std::uint64_t size = size_of(packets);
    // More packets than any memory holds, such as all packets of a large machine; their bytes may overflow 64 bits.
    if (collective_.packet_bytes != 0 && size > (std::uint64_t{1} << 48) / collective_.packet_bytes)
        throw std::bad_alloc();
    NewBody message(Body::make(packets, size * collective_.packet_bytes, pool), pool);
    const auto copy_or_zeros = [&](const auto& copy) {
        const std::uint64_t copied = copy();
        if (copied < size) {
            std::memset(message->bytes(), 0, message->byte_count());
            (void)copy();
        }
        return copied;
    };
    bool knows_each_once = true;  // bodies of a list may share packets
    std::optional<std::uint64_t> copied;
    if (places_) {
        copied = copy_or_zeros([&] { return places_->copy(v, packets, message->bytes()); });
    } else {
        Held& held = held_[v];
        if (held.index() == nullptr) copied = copy_from_list(held, *message, held_once);
        if (!copied) {
            const PacketIndex& index = indexed(held, pool);
            copied = copy_or_zeros([&] { return index.copy_to(*message); });
        }
        knows_each_once = held_once || held.index() != nullptr;
    }
    if (complete != nullptr) *complete = knows_each_once ? *copied >= size : holds(v, packets);
    return message.give();
}

PacketIndex& PacketStore::indexed(Held& held, FramePool& pool) {
    if (PacketIndex* index = held.index()) return *index;
    std::vector<Body*> bodies;  // the latest first
    for (Body* body = held.list(); body != nullptr; body = body->next) bodies.push_back(body);
    try {
        auto index = std::make_unique<PacketIndex>(collective_.packet_bytes);
        for (Body*& body : bodies | std::views::reverse) {  // the first copy received is sent
            if (body->left != nullptr) std::exchange(body, made_anew(*body, pool))->release(pool);
            index->add(body);
        }
        held.set(index.release());
    } catch (...) {  // out of memory: in an index a body's `place` is used where a list uses `next`
        held.set(static_cast<Body*>(nullptr));
        for (Body* body : bodies | std::views::reverse) add(held, body);
        throw;
    }
    return *held.index();
}

bool PacketStore::worth_making_anew(std::uint64_t packets, std::uint64_t left) const {
    // With a packet for each pair of nodes, N * N small packets are held and memory matters most. In other operations
    // copies matter: a scatter's bodies hold a small multiple of N packets in total, and large packets are at few
    // nodes. Small packets take less memory than other data of their nodes, and copying them costs more than it frees.
    constexpr std::uint64_t small = 64;
    constexpr std::uint64_t large = 4096;
    const std::uint64_t parts_left_at_most = of_pairs_ && collective_.packet_bytes < large ? 3 : 1;
    const bool one_small_packet = collective_.packets_each == 1 && collective_.packet_bytes <= small;
    const std::uint64_t of_parts = one_small_packet && !of_pairs_ ? 16 : 4;
    constexpr std::uint64_t bytes_gained_at_least = 512;
    return left * of_parts <= packets * parts_left_at_most &&
           (packets - left) * collective_.packet_bytes >= bytes_gained_at_least;
}

Body* PacketStore::made_anew(const Body& body, FramePool& pool) const {
    Body* anew = Body::make(body.left->blocks(), body.left->size() * collective_.packet_bytes, pool);
    copy_common(*anew, body);
    return anew;
}

PacketSet& PacketStore::left_of(Body& body, FramePool& pool) {
    if (body.left == nullptr) {
        body.left = new (pool.allocate(sizeof(PacketSet))) PacketSet();
        body.left->add(body.blocks());
    }
    return *body.left;
}

Body* PacketStore::pass(NodeId v, std::span<const PacketBlock> packets, FramePool& pool) {
    if (places_) return nullptr;
    Held& held = held_[v];
    Body* const body = held.index() == nullptr ? held.list() : nullptr;
    if (body == nullptr || body->next != nullptr) return nullptr;
    const std::uint64_t size = size_of(packets);
    PacketSet& left = left_of(*body, pool);
    if (left.remove(packets) != size) return nullptr;
    NewBody message(Body::make(packets, size * collective_.packet_bytes, pool), pool);
    copy_common(*message, *body);
    if (left.empty() || worth_making_anew(size_of(body->blocks()), left.size())) {
        held.set(left.empty() ? static_cast<Body*>(nullptr) : made_anew(*body, pool));
        body->release(pool);
    }
    return message.give();
}

void PacketStore::give_away(NodeId v, std::span<const PacketBlock> packets, FramePool& pool) {
    if (places_) {
        if (is_allgather()) places_->remove(v, packets);
        return;
    }
    Held& held = held_[v];
    if (held.index() == nullptr && give_away_from_list(held, packets, pool)) return;
    indexed(held, pool).give_away(packets, pool, [this](std::uint64_t all, std::uint64_t left) {
        return worth_making_anew(all, left);
    });
}

bool PacketStore::give_away_from_list(Held& held, std::span<const PacketBlock> packets, FramePool& pool) {
    std::uint64_t to_find = size_of(packets);
    std::size_t pairs = 0;
    Body* before = nullptr;
    const auto link = [&](Body* body) { before == nullptr ? held.set(body) : void(before->next = body); };
    for (Body *body = held.list(), *following = nullptr; body != nullptr && to_find > 0; body = following) {
        following = body->next;
        const bool was_long = pairs > pairs_of_a_list;
        pairs += body->blocks().size() * packets.size();
        if (pairs > pairs_of_a_list && !was_long && held.searched_long()) return false;
        if (body->left == nullptr) {
            if (common_size(body->blocks(), packets) == 0) {
                before = body;
                continue;
            }
            (void)left_of(*body, pool);
        }
        const bool is_kept = body->left->blocks().size() > fragments_max;  // until the end
        const std::uint64_t gone = is_kept ? common_size(body->blocks(), packets) : body->left->remove(packets);
        to_find -= std::min(to_find, gone);
        const bool is_touched = gone != 0 && !is_kept;
        if (is_touched && body->left->empty()) {
            link(following);
            body->release(pool);
        } else if (is_touched && worth_making_anew(size_of(body->blocks()), body->left->size())) {
            Body* anew = made_anew(*body, pool);
            link(anew);
            anew->next = following;
            body->release(pool);
            before = anew;
            // a body that was passed on from will be again: it moves to the front
        } else if (is_touched && before != nullptr) {
            link(following);
            add(held, body);
        } else {
            before = body;
        }
    }
    return true;
}

PacketStore::Check PacketStore::check(NodeId v, std::span<const PacketBlock> must_hold) const {
    if (places_) return places_->check(v, must_hold);
    const std::uint64_t bytes = collective_.packet_bytes;
    Check check;
    // The common case: the node holds all that it is promised.
    PacketSet all;
    if (must_hold.size() == 1)
        all.add(must_hold.front());
    else if (!must_hold.empty())
        all = collective_.wanted(v, nodes_);
    PacketsMet met(all);
    const auto is_promised = [&](PacketId packet) {
        const PacketBlock one{static_cast<std::uint32_t>(packet % nodes_), 1, 1,
                              static_cast<std::uint32_t>(packet / nodes_)};
        return common_size({&one, 1}, must_hold) != 0;
    };
    const auto note_wrong = [&](const std::byte* at, const PacketLine& line) {
        for (std::uint64_t i = 0; i < line.count; ++i, at += bytes) {
            const PacketId packet = line.first + i * line.step;
            const auto byte = packet_bytes_.first_difference({at, bytes}, packet);
            if (!byte) continue;
            if (!check.first) check.first = {packet, *byte};
            if (is_promised(packet)) ++check.wrong;
        }
    };
    for_each_body(held_[v], [&](const Body& body) {
        const std::byte* at = body.bytes();
        for (const PacketBlock& block : body.blocks()) {
            met.add(block);
            for_each_line(block, nodes_, [&](const PacketLine& line) {
                if (!packet_bytes_.are_right(at, bytes, line)) [[unlikely]]
                    note_wrong(at, line);
                at += line.count * bytes;
            });
        }
    });
    for (const PacketBlock& block : must_hold) met.add_missing(block, check.missing);
    return check;
}

Holdings::OfNode PacketStore::held(NodeId v, std::span<const PacketBlock> packets) const {
    Holdings::OfNode kept;
    kept.packets.add(packets);
    kept.bytes.resize(size_of(packets) * collective_.packet_bytes);
    // A node that never started holds its own packets, too.
    const PacketBlocks own = in_both(packets, collective_.owned(v, nodes_).blocks());
    std::vector<std::byte> own_bytes(size_of(span_of(own)) * collective_.packet_bytes);
    fill(span_of(own), own_bytes.data(), v);
    copy_blocks(kept.packets.blocks(), kept.bytes.data(), span_of(own), own_bytes.data(), collective_.packet_bytes);
    if (places_)
        (void)places_->copy(v, kept.packets.blocks(), kept.bytes.data());
    else
        for_each_body(held_[v], [&](const Body& body) {
            copy_blocks(kept.packets.blocks(), kept.bytes.data(), body.blocks(), body.bytes(),
                        collective_.packet_bytes);
        });
    return kept;
}

void PacketStore::clear(NodeId v, FramePool& pool) {
    if (places_) {
        places_->clear(v);
        return;
    }
    Held& held = held_[v];
    for_each_body(held, [&](Body& body) { body.release(pool); });
    delete held.index();
    held.clear();
}

namespace {

/// Copies `count` packets of `bytes` bytes that are `of_step` apart to places that are `into_step` apart.
template <std::uint64_t bytes>
void copy_line(std::byte* into, std::uint64_t into_step, const std::byte* of, std::uint64_t of_step,
               std::uint64_t count) {
    if (into_step == 1 && of_step == 2) {  // every other one, as on hypercubes: the compiler vectorises it
        for (std::uint64_t i = 0; i < count; ++i) std::memcpy(into + i * bytes, of + 2 * i * bytes, bytes);
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i)
        std::memcpy(into + i * into_step * bytes, of + i * of_step * bytes, bytes);
}

void copy_line(std::byte* into, std::uint64_t into_step, const std::byte* of, std::uint64_t of_step,
               std::uint64_t count, std::uint64_t packet_bytes) {
    if (into_step == 1 && of_step == 1)
        std::memcpy(into, of, count * packet_bytes);
    else if (packet_bytes == 8)
        copy_line<8>(into, into_step, of, of_step, count);
    else if (packet_bytes == 64)
        copy_line<64>(into, into_step, of, of_step, count);
    else
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(into + i * into_step * packet_bytes, of + i * of_step * packet_bytes, packet_bytes);
}

/// Copies packets from their places in one block to their places in another.
void copy_part(std::byte* to, const std::byte* from, const PacketWalk& out, const PacketWalk& in,
               const PacketBlock& part, std::uint64_t packet_bytes) {
    std::byte* into = to + out.begin * packet_bytes;
    const std::byte* of = from + in.begin * packet_bytes;
    if (part.count == 1) {
        copy_line(into, out.row_step, of, in.row_step, part.rows, packet_bytes);
    } else if (out.row_step == part.count * out.column_step && in.row_step == part.count * in.column_step) {
        copy_line(into, out.column_step, of, in.column_step, part.size(),
                  packet_bytes);  // all rows have the same layout
    } else {
        for (std::uint32_t row = 0; row < part.rows; ++row)
            copy_line(into + row * out.row_step * packet_bytes, out.column_step, of + row * in.row_step * packet_bytes,
                      in.column_step, part.count, packet_bytes);
    }
}

/// Copies the intersection of two blocks. Returns the number of packets.
std::uint64_t copy_block(const PacketBlock& wanted, std::byte* to, const PacketBlock& held, const std::byte* from,
                         std::uint64_t bytes) {
    const bool ranges = wanted.is_range() && held.is_range();
    if (ranges && covers(held, wanted)) [[likely]] {  // most sets are ranges, forwarded whole
        std::memcpy(to, from + (wanted.first - held.first) * bytes, wanted.count * bytes);
        return wanted.count;
    }
    const auto part = common(wanted, held);
    if (!part) return 0;
    copy_part(to, from, PacketWalk(wanted, *part), PacketWalk(held, *part), *part, bytes);
    return part->size();
}

}  // namespace

std::uint64_t copy_blocks(std::span<const PacketBlock> into_blocks, std::byte* into,
                          std::span<const PacketBlock> from_blocks, const std::byte* from, std::uint64_t bytes) {
    std::uint64_t copied = 0;
    std::uint64_t to_at = 0;
    for (const PacketBlock& wanted : into_blocks) {
        std::uint64_t from_at = 0;
        for (const PacketBlock& held : from_blocks) {
            copied += copy_block(wanted, into + to_at, held, from + from_at, bytes);
            from_at += held.size() * bytes;
        }
        to_at += wanted.size() * bytes;
    }
    return copied;
}

}  // namespace kport
