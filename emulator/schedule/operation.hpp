/// @file operation.hpp   Operations: the table of them, and the record of each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/schedule/counts.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

struct Collective;
class Topology;

/// What the messages of an operation carry, which decides how their bytes are stored.
enum class Carries : std::uint8_t {
    copies,   ///< packets that every node gets
    packets,  ///< sets of packets
    values,   ///< contributions that are combined into one value on their way
    signals,  ///< no bytes: which nodes have entered, as far as the sender knows
    contents  ///< whatever programs say (Data): nothing is promised
};

/// Whether one node has a part of its own: it gives every other node something, or takes something from every other.
enum class Rooted : std::uint8_t { no, gives, takes };

/// Whether node v wants the fold of the contributions of nodes 0 to v, or of those before it: then node 0 has no result.
enum class Prefix : std::uint8_t { no, with_own, before_own };

/// The number of packets, as rows and columns (PacketBlock).
struct PacketCounts {
    std::uint64_t rows = 1;
    std::uint64_t columns = 1;
};

/// Another name of an operation, and what must be said with it: `sendrecv` wants a permutation.
struct OtherName {
    std::string_view name = {};
    std::string_view wants = {};  ///< an option and a value that it may have; empty: none
};

/// Defines one kind of collective, on any machine, for any root and size of packets. A new one is one file and its line
/// in CMakeLists.txt: operations/NAME.cpp defines operations_in_NAME(), which returns an Operation of its record.
struct OperationRecord {
    std::string_view name = {};            ///< on the command line and in reports
    std::string_view alias = {};           ///< the course's abbreviation; empty where it has none
    std::array<OtherName, 4> others = {};  ///< other names that users know; empty ones behind them
    std::string_view promise = {};         ///< in one line
    /// What a node holds once it is served ("the packet"); where the root takes, what it takes of each node
    /// ("contribution"); for signals, what it knows ("that all have entered").
    std::string_view noun = {};
    Carries carries = Carries::packets;
    Rooted rooted = Rooted::no;
    Prefix prefix = Prefix::no;
    CountedFor counted_for = CountedFor::nothing;  ///< which numbers of packets may differ (Collective::counts)
    PacketCounts (*packets)(const Collective&, NodeId nodes) = nullptr;
    PacketSet (*owned)(const Collective&, NodeId v, NodeId nodes) = nullptr;   ///< what v has at the start
    PacketSet (*wanted)(const Collective&, NodeId v, NodeId nodes) = nullptr;  ///< what it must have at the end
    /// Looks up what the operation needs to know of the graph (fitted()); null: nothing. Throws RequestError where the graph has no
    /// such operation.
    void (*fit)(Collective&, const Topology&) = nullptr;
    bool user_defined = false;  ///< what is promised, the collective knows (Collective::own())
};

/// An operation: a row of the table, or a user-defined record (Collective::custom()). Copies share it.
class Operation {
  public:
    static const Operation broadcast;
    static const Operation scatter;
    static const Operation gather;
    static const Operation reduce;
    static const Operation allreduce;
    static const Operation scan;
    static const Operation exscan;
    static const Operation allgather;
    static const Operation alltoall;
    static const Operation reduce_scatter;
    static const Operation barrier;
    static const Operation permutation;
    static const Operation neighbor_allgather;
    static const Operation neighbor_alltoall;
    static const Operation promise;  ///< equal to all that are user-defined, for algorithms that serve them
    static const Operation none;     ///< promises nothing: only the machine's rules are judged (Collective::none())

    /// `record` must have static lifetime.
    constexpr explicit Operation(const OperationRecord& record) : record_(&record) {}

    [[nodiscard]] const OperationRecord* operator->() const { return record_; }
    [[nodiscard]] bool folds() const { return record_->carries == Carries::values; }
    [[nodiscard]] bool rooted() const { return record_->rooted != Rooted::no; }
    /// Whether everything goes to the root.
    [[nodiscard]] bool inwards() const { return record_->rooted == Rooted::takes; }
    [[nodiscard]] bool promises() const { return record_->carries != Carries::contents; }
    /// Whether its messages are signals, which have no bytes, and to which NODUP and NOHO do not apply.
    [[nodiscard]] bool signals() const { return record_->carries == Carries::signals; }
    /// Whether it is user-defined and no row of the table.
    [[nodiscard]] bool is_own() const { return record_->user_defined; }

    friend bool operator==(const Operation& a, const Operation& b) {
        return a.record_ == b.record_ || (a.is_own() && b.is_own());
    }

  private:
    friend struct Collective;
    explicit Operation(std::shared_ptr<const OperationRecord> own) : record_(own.get()), own_(std::move(own)) {}

    const OperationRecord* record_;
    std::shared_ptr<const OperationRecord> own_ = nullptr;  ///< set for user-defined operations only
};

/// Returns the operations that promise something: the eight of the textbook in the order of Operation's names, then
/// others.
[[nodiscard]] const std::vector<Operation>& operations();
[[nodiscard]] inline std::string_view name(const Operation& operation) { return operation->name; }
/// Returns the operation of that name, as operation_named(); nothing if none is meant.
[[nodiscard]] std::optional<Operation> operation_meant(std::string_view word);
/// Returns the operation of that name, in any case, with or without hyphens and underscores ("all_reduce"). Throws
/// RequestError with the nearest valid name.
[[nodiscard]] Operation operation_named(std::string_view word);

/// Which rules of an operation are law, which are counted, and which are not checked.
enum class Force : std::uint8_t {
    law,      ///< a run that breaks the rule fails
    counted,  ///< the report says how often the rule was violated, and which node was the first
    off
};

/// The rules of an operation. Those of the machine (ports, channels, links, holding, delivery, rounds, transfers) are
/// always law.
struct Rules {
    Force nodup = Force::law;
    Force noho = Force::law;
    /// Of a reduction: whether all holders of a result must hold the same bits whatever the values; off: it is not looked at.
    Force agree = Force::counted;

    /// Whether the rules of transfers are law.
    [[nodiscard]] bool all_law() const { return nodup == Force::law && noho == Force::law; }
    bool operator==(const Rules&) const = default;
};

/// Parses "nodup=count,noho=off,agree=law". Throws RequestError that says what would be right.
[[nodiscard]] Rules rules_named(std::string_view text);
/// Returns the text that rules_named() parses, of the rules that are not as by default; empty if all are.
[[nodiscard]] std::string text(const Rules& rules);

}  // namespace kport
