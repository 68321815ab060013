/// @file breach.hpp   How rules are broken. A new way is an enumerator and its row, in breach_rows.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/audit/rule.hpp"

namespace KPORT_PUBLIC kport {

/// What exactly happened. Each enumerator says which fields of a Violation have a meaning.
enum class Breach : std::uint8_t {
    sends_exceed_ports,     ///< node started more than `limit` sends in the round
    receives_exceed_ports,  ///< node received more than `limit` messages in the round
    both_exceed_ports,      ///< half duplex: sends and receives together exceed `limit`
    channel_twice,          ///< the channel (node, port) lies on two paths of the round
    no_such_link,           ///< a transfer from node by port does not lead to `other`
    jumped,                 ///< store-and-forward: a path of more than one link
    received_again,         ///< node received the packet first in `earlier` from `earlier_other`, now from `other`
    received_own,           ///< node sent the packet in `earlier` and receives it from `other`
    sent_unheld,            ///< node sends a packet that it does not hold
    never_received,         ///< node ends without `limit` packets, this one the lowest
    waits_for_ever,   ///< node's program waits for a message by port (no_port: by any) from `other`; if `limit` is not
                      ///< 0, by one of `limit` ports, or of `limit` senders, of which `earlier_other` is the first
    payload_differs,  ///< the packet's byte number `limit` at node is not what was sent
    would_wait_receive,   ///< strict: a receive that exceeds the ports; the winner came from `earlier_other`
    would_wait_channel,   ///< strict: a channel asked for twice; the winner came from `earlier_other`
    would_wait_send,      ///< strict: sends declared to belong to one round exceed the `limit` ports of the node; the
                          ///< first that does not fit goes to `other`
    passes_host,          ///< a store-and-forward path from node by port to `other` passes the host `earlier_other`
    ends_at_switch,       ///< a message from node to `other`, one of which is a switch
    path_visits_twice,    ///< a path from node by port to `other` visits some node more than once
    bundled,              ///< a message of `limit` packets on a machine without combining, from node to `other`
    folded_twice,         ///< node folds the contribution `packet` with a value that already has it
    folded_out_of_order,  ///< node folds `packet` to the left of the contribution `limit`, which stands before it
    never_a_result,       ///< node ends without a result
    result_lacks,         ///< node's result lacks `limit` contributions, `packet` the lowest of them
    result_exceeds,       ///< node's result has the contribution `packet`, which is none of its, or has it twice
    result_differs,       ///< node's result differs in byte `limit` from whatever its contributions can be folded to
    value_differs,    ///< node receives from `other` a value with the contribution `packet` that is not what was sent;
                      ///< no_node: it uses a value that is none, or has changed since it was made
    contents_differ,  ///< node receives from `other` contents that are not what was sent
    result_unheld,    ///< node's result has the contribution `packet`, which never came to it
    taken_apart,      ///< node sends to `other` (no_node: gives as its result) a value with the contribution `packet`,
                      ///< which it has only folded with contributions that this value lacks
    link_both_ways,  ///< half duplex links: the link (node, port) carries the message of `earlier_other` away from node
                     ///< and that of `other` towards it
    several_partners,    ///< node has `limit` partners in the round, `earlier_other` and `other` being two of them
    would_wait_link,     ///< strict: a link asked for in both directions; the winner came from `earlier_other`
    would_wait_partner,  ///< strict: the message of `other` needs node, whose partner is `earlier_other`
    silent_round,        ///< nothing moves in `limit` rounds from this one on, and no program waits on purpose; no node
    no_packet,           ///< node sends `other` a message without a packet
    no_such_packet,      ///< node sends `other` a message with a packet that the operation does not have
    packet_twice,        ///< node sends `other` a message in which the packet stands twice
    no_step,             ///< node sends `other` a message whose packets are a progression with steps of 0
    beside_result,       ///< node sends `other` a message with the result and other contributions
    passed_away,         ///< node passes on `limit` packets that it must hold at the end, this one first
    sent_passed,         ///< node sends the packet, which it passed on in `earlier`
    payload_missing,     ///< the packet came to node, and its bytes are not there
    round_again,         ///< the round is closed after round `limit`; names no node
    sides_differ,        ///< senders show `limit` transfers of the round, receivers `other`, or others; names no node
    paths_differ,        ///< senders show `limit` transfers of the round, paths `other`, or others; names no node
    wrong_round,         ///< transfers that were shown for this round name another; names no node
    shown_late,          ///< `limit` transfers are shown after this round, the last one, was closed; names no node
    left_early,          ///< node leaves a barrier in the round and does not know that `packet` has entered
    result_not_due,  ///< node gives a result, and the operation promises it to `other` alone; `limit` 1: it takes no fold
    brackets_differ,  ///< results of a segment have `limit` brackets, and the operator is not exact; 0: not counted; no node
    lost_on_link,       ///< the message of node to `other` crosses the broken link of `earlier_other` and node `limit`
    lost_at_node,       ///< the message of node to `other` begins, passes or ends at the broken node `earlier_other`
    sends_as_relay,     ///< node sends `other` a message, owns and wants nothing, and may not pass packets on
    receives_as_relay,  ///< node receives such a message from `other`
    not_side_by_side,  ///< node sends `other` (no_node: folds, or gives as its result) a value in which the contribution `packet` is
    ///< folded with one that does not stand beside it in the list of any node that takes both in order
};

/// Causes come before their consequences.
enum class BreachStage : std::uint8_t {
    happens,  ///< in a round
    waits,    ///< for ever
    lacks,    ///< ends without what was promised
    differs   ///< its bytes or its result are wrong
};

/// Returns the number of breaches.
[[nodiscard]] std::size_t breach_count();
/// Returns the rule that a breach breaks.
[[nodiscard]] Rule rule_of(Breach breach);
[[nodiscard]] BreachStage stage_of(Breach breach);
/// Whether messages of several nodes competed in a round: where claims are arbitrated, one of them waits (model.md
/// section 8). Sends of one node beyond its own ports do not count.
[[nodiscard]] bool comes_of_competition(Breach breach);

}  // namespace kport
