/// @file breaches.hpp   Tests of the rules: a schedule of packet 0, and its audit.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport::test {

using Steps = std::vector<Step>;

/// The audit of a schedule of 8-byte packets.
inline Verdict judged(const Machine& machine, Operation operation, const Steps& steps, NodeId source = 0) {
    return audit(schedule(*machine.topology, steps), machine, {operation, source, 8}, false);
}

/// The audit of a broadcast from source 0, one sentence a breach.
inline std::vector<std::string> breaches(const Machine& machine, const Steps& steps) {
    const Verdict verdict = judged(machine, Operation::broadcast, steps);
    EXPECT_EQ(verdict.violations.size(), verdict.violation_count);
    return sentences(verdict, *machine.topology);
}

/// The one violation of that kind.
inline Violation the(Breach breach, const Verdict& verdict) {
    Violation found;
    int count = 0;
    for (const Violation& violation : verdict.violations)
        if (violation.breach == breach) {
            found = violation;
            ++count;
        }
    EXPECT_EQ(count, 1);
    return found;
}
inline Violation the(Breach breach, const Machine& machine, const Steps& steps) {
    return the(breach, judged(machine, Operation::broadcast, steps));
}

inline std::size_t counted(const Verdict& verdict, Breach breach) {
    return static_cast<std::size_t>(std::ranges::count(verdict.violations, breach, &Violation::breach));
}

/// The fields of a violation that every story needs.
inline void expect_place(const Violation& v, Rule rule, Round round, NodeId node, Port port, NodeId other) {
    EXPECT_EQ(v.rule(), rule);
    EXPECT_EQ(v.round, round);
    EXPECT_EQ(v.node, node);
    EXPECT_EQ(v.port, port);
    EXPECT_EQ(v.packet, 0U);
    EXPECT_EQ(v.other, other);
}
/// Expects the violation of one packet among many.
inline void expect_told(const Violation& v, Rule rule, Round round, NodeId node, PacketId packet, NodeId other) {
    EXPECT_EQ(v.rule(), rule);
    EXPECT_EQ(v.round, round);
    EXPECT_EQ(v.node, node);
    EXPECT_EQ(v.packet, packet);
    EXPECT_EQ(v.other, other);
}
/// Expects a violation of delivery of a contribution.
inline void expect_told(const Violation& v, Round round, NodeId node, PacketId packet) {
    EXPECT_EQ(v.rule(), Rule::delivery);
    EXPECT_EQ(v.round, round);
    EXPECT_EQ(v.node, node);
    EXPECT_EQ(v.packet, packet);
}

}  // namespace kport::test
