#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/pictures/characters.hpp"
#include "app/pictures/labels.hpp"
#include "app/pictures/picture.hpp"
#include "emulator/report/table.hpp"

namespace kport {
namespace {

/// Writes words side by side, in lines that fit.
class Lines {
  public:
    Lines(std::ostream& out, std::size_t width, std::size_t hang) : out_(out), width_(width), hang_(hang) {}

    void begin(std::string_view text) {
        out_ << text;
        at_ = text.size();
        first_ = true;
    }
    void add(std::string_view item) {
        if (!first_) {
            out_ << ',';
            ++at_;
        }
        if (!first_ && at_ + item.size() + 2 > width_) {
            out_ << '\n' << std::string(hang_, ' ');
            at_ = hang_;
        } else if (!first_) {
            out_ << ' ';
            ++at_;
        }
        out_ << item;
        at_ += item.size();
        first_ = false;
    }
    void end() { out_ << '\n'; }

  private:
    std::ostream& out_;
    std::size_t width_;
    std::size_t hang_;
    std::size_t at_ = 0;
    bool first_ = true;
};

/// Returns "0 -> 1 {1,3,5,7}", "0 -> 1 -> 3 {3}" if a path has several links, "0 -> 2 ! NODUP".
std::string told_transfer(const Story& story, const Step& step, const Transfer& transfer) {
    constexpr std::size_t letters = 60;
    std::string text = fmt::to_string(transfer.from);
    NodeId at = transfer.from;
    for (std::size_t i = 0; i + 1 < transfer.route.size() && at != no_node; ++i) {
        at = story.wires().across(at, transfer.route[i]).node;
        if (at != no_node) text += fmt::format(" -> {}", at);
    }
    text += fmt::format(" -> {}", transfer.to);
    const std::string packets = packets_label(story, transfer.packets, letters);
    if (!packets.empty()) text += " " + packets;
    if (const auto rule = rule_broken_by(story, step, transfer)) text += fmt::format(" !{}", title_of(*rule));
    return text;
}

void put_sentence(std::ostream& out, const Story& story, const Violation& violation, std::size_t width) {
    out << wrapped(fmt::format("  ! {}\n", sentence(violation, story.topology())), 4, width);
}

void put_rounds(std::ostream& out, const Story& story, std::span<const Step> steps, const PictureOptions& options) {
    const std::size_t digits = steps.empty() ? 1 : fmt::formatted_size("{}", steps.back().round);
    const std::size_t hang = digits + 9;
    Lines lines(out, options.width, hang);
    for (const Step& step : steps) {
        lines.begin(fmt::format("round {:>{}}   ", step.round, digits));
        for (std::size_t i = step.begin; i < step.end; ++i)
            lines.add(told_transfer(story, step, story.schedule.transfer(i)));
        lines.end();
        for (const std::size_t i : step.violations)
            put_sentence(out, story, story.verdict.violations[i], options.width);
    }
}

/// Prints violations outside the rounds shown: missing packets, programs that wait for ever.
void put_other_violations(std::ostream& out, const Story& story, std::span<const Step> all, std::size_t width) {
    std::vector<bool> told(story.verdict.violations.size(), false);
    for (const Step& step : all)
        for (const std::size_t i : step.violations) told[i] = true;
    for (std::size_t i = 0; i < told.size(); ++i)
        if (!told[i]) put_sentence(out, story, story.verdict.violations[i], width);
    if (const std::uint64_t more = story.verdict.violation_count - told.size(); more > 0)
        out << fmt::format("  ! and {} more\n", more);
}

std::string round_text(Round round) { return round == NodeStates::never ? "." : fmt::to_string(round); }

/// Draws the machine with those rounds at its nodes, or a table of them if it cannot be drawn.
void put_learned(std::ostream& out, const Story& story, std::size_t width) {
    constexpr NodeId nodes_most = 256;
    if (story.topology().nodes() > nodes_most) return;
    std::vector<std::string> texts;
    for (const Round round : rounds_learned(story)) texts.push_back(round_text(round));
    out << '\n' << wrapped(learning_of(story) + " (. never):\n", 2, width) << '\n';
    const std::string drawing = drawn_with_characters(story.topology(), texts, width);
    if (!drawing.empty()) {
        out << drawing;
        return;
    }
    std::size_t longest = fmt::formatted_size("{}", texts.size() - 1);
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    const std::size_t fit = std::max<std::size_t>(1, (width - 8) / (longest + 2));
    for (std::size_t begin = 0; begin < texts.size(); begin += fit) {
        std::string nodes = "  node  ";
        std::string rounds = "  round ";
        for (std::size_t v = begin; v < std::min(begin + fit, texts.size()); ++v) {
            nodes += fmt::format("{:>{}}", v, longest + 2);
            rounds += fmt::format("{:>{}}", texts[v], longest + 2);
        }
        out << nodes << '\n' << rounds << '\n';
    }
}

/// Prints a row for each node and a column for the start and each round: what it holds.
void put_held(std::ostream& out, const Story& story, std::span<const Step> all, const PictureOptions& options) {
    constexpr NodeId nodes_most = 32;
    constexpr std::size_t rounds_most = 12;
    constexpr std::size_t letters = 24;
    const std::span<const Step> steps = shown(all, options);
    const NodeId nodes = story.topology().nodes();
    if (!has_labels(story) || nodes > nodes_most || steps.size() > rounds_most || steps.empty()) return;
    NodeStates states(story);
    std::vector<Table::Column> columns{{"node"}};
    std::vector<std::vector<Cell>> rows(nodes);
    const auto add_column = [&](const std::string& heading) {
        columns.push_back({heading, Table::Align::left, false, true});
        for (NodeId v = 0; v < nodes; ++v) rows[v].push_back({held_label(story, v, states.held(v), letters)});
    };
    for (NodeId v = 0; v < nodes; ++v) rows[v].push_back({fmt::to_string(v)});
    for (const Step& step : all) {
        if (&step == steps.data()) add_column(step.round == 1 ? "start" : fmt::format("before {}", step.round));
        states.take(step);
        if (&step >= steps.data() && &step < steps.data() + steps.size())
            add_column(fmt::format("round {}", step.round));
    }
    Table table(columns);
    for (std::vector<Cell>& row : rows) table.row(std::move(row));
    out << '\n'
        << (story.collective.folds()     ? "whose contributions each node holds"
            : story.collective.signals() ? "of whom each node knows that they have entered,"
                                         : "what each node holds");
    out << " after each round:\n\n" << table.text(Paint(false), options.width);
}

/// Draws a machine without messages, with the numbers of its nodes.
void put_machine(std::ostream& out, const Topology& topology, std::size_t width) {
    std::vector<std::string> numbers;
    constexpr NodeId nodes_most = 256;
    for (NodeId v = 0; v < std::min(topology.nodes(), nodes_most + 1); ++v) numbers.push_back(fmt::to_string(v));
    const std::string drawing = drawn_with_characters(topology, numbers, width);
    out << (drawing.empty() ? "  characters do not draw it; a file does: --picture x.svg, or x.html\n" : drawing);
}

}  // namespace

void write_text(std::ostream& out, const Story& story, const PictureOptions& options) {
    const std::vector<Step> all = steps_of(story);
    out << wrapped(story.title + "\n" + story.cost + "\n", 2, options.width) << '\n';
    if (is_machine_alone(story)) return put_machine(out, story.topology(), options.width);
    put_rounds(out, story, shown(all, options), options);
    put_other_violations(out, story, all, options.width);
    put_learned(out, story, options.width);
    put_held(out, story, all, options);
}

}  // namespace kport
