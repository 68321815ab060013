#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>

#include "app/pictures/heat_grid.hpp"
#include "app/pictures/labels.hpp"
#include "app/pictures/layout.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/player_page.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"
#include "emulator/schedule/critical_path.hpp"
#include "emulator/schedule/load.hpp"
#include "emulator/schedule/pair_packets.hpp"

namespace kport {
namespace {

/// On larger machines nodes are dots of a heat map, and messages are numbers in the table of rounds.
constexpr NodeId nodes_one_by_one = 20000;
constexpr std::size_t messages_one_by_one = 200000;

/// The nodes' first receipts, as the auditor counts them; nodes that own something are reached in round 0.
struct Reached {
    std::vector<Round> touched;
    std::vector<std::uint64_t> first_receipts;  ///< in each step
};

Reached reached_in(const Story& story, std::span<const Step> steps) {
    const NodeId nodes = story.topology().nodes();
    Reached reached{std::vector<Round>(nodes, NodeStates::never), {}};
    std::vector<bool> received(nodes, false);
    for (NodeId v = 0; v < nodes && story.collective.promises(); ++v)
        if (!story.collective.owned(v, nodes).empty()) reached.touched[v] = 0;
    for (const Step& step : steps) {
        std::uint64_t now = 0;
        for (std::size_t i = step.begin; i < step.end; ++i) {
            const NodeId to = story.schedule.transfer(i).to;
            reached.touched[to] = std::min(reached.touched[to], step.round);
            now += received[to] ? 0 : 1;
            received[to] = true;
        }
        reached.first_receipts.push_back(now);
    }
    return reached;
}

/// The data of a page, member by member.
class Data {
  public:
    void put(std::string_view key, std::string_view json) {
        if (text_.size() > 1) text_ += ",\n";
        fmt::format_to(std::back_inserter(text_), "\"{}\":{}", key, json);
    }
    template <class Numbers>
    void put_numbers(std::string_view key, const Numbers& numbers) {
        put(key, fmt::format("[{}]", fmt::join(numbers, ",")));
    }
    [[nodiscard]] std::string text() { return text_ + "}"; }

  private:
    std::string text_ = "{";
};

class Page {
  public:
    Page(const Story& story, const PictureOptions& options)
        : story_(story), all_(steps_of(story)), steps_(shown(all_, options)),
          load_(load_of(story.schedule, story.topology(), story.collective, options.first, options.last)) {
        if (shows_all()) path_ = critical_path(story.schedule, story.machine, story.collective);
    }

    [[nodiscard]] std::string data() {
        std::size_t messages = 0;
        for (const Step& step : steps_) messages += step.transfers();
        const Topology& topology = story_.wires();
        const bool heat = topology.nodes() > nodes_one_by_one || messages > messages_one_by_one;
        const Reached reached = reached_in(story_, all_);
        data_.put("mode", heat ? "\"heat\"" : "\"nodes\"");
        put_story(heat ? story_.topology().nodes() : topology.nodes());
        put_rounds(reached);
        put_violations();
        const std::vector<std::int32_t> learned = steps_after(rounds_learned(story_));
        if (heat) {
            put_heat(learned);
        } else {
            data_.put_numbers("learned", with_switches(learned));
            data_.put_numbers("touched", with_switches(steps_after(reached.touched)));
            put_machine();
            put_messages();
            if (story_.collective.promises()) put_holdings();
            put_path();
        }
        return data_.text();
    }

  private:
    /// Returns after how many of the steps shown a round is over; -1: after none.
    [[nodiscard]] std::vector<std::int32_t> steps_after(const std::vector<Round>& rounds) const {
        std::vector<std::int32_t> after;
        after.reserve(rounds.size());
        for (const Round round : rounds) {
            const auto at = std::ranges::lower_bound(steps_, round, {}, &Step::round);
            const bool before = steps_.empty() ? round == 0 : round < steps_.front().round;
            after.push_back(before ? 0 : at == steps_.end() ? -1 : static_cast<std::int32_t>(at - steps_.begin()) + 1);
        }
        return after;
    }

    /// Switches come behind the hosts, and never learn anything.
    [[nodiscard]] std::vector<std::int32_t> with_switches(std::vector<std::int32_t> of_hosts) const {
        of_hosts.resize(story_.wires().nodes(), -1);
        return of_hosts;
    }

    void put_story(NodeId nodes) {
        const Collective& collective = story_.collective;
        data_.put("title", json_string(story_.title));
        data_.put("cost", json_string(story_.cost));
        data_.put("lawful", story_.verdict.lawful() ? "true" : "false");
        NodeId hosts = nodes;
        while (hosts > 0 && story_.is_switch(hosts - 1)) --hosts;
        data_.put("nodes", fmt::to_string(nodes));
        data_.put("hosts", fmt::to_string(hosts));
        data_.put("learning", json_string(learning_of(story_)));
        data_.put("inwards", collective.inwards() ? "true" : "false");
        data_.put("root", collective.rooted() ? fmt::to_string(collective.root) : "null");
        std::vector<std::string> legend;
        for (const Meaning& meaning : meanings_of(story_))
            legend.push_back(fmt::format("[\"{}\",{}]", key_of(meaning.has), json_string(meaning.says)));
        data_.put_numbers("legend", legend);
        std::string measured;
        for (const QuantityRow& row : quantity_rows)
            measured +=
                fmt::format("{}\"{}\":{}", measured.empty() ? "" : ",", row.key, row.of(story_.verdict.metrics));
        data_.put("measured", "{" + measured + "}");
        put_costs();
    }

    /// [name, value, bound or null] of each quantity; the bound on rounds; other lines.
    void put_costs() {
        const bool alone = is_machine_alone(story_);
        data_.put("alone", alone ? "true" : "false");
        data_.put("complete", story_.collective.promises() ? "true" : "false");
        if (alone) return;
        std::vector<std::string> quantities;
        for (const QuantityRow& row : quantity_rows) {
            const std::optional<double>& bound = story_.bounds[row.quantity];
            quantities.push_back(fmt::format("[\"{}\",{},{}]", row.title, number(row.of(story_.verdict.metrics)),
                                             bound ? number(*bound) : "null"));
        }
        data_.put_numbers("quantities", quantities);
        if (const auto& bound = story_.bounds[Quantity::rounds]) data_.put("bound", number(*bound));
        std::vector<std::string> facts;
        for (const auto& [name, text] : facts_of_traffic())
            facts.push_back(fmt::format("[{},{}]", json_string(name), json_string(text)));
        for (const auto& [name, text] : story_.facts)
            facts.push_back(fmt::format("[{},{}]", json_string(name), json_string(text)));
        data_.put_numbers("facts", facts);
    }

    [[nodiscard]] bool shows_all() const { return all_.size() == steps_.size(); }

    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts_of_traffic() const {
        const Topology& topology = story_.topology();
        std::vector<std::pair<std::string, std::string>> facts = {{"busiest link", busiest_link_text(load_, topology)},
                                                                  {"busiest node", busiest_node_text(load_, topology)}};
        if (!path_.messages.empty())
            facts.emplace_back("critical path", critical_path_text(path_, story_.verdict.metrics.latency, topology));
        return facts;
    }

    /// The messages that make the last receipt late, by their numbers on the page; only if the page has all messages.
    void put_path() {
        std::vector<std::size_t> messages;
        for (const CriticalMessage& message : path_.messages) messages.push_back(message.transfer);
        data_.put_numbers("path", messages);
    }

    /// What nodes hold, as changes: in section k those of the k-th step shown, in section 0 what they hold before. Of each node
    /// that changes the share of its promise in thousandths, -1 where it is promised nothing; how many packets it holds; on machines where there is room for it,
    /// which label it has.
    void put_holdings() {
        constexpr NodeId labelled_nodes_most = 64;
        constexpr std::size_t letters_most = 24;
        const NodeId nodes = story_.topology().nodes();
        const bool labelled = nodes <= labelled_nodes_most && has_labels(story_);
        NodeStates states(story_);
        std::vector<std::size_t> begin{0};
        std::vector<NodeId> node;
        std::vector<int> share;
        std::vector<std::uint64_t> count;
        std::vector<std::int64_t> label;
        std::vector<std::string> labels;
        std::map<std::string, std::size_t> known;
        const auto note = [&](NodeId v) {
            node.push_back(v);
            share.push_back(share_of(states.held(v), story_.collective.wanted(v, nodes)));
            count.push_back(states.held(v).size());
            if (!labelled) return;
            const auto [at, is_new] =
                known.try_emplace(held_label(story_, v, states.held(v), letters_most), labels.size());
            if (is_new) labels.push_back(json_string(at->first));
            label.push_back(static_cast<std::int64_t>(at->second));
        };
        const auto first = static_cast<std::size_t>(steps_.data() - all_.data());
        for (std::size_t i = 0; i < first; ++i) states.take(all_[i]);
        for (NodeId v = 0; v < nodes; ++v)
            if (!states.held(v).empty()) note(v);
        begin.push_back(node.size());
        for (const Step& step : steps_) {
            states.take(step);
            std::set<NodeId> changed;
            for (std::size_t i = step.begin; i < step.end; ++i) {
                const Transfer transfer = story_.schedule.transfer(i);
                changed.insert({transfer.from, transfer.to});
            }
            for (const NodeId v : changed) note(v);
            begin.push_back(node.size());
        }
        if (!labelled) label.assign(node.size(), -1);
        data_.put("held",
                  fmt::format(R"({{"begin":[{}],"node":[{}],"share":[{}],"count":[{}],"label":[{}],"labels":[{}]}})",
                              fmt::join(begin, ","), fmt::join(node, ","), fmt::join(share, ","), fmt::join(count, ","),
                              fmt::join(label, ","), fmt::join(labels, ",")));
    }

    static int share_of(PacketSet held, const PacketSet& wanted) {
        constexpr double whole = 1000;
        if (wanted.empty()) return -1;
        held.keep(wanted);
        return static_cast<int>(whole * static_cast<double>(held.size()) / static_cast<double>(wanted.size()));
    }

    static std::string_view key_of(Has has) {
        switch (has) {
            case Has::nothing: return "none";
            case Has::some: return "some";
            case Has::all: return "all";
            case Has::gave: return "gave";
        }
        return "none";
    }

    void put_rounds(const Reached& reached) {
        std::vector<std::string> rounds;
        std::uint64_t so_far = reached_before(story_.collective.operation);
        std::uint64_t before = so_far;  // the steps shown
        for (std::size_t i = 0; i < all_.size(); ++i) {
            so_far += reached.first_receipts[i];
            const Step& step = all_[i];
            if (&step < steps_.data()) before = so_far;
            if (&step < steps_.data() || &step >= steps_.data() + steps_.size()) continue;
            const auto& per_round = story_.verdict.per_round;
            const auto metrics = std::ranges::lower_bound(per_round, step.round, {}, &RoundMetrics::round);
            const bool known = metrics != per_round.end() && metrics->round == step.round;
            rounds.push_back(fmt::format(R"({{"round":{},"messages":{},"bytes":{},"reached":{},"broken":[{}]}})",
                                         step.round, step.transfers(), known ? fmt::to_string(metrics->bytes) : "\"\"",
                                         so_far, fmt::join(step.violations, ",")));
        }
        data_.put_numbers("rounds", rounds);
        data_.put("reached_before", fmt::to_string(before));
        data_.put("last", fmt::to_string(all_.empty() ? 0 : all_.back().round));
        data_.put("partial", all_.size() == steps_.size() ? "false" : "true");
    }

    void put_violations() {
        std::vector<std::string> all;
        for (const Violation& v : story_.verdict.violations)
            all.push_back(fmt::format(R"({{"rule":"{}","round":{},"node":{},"text":{}}})", name(v.rule()), v.round,
                                      v.node == no_node ? "null" : fmt::to_string(v.node),
                                      json_string(sentence(v, story_.topology()))));
        data_.put_numbers("violations", all);
        data_.put("violation_count", fmt::to_string(story_.verdict.violation_count));
    }

    void put_machine() {
        const Topology& topology = story_.wires();
        const Layout layout = layout_of(topology);
        std::vector<long> x;
        std::vector<long> y;
        std::vector<NodeId> links;
        std::vector<NodeId> bowed;
        std::vector<NodeId> trunks;
        std::vector<std::string> names;
        bool named = false;
        constexpr double radius = 0.27;  // of a node, as the page draws it
        const NodesInTheWay in_the_way(layout.at, radius);
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            x.push_back(std::lround(layout.at[v].x * 100));
            y.push_back(std::lround(layout.at[v].y * 100));
            names.push_back(json_string(topology.name(v)));
            named |= topology.name(v) != fmt::to_string(v);
        }
        for_each_link(topology, [&](NodeId v, NodeId w) {
            links.insert(links.end(), {v, w});
            if (topology.capacity(v, topology.port_to(v, w)) > 1) trunks.insert(trunks.end(), {v, w});
            if (in_the_way.between(v, w)) bowed.insert(bowed.end(), {v, w});
        });
        data_.put_numbers("x", x);
        data_.put_numbers("y", y);
        data_.put("corner", fmt::format("[{:.2f},{:.2f}]", layout.corner.x, layout.corner.y));
        data_.put_numbers("links", links);
        data_.put_numbers("bowed", bowed);
        if (!trunks.empty()) data_.put_numbers("trunks", trunks);
        if (named) data_.put_numbers("names", names);
    }

    static std::string blocks_text(std::span<const PacketBlock> packets) {
        std::string text;
        for (const PacketBlock& b : packets)
            fmt::format_to(std::back_inserter(text), "{}[{},{},{},{},{},{}]", text.empty() ? "" : ",", b.first,
                           b.stride, b.count, b.row, b.row_stride, b.rows);
        return "[" + text + "]";
    }

    void put_messages() {
        constexpr std::size_t letters_most = 40;
        std::vector<NodeId> from;
        std::vector<NodeId> to;
        std::vector<std::size_t> set;
        std::vector<std::size_t> begin{0};
        std::map<std::string, std::size_t> known;
        std::vector<std::string> sets;
        std::vector<std::string> labels;
        std::vector<std::string> via;
        std::vector<std::string> broken;
        for (const Step& step : steps_) {
            for (std::size_t i = step.begin; i < step.end; ++i) {
                const Transfer transfer = story_.schedule.transfer(i);
                if (const auto rule = rule_broken_by(story_, step, transfer))
                    broken.push_back(fmt::format("[{},\"{}\"]", from.size(), title_of(*rule)));
                if (transfer.route.size() > 1) via.push_back(way_of(transfer, from.size()));
                const auto [at, is_new] = known.try_emplace(blocks_text(transfer.packets), sets.size());
                if (is_new) {
                    sets.push_back(at->first);
                    labels.push_back(json_string(packets_label(story_, transfer.packets, letters_most)));
                }
                from.push_back(transfer.from);
                to.push_back(transfer.to);
                set.push_back(at->second);
            }
            begin.push_back(from.size());
        }
        data_.put_numbers("from", from);
        data_.put_numbers("to", to);
        data_.put_numbers("set", set);
        data_.put_numbers("begin", begin);
        data_.put_numbers("sets", sets);
        data_.put_numbers("labels", labels);
        data_.put_numbers("via", via);
        data_.put_numbers("broken", broken);
        const PacketCounts counts = story_.collective.operation->packets(story_.collective, story_.topology().nodes());
        data_.put("rows", fmt::to_string(counts.rows));
        data_.put("columns", fmt::to_string(counts.columns));
        data_.put("each", fmt::to_string(story_.collective.packets_each));
        data_.put("pairs", fmt::format("\"{}\"", sign_between(counts)));
    }

    /// The sign of packets_label() between the numbers of a packet; nothing where it has one number.
    [[nodiscard]] std::string_view sign_between(const PacketCounts& counts) const {
        if (has_pairs(story_.collective.operation)) return ">";
        return counts.rows == 1 ? "" : ":";
    }

    /// Returns [message, the nodes between its ends].
    [[nodiscard]] std::string way_of(const Transfer& transfer, std::size_t message) const {
        std::string text = fmt::to_string(message);
        NodeId v = transfer.from;
        for (std::size_t i = 0; i + 1 < transfer.route.size(); ++i) {
            v = story_.wires().across(v, transfer.route[i]).node;
            if (v == no_node) break;
            text += fmt::format(",{}", v);
        }
        return "[" + text + "]";
    }

    /// Returns the bytes of the numbers, the lowest first, and zeros up to whole groups, which need no padding.
    template <class Number>
    [[nodiscard]] static std::string in_base64(const std::vector<Number>& numbers) {
        constexpr std::size_t group = 12;  // whole numbers, whole groups of 3 bytes
        std::vector<unsigned char> bytes;
        for (const Number number : numbers)
            for (std::size_t i = 0; i < sizeof(Number); ++i)
                bytes.push_back(static_cast<unsigned char>(number >> (8 * i) & 0xFFU));
        while (bytes.size() % group != 0) bytes.push_back(0);
        using Base64 = boost::archive::iterators::base64_from_binary<
            boost::archive::iterators::transform_width<std::vector<unsigned char>::const_iterator, 6, 8>>;
        return {Base64(bytes.cbegin()), Base64(bytes.cend())};
    }

    /// A dot for each node or, beyond a million, for each square of nodes: then the round of the last of them.
    void put_heat(const std::vector<std::int32_t>& learned) {
        constexpr std::size_t dots_most = std::size_t{1} << 20;
        constexpr std::uint16_t never = 0xFFFF;
        const HeatGrid grid(story_.topology(), dots_most);
        std::vector<std::uint16_t> dots(grid.squares(), 0);
        for (NodeId v = 0; v < learned.size(); ++v) {
            std::uint16_t& dot = dots[grid.square_of(v)];
            dot = std::max(dot, learned[v] < 0 ? never : static_cast<std::uint16_t>(std::min(learned[v], never - 1)));
        }
        std::vector<std::uint32_t> loads(grid.squares(), 0);
        std::uint32_t largest = 0;
        for (const NodeLoad& node : load_.nodes) {
            constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
            if (node.node >= learned.size()) break;  // switches
            std::uint32_t& dot = loads[grid.square_of(node.node)];
            dot = std::max(dot, static_cast<std::uint32_t>(std::min(node.messages(), most)));
            largest = std::max(largest, dot);
        }
        const bool are_short = largest <= std::numeric_limits<std::uint16_t>::max();
        const std::string in_text =
            are_short ? in_base64(std::vector<std::uint16_t>(loads.begin(), loads.end())) : in_base64(loads);
        data_.put(
            "heat",
            fmt::format(
                R"({{"row":{},"block":{},"width":{},"height":{},"dots":{},"learned":"{}","load_bytes":{},"load":"{}"}})",
                grid.row(), grid.block(), grid.width(), grid.height(), dots.size(), in_base64(dots), are_short ? 2 : 4,
                in_text));
        data_.put("corner", fmt::format("[{},{}]", grid.width(), grid.height()));
    }

    const Story& story_;
    std::vector<Step> all_;
    std::span<const Step> steps_;
    Load load_;
    CriticalPath path_;  ///< empty unless all rounds are shown
    Data data_;
};

}  // namespace

void write_player(std::ostream& out, const Story& story, const PictureOptions& options) {
    if (const NodeId nodes = story.wires().nodes(); is_machine_alone(story) && nodes > nodes_one_by_one)
        throw RequestError(fmt::format("a page shows the links of at most {} nodes, {} has {}", nodes_one_by_one,
                                       story.topology().spec(), nodes));
    std::string_view rest = player_page;
    const auto put_up_to = [&](std::string_view mark) {
        const std::size_t at = rest.find(mark);
        out << rest.substr(0, at);
        rest.remove_prefix(at + mark.size());
    };
    put_up_to("@@TITLE@@");
    out << escaped(story.title);
    put_up_to("@@DATA@@");
    out << Page(story, options).data();
    put_up_to("@@SCRIPT@@");
    for (const std::string_view script : player_scripts) out << script;
    out << rest;
}

}  // namespace kport
