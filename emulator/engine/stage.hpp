/// @file stage.hpp   Run state shared by all engines.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/base/node_share.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/engine/payload.hpp"
#include "emulator/engine/slot.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/node/seal.hpp"
#include "emulator/payload/packet_places.hpp"
#include "emulator/payload/packet_store.hpp"
#include "emulator/payload/passed_on.hpp"
#include "emulator/payload/sent_bytes.hpp"
#include "emulator/payload/slabs.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

/// Throws RequestError where a node program runs: what it begins and the run that it is part of would share a thread.
void require_outside_programs();

/// The job, if it can be run with these options at all. Throws RequestError, DoesNotFit.
[[nodiscard]] const Job& checked(const Job& job, const RunOptions& options);

/// What every engine keeps of a run. What belongs to a node is touched by the task that runs it.
struct Stage {
    /// Of some of the nodes. Errors as run_lockstep().
    Stage(const Job& job, const RunOptions& options, const NodeShare& share = {});

    const Job& job;
    const Collective judged;  ///< the job's, as it is judged when that is folded (folding())
    const bool takes_own_folds = judged.own_folds() != nullptr;
    std::uint32_t run;  ///< a number that tells its values from those of other runs
    Slabs slabs;        ///< the memory of its pools
    const Topology& topology;
    const Fabric* fabric;  ///< null: each message takes links of the topology
    Sabotage* sabotage;    ///< null: nothing goes wrong on purpose
    /// The sends and receives that every node may have in a round; no_port for all-port. Nodes with limits of their own may
    /// have more, up to the most of any. In a fabric a host has no more than its links carry (names_port()).
    Port limit;
    Port receive_limit;
    Port most_sends;
    Port most_receives;
    bool wormhole;        ///< messages have paths of several links
    bool chooses_routes;  ///< Machine::chooses_routes()
    Round max_rounds;
    PacketSpace packets;  ///< that there are
    NodeShare share;      ///< the nodes that this process runs
    NodeArray<Slot> slots;
    bool bundles;                      ///< messages carry bodies; else the one packet of a broadcast
    NodeId numbering;                  ///< N, from which packets have their numbers; 0: messages have contents
    PacketMemory memory;               ///< broadcast: the packet's bytes
    SentBytes sent_bytes;              ///< the same, where they are kept: of other ranks' messages
    bool keeps_own_bytes = false;      ///< and of this one's, since some node has sent what it did not hold
    std::optional<PacketStore> store;  ///< bytes of many packets; nothing where sizes are counted alone
    PassedOn passed_on;                ///< many packets, and no reduction
    std::optional<Folder> folder;      ///< reductions
    std::optional<Sealer> contents;    ///< where nothing is promised: seals what messages contain
    bool seals;                        ///< what messages carry has a seal: there is a folder, or `contents`
    NodeArray<Body*> results;          ///< reductions: what each node gave as its result
    NodeArray<Body*> contributions;    ///< those that were made beforehand; empty: they are made when asked for

    /// By which the seals of this run differ from those of others.
    [[nodiscard]] Seal seal_of_run() const { return folder ? folder->sealer().own() : contents->own(); }
    /// What the seal of a body must be. Requires `seals`.
    [[nodiscard]] Seal seal_of(const Body& body) const {
        return folder ? folder->seal_of(body) : contents->of_contents(body.content());
    }
    [[nodiscard]] bool holds_bytes() const { return memory.holds_bytes() || store.has_value(); }
    /// Whether a node has received the packet of a broadcast, by its bytes and by the transfers: then check_payload() has nothing else
    /// to tell. `holds`: bytes were written to its memory.
    [[nodiscard]] bool has_right_packet(NodeId v, bool holds, const Auditor& auditor) const {
        return holds && memory.holds_bytes() && v != job.collective.root && auditor.must_hold_packet(v) &&
               memory.intact(v);
    }
    /// Compares what a node holds, byte for byte, with what was sent, and with what the transfers brought it. `holds` as
    /// has_right_packet(); `has_own` false: the bytes of what it owns were not made.
    [[nodiscard]] PayloadCheck check_payload(NodeId v, bool holds, const Auditor& auditor, bool has_own = true) const {
        if (store) return checked_payload(*store, has_own, job.collective, topology.nodes(), v, auditor);
        return checked_payload(memory, holds, job.collective, v, auditor);
    }
    /// What the nodes hold at the end of what they were promised.
    void keep(Holdings& kept, const Auditor& auditor) const;
    /// Makes what the nodes own at the start: their packets, or contributions of more than one number. Who is timed finds
    /// them there, as he would find the data of a program of his own.
    void make_owned(FramePool& pool);
    /// Gives back what a node holds, its contribution and its result.
    void clear(NodeId v, FramePool& pool);
    /// As before the run: no node has started, and the packet of a broadcast is at its source alone.
    void restart();

  private:
    /// The packet of a broadcast is at its source.
    void seed_root();
};

}  // namespace kport
