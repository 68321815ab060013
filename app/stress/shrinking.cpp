#include "app/stress/drawing.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/error.hpp"
#include "emulator/topology/family.hpp"

namespace kport {

namespace {

class Shrinking {
  public:
    Shrinking(const Case& c, const Subject& subject, const StillFails& still_fails, std::uint64_t tries_max)
        : best_(c), subject_(subject), still_fails_(still_fails), tries_max_(tries_max) {}

    Shrunk run() {
        while (spent() && step()) {
        }
        const bool smallest = all_smaller();
        while (spent() && plainer()) {
        }
        return {best_, tries_, smallest};
    }

  private:
    /// The collective on another machine; with the usual permutation where that has no such.
    static Collective refitted(Collective collective, const Topology& topology) {
        try {
            return fitted(collective, topology);
        } catch (const RequestError&) {
            collective.permutation = {};
            return fitted(std::move(collective), topology);
        }
    }
    [[nodiscard]] bool spent() const { return tries_ < tries_max_; }

    /// Takes over the case if it still fails.
    bool take(Case c) {
        if (!spent() || c.collective.root >= c.topology().nodes()) return false;
        c.collective = refitted(c.collective, c.topology());
        if (subject_.misfit(c)) return false;
        ++tries_;
        if (!still_fails_(c)) return false;
        best_ = std::move(c);
        return true;
    }
    /// Tries one change, unless it changes nothing.
    template <class T>
    bool change(T Machine::*member, const T& value) {
        if (best_.machine.*member == value) return false;
        Case c = best_;
        c.machine.*member = value;
        return take(std::move(c));
    }

    bool plainer() {
        if (change(&Machine::ports, PortLimit(1)) || change(&Machine::duplex, Duplex::full) ||
            change(&Machine::links, Duplex::full) || change(&Machine::pairwise, false) ||
            change(&Machine::noho, Noho::wide) || change(&Machine::routing, Routing::fixed) ||
            change(&Machine::switching, Switching::store_and_forward) || change(&Machine::combining, true) ||
            change(&Machine::policy, Policy::queue) || change(&Machine::costs, Costs()) ||
            change(&Machine::switch_limit, no_port) || change(&Machine::prices, std::shared_ptr<const LinkPrices>()))
            return true;
        for (const auto& plain : {&Shrinking::with_plain_options, &Shrinking::with_plain_values,
                                  &Shrinking::with_plain_reduction, &Shrinking::with_plain_bytes,
                                  &Shrinking::with_one_packet, &Shrinking::with_equal_packets, &Shrinking::from_0}) {
            Case c = best_;
            if ((this->*plain)(c) && take(std::move(c))) return true;
        }
        return false;
    }
    bool with_plain_options(Case& c) {
        const bool plain = !c.options.keep && c.options.dimensions.empty();
        c.options.keep.reset();
        c.options.dimensions.clear();
        return !plain;
    }
    bool with_plain_values(Case& c) { return !std::exchange(c.options.reduction.values, {}).empty(); }
    bool with_plain_reduction(Case& c) {
        if (c.options.reduction.op.is_own()) return false;  // the program supports no other operator
        with_one_size(c);
        const Reduction was = std::exchange(c.options.reduction, {});
        c.collective.packet_bytes = word_bytes;  // integers
        return was.op != Operator::sum || was.type != ElementType::int64;
    }
    bool with_plain_bytes(Case& c) {
        if (c.collective.signals()) return false;  // they have none
        with_one_size(c);
        const Reduction& reduction = c.options.reduction;
        const std::uint64_t plain = reduction.op.is_own() ? reduction.type->bytes : word_bytes;
        return std::exchange(c.collective.packet_bytes, plain) != plain;
    }
    static void with_one_size(Case& c) {
        if (c.collective.has_sizes()) c.collective = counting(std::move(c.collective), nullptr);
    }
    bool with_one_packet(Case& c) {
        const bool had_more = c.collective.packets_each != 1 || c.collective.counts != nullptr;
        c.collective = counting(std::move(c.collective), nullptr);
        return had_more;
    }
    bool with_equal_packets(Case& c) { return std::exchange(c.collective.counts, nullptr) != nullptr; }
    bool from_0(Case& c) { return std::exchange(c.collective.root, 0) != 0; }

    /// Returns the case on a smaller machine.
    [[nodiscard]] Case moved_to(const std::string& spec) const {
        Case c = best_;
        c.machine.topology = make_topology(spec);
        c.machine.prices = nullptr;  // of links that it may not have
        const bool has_switches = c.topology().wires().nodes() > c.topology().nodes();
        if (!has_switches) c.machine.switch_limit = no_port;
        if (!c.machine.has_paths()) c.machine.routing = Routing::fixed;
        c.collective.counts = nullptr;
        const NodeId nodes = c.topology().nodes();
        c.collective.root = std::min(c.collective.root, nodes - 1);
        c.options.dimensions.clear();
        std::vector<std::string>& values = c.options.reduction.values;
        values.resize(std::min<std::size_t>(values.size(), nodes));
        return c;
    }

    bool step() {
        if (plainer()) return true;
        const std::vector<std::string> smaller = smaller_topologies(best_.topology());
        return std::ranges::any_of(smaller, [&](const std::string& spec) { return take(moved_to(spec)); });
    }

    /// Whether all machines with fewer nodes were tried.
    bool all_smaller() {
        for (NodeId nodes = 1; nodes < best_.topology().nodes(); ++nodes)
            for (const std::string& spec : topologies_of(nodes)) {
                Case c = moved_to(spec);
                for (c.collective.root = 0; c.collective.root < nodes; ++c.collective.root) {
                    if (!spent()) return false;
                    if (take(c)) return true;
                }
            }
        return spent();
    }

    static constexpr std::uint64_t word_bytes = 8;

    Case best_;
    const Subject& subject_;
    const StillFails& still_fails_;
    std::uint64_t tries_max_;
    std::uint64_t tries_ = 0;
};

}  // namespace

Shrunk shrunk(const Case& c, const Subject& subject, const StillFails& still_fails, std::uint64_t tries_max) {
    return Shrinking(c, subject, still_fails, tries_max).run();
}

}  // namespace kport
