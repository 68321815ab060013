/// @file catalogue.hpp   Every algorithm by name: its rule, its machine, its constructor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"

namespace KPORT_PUBLIC kport {

/// Which part of an odd split the sender keeps (recursive doubling).
enum class Keep : std::uint8_t { smaller, greater };

/// How the blocks of a scatter come together again.
enum class GatherBy : std::uint8_t { bruck, ring };

/// The options of an algorithm besides its machine.
struct AlgorithmOptions {
    Reduction reduction;                      ///< reduce, allreduce, scan: operator, type, contributions
    std::optional<Keep> keep;                 ///< rda-product; nothing: the operation's own default
    std::vector<unsigned> dimensions;         ///< rda-product: the order of the dimensions; empty: 0, 1, ...
    bool preorder = false;                    ///< scan tree: operands stand in the preorder of the tree, not by number
    std::optional<std::uint64_t> arity = {};  ///< tree: children of a node; nothing: 2
    std::optional<GatherBy> gather = {};      ///< scatter-allgather on the complete graph; nothing: bruck
    std::optional<std::uint64_t> aggregate =
        {};  ///< pat: the most blocks in a message; nothing: as many as there may be
    std::optional<Port> ports_at_most =
        {};  ///< any algorithm runs as on a machine with so few ports; nothing: with all of them
    std::vector<std::vector<NodeId>> groups =
        {};                  ///< hierarchical: disjoint, and all nodes are in one; the first node leads
    std::string intra = {};  ///< hierarchical: the algorithm in groups
    std::string inter = {};  ///< hierarchical: the algorithm among leaders
};

/// The machine with ports_at_most ports, if it has more. A run that keeps the rules of that machine keeps those of
/// `machine`. Throws RequestError for 0 ports.
[[nodiscard]] Machine with_fewer_ports(Machine machine, const AlgorithmOptions& options);

/// Those that are given and that only some algorithms take: "keep", "dimensions", "arity", "gather", "preorder", "aggregate",
/// "groups", "intra", "inter".
[[nodiscard]] std::vector<std::string_view> names_of_given(const AlgorithmOptions& options);

/// The textbook's costs of a run: printed by `explain`, compared by tests, never a substitute for a run.
struct ExpectedCost {
    std::optional<std::uint64_t> rounds;
    std::optional<Hops> work;
    std::optional<Hops> path_sum;
    std::optional<std::uint64_t> volume;  ///< in packets; a partial result counts as one
    std::vector<std::string> derivation;  ///< one step a line, with this machine's numbers
    /// At the machine's prices. Only where some round's longest path and its largest bundle belong to different messages:
    /// elsewhere it is the sum of rounds, path sum and volume, each times its price (model.md section 1).
    std::optional<double> latency = {};
    std::uint64_t silent_rounds = 0;  ///< of the rounds, those in which nothing moves: they cost nothing
    /// On a machine with switches, where only a run can tell the costs: the rounds if messages do not wait for each other.
    std::optional<std::uint64_t> rounds_without_switches = {};
};

/// What it costs to do the same so many times, one after the other.
[[nodiscard]] ExpectedCost times_over(ExpectedCost once, std::uint64_t times);

class Renumbered;  // emulator/topology/renumbered.hpp

/// An algorithm's part of a Job: its node program and the nodes that start by themselves.
struct Start {
    ProgramFactory program;
    std::vector<NodeId> starters = {};
    bool all_start = false;
    /// The machine's graph under the numbers for which the program is written; null: as it is.
    std::shared_ptr<const Renumbered> renumbered = nullptr;
    std::vector<Round> starters_wait_until = {};  ///< as the job's; so is the next
    bool others_receive = false;
};

/// How an algorithm is run (run_algorithm()).
enum class Way : std::uint8_t {
    program,          ///< its node program is the operation
    reversed,         ///< its node program is the operation `forward`; the run is reversed in time
    reduce_broadcast  ///< a broadcast reversed in time, then the same broadcast
};

/// How the messages of an algorithm grow with M, the packets of each (Collective::packets_each).
enum class WithMany : std::uint8_t {
    together,  ///< each carries M times as much, on machines that combine
    in_turn,   ///< the same; without combining the packets go one behind the other, on full duplex machines
    apart,     ///< as in_turn, and on others so far apart that none meets another
    repeated,  ///< each carries M times as much; without combining all is done M times over, with a packet of each
    own        ///< as its rule says: misfit(), make() and expect() know M
};

/// Whether all nodes that hold the result of the same contributions hold the same bits, whatever the values.
enum class Agrees : std::uint8_t { always, no, one_holder };
[[nodiscard]] std::string_view text(Agrees agrees);  ///< "always", "no", "one holder"

/// What a node program makes of a machine on which nodes send and receive different numbers of messages a round.
enum class PortUse : std::uint8_t {
    even,      ///< written for k sends and k receives: runs with the lower of the two limits
    sends,     ///< no node receives two messages in a round: runs with the limit of sends
    receives,  ///< no node sends two messages in a round: runs with the limit of receives
    each       ///< make() and expect() look at both limits (Machine::sends_of(), Machine::receives_of())
};

/// Where a reduction folds the contributions in the order of the nodes, as a non-commutative operator needs.
struct InOrder {
    bool (*holds)(const Machine&, const Collective&, const AlgorithmOptions&) = nullptr;  ///< null: nowhere
    std::string_view where = {};                                                          ///< "to node 0"
};

/// A part of an algorithm: an operation by another algorithm among some nodes, or in groups of them at once. It begins when the one
/// before has ended everywhere.
struct ComposedPhase {
    Operation operation;
    std::string algorithm;
    std::vector<NodeId> members = {};              ///< by rank; empty: it runs in groups
    std::vector<std::vector<NodeId>> groups = {};  ///< each by rank
    NodeId root = 0;                               ///< of the machine; of the group that has it
    std::uint64_t packets_each = 1;
    std::shared_ptr<const Counts> counts = nullptr;  ///< by rank; null: all have as many
    /// Its messages carry what their receivers lack, or in reverse what their senders owe: it promises nothing by itself.
    bool carries_rest = false;
};

/// How large a plan is, at most or as measured with some room. What it takes: plan_bytes_of(); what its run takes: admission.
struct PlanSize {
    double messages = 0;  ///< 0 where it is no schedule
    double blocks = 0;    ///< of packets, of all messages
    double bytes = 0;     ///< besides, while it is made
};

/// One row of the catalogue.
///
/// A new algorithm is one file and its line in CMakeLists.txt: OPERATION/NAME.cpp defines algorithms_in_OPERATION_NAME(), which
/// gives its rows. The command line, its lists, docs/algorithms.md, stress and the tests find them here.
struct Algorithm {
    Operation operation;
    std::string_view name;
    std::string rule;   ///< the algorithm in one sentence
    std::string needs;  ///< the machine, for `list`: "hypercube, SF or WH, any k"
    std::string cost;   ///< by the book, in the letters of docs/algorithms.md: "n rounds on 2^n nodes, path sum n"
    std::string_view source;  ///< book, paper or lemma

    /// Why the algorithm cannot run as asked, as one clause that completes "NAME ..." ("needs all ports"); nothing if it can. It
    /// asks for the machine, the root, the sizes and the options; what holds for the operation misfit_of() adds. Pure and
    /// thread-safe; throws nothing but for memory. O(1), or O(N) where the graph has to be looked at.
    std::optional<std::string> (*misfit)(const Machine&, const Collective&, const AlgorithmOptions&);
    /// Requires !misfit(). Copies what it needs of the arguments; they need not outlive the call.
    Start (*make)(const Machine&, const Collective&, const AlgorithmOptions&);
    /// Requires !misfit(). Cheap where a closed form is known; may build a tree of N nodes otherwise. Where M packets go
    /// together it is asked for one packet of M times the bytes (expected_cost()).
    ExpectedCost (*expect)(const Machine&, const Collective&, const AlgorithmOptions&);
    std::string_view remark = {};  ///< an alternative or a warning for the report
    /// Bytes of memory a node for tables that make() builds; 0 where it computes everything locally.
    std::uint64_t table_bytes_per_node = 0;
    /// The plan that make() computes and the nodes follow (support/planned.hpp); null where there is none.
    PlanSize (*plan)(const Machine&, const Collective&) = nullptr;
    /// The options that it takes, as names_of_given() names them, with spaces between them; reasons are in misfit().
    std::string_view takes = {};
    /// What it keeps of an odd split unless the options say otherwise; nothing where that is no option of it.
    std::optional<Keep> keeps = {};
    /// True if a run without --algorithm may choose it: one that is slow where the rounds of all others leave room.
    bool by_default = true;
    /// Stands in a file of a user's own: it answers for requests that name no option but machine, root and sizes.
    bool is_own = false;
    /// Which rule its runs break on the machine, by design: one clause; nothing where they keep all. Null: they do everywhere.
    std::optional<std::string> (*breaks)(const Machine&) = nullptr;
    /// Why a comparison leaves it out unless it is named: one clause. Empty: it does not.
    std::string_view slow = {};
    WithMany with_many = WithMany::together;
    /// Whether make() and expect() know counts that differ (Collective::counts) on the machine. Else, and if null, the messages of its
    /// rule for equal counts are thinned (adapted.hpp).
    bool (*knows_counts)(const Machine&) = nullptr;
    /// Whether make() and expect() know that some nodes only pass packets on (Collective::members), and leave out subtrees without
    /// members.
    bool knows_relays = false;
    /// What it makes of its machine: no message crosses more than one link; none holds more than one packet, unless M go
    /// together. The bounds of a machine that allows no more hold for its runs.
    bool single_links = false;
    bool single_packets = false;
    /// Whether its messages compete for ports or channels, so that it needs the queue policy and an arbiter.
    bool competes = false;
    /// For broadcasts in which each node gets all packets along one tree, `sends` follows from with_many (port_use_of()).
    PortUse port_use = PortUse::even;
    Way way = Way::program;
    Operation forward = operation;  ///< the operation of the node program; differs if the run is reversed in time
    InOrder in_order = {};          ///< of reductions
    /// Of a program that folds: whether it keeps apart what does not meet (Node::merge()), as those that follow a schedule do.
    bool merges = false;
    /// Of a reduction: whether it needs partial results of consecutive nodes apart, whatever the operator (Collective::in_runs).
    bool in_runs = false;
    /// Of a reduction that needs runs apart: whether it folds nothing before its results (Collective::unfolded).
    bool unfolded = false;
    /// Uses a root that the operation does not have; --source chooses it.
    bool through_root = false;
    /// Of one that runs others one after the other: what they do. Null: it has no phases.
    std::vector<ComposedPhase> (*phases)(const Machine&, const Collective&, const AlgorithmOptions&) = nullptr;
    /// Of an allreduce: whether its brackets agree on the machine (docs/algorithms.md); nothing where no proof is known. Null: always.
    std::optional<Agrees> (*agrees)(const Topology&) = nullptr;

    /// Whether a run without --algorithm may choose it, but looks at all others before, because it searches.
    [[nodiscard]] bool is_last_choice() const { return by_default && !slow.empty(); }
    [[nodiscard]] bool is_first_choice() const { return by_default && slow.empty(); }
};

/// Whether the results of a reduction by the algorithm agree; nothing where it is not known, and where nothing is folded.
[[nodiscard]] std::optional<Agrees> agreement_of(const Algorithm& algorithm, const Topology& topology);

[[nodiscard]] PortUse port_use_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective);
/// The machine that the functions of a row see: with ports_at_most ports; of two limits of ports, what port_use_of() says, for
/// the node program: a run that is reversed in time has them exchanged. A machine with one limit is otherwise as asked.
[[nodiscard]] Machine planning_machine(const Algorithm& algorithm, const Machine& asked, const Collective& collective,
                                       const AlgorithmOptions& options);

/// Why the algorithm cannot run as asked: misfit() of the row, and the conditions of its operation.
[[nodiscard]] std::optional<std::string> misfit_of(const Algorithm& algorithm, const Machine& machine,
                                                   const Collective& collective, const AlgorithmOptions& options);
/// expect() of the row, for M packets of each. Requires !misfit_of().
[[nodiscard]] ExpectedCost expected_cost(const Algorithm& algorithm, const Machine& machine,
                                         const Collective& collective, const AlgorithmOptions& options);
/// Which rule its runs break on the machine, by design: breaks() of the row; nothing where they keep all.
[[nodiscard]] std::optional<std::string> breaks_a_rule(const Algorithm& algorithm, const Machine& machine);
/// Whether each message is to hold a single packet.
[[nodiscard]] bool moves_single_packets(const Algorithm& algorithm, const Machine& machine,
                                        const Collective& collective);

/// Whether its messages may have several partial results, because the operator does not commute and the algorithm does not fold in
/// the order of the nodes. How many they are, and so its volume, only a run tells.
[[nodiscard]] bool has_runs(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                            const AlgorithmOptions& options);

/// The collective by which runs and schedules of the algorithm are judged, followed and moved: in
/// runs (Collective::in_runs) if the algorithm keeps them apart or the operator does not commute.
[[nodiscard]] Collective judged_collective(const Algorithm& algorithm, Collective collective,
                                           const AlgorithmOptions& options);

/// All algorithms: by operation, first those that a run may choose without --algorithm, then in the order of CMakeLists.txt,
/// which decides between equals.
[[nodiscard]] const std::vector<Algorithm>& catalogue();
/// The rows among which those of an operation are: the catalogue; of operations that are user-defined, which have no table, those that
/// serve promises (Operation::promise).
[[nodiscard]] const std::vector<Algorithm>& rows_for(const Operation& operation);

/// Adds a row that stands in no file of the catalogue: it is run, compared and judged as any other. Its name outlives the
/// program. Moves rows: not while anyone holds one.
void add_to_catalogue(const Algorithm& row);

/// Null where the operation has no algorithm of that name.
[[nodiscard]] const Algorithm* find_algorithm(const Operation& operation, std::string_view name);

/// The algorithms of an operation that can run as asked, in catalogue order.
[[nodiscard]] std::vector<const Algorithm*> applicable(const Machine& machine, const Collective& collective,
                                                       const AlgorithmOptions& options);

/// The algorithm of that name. Throws RequestError if the operation has none (suggests the nearest name) or if it cannot
/// run as asked (lists algorithms that can).
[[nodiscard]] const Algorithm& algorithm_named(std::string_view name, const Machine& machine,
                                               const Collective& collective, const AlgorithmOptions& options);

/// The complete job for a run of the algorithm's node program; if the algorithm is reversed in time, of the operation
/// before the reversal. Throws RequestError for a root outside the machine.
[[nodiscard]] Job make_job(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                           const AlgorithmOptions& options);

/// lower_bounds(), extended by the expected cost of the catalogue's algorithms, here and with one port. Values and
/// arguments are unchanged; more is known about whether they can be reached. Never looks at a run. With
/// Collective::in_runs it names algorithms for an operator that does not commute, and no volume where that follows from
/// the runs.
///
/// Any thread. Omits algorithms with tables on more than 2^14 nodes, and all algorithms on more than 2^31.
[[nodiscard]] Bounds reached_bounds(const Machine& machine, const Collective& collective);

}  // namespace kport
