#include "app/search/messages.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kport::search {

Messages::Messages(Solver& solver, const Question& question, Round rounds, bool serial)
    : solver_(solver), question_(question), graph_(*question.machine.topology), rounds_(rounds), out_(graph_.nodes()),
      in_(graph_.nodes()), distance_(graph_.nodes()) {
    for (Node32 v = 0; v < nodes(); ++v)
        for (const Node32 w : graph_.neighbours(v)) {
            const auto most = std::min<std::uint64_t>(question.sends_of(v), question.receives_of(w));
            const auto messages =
                static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 1, question.capacity(v, w)));
            for (std::uint32_t place = 0; place < messages; ++place) {
                const auto c = static_cast<ChannelId>(channels_.size());
                channels_.push_back({v, w, place});
                out_[v].push_back(c);
                in_[w].push_back(c);
            }
        }
    for (std::size_t i = 0; i < channels_.size() * rounds_; ++i) sent_.push_back(solver_.variable());
    for (Round round = 1; round <= rounds_; ++round) {
        for (Node32 v = 0; v < nodes(); ++v) add_node(v, round);
        for (ChannelId c = 1; c < channels_.size(); ++c)  // those of a trunk have no names
            if (channels_[c].place > 0) solver_.add({-sent(c, round), sent(c - 1, round)});
        if (question_.machine.links == Duplex::half) add_links(round);
        std::vector<Literal> any;
        for (ChannelId c = 0; c < channels_.size(); ++c) any.push_back(sent(c, round));
        solver_.add(any);
        if (serial) solver_.at_most_one(any);
        if (serial && round > 1) order_messages(round);
    }
}

/// Messages one after the other, of which the second does not start where the first ends, may change places: the lower channel first.
void Messages::order_messages(Round round) {
    constexpr std::size_t channels_max = 128;
    for (ChannelId c = 0; c < channels_.size() && channels_.size() <= channels_max; ++c)
        for (ChannelId lower = 0; lower < c; ++lower)
            if (channels_[c].to != channels_[lower].from) solver_.add({-sent(c, round - 1), -sent(lower, round)});
}

void Messages::limit_repeats(const std::vector<bool>& senders, const std::vector<bool>& receivers) {
    limit_repeats(senders, out_);
    limit_repeats(receivers, in_);
}

void Messages::limit_repeats(const std::vector<bool>& needed, const std::vector<std::vector<ChannelId>>& channels_of) {
    std::vector<Literal> repeats;
    for (Round round = 1; round <= rounds_; ++round) repeats.push_back(solver_.variable());
    for (Node32 v = 0; v < nodes(); ++v) {
        Literal before = needed[v] ? never : always;  // v has been at it
        for (Round round = 1; round <= rounds_; ++round) {
            const Literal by_now = needed[v] ? solver_.variable() : always;
            solver_.add({-before, by_now});
            for (const ChannelId c : channels_of[v]) {
                solver_.add({-sent(c, round), by_now});
                solver_.add({-sent(c, round), -before, repeats[round - 1]});
            }
            before = by_now;
        }
    }
    const auto first_ones = static_cast<Round>(std::ranges::count(needed, true));
    if (first_ones > rounds_) solver_.add({never});
    if (first_ones < rounds_) return solver_.at_most(static_cast<Port>(rounds_ - first_ones), repeats);
    for (const Literal repeat : repeats) solver_.add({-repeat});
}

void Messages::add_node(Node32 v, Round round) {
    const Machine& machine = question_.machine;
    std::vector<Literal> sends;
    std::vector<Literal> receipts;
    for (const ChannelId c : out_[v]) sends.push_back(sent(c, round));
    for (const ChannelId c : in_[v]) receipts.push_back(sent(c, round));
    if (machine.pairwise) {
        std::vector<Literal> partners;
        for (const Node32 w : graph_.neighbours(v)) {
            const Literal partner = solver_.variable();
            for (const ChannelId c : out_[v])
                if (channels_[c].to == w) solver_.add({-sent(c, round), partner});
            for (const ChannelId c : in_[v])
                if (channels_[c].from == w) solver_.add({-sent(c, round), partner});
            partners.push_back(partner);
        }
        solver_.at_most_one(partners);
    }
    const Port ports = machine.sends_of(v);
    if (machine.duplex == Duplex::half) {
        sends.insert(sends.end(), receipts.begin(), receipts.end());
        solver_.at_most(ports, sends);
        return;
    }
    solver_.at_most(ports, sends);
    solver_.at_most(machine.receives_of(v), receipts);
}

void Messages::add_links(Round round) {
    for (Node32 v = 0; v < nodes(); ++v)
        for (const Node32 w : graph_.neighbours(v)) {
            if (w < v) continue;
            std::vector<Literal> messages;
            for (const ChannelId c : out_[v])
                if (channels_[c].to == w) messages.push_back(sent(c, round));
            for (const ChannelId c : out_[w])
                if (channels_[c].to == v) messages.push_back(sent(c, round));
            solver_.at_most(static_cast<Port>(question_.capacity(v, w)), messages);
        }
}

void Messages::add_symmetry(std::span<const Automorphism> symmetry) {
    std::map<std::tuple<Node32, Node32, std::uint32_t>, ChannelId> channel_of;
    for (ChannelId c = 0; c < channels_.size(); ++c)
        channel_of[{channels_[c].from, channels_[c].to, channels_[c].place}] = c;
    for (const Automorphism& image : symmetry) {
        std::vector<std::pair<Literal, Literal>> images;
        for (ChannelId c = 0; rounds_ > 0 && c < channels_.size(); ++c)
            images.emplace_back(
                sent(c, 1),
                sent(channel_of.at({image[channels_[c].from], image[channels_[c].to], channels_[c].place}), 1));
        solver_.not_after(images);
    }
}

Literal Messages::volume_at_most(std::uint64_t most) {
    if (volume_.empty()) {
        std::vector<Literal> sizes;
        const std::uint64_t largest = most - (rounds_ - 1);  // every other round has a message
        for (Round round = 1; round <= rounds_; ++round) {
            std::vector<Literal> of_round(largest + 1);  // [j]: more than j
            for (Literal& literal : of_round) literal = solver_.variable();
            for (std::size_t j = 0; j + 1 < of_round.size(); ++j) solver_.add({-of_round[j + 1], of_round[j]});
            for (ChannelId c = 0; c < channels_.size(); ++c) {
                const std::vector<Literal> size = solver_.counted(carried(c, round), largest + 1);
                for (std::size_t j = 0; j < size.size(); ++j) solver_.add({-size[j], of_round[j]});
            }
            solver_.add({-of_round.back()});
            of_round.pop_back();
            sizes.insert(sizes.end(), of_round.begin(), of_round.end());
        }
        volume_ = solver_.counted(sizes, most + 1);
    }
    return most < volume_.size() ? -volume_[most] : always;
}

Literal Messages::messages_at_most(std::uint64_t most) {
    if (messages_.empty()) messages_ = solver_.counted(sent_, most + 1);
    return most < messages_.size() ? -messages_[most] : always;
}

double bytes_of_messages(const Question& question, Round rounds) {
    constexpr double bytes_a_literal = 400;
    const auto nodes = static_cast<double>(question.nodes());
    const auto packets = static_cast<double>(question.collective.packets(question.nodes()));
    const auto channels = static_cast<double>(question.channels());
    return bytes_a_literal * rounds * packets * (channels + nodes);
}

}  // namespace kport::search
