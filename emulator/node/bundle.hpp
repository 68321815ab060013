/// @file bundle.hpp   What one message carries, as a program names it: a packet, a set of packets, a value, or contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "emulator/base/types.hpp"
#include "emulator/node/data.hpp"
#include "emulator/node/running.hpp"
#include "emulator/payload/body.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// A handle to a packet: its number. The bytes stay in the memories of the nodes that hold it (payload/packet_places.hpp) and move
/// when a transfer moves them. Not an aggregate on purpose: g++ 12 destroys aggregate temporaries of a co_await
/// statement twice, and node programs pass packets in such statements.
class Packet {
  public:
    Packet() : id_(0) {}
    explicit Packet(PacketId id) : id_(id) {}
    [[nodiscard]] PacketId id() const { return id_; }

    bool operator==(const Packet&) const = default;

  private:
    PacketId id_;
};

/// The partial result that nearly all reductions move: one element of 8 bytes, of contributions that are one progression; or, of
/// one of several segments, that follow one another around the nodes. Trivial, so that millions of them pass through mailboxes
/// without a body each.
struct Element {
    Progression contributions;
    Seal seal = 0;
    std::uint64_t bits = 0;
    std::uint32_t segment = 0;
    std::uint32_t around = 0;  ///< contributions 0 to around - 1 too, behind the last node's

    Element() = default;
    /// Without a seal its use is a breach, as that of a value which was not made in the run.
    Element(const Progression& the_contributions, std::uint64_t the_bits, Seal the_seal = 0)
        : contributions(the_contributions), seal(the_seal), bits(the_bits) {}

    /// If around == 0.
    [[nodiscard]] PacketBlock block() const { return block_of({segment}, contributions); }
    [[nodiscard]] FewBlocks blocks() const { return going_around(segment, contributions, around); }
    [[nodiscard]] std::uint32_t lowest() const { return around == 0 ? contributions.first : 0; }
};

/// A partial result of a reduction: what some contributions were folded to. Made by contribution(), fold() and whole() of a
/// node; never changes, which its seal proves; copies share it. It is a value of its run: what a program keeps beyond that is
/// empty, and a later run refuses it.
///
/// Callers   the program of the node that made or received it.
class Value {
  public:
    Value() = default;
    explicit Value(const Element& element)
        : columns_(element.contributions), seal_(element.seal),
          word_(element.contributions.count != 0 ? element.bits : 0), segment_(element.segment),
          around_(element.around) {}
    /// Takes one reference over. `pool`: any of the run's.
    explicit Value(Body* body, const FramePool& pool = *running.pool)
        : columns_{pool.run(), 1, 0}, word_(reinterpret_cast<std::uint64_t>(body)) {}
    Value(const Value& other)
        : columns_(other.columns_), seal_(other.seal_), word_(other.word_), segment_(other.segment_),
          around_(other.around_) {
        if (Body* shared = body())
            shared->hold();
        else if (!is_element())
            word_ = 0;
    }
    Value(Value&& other) noexcept
        : columns_(other.columns_), seal_(other.seal_), word_(std::exchange(other.word_, 0)), segment_(other.segment_),
          around_(other.around_) {}
    Value& operator=(Value other) noexcept {
        std::swap(columns_, other.columns_);
        std::swap(seal_, other.seal_);
        std::swap(word_, other.word_);
        std::swap(segment_, other.segment_);
        std::swap(around_, other.around_);
        return *this;
    }
    ~Value() {
        if (word_ != 0 && !is_element()) end();  // most that end are elements, or were moved from
    }

    [[nodiscard]] bool is_element() const { return columns_.count != 0; }
    /// Made by the default constructor.
    [[nodiscard]] bool is_none() const { return !is_element() && word_ == 0; }
    /// If is_element().
    [[nodiscard]] Element element() const {
        Element same(columns_, word_, seal_);
        same.segment = segment_;
        same.around = around_;
        return same;
    }
    /// Null if is_element(), and outside the run in which it was made: its memory ends with that.
    [[nodiscard]] Body* body() const {
        if (is_element() || word_ == 0 || running.pool == nullptr || running.pool->run() != columns_.first)
            return nullptr;
        return reinterpret_cast<Body*>(word_);
    }
    /// Whether it was one of a run that is over.
    [[nodiscard]] bool has_outlived_its_run() const { return !is_element() && word_ != 0 && body() == nullptr; }
    /// The elements, one after the other; they live as long as this value. None where a run holds no bytes.
    [[nodiscard]] std::span<const std::byte> bytes() const {
        if (is_element()) return std::as_bytes(std::span(&word_, 1));
        return body() != nullptr ? body()->content() : std::span<const std::byte>();
    }
    /// Element i. Throws std::invalid_argument if there is none, of that size.
    template <SentAsBytes T>
    [[nodiscard]] T as(std::uint64_t i = 0) const {
        if (i >= bytes().size() / sizeof(T)) [[unlikely]]
            refuse_element(i, sizeof(T));
        return from_bytes<T>(bytes().data() + i * sizeof(T));
    }
    /// The contributions.
    [[nodiscard]] PacketSet contributions() const {
        PacketSet all;
        if (is_element())
            all.add(element().blocks().blocks());
        else if (body() != nullptr)
            all.add(body()->blocks());
        return all;
    }

  private:
    void end() const {
        if (Body* shared = body()) shared->release(*running.pool);
    }
    [[noreturn]] void refuse_element(std::uint64_t i, std::size_t bytes) const;

    Progression columns_{0, 1, 0};  ///< of an element; of a body none, from the run's number on
    Seal seal_ = 0;                 ///< of an element
    std::uint64_t word_ = 0;        ///< the element's bits, or the body's address
    std::uint32_t segment_ = 0;     ///< of an element
    std::uint32_t around_ = 0;
};
static_assert(sizeof(Value) == 32);

/// What a send carries. Sets, values and contents are named, not copied: they must live until the await is over.
class Cargo {
  public:
    enum class Kind : std::uint8_t {
        packet,
        packets,  ///< the sender keeps them
        passed,   ///< the sender passes them on and no longer needs them
        value,
        data  ///< contents
    };

    Cargo() = default;
    Cargo(const Packet& packet) : word_(word_of(packet)) {}              // NOLINT: the type says what it is
    Cargo(const PacketSet& packets) : Cargo(&packets, Kind::packets) {}  // NOLINT
    Cargo(const Value& value) : Cargo(&value, Kind::value) {}            // NOLINT
    Cargo(const Data& data) : Cargo(&data, Kind::data) {}                // NOLINT
    [[nodiscard]] static Cargo passed(const PacketSet& packets) { return {&packets, Kind::passed}; }
    static Cargo passed(const PacketSet&&) = delete;

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(word_ >> kind_shift); }
    [[nodiscard]] Packet packet() const { return Packet(word_); }
    [[nodiscard]] const PacketSet& packets() const { return *static_cast<const PacketSet*>(pointer()); }
    [[nodiscard]] const Value& value() const { return *static_cast<const Value*>(pointer()); }
    [[nodiscard]] const Data& data() const { return *static_cast<const Data*>(pointer()); }

  private:
    // One word, because a million frames hold one each: numbers of packets and addresses leave the upper bits free.
    static constexpr int kind_shift = 61;
    static constexpr std::uint64_t beyond =
        (std::uint64_t{1} << kind_shift) - 1;  ///< as good as any packet that is not there
    static std::uint64_t word_of(const Packet& packet) { return packet.id() < beyond ? packet.id() : beyond; }
    Cargo(const void* thing, Kind kind)
        : word_(reinterpret_cast<std::uintptr_t>(thing) | static_cast<std::uint64_t>(kind) << kind_shift) {}
    [[nodiscard]] const void* pointer() const {
        return reinterpret_cast<const void*>(word_ & ((std::uint64_t{1} << kind_shift) - 1));
    }

    std::uint64_t word_ = 0;
};

}  // namespace kport
