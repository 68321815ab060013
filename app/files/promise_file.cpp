#include "app/files/promise_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/lines.hpp"
#include "app/files/node_list.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/family.hpp"

namespace kport {

namespace {

constexpr std::array<std::string_view, 7> words_known = {"promise", "on", "packets", "size", "owns", "wants", "relay"};
/// Of folds, which are promised by operations only.
constexpr std::array<std::string_view, 3> words_of_folds = {"segments", "gives", "takes"};

/// What each node owns, or wants.
using Packets = std::vector<PacketSet>;

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
        if (packets_ == 0) lines_.refuse("has no line of packets; want one such as 'packets 4', then owns and wants");
        require_topology("it");
        require_owners();
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
        else if (word == "packets")
            read_packets(line, column);
        else if (word == "size")
            read_size(line);
        else if (word == "owns")
            read_fact(line, word, owned_);
        else if (word == "wants")
            read_fact(line, word, wanted_);
        else if (word == "relay")
            read_relay(line);
        else if (std::ranges::find(words_of_folds, word) != words_of_folds.end())
            line.refuse(column,
                        fmt::format("{} is of folds, and a file promises packets; want owns and wants", quoted(word)));
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
    void read_packets(LineCursor& line, std::size_t column) {
        if (packets_ != 0) line.refuse(column, "a second number of packets; want one");
        packets_ = line.number("a number of packets", 1, packets_max);
        require_end(line);
    }
    void read_size(LineCursor& line) {
        const PacketSet some = packets_to(line, "=");
        line.want("=", "packets");
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
                if (size != 0) line.refuse(column, fmt::format("packet {} has a size already", block.columns()[i]));
                size = static_cast<std::uint32_t>(bytes);
            }
    }
    void read_fact(LineCursor& line, std::string_view word, Packets& all) {
        const std::size_t column = (void(line.at_end()), line.column());
        const std::string text(line.until(":"));
        line.want(":", "nodes");
        const std::vector<NodeId> nodes = nodes_of(line, column, text, word);
        const PacketSet some = packets_to(line, "");
        all.resize(topology_->nodes());
        for (const NodeId v : nodes) all[v].include(some.blocks());
        if (&all == &wanted_) wants_.push_back({lines_.number(), some});
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
        if (packets_ == 0) line.refuse("how many packets are there? want a line such as 'packets 4' before");
        PacketSet some;
        do {
            const std::uint64_t first = line.number("a packet", 0, packets_ - 1);
            const std::uint64_t last = line.take("..") ? line.number("a packet", first, packets_ - 1) : first;
            some.include(PacketSet::range(first, last + 1).blocks());
        } while (line.take(","));
        if (ends.empty()) require_end(line);
        return some;
    }
    static void require_end(LineCursor& line) {
        if (!line.at_end())
            line.refuse(
                fmt::format("{} stands behind the packets; want a comma before more of them", quoted(line.rest())));
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
    ToldPromise told() {
        const NodeId nodes = topology_->nodes();
        owned_.resize(nodes);
        wanted_.resize(nodes);
        for (std::uint32_t& size : sizes_)
            if (size == 0) size = static_cast<std::uint32_t>(packet_bytes_);
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
        if (!relay_.empty() && relay_ != "all")
            own.passes_on = [relays = relays_](NodeId v) { return std::ranges::binary_search(relays, v); };
        told.collective = Collective::custom(std::move(own));
        return told;
    }

    static constexpr std::uint64_t packets_max = std::uint64_t{1} << 24;

    struct Wants {
        std::uint64_t line;
        PacketSet packets;
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
    std::uint64_t packets_ = 0;
    std::vector<std::uint32_t> sizes_;  ///< 0: none was said; empty: of none
    Packets owned_;
    Packets wanted_;
    std::vector<Wants> wants_;
};

}  // namespace

ToldPromise read_promise(std::istream& in, const std::string& path, std::shared_ptr<const Topology> topology,
                         std::uint64_t packet_bytes) {
    return PromiseReader(in, path, std::move(topology), packet_bytes).read();
}

}  // namespace kport
