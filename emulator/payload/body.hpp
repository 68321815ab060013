/// @file body.hpp   What a bundle carries: packet blocks and their bytes, in one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "emulator/payload/slabs.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// A 32-bit checksum of a value or of a message's contents (Sealer, node/seal.hpp).
using Seal = std::uint32_t;

/// A header, the blocks of the packets, then the bytes: of the packets one after the other, block by block and row by
/// row; or of one value that sums them up (reductions); or a message's contents; or none where only sizes are counted.
/// The bytes of a large value may be stored in another body.
///
/// Made by the sender's task, which copies the bytes (the hop); the receiver keeps that memory.
///
/// Callers   the task of the node that holds it; references are counted without atomics.
class Body {
  public:
    /// Returns a body with one reference and uninitialised bytes. Throws std::bad_alloc.
    [[nodiscard]] static Body* make(std::span<const PacketBlock> blocks, std::uint64_t bytes, FramePool& pool) {
        void* memory = pool.allocate(size_of(blocks.size(), bytes));
        auto* body = new (memory) Body(static_cast<std::uint32_t>(blocks.size()), bytes);
        std::uninitialized_copy(blocks.begin(), blocks.end(), body->first_block());
        return body;
    }
    /// Returns a body that shares the bytes of another one, and holds a reference to it. Changes are visible in both.
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

    /// Prefetches the header, the blocks and the first bytes of a body of up to two blocks. Does nothing for null.
    [[gnu::always_inline]] static void prefetch(const Body* body) {
        if (body == nullptr) return;
        constexpr std::ptrdiff_t cache_line = 64;
        __builtin_prefetch(body);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(body) + cache_line);
    }

    /// Records which contributions of a new value were combined twice. Throws std::bad_alloc.
    void set_twice(PacketSet contributions, FramePool& pool) {
        if (contributions.empty()) return;
        twice = new (pool.allocate(sizeof(PacketSet))) PacketSet(std::move(contributions));
    }

    void hold() { ++references_; }
    /// Releases a reference; the last one destroys the body.
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
    /// A set in memory of the pool, destroyed with the body; or null.
    union {
        PacketSet* left = nullptr;  ///< for PacketStore: packets not yet passed on; null: all
        PacketSet* twice;           ///< of a value: contributions that were combined more than once; null: none
    };

  private:
    /// Follows the blocks of a body whose bytes are stored elsewhere.
    struct Shared {
        Body* owner;  ///< owns its bytes
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

/// For each node the promised packets that it holds, and their bytes in the order of the blocks, row by row.
struct Holdings {
    struct OfNode {
        PacketSet packets;
        std::vector<std::byte> bytes;  ///< empty where a run moves no bytes
    };
    std::vector<OfNode> of_node;
};

}  // namespace kport
