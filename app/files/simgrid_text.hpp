/// @file simgrid_text.hpp   The text of SimGrid's time-independent traces: actions of ranks, line by line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/files/lines.hpp"
#include "app/files/ranked_steps.hpp"

namespace kport::simgrid {

/// Beginning of a comment written by kport, and of one that gives the packets of the next send.
inline constexpr std::string_view own_words = "# kport: ";
inline constexpr std::string_view packets_words = "# @pkt ";

/// Returns all actions that are read.
[[nodiscard]] std::span<const std::string_view> action_names();
/// Returns the path of a file that a line of an index names.
[[nodiscard]] std::filesystem::path file_beside(const std::string& index, std::string_view named);
/// Returns the regular files of a folder, by name; none if it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> files_in_folder(const std::string& folder);

/// Traces of one or more files.
class TraceText {
  public:
    /// `name` is used in messages about the trace as a whole.
    explicit TraceText(const std::string& name);

    /// Reads a trace, or an index of traces. Throws RequestError with line and column.
    void read(std::istream& in);
    void read_file(const std::filesystem::path& path);
    /// Compares the collective actions of all ranks, and returns the steps.
    [[nodiscard]] RankedSteps finish();

  private:
    using Request = std::tuple<NodeId, NodeId, std::uint64_t>;  ///< source, target, tag
    struct Call {
        std::string_view action;
        std::uint64_t line = 0;
    };
    /// Progress of a rank.
    struct Progress {
        std::vector<std::uint32_t> ended = {};      ///< steps that end before the next one starts
        std::vector<std::uint32_t> under_way = {};  ///< steps not yet waited for
        std::set<Request> tested = {};
        std::vector<Call> calls = {};  ///< of collective actions
        std::size_t barriers = 0;
        std::uint64_t element_bytes = 1;
    };

    void read_lines(Lines& lines);
    void read_action(LineCursor& cursor, std::string_view action);
    void transfer(LineCursor& cursor, std::string_view action);
    void send_and_receive(LineCursor& cursor);
    void wait(LineCursor& cursor);
    void pass_barrier();
    [[nodiscard]] NodeId rank(LineCursor& cursor);
    [[nodiscard]] Request request(LineCursor& cursor);
    [[nodiscard]] double real(LineCursor& cursor, std::string_view what);
    [[nodiscard]] std::uint64_t bytes_of_type(LineCursor& cursor);
    [[nodiscard]] std::uint64_t bytes(LineCursor& cursor, double count, std::uint64_t each);
    void set_size(LineCursor& cursor, RankedStep& step, double count, std::uint64_t each);
    [[nodiscard]] RankedStep step(RankedStep::Kind kind) const;
    std::uint32_t add(RankedStep step);
    void compare_calls();

    std::string name_;
    bool may_be_index_ = true;
    std::uint64_t line_ = 0;
    RankedSteps read_;
    NodeId rank_ = 0;
    NodeId largest_peer_ = 0;
    std::map<NodeId, Progress> progress_;
    std::vector<std::uint32_t> meetings_;  ///< the step at which all ranks meet, by number of the barrier
    std::string packets_;
};

}  // namespace kport::simgrid
