#include <iterator>
#include <set>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "pictures/labels.hpp"
#include "pictures/picture.hpp"

namespace kport {
namespace {

/// Events of the format that ui.perfetto.dev and chrome://tracing read, in pieces.
class TraceWriter {
  public:
    explicit TraceWriter(std::ostream& out) : out_(out) {
        append(R"({"displayTimeUnit":"ms","traceEvents":[)"
               "\n");
    }
    TraceWriter(const TraceWriter&) = delete;
    TraceWriter& operator=(const TraceWriter&) = delete;
    ~TraceWriter() {
        append("\n]}\n");
        flush();
    }

    template <class Format, class... Values>
    void event(const Format& format, const Values&... values) {
        if (!first_) append(",\n");
        first_ = false;
        fmt::format_to(std::back_inserter(buffer_), format, values...);
        if (buffer_.size() > piece) flush();
    }

  private:
    static constexpr std::size_t piece = 1 << 20;

    void append(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
    void flush() {
        out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        buffer_.clear();
    }

    std::ostream& out_;
    fmt::memory_buffer buffer_;
    bool first_ = true;
};

/// A round is a millisecond of virtual time.
constexpr std::uint64_t round_us = 1000;
constexpr int virtual_process = 1;

/// Arrows between the tracks, and the names of all of them, up to so many messages: beyond nobody sees them.
constexpr std::size_t arrows_most = 50000;

void name_tracks(TraceWriter& trace, const Story& story) {
    std::set<NodeId> active;
    for (std::size_t i = 0; i < story.schedule.size(); ++i) {
        active.insert(story.schedule.transfer(i).from);
        active.insert(story.schedule.transfer(i).to);
    }
    for (const NodeId v : active)
        for (const bool receives : {false, true})
            trace.event(
                FMT_COMPILE(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})"),
                virtual_process, 2 * v + (receives ? 1 : 0),
                json_string(fmt::format("node {} {}", story.topology().name(v), receives ? "receives" : "sends")));
}

void put_transfer(TraceWriter& trace, const Story& story, const Step& step, std::size_t i, bool with_arrows) {
    const Transfer transfer = story.schedule.transfer(i);
    const std::uint64_t begin = (step.round - 1) * round_us;
    const std::string packets = has_labels(story) ? packets_label(story, transfer.packets, 40) : std::string();
    trace.event(
        FMT_COMPILE(
            R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"to {}","args":{{"round":{},"hops":{},"packets":"{}"}}}})"),
        virtual_process, 2 * transfer.from, begin, round_us, transfer.to, step.round, transfer.route.size(), packets);
    if (!with_arrows) return;
    trace.event(FMT_COMPILE(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"from {}"}})"), virtual_process,
                2 * transfer.to + 1, begin, round_us, transfer.from);
    trace.event(FMT_COMPILE(R"({{"ph":"s","pid":{},"tid":{},"ts":{},"id":{},"name":"message","cat":"message"}})"),
                virtual_process, 2 * transfer.from, begin, i);
    trace.event(
        FMT_COMPILE(R"({{"ph":"f","bp":"e","pid":{},"tid":{},"ts":{},"id":{},"name":"message","cat":"message"}})"),
        virtual_process, 2 * transfer.to + 1, begin, i);
}

void put_violation(TraceWriter& trace, const Story& story, const Violation& violation, Round round) {
    const std::string_view rule = name(violation.rule());
    trace.event(FMT_COMPILE(R"({{"ph":"i","s":"p","pid":{},"tid":0,"ts":{},"name":{},"args":{{"text":{}}}}})"),
                virtual_process, (round - 1) * round_us + round_us / 2, json_string(fmt::format("{} broken", rule)),
                json_string(sentence(violation, story.topology())));
}

}  // namespace

void write_trace(std::ostream& out, const Story& story, const PictureOptions& options) {
    TraceWriter trace(out);
    const bool with_arrows = story.schedule.size() <= arrows_most;
    trace.event(FMT_COMPILE(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":{}}}}})"),
                virtual_process, json_string("rounds, 1 ms each: " + story.title));
    if (with_arrows) name_tracks(trace, story);
    const std::vector<Step> all = steps_of(story);
    for (const Step& step : shown(all, options)) {
        trace.event(FMT_COMPILE(R"({{"ph":"C","pid":{},"tid":0,"ts":{},"name":"messages","args":{{"messages":{}}}}})"),
                    virtual_process, (step.round - 1) * round_us, step.transfers());
        for (std::size_t i = step.begin; i < step.end; ++i) put_transfer(trace, story, step, i, with_arrows);
        for (const std::size_t i : step.violations)
            put_violation(trace, story, story.verdict.violations[i], step.round);
    }
    for (const CoreWork& work : story.cores)
        trace.event(FMT_COMPILE(R"({{"ph":"X","pid":2,"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"round {}"}})"),
                    work.core, work.begin_seconds * 1e6, (work.end_seconds - work.begin_seconds) * 1e6, work.round);
}

}  // namespace kport
