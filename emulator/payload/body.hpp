/// @file body.hpp   What a message of bundles carries: which packets, and their bytes, in one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "emulator/payload/frame_pool.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// 32 bits that go with a value or a message's contents and follow from them (Sealer, node/seal.hpp).
using Seal = std::uint32_t;

/// A header, the blocks of the packets, then the bytes: those of the packets one after the other, block by block and row
/// by row, or of one value that sums them up (reductions), or a message's contents, or none where sizes are counted alone. The
/// bytes of a large value may stand in another's body.
///
/// Made by the sender's task, which copies the bytes (the hop), and handed over: the receiver keeps the same memory.
///
/// Callers   the task of the node that holds it; references are counted without atomics.
class Body {
  public:
    /// A body with one reference and its bytes not yet written. Throws std::bad_alloc.
    [[nodiscard]] static Body* make(std::span<const PacketBlock> blocks, std::uint64_t bytes, FramePool& pool) {
        void* memory = pool.allocate(size_of(blocks.size(), bytes));
        auto* body = new (memory) Body(static_cast<std::uint32_t>(blocks.size()), bytes);
        std::uninitialized_copy(blocks.begin(), blocks.end(), body->first_block());
        return body;
    }
    /// A body of bytes that stand in another one, of which it holds a reference: a change of one is a change of both.
    [[nodiscard]] static Body* sharing(Body& other, std::span<const PacketBlock> blocks, std::uint64_t first_byte,
                                       std::uint64_t bytes, FramePool& pool) {
        void* memory = pool.allocate(size_of(blocks.size(), sizeof(Shared)));
        auto* body = new (memory) Body(static_cast<std::uint32_t>(blocks.size()), bytes);
        std::uninitialized_copy(blocks.begin(), blocks.end(), body->first_block());
        Body& owner = other.shares_ ? *other.shared().owner : other;
        owner.hold();
        new (body->behind_blocks()) Shared{&owner, other.bytes() + first_byte};
        body->shares_ = 1;
        return body;
    }
    [[nodiscard]] static Body* copy(const Body& other, FramePool& pool) {
        Body* body = make(other.blocks(), other.byte_count(), pool);
        std::memcpy(body->bytes(), other.bytes(), other.byte_count());
        body->seal = other.seal;
        return body;
    }

    /// Fetches the header, the blocks and the first bytes of a body of a block or two: a hint. Of no body nothing.
    [[gnu::always_inline]] static void prefetch(const Body* body) {
        if (body == nullptr) return;
        constexpr std::ptrdiff_t cache_line = 64;
        __builtin_prefetch(body);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(body) + cache_line);
    }

    /// Notes which contributions of a new value were folded twice. Throws std::bad_alloc.
    void set_twice(PacketSet contributions, FramePool& pool) {
        if (contributions.empty()) return;
        twice = new (pool.allocate(sizeof(PacketSet))) PacketSet(std::move(contributions));
    }

    void hold() { ++references_; }
    /// Gives a reference back; the last one ends the body.
    void release(FramePool& pool) {
        if (--references_ == 0) {
            if (left != nullptr) {
                left->~PacketSet();
                pool.deallocate(left, sizeof(PacketSet));
            }
            if (shares_) shared().owner->release(pool);
            pool.deallocate(this, size_of(block_count_, shares_ ? sizeof(Shared) : bytes_));
        }
    }

    [[nodiscard]] std::span<const PacketBlock> blocks() const { return {first_block(), block_count_}; }
    [[nodiscard]] std::uint64_t byte_count() const { return bytes_; }
    [[nodiscard]] std::byte* bytes() { return shares_ ? shared().bytes : behind_blocks(); }
    [[nodiscard]] const std::byte* bytes() const { return const_cast<Body*>(this)->bytes(); }
    [[nodiscard]] std::span<const std::byte> content() const { return {bytes(), bytes_}; }

    union {
        Body* next = nullptr;  ///< for PacketStore, which keeps the bodies of a node in a list
        std::uint64_t place;   ///< for PacketIndex
        Seal seal;             ///< of a value, of contents
    };
    /// A set in memory of the pool, which ends with the body; or null.
    union {
        PacketSet* left = nullptr;  ///< for PacketStore: what has not been passed on; null: all
        PacketSet* twice;           ///< of a value: contributions that were folded twice or more often; null: none
    };

  private:
    /// Behind the blocks of a body whose bytes stand elsewhere.
    struct Shared {
        Body* owner;  ///< shares nobody's
        std::byte* bytes;
    };

    Body(std::uint32_t blocks, std::uint64_t bytes) : block_count_(blocks & blocks_max), shares_(0), bytes_(bytes) {}

    static std::size_t size_of(std::uint64_t blocks, std::uint64_t bytes) {
        return sizeof(Body) + blocks * sizeof(PacketBlock) + bytes;
    }
    [[nodiscard]] PacketBlock* first_block() { return reinterpret_cast<PacketBlock*>(this + 1); }
    [[nodiscard]] const PacketBlock* first_block() const { return reinterpret_cast<const PacketBlock*>(this + 1); }

    [[nodiscard]] std::byte* behind_blocks() { return reinterpret_cast<std::byte*>(first_block() + block_count_); }
    [[nodiscard]] const Shared& shared() { return *reinterpret_cast<const Shared*>(behind_blocks()); }

    static constexpr std::uint32_t blocks_max = (std::uint32_t{1} << 31) - 1;  // more take 64 GiB
    std::uint32_t references_ = 1;
    std::uint32_t block_count_ : 31;
    std::uint32_t shares_ : 1;
    std::uint64_t bytes_;
};
static_assert(sizeof(Body) % alignof(std::uint64_t) == 0 && sizeof(PacketBlock) % alignof(std::uint64_t) == 0);

}  // namespace kport
