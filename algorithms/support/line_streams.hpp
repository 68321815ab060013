/// @file line_streams.hpp   All to all along the lines of a mesh: which packets cross which link in which round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "algorithms/support/ring.hpp"
#include "algorithms/support/segment.hpp"

namespace kport {

/// How the packets of all nodes of a line go both ways along it, each to its end.
enum class Streams : std::uint8_t {
    odd_even,  ///< a node has one partner a round: in round x the nodes c and c+1 exchange if c = x-1 modulo 2
    two_way    ///< both streams at once: what came from one side goes on to the other in the next round
};

/// A mesh's line along one dimension, as one of its nodes sees it. A packet that has started moves on in every round.
/// In odd_even, packets whose first link has its turn in round 2 start then, and have one hop less to go; so packets of
/// at most two origins cross a link in a round.
class LineStreams {
  public:
    LineStreams(const Grid& mesh, int dimension, NodeId v, Streams streams)
        : streams_(streams), dimension_(dimension), size_(mesh.side(dimension)), here_(mesh.coordinate(v, dimension)) {}

    /// Returns the rounds on a line of so many nodes.
    [[nodiscard]] static Round rounds_on(NodeId size, Streams streams) {
        const bool late = streams == Streams::odd_even && size % 2 == 1 && size > 1;
        return static_cast<Round>(late ? size : size - 1);
    }
    [[nodiscard]] Round rounds() const { return rounds_on(size_, streams_); }

    /// Return the coordinates of the origins whose packets this node sends, or receives, in this direction in a round;
    /// an empty segment if there are none.
    [[nodiscard]] Segment sent(Direction way, Round round) const {
        const bool forward = way == Direction::forward;
        if (forward ? here_ + 1 == size_ : here_ == 0) return {};
        return across(forward ? here_ : here_ - 1, way, round);
    }
    [[nodiscard]] Segment received(Direction way, Round round) const {
        const bool forward = way == Direction::forward;
        if (forward ? here_ == 0 : here_ + 1 == size_) return {};
        return across(forward ? here_ - 1 : here_, way, round);
    }
    /// Returns the coordinates of the targets of the packets that this node sends in this direction.
    [[nodiscard]] Segment beyond(Direction way) const {
        return way == Direction::forward ? Segment{here_ + 1, size_} : Segment{0, here_};
    }

    /// Return the port towards the nodes ahead in this direction, and the port by which messages in this direction
    /// come.
    [[nodiscard]] Port out(Direction way) const {
        return way == Direction::forward ? Grid::plus(dimension_) : Grid::minus(dimension_);
    }
    [[nodiscard]] Port in(Direction way) const {
        return way == Direction::forward ? Grid::minus(dimension_) : Grid::plus(dimension_);
    }

  private:
    /// Returns the origins whose packets cross the link between c and c+1.
    [[nodiscard]] Segment across(std::uint64_t c, Direction way, Round round) const;

    Streams streams_;
    int dimension_;
    std::uint64_t size_;
    std::uint64_t here_;
};

/// Returns why a machine cannot move packets along the lines of a mesh in these streams; nothing if it can.
[[nodiscard]] std::optional<std::string> misfit_line_streams(const Machine& machine, Streams streams,
                                                             const AlgorithmOptions& options);

/// Returns rounds, work, path sum and volume, one dimension after the other. In dimension i the bundles are multiples
/// of those on a single line: volume_on_line(n_i) times packets_in(mesh, i).
[[nodiscard]] ExpectedCost line_streams_cost(const Grid& mesh, Streams streams,
                                             std::uint64_t (*volume_on_line)(NodeId size, Streams streams),
                                             std::uint64_t (*packets_in)(const Grid& mesh, int dimension));

}  // namespace kport
