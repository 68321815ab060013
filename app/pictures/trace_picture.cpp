#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/files/text_pieces.hpp"
#include "app/pictures/labels.hpp"
#include "app/pictures/picture.hpp"

namespace kport {
namespace {

/// Writes events in the format of ui.perfetto.dev and chrome://tracing.
class TraceWriter {
  public:
    explicit TraceWriter(std::ostream& out) : pieces_(out) {
        pieces_.put(R"({"displayTimeUnit":"ms","traceEvents":[)");
    }

    /// Appends an event whose text is these parts.
    template <class... Parts>
    void event(const Parts&... parts) {
        pieces_.put(std::string_view(first_ ? "\n" : ",\n"), parts...);
        first_ = false;
    }
    void end() {
        pieces_.put("\n]}\n");
        pieces_.flush();
    }

  private:
    TextPieces pieces_;
    bool first_ = true;
};

/// A round is a millisecond of model time.
constexpr std::uint64_t round_us = 1000;
/// A process is a group of tracks. The two times have nothing in common but the axis of the page that shows them.
constexpr unsigned model_process = 1;
constexpr unsigned measured_process = 2;  ///< and one more for each further rank

/// Arrows between the tracks, and names of all tracks, up to this many messages: more would be illegible.
constexpr std::size_t arrows_most = 50000;

/// Names a group of tracks; groups stand in the order of their numbers.
void name_process(TraceWriter& trace, unsigned process, const std::string& name) {
    trace.event(R"({"ph":"M","pid":)", process, R"(,"tid":0,"name":"process_name","args":{"name":)", json_string(name),
                "}}");
    trace.event(R"({"ph":"M","pid":)", process, R"(,"tid":0,"name":"process_sort_index","args":{"sort_index":)",
                process, "}}");
}

void name_track(TraceWriter& trace, unsigned process, std::uint64_t track, const std::string& name) {
    trace.event(R"({"ph":"M","pid":)", process, R"(,"tid":)", track, R"(,"name":"thread_name","args":{"name":)",
                json_string(name), "}}");
}

void name_tracks(TraceWriter& trace, const Story& story) {
    std::set<NodeId> active;
    for (std::size_t i = 0; i < story.schedule.size(); ++i) {
        active.insert(story.schedule.transfer(i).from);
        active.insert(story.schedule.transfer(i).to);
    }
    for (const NodeId v : active) {
        const std::string node = "node " + story.topology().name(v);
        name_track(trace, model_process, 2 * v, node + " sends");
        name_track(trace, model_process, 2 * v + 1, node + " receives");
    }
}

void put_transfer(TraceWriter& trace, const Story& story, const Step& step, std::size_t i, bool with_arrows) {
    const Transfer transfer = story.schedule.transfer(i);
    const std::uint64_t begin = (step.round - 1) * round_us;
    const std::uint64_t sends = 2 * transfer.from;
    const std::uint64_t receives = 2 * transfer.to + 1;
    const std::string packets = has_labels(story)
                                    ? fmt::format(R"(,"packets":"{}")", packets_label(story, transfer.packets, 40))
                                    : std::string();
    trace.event(R"({"ph":"X","pid":)", model_process, R"(,"tid":)", sends, R"(,"ts":)", begin, R"(,"dur":)", round_us,
                R"(,"name":"to )", transfer.to, R"(","cat":"model","args":{"round":)", step.round, R"(,"hops":)",
                transfer.route.size(), packets, "}}");
    if (!with_arrows) return;
    constexpr std::string_view message = R"(,"name":"message","cat":"message"})";
    trace.event(R"({"ph":"X","pid":)", model_process, R"(,"tid":)", receives, R"(,"ts":)", begin, R"(,"dur":)",
                round_us, R"(,"name":"from )", transfer.from, R"(","cat":"model"})");
    trace.event(R"({"ph":"s","pid":)", model_process, R"(,"tid":)", sends, R"(,"ts":)", begin, R"(,"id":)", i, message);
    trace.event(R"({"ph":"f","bp":"e","pid":)", model_process, R"(,"tid":)", receives, R"(,"ts":)", begin, R"(,"id":)",
                i, message);
}

void put_violation(TraceWriter& trace, const Story& story, const Violation& violation, Round round) {
    const std::string_view rule = name(violation.rule());
    trace.event(R"({"ph":"i","s":"p","pid":)", model_process, R"(,"tid":0,"ts":)",
                (round - 1) * round_us + round_us / 2, R"(,"name":)", json_string(fmt::format("{} broken", rule)),
                R"(,"args":{"text":)", json_string(sentence(violation, story.topology())), "}}");
}

/// Writes what the threads did, the only measured times. Each rank is a process.
void put_phases(TraceWriter& trace, std::span<const PhaseTime> phases) {
    if (phases.empty()) return;
    const bool several = std::ranges::any_of(phases, [](const PhaseTime& time) { return time.rank != 0; });
    unsigned ranks_named = 0;
    unsigned threads_named = 0;
    for (const PhaseTime& time : phases) {
        const unsigned process = measured_process + time.rank;
        for (; ranks_named <= time.rank; ++ranks_named, threads_named = 0)
            name_process(trace, measured_process + ranks_named,
                         fmt::format("measured time (this computer), other in every run: threads{}",
                                     several ? fmt::format(" of rank {}", ranks_named) : ""));
        for (; threads_named <= time.thread; ++threads_named)
            name_track(trace, process, threads_named, fmt::format("thread {}", threads_named));
        trace.event(R"({"ph":"X","pid":)", process, R"(,"tid":)", time.thread,
                    fmt::format(R"(,"ts":{:.3f},"dur":{:.3f})", time.begin_seconds * 1e6,
                                (time.end_seconds - time.begin_seconds) * 1e6),
                    R"(,"name":")", name(time.phase), R"(","cat":"measured","args":{"round":)", time.round,
                    R"(,"partition":)", time.partition, "}}");
    }
}

}  // namespace

void write_trace(std::ostream& out, const Story& story, const PictureOptions& options) {
    TraceWriter trace(out);
    const bool with_arrows = story.schedule.size() <= arrows_most;
    name_process(trace, model_process, "model time (1 ms is a round): " + story.title);
    if (with_arrows) name_tracks(trace, story);
    const std::vector<Step> all = steps_of(story);
    for (const Step& step : shown(all, options)) {
        trace.event(R"({"ph":"C","pid":)", model_process, R"(,"tid":0,"ts":)", (step.round - 1) * round_us,
                    R"(,"name":"messages","args":{"messages":)", step.transfers(), "}}");
        for (std::size_t i = step.begin; i < step.end; ++i) put_transfer(trace, story, step, i, with_arrows);
        for (const std::size_t i : step.violations)
            put_violation(trace, story, story.verdict.violations[i], step.round);
    }
    put_phases(trace, story.phases);
    trace.end();
}

}  // namespace kport
