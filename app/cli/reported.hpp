/// @file reported.hpp   What the process with the code of a file reports of a run, and its judgement by the other process.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/own_algorithms.hpp"
#include "app/cli/supervised.hpp"
#include "app/session/reporting.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::cli {

/// A run as its process reports it. Nothing of it is judged yet.
struct Reported {
    OwnFacts facts = {};
    RunClaims claims = {};
    Schedule schedule = {};
    std::vector<PhaseTime> phases = {};
    std::optional<Prediction> prediction = {};
    std::optional<std::string> misfit = {};   ///< why the algorithm cannot run as asked: then nothing ran
    std::optional<std::string> failure = {};  ///< its code threw an exception

    [[nodiscard]] bool ran() const { return !misfit && !failure; }
};

// In the process with the code: what ends its report but for the exit status.

void report_run(const Report& report, const Schedule& moved, const std::vector<PhaseTime>& phases);
/// One clause that completes "NAME ...".
void report_misfit(const std::string& why);
void report_failure(const std::string& why);

// In the judging process.

/// Waits for the report of a run on a machine of so many nodes, to its end. Throws NoVerdict unless it is one schedule and then its
/// claims. `file`: the name of the algorithm.
[[nodiscard]] Reported reported(Supervision& supervision, const std::string& file, NodeId nodes);

/// Judges it as judged(), and on small machines by the second auditor. The schedule must live as long as the row of the catalogue is
/// used (follow_in_catalogue()).
///
/// Errors   NoVerdict for a schedule that is none of this operation on this machine, and where the auditors disagree; else as judged().
[[nodiscard]] Outcome judged_outcome(const Chosen& chosen, const Reported& run, const Caller& caller);

// A schedule as records of numbers, from one process of this program to another.
//
// A record is five numbers of 32 bits, as this machine stores them:
//
//     a transfer   round, from, to, the number of ports, the number of blocks; behind it the ports of the route, and the blocks of
//                  packets, six numbers each, in the order of PacketBlock
//     a silence    0, its first round, its last round, 0, 0

/// Calls `write` with pieces of some 32 KiB that together are the records of the schedule, silences last. Requires fewer than 2^32
/// nodes.
void write_records(const Schedule& schedule, const std::function<void(std::string_view)>& write);

/// Adds the records that are complete, and returns how many bytes they take. Trusts no number: memory is taken for bytes that came, not
/// for those that a record promises. Whether nodes, ports and packets exist is require_readable()'s question. O(bytes of the complete
/// records).
///
/// Errors   RequestError for rounds that go back, for a silence that ends before it begins, and for one that is none.
[[nodiscard]] std::size_t add_records(std::string_view bytes, Schedule& schedule);

}  // namespace kport::cli
