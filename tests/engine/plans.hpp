/// @file plans.hpp   Plans of every kind that lockstep runs without coroutines: made of functions, and drawn. Many drawn ones lie: ports,
///                   packets and rounds that are not there, no end, two answers to one question.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/timetable.hpp"
#include "tests/engine/drawn_timetable.hpp"
#include "tests/support/traces.hpp"

namespace kport::test {

// ------------------------------------------------------------------------------------------------------- made of functions

/// Which port comes after another one, of a node; no_port: the first, or none.
using PortAfter = std::function<Port(NodeId v, Port before)>;

class MadeForwarding final : public Forwarding {
  public:
    MadeForwarding(const Collective& collective, PortAfter first, PortAfter next)
        : Forwarding(collective), first_(std::move(first)), next_(std::move(next)) {}
    [[nodiscard]] Port first(NodeId v, Port in) const override { return first_(v, in); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return next_(v, last); }

  private:
    PortAfter first_;
    PortAfter next_;
};

using PartOfNode = std::function<PacketSet(NodeId v, Port out)>;

class MadeSplitting final : public Splitting {
  public:
    MadeSplitting(const Collective& collective, PortAfter first, PortAfter next, PartOfNode part)
        : Splitting(collective), first_(std::move(first)), next_(std::move(next)), part_(std::move(part)) {}
    [[nodiscard]] Port first(NodeId v, Port in) const override { return first_(v, in); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return next_(v, last); }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override { return part_(v, out); }

  private:
    PortAfter first_;
    PortAfter next_;
    PartOfNode part_;
};

class MadeTimetable final : public Timetable {
  public:
    using LineOf = std::function<TimetableLine(NodeId v, Round round)>;
    using NextOf = std::function<Round(NodeId v, Round round)>;
    MadeTimetable(
        Round last, LineOf line, NextOf next = [](NodeId, Round round) { return round; })
        : last_(last), line_(std::move(line)), next_(std::move(next)) {}
    [[nodiscard]] Round first(NodeId) const override { return 1; }
    [[nodiscard]] Round last(NodeId) const override { return last_; }
    [[nodiscard]] Round next(NodeId v, Round round) const override { return next_(v, round); }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override { return line_(v, round); }

  private:
    Round last_;
    LineOf line_;
    NextOf next_;
};

using PortsOfStep = std::function<ValueExchange::Ports(unsigned step)>;

class MadeExchange final : public ValueExchange {
  public:
    MadeExchange(unsigned steps, PortsOfStep ports) : steps_(steps), ports_(std::move(ports)) {}
    [[nodiscard]] unsigned steps() const override { return steps_; }
    [[nodiscard]] Ports ports(unsigned step) const override { return ports_(step); }

  private:
    unsigned steps_;
    PortsOfStep ports_;
};

/// Around a ring as the catalogue's.
struct RelayText {
    unsigned folding_steps;
    unsigned steps;
    PortsOfStep ports;
    std::function<std::uint32_t(NodeId v)> first;

    static RelayText lawful(NodeId nodes) {
        const auto folding = static_cast<unsigned>(nodes - 1);
        return {
            folding, 2 * folding,
            [=](unsigned step) {
                const Port back = nodes == 2 ? rightwards : leftwards;
                return step < folding ? ValueExchange::Ports{back, rightwards} : ValueExchange::Ports{rightwards, back};
            },
            [=](NodeId v) { return static_cast<std::uint32_t>((v + 1) % nodes); }};
    }
};

class MadeRelay final : public SegmentRelay {
  public:
    explicit MadeRelay(RelayText text) : text_(std::move(text)) {}
    [[nodiscard]] unsigned folding_steps() const override { return text_.folding_steps; }
    [[nodiscard]] unsigned steps() const override { return text_.steps; }
    [[nodiscard]] Ports ports(unsigned step) const override { return text_.ports(step); }
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const override { return text_.first(v); }

  private:
    RelayText text_;
};

// -------------------------------------------------------------------------------------------------------------------- drawn

/// Answers that follow from the question and a seed.
class DrawnAnswers {
  public:
    explicit DrawnAnswers(std::uint64_t seed) : seed_(seed) {}
    [[nodiscard]] std::uint64_t below(std::uint64_t n, std::uint64_t question, std::uint64_t a,
                                      std::uint64_t b = 0) const {
        return random_word(random_word(seed_, question, a), question, b) % n;
    }
    [[nodiscard]] bool one_in(std::uint64_t n, std::uint64_t question, std::uint64_t a, std::uint64_t b = 0) const {
        return below(n, question + 100, a, b) == 0;
    }

  private:
    std::uint64_t seed_;
};

inline Machine drawn_machine(std::uint64_t seed, std::vector<std::string> specs) {
    const DrawnAnswers drawn(seed);
    const std::vector<PortLimit> limits = {PortLimit(1), PortLimit(1), PortLimit(2), PortLimit::all()};
    Machine machine = test::machine(specs[drawn.below(specs.size(), 0, 0)], limits[drawn.below(limits.size(), 1, 0)]);
    if (drawn.one_in(5, 2, 0)) machine.duplex = Duplex::half;
    if (drawn.one_in(5, 3, 0)) machine.noho = Noho::strict;
    if (drawn.one_in(5, 4, 0)) machine.policy = Policy::strict;
    return machine;
}

/// Whether a plan answers otherwise later, and which questions it has been asked.
class Mood {
  public:
    explicit Mood(bool changes) : changes_(changes) {}
    [[nodiscard]] bool has_changed(std::uint64_t a, std::uint64_t b = 0) const {
        if (!changes_) return false;
        const std::lock_guard lock(mutex_);
        return !asked_.emplace(a, b).second;
    }

  private:
    bool changes_;
    mutable std::mutex mutex_;
    mutable std::set<std::pair<std::uint64_t, std::uint64_t>> asked_;
};

constexpr Port far_port = 1000;

/// Any ports, most of them there; in circles, too.
class AnyPorts {
  public:
    AnyPorts(std::shared_ptr<const Topology> topology, std::uint64_t seed)
        : topology_(std::move(topology)), drawn_(seed), lies_(drawn_.one_in(2, 0, 0)) {}
    /// `question`: which port of node v is asked for.
    [[nodiscard]] Port port(std::uint64_t question, NodeId v, Port before) const {
        if (lies_ && drawn_.one_in(20, question, v, before)) return far_port;
        const std::uint64_t drawn = drawn_.below(topology_->ports() + 1, question, v, before);
        const bool is_there =
            drawn < topology_->ports() && topology_->across(v, static_cast<Port>(drawn)).node != no_node;
        return is_there || (lies_ && drawn < topology_->ports()) ? static_cast<Port>(drawn) : no_port;
    }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const {
        const NodeId nodes = topology_->nodes();
        if (lies_ && drawn_.one_in(12, 3, v, out)) return PacketSet::range(nodes - 1, nodes + 2);
        const NodeId first = drawn_.below(nodes, 4, v, out);
        return PacketSet::range(first, first + drawn_.below(nodes - first + 1, 5, v, out));
    }

  private:
    std::shared_ptr<const Topology> topology_;
    DrawnAnswers drawn_;
    bool lies_;
};

class AnyForwarding final : public Forwarding {
  public:
    AnyForwarding(const Job& job, bool together, std::uint64_t seed)
        : Forwarding(job.collective, together), ports_(job.machine.topology, seed) {}
    [[nodiscard]] Port first(NodeId v, Port in) const override { return ports_.port(1, v, in); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return ports_.port(2, v, last); }

  private:
    AnyPorts ports_;
};

class AnySplitting final : public Splitting {
  public:
    AnySplitting(const Job& job, std::uint64_t seed, bool is_moody)
        : Splitting(job.collective), ports_(job.machine.topology, seed), nodes_(job.machine.topology->nodes()),
          mood_(is_moody) {}
    [[nodiscard]] Port first(NodeId v, Port in) const override { return ports_.port(1, v, in); }
    [[nodiscard]] Port next(NodeId v, Port last) const override { return ports_.port(2, v, last); }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override {
        return mood_.has_changed(v, out) ? PacketSet::range(0, nodes_) : ports_.part(v, out);
    }

  private:
    AnyPorts ports_;
    NodeId nodes_;
    Mood mood_;
};

/// Drawn lines, some of which next() skips; and one lie.
class AnyTimetable final : public Timetable {
  public:
    AnyTimetable(std::shared_ptr<const Timetable> lines, std::uint64_t seed, bool is_moody)
        : lines_(std::move(lines)), drawn_(seed), lie_(static_cast<Lie>(is_moody ? 0 : drawn_.below(lies, 7, 0))),
          mood_(is_moody) {}
    [[nodiscard]] Round first(NodeId v) const override { return tells(Lie::round_0, v, 1) ? 0 : lines_->first(v); }
    [[nodiscard]] Round last(NodeId v) const override {
        return tells(Lie::no_end, v, 1) ? std::numeric_limits<Round>::max() : lines_->last(v);
    }
    [[nodiscard]] Round next(NodeId v, Round round) const override {
        if (round > 3 && tells(Lie::back, v, round)) return round - 2;
        return tells(Lie::skips, v, round) ? round + 1 : round;
    }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        if (tells(Lie::far_line, v, round)) return {.to = no_node - 3, .packet = 77, .from = no_node - 2};
        TimetableLine line = lines_->line(v, round);
        if (mood_.has_changed(v, round)) line.packet ^= 1;
        return line;
    }

  private:
    enum class Lie : std::uint8_t { none, skips, back, round_0, no_end, far_line };
    static constexpr std::uint64_t lies = 6;
    [[nodiscard]] bool tells(Lie lie, NodeId v, Round round) const {
        return lie_ == lie && drawn_.one_in(8, 1, v, round);
    }

    std::shared_ptr<const Timetable> lines_;
    DrawnAnswers drawn_;
    Lie lie_;
    Mood mood_;
};

/// Steps and ports are drawn. In a bad mood the ports of a step are others each time.
class AnyExchange final : public ValueExchange {
  public:
    AnyExchange(std::shared_ptr<const Topology> topology, std::uint64_t seed, bool is_moody)
        : ports_(topology->ports()), drawn_(seed), is_moody_(is_moody) {}
    [[nodiscard]] unsigned steps() const override {
        return drawn_.one_in(9, 0, 0) ? std::numeric_limits<unsigned>::max()
                                      : static_cast<unsigned>(drawn_.below(5, 0, 1));
    }
    [[nodiscard]] Ports ports(unsigned step) const override {
        const Port port = port_of(step);
        return {port, drawn_.one_in(12, 4, step) ? static_cast<Port>(drawn_.below(ports_, 5, step)) : port};
    }

  private:
    [[nodiscard]] Port port_of(unsigned step) const {
        if (is_moody_) return asked_.at(step % asked_.size())++ % ports_;
        if (drawn_.one_in(15, 1, step)) return drawn_.one_in(2, 2, step) ? no_port : far_port;
        return drawn_.one_in(3, 3, step) ? static_cast<Port>(drawn_.below(ports_, 1, step)) : step % ports_;
    }

    Port ports_;
    DrawnAnswers drawn_;
    bool is_moody_;
    mutable std::array<std::atomic<Port>, 8> asked_ = {};  ///< by step: the threads ask in any order
};

/// Around a ring, but for what is drawn otherwise.
class AnyRelay final : public SegmentRelay {
  public:
    AnyRelay(NodeId nodes, std::uint64_t seed, bool is_moody) : nodes_(nodes), drawn_(seed), mood_(is_moody) {}
    [[nodiscard]] unsigned folding_steps() const override { return changed(1, static_cast<unsigned>(nodes_ - 1)); }
    [[nodiscard]] unsigned steps() const override {
        return drawn_.one_in(12, 0, 0) ? std::numeric_limits<unsigned>::max()
                                       : changed(2, static_cast<unsigned>(2 * (nodes_ - 1)));
    }
    [[nodiscard]] Ports ports(unsigned step) const override {
        if (drawn_.one_in(40, 3, step)) return {0, no_port};
        if (drawn_.one_in(40, 4, step)) return {far_port, 0};
        if (drawn_.one_in(6, 6, 0))
            return {static_cast<Port>(drawn_.below(2, 7, step)), static_cast<Port>(drawn_.below(2, 8, step))};
        return {1, 0};
    }
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const override {
        const NodeId own = drawn_.one_in(30, 5, v) ? drawn_.below(nodes_ + 2, 5, v) : (v + nodes_ - 1) % nodes_;
        return static_cast<std::uint32_t>(mood_.has_changed(v) ? (own + 1) % nodes_ : own);
    }

  private:
    [[nodiscard]] unsigned changed(std::uint64_t question, unsigned right) const {
        return drawn_.one_in(6, question, 0) ? static_cast<unsigned>(drawn_.below(9, question, 0)) : right;
    }

    NodeId nodes_;
    DrawnAnswers drawn_;
    Mood mood_;
};

}  // namespace kport::test
