#include "app/files/schedule_file.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/files/plain_lines.hpp"
#include "app/files/plain_words.hpp"
#include "app/files/promise_file.hpp"
#include "app/files/told_schedule.hpp"
#include "app/files/transfer_words.hpp"
#include "app/files/whole_text.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

constexpr std::uint64_t last_round = std::numeric_limits<Round>::max();

using Names = std::span<const std::string_view>;
constexpr std::array<std::string_view, 16> file_members{
    "kport_schedule", "topology", "transfers", "silent_rounds", "operation", "root",  "permutation", "packets",
    "in_runs",        "unfolded", "machine",   "own",           "counts",    "sizes", "members",     "options"};
constexpr std::size_t file_members_needed = 3;
constexpr bool is_flag(std::string_view member) { return member == "in_runs" || member == "unfolded"; }
constexpr std::array<std::string_view, 5> transfer_members{"round", "from", "to", "route", "packets"};
constexpr std::array<std::string_view, 6> run_members{"first", "stride", "count", "row", "row_stride", "rows"};
constexpr std::array<std::string_view, 8> own_members{"name", "packets", "owned",  "wanted",
                                                      "noun", "sizes",   "relays", "promise"};
constexpr std::size_t own_members_needed = 4;
constexpr std::size_t own_members_needed_of_folds = 1;
constexpr std::array<std::string_view, 2> silence_members{"first", "count"};
constexpr std::size_t run_members_needed = 3;  ///< members that a run needs; the others default to row 0

/// An object being read: its allowed members, those seen, and the current one.
class Members {
  public:
    explicit Members(Names names) : names_(names) {}

    void restart() { seen_ = 0; }
    /// Returns false if the name is unknown.
    [[nodiscard]] bool begin(std::string_view name) {
        for (now_ = 0; now_ < names_.size(); ++now_)
            if (names_[now_] == name) return true;
        return false;
    }
    [[nodiscard]] bool was_there() const { return (seen_ >> now_ & 1U) != 0; }
    void mark() { seen_ |= 1U << now_; }
    [[nodiscard]] std::string_view now() const { return names_[now_]; }
    /// Returns the first missing one of the first `needed` members; empty if none is missing.
    [[nodiscard]] std::string_view missing(std::size_t needed) const {
        for (std::size_t i = 0; i < std::min(needed, names_.size()); ++i)
            if ((seen_ >> i & 1U) == 0) return names_[i];
        return {};
    }
    [[nodiscard]] Names names() const { return names_; }

  private:
    Names names_;
    std::size_t now_ = 0;
    unsigned seen_ = 0;
};

[[nodiscard]] bool fits(const Progression& p) {
    return p.count - 1 <= (std::numeric_limits<std::uint32_t>::max() - p.first) / p.stride;
}

/// Handles the parser's events; keeps nothing but the schedule and the current transfer.
class Reader final : public nlohmann::json_sax<nlohmann::json> {
  public:
    explicit Reader(std::string_view name) : name_(name) {}

    ScheduleFile take() { return std::move(file_); }

    /// Takes a line that is one transfer in the form of write_schedule(). Other lines are left to the parser, which
    /// reports what is wrong.
    bool take(std::string_view line, char before) {
        if (at_ != At::transfers || before != ',') return false;  // the parser is after a comma, and stays there
        PlainWords words(line);
        route_.clear();
        packets_.clear();
        const bool plain = words.skip(R"({"round":)") && words.number(round_, Round{1}) && words.skip(R"(,"from":)") &&
                           words.number(from_) && words.skip(R"(,"to":)") && words.number(to_) &&
                           words.skip(R"(,"route":)") && words.list([&] { return take_port(words); }) &&
                           words.skip(R"(,"packets":)") && words.list([&] { return take_packets(words); }) &&
                           words.skip("},") && words.at_end();
        if (!plain || from_ >= nodes_max || to_ >= nodes_max || round_ < file_.schedule.rounds()) return false;
        file_.schedule.add(round_, {from_, to_, route_, packets_});
        return true;
    }

    bool null() override { refuse_kind("null"); }
    bool boolean(bool value) override {
        if (at_ != At::file || !is_flag(file_now_.now())) refuse_kind(value ? "true" : "false");
        (file_now_.now() == "in_runs" ? file_.in_runs : file_.unfolded) = value;
        return true;
    }
    bool number_integer(number_integer_t value) override { refuse_kind(fmt::to_string(value)); }
    bool number_float(number_float_t, const string_t& text) override { refuse_kind(quoted(text)); }
    bool binary(binary_t&) override { refuse_kind("binary data"); }

    bool string(string_t& text) override {
        const std::string_view member = at_ == At::file  ? file_now_.now()
                                        : at_ == At::own ? own_now_.now()
                                                         : std::string_view();
        if (member == "name" || member == "noun")
            (member == "name" ? own().name : own().noun) = text;
        else if (at_ == At::own && member == "sizes")
            read_sizes(text);
        else if (member == "relays")
            own().relays = text;
        else if (member == "promise")
            own().promise = text;
        else if (member == "topology")
            file_.topology = text;
        else if (member == "counts" || member == "sizes")
            file_.counts = {text, member == "sizes"};
        else if (member == "members")
            file_.members = text;
        else if (member == "options")
            file_.options = text;
        else if (member == "operation" || member == "permutation" || member == "machine")
            read_words(member, text);
        else
            refuse_kind(quoted(text));
        return true;
    }

    bool number_unsigned(number_unsigned_t value) override {
        switch (at_) {
            case At::file: read_file_number(value); break;
            case At::transfer: read_member(value); break;
            case At::route: route_.push_back(static_cast<Port>(at_most(value, no_port - 1))); break;
            case At::packets:
            case At::own_packets: packets_.push_back({packet_number(value)}); break;
            case At::own: read_own_number(value); break;
            case At::run: read_run_member(value); break;
            case At::silences: add_silent(value, 1); break;
            case At::silence: read_silence_member(value); break;
            default: refuse_kind(fmt::to_string(value));
        }
        return true;
    }

    bool start_object(std::size_t) override {
        switch (at_) {
            case At::outside: at_ = At::file; break;
            case At::file:
                if (file_now_.now() != "own") refuse_kind("an object");
                at_ = At::own;
                file_.own.emplace();
                break;
            case At::transfers:
                at_ = At::transfer;
                transfer_now_.restart();
                break;
            case At::packets:
            case At::own_packets:
                list_ = at_;
                at_ = At::run;
                run_now_.restart();
                run_ = {};
                break;
            case At::silences:
                at_ = At::silence;
                silence_now_.restart();
                break;
            default: refuse_kind("an object");
        }
        return true;
    }

    bool key(string_t& text) override {
        Members& members = at_ == At::file       ? file_now_
                           : at_ == At::transfer ? transfer_now_
                           : at_ == At::silence  ? silence_now_
                           : at_ == At::own      ? own_now_
                                                 : run_now_;
        const auto object = [&] { return at_ == At::file ? std::string("the file") : object_place(); };
        if (!members.begin(text))
            refuse(object(), fmt::format("has a member {}{} ({})", quoted(text), did_you_mean(text, members.names()),
                                         fmt::join(members.names(), ", ")));
        if (members.was_there()) refuse(object(), fmt::format("has two members '{}'", text));
        members.mark();
        return true;
    }

    bool end_object() override {
        switch (at_) {
            case At::run: end_run(); break;
            case At::transfer: end_transfer(); break;
            case At::silence: end_silence(); break;
            case At::own: end_own(); break;
            default: require_all(file_now_, file_members_needed); at_ = At::outside;
        }
        return true;
    }

    bool start_array(std::size_t) override {
        if (at_ == At::file && file_now_.now() == "transfers") {
            at_ = At::transfers;
        } else if (at_ == At::file && file_now_.now() == "silent_rounds") {
            at_ = At::silences;
        } else if (at_ == At::transfer && transfer_now_.now() == "route") {
            at_ = At::route;
            route_.clear();
        } else if (at_ == At::transfer && transfer_now_.now() == "packets") {
            at_ = At::packets;
            packets_.clear();
        } else if (at_ == At::own && (own_now_.now() == "owned" || own_now_.now() == "wanted")) {
            at_ = At::own_nodes;
        } else if (at_ == At::own_nodes) {
            at_ = At::own_packets;
            packets_.clear();
        } else {
            refuse_kind("an array");
        }
        return true;
    }

    bool end_array() override {
        if (at_ == At::transfers || at_ == At::silences) {
            at_ = At::file;
            return true;
        }
        if (at_ == At::own_nodes) {
            at_ = At::own;
            return true;
        }
        if (at_ == At::own_packets) {
            own_list().emplace_back().include(packets_);
            at_ = At::own_nodes;
            return true;
        }
        at_ = At::transfer;
        if (transfer_now_.now() == "route" ? route_.empty() : packets_.empty())
            refuse(place(), "is empty; want at least one");
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        throw RequestError(fmt::format("schedule {}: {}", quoted(name_), told_by_json(error)));
    }

  private:
    bool take_port(PlainWords& words) {
        Port port = 0;
        if (!words.number(port) || port == no_port) return false;
        route_.push_back(port);
        return true;
    }

    bool take_packets(PlainWords& words) {
        PacketBlock block;
        const bool run = words.skip(R"({"first":)");
        if (!words.number(block.first)) return false;
        if (run) {
            if (!words.skip(R"(,"stride":)") || !words.number(block.stride, 1U)) return false;
            if (!words.skip(R"(,"count":)") || !words.number(block.count, 1U)) return false;
            if (words.skip(R"(,"row":)")) {
                if (!words.number(block.row) || !words.skip(R"(,"row_stride":)")) return false;
                if (!words.number(block.row_stride, 1U) || !words.skip(R"(,"rows":)")) return false;
                if (!words.number(block.rows, 1U)) return false;
            }
            if (!words.skip("}") || !fits(block.columns()) || !fits(block.all_rows())) return false;
        }
        packets_.push_back(block);
        return true;
    }

    /// What is being read. `outside` is before and after the whole.
    enum class At : std::uint8_t {
        outside,
        file,
        transfers,
        transfer,
        route,
        packets,
        run,
        silences,
        silence,
        own,         ///< the object
        own_nodes,   ///< owned or wanted: a list of packets for each node
        own_packets  ///< of one node
    };

    [[nodiscard]] ToldCollective& own() { return *file_.own; }
    [[nodiscard]] const ToldCollective& own() const { return *file_.own; }
    [[nodiscard]] std::vector<PacketSet>& own_list() { return own_now_.now() == "owned" ? own().owned : own().wanted; }
    [[nodiscard]] std::string own_place() const {
        return fmt::format("own.{}[{}]", own_now_.now(),
                           (own_now_.now() == "owned" ? own().owned : own().wanted).size());
    }

    [[noreturn]] void refuse(const std::string& where, const std::string& why) const {
        throw RequestError(fmt::format("schedule {}: {} {}", quoted(name_), where, why));
    }

    /// Refuses a value of the wrong kind.
    [[noreturn]] void refuse_kind(const std::string& what) const {
        throw RequestError(fmt::format("schedule {}: {}: {}; want {}", quoted(name_), place(), what, wanted()));
    }

    [[nodiscard]] std::string object_place() const {
        if (at_ == At::silences || at_ == At::silence) return fmt::format("silent_rounds[{}]", silences_read_);
        if (at_ == At::own) return "own";
        if (at_ == At::run && list_ == At::own_packets) return fmt::format("{}[{}]", own_place(), packets_.size());
        std::string transfer = fmt::format("transfers[{}]", file_.schedule.size());
        return at_ == At::run ? fmt::format("{}.packets[{}]", transfer, packets_.size()) : transfer;
    }

    /// Returns the position of the current value: "transfers[3].route[0]".
    [[nodiscard]] std::string place() const {
        std::string transfer = fmt::format("transfers[{}]", file_.schedule.size());
        switch (at_) {
            case At::outside: return "the file";
            case At::file: return std::string(file_now_.now());
            case At::transfers: return transfer;
            case At::transfer: return fmt::format("{}.{}", transfer, transfer_now_.now());
            case At::route: return fmt::format("{}.route[{}]", transfer, route_.size());
            case At::packets: return fmt::format("{}.packets[{}]", transfer, packets_.size());
            case At::run: return fmt::format("{}.{}", object_place(), run_now_.now());
            case At::own: return fmt::format("own.{}", own_now_.now());
            case At::own_nodes: return own_place();
            case At::own_packets: return fmt::format("{}[{}]", own_place(), packets_.size());
            case At::silences: return object_place();
            case At::silence: return fmt::format("{}.{}", object_place(), silence_now_.now());
        }
        return {};
    }

    /// Returns what is expected.
    [[nodiscard]] std::string wanted() const {
        switch (at_) {
            case At::outside: return "one JSON object";
            case At::file:
                if (file_now_.now() == "topology") return "a specification in quotes, such as \"hypercube:3\"";
                if (file_now_.now() == "operation") return "an operation in quotes, such as \"scatter\"";
                if (file_now_.now() == "root") return "a node's number";
                if (file_now_.now() == "packets") return "a whole number";
                if (is_flag(file_now_.now())) return "true or false";
                if (file_now_.now() == "machine") return "rules in quotes, such as \"1-port full duplex, wormhole\"";
                if (file_now_.now() == "permutation") return "a permutation in quotes, such as \"shift:1\"";
                if (file_now_.now() == "counts" || file_now_.now() == "sizes")
                    return "numbers in quotes, such as \"3,0,5\"";
                if (file_now_.now() == "options") return "options in quotes, such as \"--ports 2\"";
                if (file_now_.now() == "members") return "nodes in quotes, such as \"0,3,5-9\"";
                if (file_now_.now() == "own") return "an object: name, packets, owned, wanted";
                return file_now_.now() == "kport_schedule" ? fmt::to_string(schedule_file_version)
                                                           : std::string("an array");
            case At::transfers: return "an object";
            case At::transfer:
                return transfer_now_.now() == "route" || transfer_now_.now() == "packets" ? "an array"
                                                                                          : "a whole number";
            case At::packets:
            case At::own_packets: return "a packet number or a run of packets";
            case At::own:
                if (own_now_.now() == "name") return "words in quotes, such as \"shift\"";
                if (own_now_.now() == "noun") return "words in quotes, such as \"their packets\"";
                if (own_now_.now() == "sizes") return "bytes of each packet in quotes, such as \"64,1000\"";
                if (own_now_.now() == "relays") return "nodes in quotes, such as \"1,4-6\"";
                if (own_now_.now() == "promise") return "lines of a promise of segments in quotes";
                return own_now_.now() == "packets" ? "a whole number" : "an array: a list of packets for each node";
            case At::own_nodes: return "an array: the packets of a node";
            case At::silences: return "a round or a run of rounds";
            default: return "a whole number";
        }
    }

    void require_all(const Members& members, std::size_t needed = 64) const {
        if (const std::string_view missing = members.missing(needed); !missing.empty())
            refuse(at_ == At::file ? "the file" : object_place(), fmt::format("has no member '{}'", missing));
    }

    [[nodiscard]] std::uint64_t at_most(std::uint64_t value, std::uint64_t most) const {
        if (value > most)
            throw RequestError(
                fmt::format("schedule {}: {}: {}; want at most {}", quoted(name_), place(), value, most));
        return value;
    }

    void read_file_number(std::uint64_t value) {
        if (file_now_.now() == "packets" && value == 0) refuse(place(), "is 0; want at least 1");
        if (file_now_.now() == "root")
            file_.root = at_most(value, nodes_max - 1);
        else if (file_now_.now() == "packets")
            file_.packets_each = at_most(value, own_packets_max);
        else if (file_now_.now() != "kport_schedule" || value != schedule_file_version)
            refuse_kind(fmt::to_string(value));
    }

    void read_words(std::string_view member, std::string_view words) {
        try {
            if (member == "operation")
                file_.operation = operation_or_none_named(words);
            else if (member == "machine")
                file_.machine = machine_of_rules(words);
            else
                file_.permutation = permutation_named(words);
        } catch (const RequestError& error) {
            throw RequestError(fmt::format("schedule {}: {}: {}", quoted(name_), place(), error.what()));
        }
    }

    void read_own_number(std::uint64_t value) {
        if (own_now_.now() != "packets") refuse_kind(fmt::to_string(value));
        if (value == 0) refuse(place(), "is 0; want at least 1");
        own().packets = at_most(value, own_packets_max);
    }

    /// Of the packets of a collective of one's own: "64,1000".
    void read_sizes(const std::string& text) {
        for (const std::string_view size : split(text, ','))
            own().bytes.push_back(static_cast<std::uint32_t>(
                parse_count(size, fmt::format("schedule {}: own.sizes", quoted(name_)), 0, own_packets_max)));
    }

    void end_own() {
        require_all(own_now_, own().promise.empty() ? own_members_needed : own_members_needed_of_folds);
        const bool has_packets = !own().owned.empty() || !own().wanted.empty() || !own().bytes.empty() ||
                                 own().relays || own().packets != ToldCollective().packets;
        if (!own().promise.empty() && has_packets)
            refuse("own", "has a promise beside packets, sizes or relays; want the promise alone, which says them");
        if (std::ranges::any_of(operations(),
                                [&](const Operation& known) { return kport::name(known) == own().name; }) ||
            own().name == "none")
            refuse("own.name",
                   fmt::format("is {}, an operation that kport knows; want a name of its own", quoted(own().name)));
        if (own().owned.size() != own().wanted.size())
            refuse("own", fmt::format("lists what {} nodes own and what {} must hold; want as many", own().owned.size(),
                                      own().wanted.size()));
        at_ = At::file;
    }

    void read_member(std::uint64_t value) {
        const std::string_view member = transfer_now_.now();
        if (member == "round") {
            round_ = static_cast<Round>(at_most(value, last_round));
            if (round_ == 0) refuse(place(), "is 0; rounds count from 1");
        } else if (member == "from") {
            from_ = at_most(value, nodes_max - 1);
        } else if (member == "to") {
            to_ = at_most(value, nodes_max - 1);
        } else {
            refuse_kind(fmt::to_string(value));
        }
    }

    [[nodiscard]] std::uint32_t packet_number(std::uint64_t value) const {
        return static_cast<std::uint32_t>(at_most(value, std::numeric_limits<std::uint32_t>::max()));
    }

    void read_run_member(std::uint64_t value) {
        const std::string_view member = run_now_.now();
        if (value == 0 && member != "first" && member != "row") refuse(place(), "is 0; want at least 1");
        std::uint32_t& into = member == "first"    ? run_.first
                              : member == "stride" ? run_.stride
                              : member == "count"  ? run_.count
                              : member == "row"    ? run_.row
                              : member == "rows"   ? run_.rows
                                                   : run_.row_stride;
        into = packet_number(value);
    }

    void read_silence_member(std::uint64_t value) {
        if (value == 0) refuse(place(), "is 0; want at least 1");
        (silence_now_.now() == "first" ? silence_.first : silence_.count) = at_most(value, last_round);
    }

    void end_silence() {
        require_all(silence_now_);
        at_ = At::silences;
        add_silent(silence_.first, silence_.count);
    }

    void add_silent(std::uint64_t first, std::uint64_t count) {
        if (first == 0) refuse(object_place(), "is 0; rounds count from 1");
        (void)at_most(first, last_round);
        if (count - 1 > last_round - first) refuse(object_place(), "names rounds beyond 32 bits");
        if (first < next_silence_) refuse(object_place(), fmt::format("is round {}; rounds do not go back", first));
        next_silence_ = first + count;
        ++silences_read_;
        file_.schedule.add_silent(static_cast<Round>(first), count);
    }

    void end_run() {
        require_all(run_now_, run_members_needed);
        if (!fits(run_.columns()) || !fits(run_.all_rows())) refuse(object_place(), "names packets beyond 32 bits");
        packets_.push_back(run_);
        at_ = list_;
    }

    void end_transfer() {
        require_all(transfer_now_);
        if (round_ < file_.schedule.rounds())
            refuse(object_place(), fmt::format("is in round {} after one in round {}; rounds do not go back", round_,
                                               file_.schedule.rounds()));
        file_.schedule.add(round_, {from_, to_, route_, packets_});
        at_ = At::transfers;
    }

    std::string name_;
    ScheduleFile file_;
    At at_ = At::outside;
    Members file_now_{file_members};
    Members transfer_now_{transfer_members};
    Members run_now_{run_members};
    Members silence_now_{silence_members};
    Members own_now_{own_members};
    At list_ = At::packets;  ///< list that contains the run of packets
    Round round_ = 0;
    NodeId from_ = 0;
    NodeId to_ = 0;
    std::vector<Port> route_;
    std::vector<PacketBlock> packets_;
    PacketBlock run_;
    struct {
        std::uint64_t first = 0;
        std::uint64_t count = 0;
    } silence_;
    std::uint64_t next_silence_ = 1;
    std::size_t silences_read_ = 0;
};

/// Looks for the options of a schedule, and stops there or at its transfers.
class OptionsReader final : public nlohmann::json_sax<nlohmann::json> {
  public:
    std::string take() { return std::move(options_); }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool string(string_t& text) override {
        if (!is_next_) return true;
        options_ = text;
        return false;
    }
    bool start_object(std::size_t) override {
        ++depth_;
        return true;
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override { return start_object(0); }
    bool end_array() override { return end_object(); }
    bool key(string_t& text) override {
        is_next_ = depth_ == 1 && text == "options";
        return depth_ != 1 || text != "transfers";
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  private:
    int depth_ = 0;
    bool is_next_ = false;  ///< the next value is that of the options
    std::string options_;
};

}  // namespace

std::string options_in_json(std::string_view head) {
    OptionsReader reader;
    nlohmann::json::sax_parse(head, &reader, nlohmann::json::input_format_t::json, /*strict=*/false);
    return reader.take();
}

namespace {

Collective folds_in(const ToldCollective& told, const Topology& topology, std::uint64_t packet_bytes) {
    std::istringstream lines(told.promise);
    // The topology outlives what is read.
    const std::shared_ptr<const Topology> same(std::shared_ptr<const Topology>(), &topology);
    const Collective read = read_promise(lines, "own.promise", same, packet_bytes).collective;
    if (read.own_folds() == nullptr)
        throw RequestError(
            "own.promise: is of packets; want segments, gives and takes, or members packets, owned and wanted");
    OwnCollective own = *read.own();
    own.name = told.name;
    own.noun = told.noun;
    if (own.title == own.file) own.title = "";
    own.file = "";
    return Collective::custom(std::move(own));
}

}  // namespace

Collective collective_of(const ToldCollective& told, const Topology& topology, std::uint64_t packet_bytes) {
    if (!told.promise.empty()) {
        Collective folds = folds_in(told, topology, packet_bytes);
        require_valid(folds, topology);
        return folds;
    }
    if (told.owned.size() != topology.nodes())
        throw RequestError(fmt::format("{} is a collective of {} nodes, and {} has {}; want as many", quoted(told.name),
                                       told.owned.size(), topology.spec(), topology.nodes()));
    const auto by_node = [](const std::vector<PacketSet>& sets) {
        return [sets = std::make_shared<const std::vector<PacketSet>>(sets)](NodeId v) { return sets->at(v); };
    };
    OwnCollective own{.name = told.name,
                      .packets = told.packets,
                      .owned = by_node(told.owned),
                      .wanted = by_node(told.wanted),
                      .packet_bytes = packet_bytes,
                      .noun = told.noun,
                      .bytes = told.bytes};
    if (told.relays) {
        std::vector<bool> may(topology.nodes());
        if (!told.relays->empty())
            for (const NodeId v : nodes_named(*told.relays, topology, "own.relays")) may[v] = true;
        own.passes_on = [may = std::move(may)](NodeId v) { return may[v]; };
    }
    Collective collective = Collective::custom(std::move(own));
    require_valid(collective, topology);
    return collective;
}

ScheduleFile read_schedule(std::istream& in, std::string_view name) {
    const auto unreadable = [&] { return RequestError(fmt::format("schedule {} cannot be read", quoted(name))); };
    if (!in) throw unreadable();
    Reader reader(name);
    PlainLines lines(in, [&](std::string_view line, char before) { return reader.take(line, before); });
    std::istream text(&lines);
    try {
        nlohmann::json::sax_parse(text, &reader);  // the reader reports what is wrong with the text
    } catch (const std::ios_base::failure&) {
        throw unreadable();  // a folder's buffer throws whatever the stream's exceptions() are
    }
    return reader.take();
}

}  // namespace kport
