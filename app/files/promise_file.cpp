#include "app/files/promise_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/lines.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/family.hpp"

namespace kport {

namespace {

constexpr std::array<std::string_view, 10> words_known = {"promise", "on",       "packets", "size",  "owns",
                                                          "wants",   "segments", "gives",   "takes", "relay"};

/// What each node owns, or wants; gives, or takes.
using Packets = std::vector<PacketSet>;

/// Packets, or contributions to segments.
struct Noun {
    std::string_view one;
    std::string_view all;
    std::string_view line;
};
constexpr Noun of_packets{"packet", "packets", "packets 4"};
constexpr Noun of_segments{"segment", "segments", "segments 2"};

/// "0-3,7" of the places of a set, in ascending order.
std::vector<std::uint32_t> in_order(const PacketSet& set) {
    std::vector<std::uint32_t> all;
    for (const PacketBlock& block : set.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) all.push_back(block.columns()[i]);
    std::ranges::sort(all);
    return all;
}

std::string nodes_in_words(const PacketSet& set, const Topology& topology) {
    const std::vector<std::uint32_t> all = in_order(set);
    return list_in_words({all.begin(), all.end()}, topology);
}

std::string segments_in_words(const PacketSet& set) {
    const std::vector<std::uint32_t> all = in_order(set);
    std::string text;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i + 1;
        while (end < all.size() && all[end] == all[end - 1] + 1) ++end;
        text += text.empty() ? "" : ", ";
        text += end == i + 1 ? fmt::to_string(all[i]) : fmt::format("{}..{}", all[i], all[end - 1]);
        i = end;
    }
    return text;
}

class PromiseReader {
  public:
    PromiseReader(std::istream& in, const std::string& path, std::shared_ptr<const Topology> topology,
                  std::uint64_t packet_bytes)
        : path_(path), lines_(in, fmt::format("promise {}", quoted(path))), topology_(std::move(topology)),
          is_named_(topology_ != nullptr), packet_bytes_(packet_bytes) {}

    ToldPromise read() {
        while (lines_.next()) {
            const std::string_view text = lines_.text();
            LineCursor line(text.substr(0, text.find('#')), lines_.what(), lines_.number());
            if (!line.at_end()) read(line);
        }
        if (packets_ == 0)
            lines_.refuse(
                "has no line of packets or segments; want one such as 'packets 4', then owns and wants, or "
                "'segments 2', then gives and takes");
        require_topology("it");
        folds_ ? require_givers() : require_owners();
        return told();
    }

  private:
    void read(LineCursor& line) {
        const std::size_t column = line.column();
        const std::string word(line.until(" \t:"));
        if (word == "promise")
            put_once(line, title_, "title");
        else if (word == "on")
            read_topology(line);
        else if (word == of_packets.all)
            read_number(line, column, false);
        else if (word == of_segments.all)
            read_number(line, column, true);
        else if (word == "size")
            read_size(line);
        else if (word == "owns" || word == "gives")
            read_fact(line, column, word, owned_);
        else if (word == "wants")
            read_fact(line, column, word, wanted_);
        else if (word == "takes")
            read_takes(line, column, word);
        else if (word == "relay")
            read_relay(line);
        else
            line.refuse(column, fmt::format("{} is unknown{} ({})", quoted(word), did_you_mean(word, words_known),
                                            fmt::join(words_known, ", ")));
    }

    /// The rest of the line, where that may stand once.
    std::string put_once(LineCursor& line, std::string& text, std::string_view what) {
        if (!text.empty()) line.refuse(1, fmt::format("a second {}; want one", what));
        if (line.at_end()) line.refuse(fmt::format("the {} is missing", what));
        text = line.until("");
        if (std::ranges::any_of(text, [](unsigned char c) { return std::iscntrl(c) != 0; }))
            line.refuse(fmt::format("the {} is {}; want plain text", what, quoted(text)));
        return text;
    }
    void read_topology(LineCursor& line) {
        const std::size_t column = (void(line.at_end()), line.column());
        const std::string spec = put_once(line, spec_, "topology");
        if (is_named_) return;
        try {
            topology_ = make_topology(spec);
        } catch (const RequestError& error) {
            line.refuse(column, error.what());
        }
    }
    void read_number(LineCursor& line, std::size_t column, bool folds) {
        if (packets_ != 0 && folds != folds_)
            line.refuse(
                column,
                fmt::format("{} beside {}: a promise is of packets, which are copied, or of segments, which are "
                            "folded; want one of them",
                            (folds ? of_segments : of_packets).all, noun().all));
        folds_ = folds;
        if (packets_ != 0) line.refuse(column, fmt::format("a second number of {}; want one", noun().all));
        packets_ = line.number(fmt::format("a number of {}", noun().all), 1, folds ? segments_max : packets_max);
        require_end(line);
    }
    [[nodiscard]] const Noun& noun() const { return folds_ ? of_segments : of_packets; }
    /// Refuses a word of folds where packets are promised, and the other way round.
    void require_fitting(const LineCursor& line, std::size_t column, std::string_view word, bool folds) {
        if (packets_ == 0) folds_ = folds;
        if (folds == folds_) return;
        line.refuse(column, fmt::format("{} is of {}, and the file promises {}; want {}", quoted(word),
                                        (folds ? of_segments : of_packets).all, noun().all,
                                        folds_ ? "gives and takes" : "owns and wants"));
    }
    void read_size(LineCursor& line) {
        const PacketSet some = packets_to(line, "=");
        line.want("=", noun().all);
        const std::size_t column = (void(line.at_end()), line.column());
        const std::string text(line.until(""));
        std::uint64_t bytes = 0;
        try {
            bytes = parse_size(text, "size");
        } catch (const RequestError& error) {
            line.refuse(column, error.what());
        }
        constexpr std::uint64_t bytes_max = 0xFFFFFFFE;
        if (bytes == 0 || bytes > bytes_max)
            line.refuse(column, fmt::format("{} bytes; want 1 to {}", text, bytes_max));
        if (sizes_.empty()) sizes_.resize(packets_);
        for (const PacketBlock& block : some.blocks())
            for (std::uint32_t i = 0; i < block.count; ++i) {
                std::uint32_t& size = sizes_[block.columns()[i]];
                if (size != 0)
                    line.refuse(column, fmt::format("{} {} has a size already", noun().one, block.columns()[i]));
                size = static_cast<std::uint32_t>(bytes);
            }
    }
    void read_fact(LineCursor& line, std::size_t at_word, std::string_view word, Packets& all) {
        require_fitting(line, at_word, word, word == "gives");
        const std::size_t column = (void(line.at_end()), line.column());
        const std::string text(line.until(":"));
        line.want(":", "nodes");
        const std::vector<NodeId> nodes = nodes_of(line, column, text, word);
        const PacketSet some = packets_to(line, "");
        all.resize(topology_->nodes());
        for (const NodeId v : nodes) all[v].include(some.blocks());
        if (&all == &wanted_) wants_.push_back({lines_.number(), some});
        if (folds_) require_few(line, column, contributions_ += nodes.size() * some.size(), "contributions");
    }
    void require_few(const LineCursor& line, std::size_t column, std::uint64_t number, std::string_view what) const {
        if (number > told_max)
            line.refuse(column, fmt::format("more than {} {}; a promise in a file says no more", told_max, what));
    }
    /// "0-3: 0 of 0-7", or "0: 2..3 of 1,4 in order": segments, and whose contributions.
    void read_takes(LineCursor& line, std::size_t at_word, std::string_view word) {
        require_fitting(line, at_word, word, true);
        const std::size_t column = (void(line.at_end()), line.column());
        const std::string text(line.until(":"));
        line.want(":", "nodes");
        const std::vector<NodeId> nodes = nodes_of(line, column, text, word);
        const PacketSet segments = packets_to(line, "of");
        if (!line.take_word("of"))
            line.refuse(line.at_end()
                            ? "whose contributions? want 'of' and nodes behind the segment, such as '0 of 0-3'"
                            : fmt::format("{} stands behind the segment; want 'of' and nodes, such as '0 of 0-3'",
                                          quoted(line.rest())));
        const std::size_t at_list = (void(line.at_end()), line.column());
        std::string list(line.until(""));
        const bool in_order = took_in_order(list);
        std::vector<NodeId> of = nodes_of(line, at_list, list, "of");
        if (in_order && !std::ranges::is_sorted(of))
            line.refuse(at_list,
                        fmt::format("{} in order: nodes are folded in the order of their numbers; want them ascending",
                                    quoted(list)));
        std::ranges::sort(of);
        taken_.resize(topology_->nodes());
        PacketSet contributions;
        for (const NodeId v : of) contributions.add(PacketBlock{static_cast<std::uint32_t>(v)});
        require_few(line, column, folds_taken_ += nodes.size() * segments.size(), "folds");
        for (const NodeId v : nodes)
            for (const std::uint32_t segment : kport::in_order(segments)) {
                const PacketBlock one{segment};
                if (taken_[v].covers({&one, 1}))
                    line.refuse(column,
                                fmt::format("node {} takes segment {} already, and has one fold of it; leave one out",
                                            v, segment));
                taken_[v].add(one);
                takes_.push_back({v, segment, contributions, in_order});
            }
        takings_.push_back({lines_.number(), segments, std::move(contributions)});
    }
    /// Cuts "in order" off the end of a list.
    [[nodiscard]] static bool took_in_order(std::string& list) {
        const auto cut_blanks = [&] {
            while (!list.empty() && (list.back() == ' ' || list.back() == '\t')) list.pop_back();
        };
        const auto cut = [&](std::string_view word) {
            cut_blanks();
            const bool is_there =
                list.size() > word.size() && list.ends_with(word) &&
                (list[list.size() - word.size() - 1] == ' ' || list[list.size() - word.size() - 1] == '\t');
            if (is_there) list.resize(list.size() - word.size());
            return is_there;
        };
        const std::string whole = list;
        const bool in_order = cut("order") && cut("in");
        if (!in_order) list = whole;
        cut_blanks();
        return in_order;
    }
    void read_relay(LineCursor& line) {
        const std::size_t column = (void(line.at_end()), line.column());
        const std::string who = put_once(line, relay_, "line of relays");
        if (who != "all" && who != "none") relays_ = nodes_of(line, column, who, "relay");
        std::ranges::sort(relays_);
    }

    std::vector<NodeId> nodes_of(const LineCursor& line, std::size_t column, const std::string& text,
                                 std::string_view what) {
        require_topology(what);
        try {
            return nodes_named(text, *topology_, what);
        } catch (const RequestError& error) {
            line.refuse(column, error.what());
        }
    }
    /// "0, 2..5" up to one of these letters, or the end.
    PacketSet packets_to(LineCursor& line, std::string_view ends) {
        if (packets_ == 0)
            line.refuse(fmt::format("how many {} are there? want a line such as '{}' before", noun().all, noun().line));
        const std::string what = fmt::format("a {}", noun().one);
        PacketSet some;
        do {
            const std::uint64_t first = line.number(what, 0, packets_ - 1);
            const std::uint64_t last = line.take("..") ? line.number(what, first, packets_ - 1) : first;
            some.include(PacketSet::range(first, last + 1).blocks());
        } while (line.take(","));
        if (ends.empty()) require_end(line);
        return some;
    }
    void require_end(LineCursor& line) const {
        if (!line.at_end())
            line.refuse(fmt::format("{} stands behind the {}; want a comma before more of them", quoted(line.rest()),
                                    noun().all));
    }
    void require_topology(std::string_view of) const {
        if (topology_ != nullptr && topology_->nodes() > nodes_listed_max)
            lines_.refuse(fmt::format("{} has {}; a promise in a file is of at most {}", topology_->spec(),
                                      counted(topology_->nodes(), "node"), nodes_listed_max));
        if (topology_ == nullptr)
            lines_.refuse(
                fmt::format("on which machine is {}? want a line such as 'on complete:4' before, or --on complete:4",
                            of == "it" ? "it" : quoted(of)));
    }

    void require_owners() const {
        PacketSet all;
        for (const PacketSet& some : owned_) all.include(some.blocks());
        for (const auto& [number, some] : wants_)
            if (const PacketBlocks unowned = without(some.blocks(), all); !unowned.empty())
                Lines::refuse(lines_.what(), number, 1,
                              fmt::format("packet {} is wanted, and no node owns it", unowned.front().first));
    }
    void require_givers() {
        owned_.resize(topology_->nodes());
        given_.resize(packets_);
        for (std::uint32_t v = 0; v < owned_.size(); ++v)
            for (const std::uint32_t segment : kport::in_order(owned_[v])) given_[segment].add(PacketBlock{v});
        for (const Taking& taking : takings_)
            for (const std::uint32_t segment : kport::in_order(taking.segments))
                if (const PacketBlocks missing = without(taking.of.blocks(), given_[segment]); !missing.empty())
                    Lines::refuse(
                        lines_.what(), taking.line, 1,
                        fmt::format(
                            "segment {} of node {} is taken, and the node does not give it; want a line such as "
                            "'gives {}: {}'",
                            segment, missing.front().first, missing.front().first, segment));
    }
    /// "no node takes 2 contributions, that of node 1 to segment 0 the first"
    void remark_contributions_left(std::vector<std::string>& remarks) const {
        std::vector<PacketSet> left = given_;
        for (const Taking& taking : takings_)
            for (const std::uint32_t segment : kport::in_order(taking.segments)) left[segment].remove(taking.of);
        std::uint64_t number = 0;
        std::string first;
        for (std::size_t segment = 0; segment < left.size(); ++segment) {
            if (left[segment].empty()) continue;
            number += left[segment].size();
            if (first.empty())
                first = fmt::format("that of node {} to segment {}", kport::in_order(left[segment]).front(), segment);
        }
        if (number != 0)
            remarks.push_back(
                fmt::format("no node takes {} of the promise, {} the first", counted(number, "contribution"), first));
    }
    ToldPromise told_folds() {
        ToldPromise told{{}, topology_};
        remark_contributions_left(told.remarks);
        OwnCollective own{.name = "promise",
                          .packets = packets_,
                          .packet_bytes = packet_bytes_,
                          .noun = "their folds",
                          .bytes = std::move(sizes_)};
        own.title = title_.empty() ? path_ : title_;
        own.file = path_;
        own.folds = std::make_shared<const OwnFolds>(std::move(takes_));
        own.owned = [given = std::make_shared<const Packets>(std::move(owned_))](NodeId v) {
            PacketSet contributions;
            if (v < given->size())
                for (const PacketBlock& segments : (*given)[v].blocks())
                    contributions.add(block_of(segments.columns(), Progression{static_cast<std::uint32_t>(v)}));
            return contributions;
        };
        limit_relays(own);
        told.collective = Collective::custom(std::move(own));
        return told;
    }
    void limit_relays(OwnCollective& own) const {
        if (!relay_.empty() && relay_ != "all")
            own.passes_on = [relays = relays_](NodeId v) { return std::ranges::binary_search(relays, v); };
    }
    ToldPromise told() {
        const NodeId nodes = topology_->nodes();
        owned_.resize(nodes);
        wanted_.resize(nodes);
        for (std::uint32_t& size : sizes_)
            if (size == 0) size = static_cast<std::uint32_t>(packet_bytes_);
        if (folds_) return told_folds();
        ToldPromise told{{}, topology_};
        PacketSet missed = PacketSet::range(0, packets_);
        for (const PacketSet& some : wanted_) missed.remove(some.blocks());
        if (!missed.empty())
            told.remarks.push_back(fmt::format("no node wants {} of the promise, packet {} the first",
                                               counted(missed.size(), "packet"), missed.blocks().front().first));
        const auto by_node = [](Packets packets) {
            return [all = std::make_shared<const Packets>(std::move(packets))](NodeId v) {
                return v < all->size() ? (*all)[v] : PacketSet();
            };
        };
        OwnCollective own{.name = "promise",
                          .packets = packets_,
                          .owned = by_node(std::move(owned_)),
                          .wanted = by_node(std::move(wanted_)),
                          .packet_bytes = packet_bytes_,
                          .bytes = std::move(sizes_),
                          .title = title_.empty() ? path_ : title_,
                          .file = path_};
        limit_relays(own);
        told.collective = Collective::custom(std::move(own));
        return told;
    }

    static constexpr std::uint64_t packets_max = std::uint64_t{1} << 24;
    static constexpr std::uint64_t segments_max = std::uint64_t{1} << 20;
    static constexpr std::uint64_t told_max = std::uint64_t{1} << 20;  ///< contributions, or folds

    struct Wants {
        std::uint64_t line;
        PacketSet packets;
    };
    struct Taking {
        std::uint64_t line;
        PacketSet segments;
        PacketSet of;  ///< nodes
    };

    std::string path_;
    Lines lines_;
    std::shared_ptr<const Topology> topology_;
    bool is_named_;  ///< by the request, which counts
    std::uint64_t packet_bytes_;
    std::string title_;
    std::string spec_;
    std::string relay_;
    std::vector<NodeId> relays_;  ///< ascending
    bool folds_ = false;
    std::uint64_t packets_ = 0;         ///< or segments
    std::vector<std::uint32_t> sizes_;  ///< 0: none was said; empty: of none
    Packets owned_;
    Packets wanted_;
    std::vector<Wants> wants_;
    std::vector<PacketSet> given_;  ///< nodes, by segment
    Packets taken_;                 ///< segments, by node
    std::vector<TakenFold> takes_;
    std::vector<Taking> takings_;
    std::uint64_t contributions_ = 0;
    std::uint64_t folds_taken_ = 0;
};

}  // namespace

ToldPromise read_promise(std::istream& in, const std::string& path, std::shared_ptr<const Topology> topology,
                         std::uint64_t packet_bytes) {
    return PromiseReader(in, path, std::move(topology), packet_bytes).read();
}

std::string folds_in_lines(const Collective& collective, const Topology& topology) {
    const OwnCollective& own = *collective.own();
    const NodeId nodes = topology.nodes();
    std::string text = own.title.empty() || own.title == own.file ? "" : fmt::format("promise {}\n", own.title);
    text += fmt::format("segments {}\n", own.packets);
    for (std::size_t s = 0; s < own.bytes.size(); ++s) text += fmt::format("size {} = {}\n", s, own.bytes[s]);
    std::map<std::string, PacketSet> givers;  // by their segments
    std::vector<NodeId> relays;
    for (NodeId v = 0; v < nodes; ++v) {
        if (const PacketSet segments = rows_of(own.owned(v).blocks()); !segments.empty())
            givers[segments_in_words(segments)].add(PacketBlock{static_cast<std::uint32_t>(v)});
        if (own.passes_on != nullptr && own.passes_on(v)) relays.push_back(v);
    }
    for (const auto& [segments, v] : givers)
        text += fmt::format("gives {}: {}\n", nodes_in_words(v, topology), segments);
    std::map<std::string, PacketSet> takers;  // by what they take
    for (const TakenFold& fold : own.folds->all())
        takers[fmt::format("{} of {}{}", fold.segment, nodes_in_words(fold.of, topology),
                           fold.in_order ? " in order" : "")]
            .add(PacketBlock{static_cast<std::uint32_t>(fold.node)});
    for (const auto& [fold, v] : takers) text += fmt::format("takes {}: {}\n", nodes_in_words(v, topology), fold);
    if (own.passes_on != nullptr)
        text += fmt::format("relay {}\n", relays.empty() ? "none" : list_in_words(relays, topology));
    return text;
}

}  // namespace kport
