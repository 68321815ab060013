#include "app/files/schedule_forms.hpp"

#include <algorithm>
#include <istream>
#include <memory>
#include <streambuf>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/foreign_schedule.hpp"
#include "app/files/formats.hpp"
#include "app/files/schedule_file.hpp"
#include "app/files/text_schedule.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

bool begins_json(std::string_view head) {
    return head.starts_with('{') && head.find("\"kport_schedule\"") != std::string_view::npos;
}

/// Returns the context's collective, or else the file's.
Collective collective_in(const ScheduleFile& file, const Topology& topology, const ScheduleContext& context) {
    if (file.own && file.operation) throw RequestError("has both operation and own; want one of them");
    if (file.operation == Operation::none && context.operation.value_or(Operation::none) == Operation::none)
        return Collective::none();
    if (const auto operation = context.operation ? context.operation : file.operation)
        return collective_asked(context, *operation);
    if (file.own) return collective_of(*file.own, topology, context.packet_bytes);
    throw RequestError(no_operation_in_file);
}

}  // namespace

void require_no_promise(const ScheduleContext& context, std::string_view what) {
    if (context.promise)
        throw RequestError(fmt::format("has {}, which the promise says that it is judged by; leave them out", what));
}

void require_values_in_one(const Collective& collective) {
    if (collective.own_folds() != nullptr)
        throw RequestError(
            "keeps contributions apart (unfolded, in-runs), and in folds of a promise a message has one value of a "
            "segment; leave "
            "that out");
}

void put_numbers(Collective& collective, const Counts& numbers, bool are_sizes) {
    if (!are_sizes) {
        collective = counting(std::move(collective), std::make_shared<const Counts>(numbers));
        return;
    }
    collective = counting(std::move(collective), std::make_shared<const Counts>(Counts::of_sizes(numbers)));
    if (numbers.largest() != 0) collective.packet_bytes = numbers.largest();
}

void put_counts(Collective& collective, const ScheduleContext& context, const ToldCounts& of_file, NodeId nodes) {
    const std::string_view what = of_file.are_sizes ? "sizes" : "counts";
    if (!of_file.text.empty()) require_no_promise(context, what);
    if (context.counts != nullptr) return context.counts(collective, nodes);
    if (of_file.text.empty() || context.packets_each) return;
    const CountedFor counted_for = collective.operation->counted_for;
    if (counted_for == CountedFor::nothing)
        throw RequestError(
            fmt::format("{} '{}': every node has the same in {}", what, of_file.text, name(collective.operation)));
    const auto read = [&] { return counts_named(of_file.text, name(collective.operation), nodes, counted_for, 1); };
    put_numbers(collective, numbers_read(of_file.are_sizes, read), of_file.are_sizes);
}

void put_members(Collective& collective, const ScheduleContext& context, const std::string& of_file,
                 const Topology& topology) {
    const auto require_root = [&] {
        if (collective.rooted() && !collective.has_member(collective.root))
            throw RequestError(fmt::format("node {} is no member; want a root of them, such as {}",
                                           topology.name(collective.root), collective.members->node(0)));
    };
    if (context.members != nullptr) {
        context.members(collective, topology);
        return require_root();
    }
    if (of_file.empty()) return;
    require_no_promise(context, "members");
    collective.members = std::make_shared<const RankedNodes>(nodes_named(of_file, topology, "members"));
    if (!collective.rooted()) collective.root = collective.members->node(0);
    require_root();
}

namespace {

ToldSchedule read_json(std::istream& in, const std::string& name, const ScheduleContext& context) {
    ScheduleFile file = read_schedule(in, name);
    try {
        ToldSchedule told{context.machine.topology, Collective::broadcast(0, context.packet_bytes),
                          std::move(file.schedule)};
        if (told.topology == nullptr) try {
                told.topology = make_topology(file.topology);
            } catch (const RequestError& error) {
                throw RequestError(fmt::format("topology: {}", error.what()));
            }
        if (context.promise && file.topology != told.topology->spec())
            throw RequestError(fmt::format("is for {}, and the promise for {}", file.topology, told.topology->spec()));
        if (file.packets_each != 1) require_no_promise(context, "packets");
        told.collective = collective_in(file, *told.topology, context);
        told.collective.packets_each = context.packets_each.value_or(file.packets_each);
        put_counts(told.collective, context, file.counts, told.topology->nodes());
        if (file.unfolded || file.in_runs) require_values_in_one(told.collective);
        told.collective.unfolded = file.unfolded && told.collective.folds();
        told.collective.in_runs = (file.in_runs || file.unfolded) && told.collective.folds();
        if (told.collective.rooted())
            told.collective.root = context.root ? told.topology->node(*context.root) : file.root;
        told.collective.permutation = file.permutation;
        put_members(told.collective, context, file.members, *told.topology);
        told.collective = fitted(told.collective, *told.topology);
        require_valid(told.collective, *told.topology);
        require_well_formed(told.schedule, *told.topology);
        told.machine = file.machine;
        told.options = file.options;
        return told;
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("schedule {}: {}", quoted(name), error.what()));
    }
}

void write_json(std::ostream& out, const ToldSchedule& told) {
    write_schedule(out, told.schedule, *told.topology, told.collective, told.machine, told.options);
}

/// A stream whose beginning can be examined before it is read; works for pipes, too.
class ReadTwice final : public std::streambuf {
  public:
    explicit ReadTwice(std::istream& in) : in_(in), buffer_(buffer_bytes) {
        (void)fill();
        head_ = std::string_view(gptr(), static_cast<std::size_t>(egptr() - gptr()));
    }
    /// Valid until the first read.
    [[nodiscard]] std::string_view head() const { return head_; }

  private:
    static constexpr std::size_t buffer_bytes = std::size_t{64} << 10;

    int_type underflow() override {
        if (fill()) return traits_type::to_int_type(*gptr());
        if (in_.bad()) throw std::ios_base::failure("read error");  // the reader's stream is bad then, too
        return traits_type::eof();
    }

    bool fill() {
        try {
            in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        } catch (const std::ios_base::failure&) {
            in_.setstate(std::ios_base::badbit);  // a folder's buffer throws whatever the stream's exceptions() are
        }
        setg(buffer_.data(), buffer_.data(), buffer_.data() + in_.gcount());
        return in_.gcount() != 0;
    }

    std::istream& in_;
    std::vector<char> buffer_;
    std::string_view head_;
};

/// Returns the beginning of a file without blank lines, comments and a byte order mark.
std::string_view begin_of(std::string_view head) {
    if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
    for (;;) {
        head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
        if (!head.starts_with('#')) return head;
        head.remove_prefix(std::min(head.find('\n'), head.size()));
    }
}

/// Returns the schedule with contents instead of packets of so many bytes each (Collective::none()). Throws
/// RequestError for more bytes than contents may have.
Schedule of_contents(const Schedule& schedule, std::uint64_t packet_bytes) {
    Schedule contents;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        Transfer transfer = schedule.transfer(i);
        const std::uint64_t size = size_of(transfer.packets);
        if (packet_bytes != 0 && size > contents_bytes_max / packet_bytes)
            throw RequestError(
                fmt::format("transfers[{}] carries {} packets of {} bytes; where nothing is promised want at "
                            "most {} bytes",
                            i, size, packet_bytes, contents_bytes_max));
        const PacketBlock bytes = contents_packets(std::max<std::uint64_t>(size * packet_bytes, 1));
        transfer.packets = {&bytes, 1};
        contents.add(schedule.round(i), transfer);
    }
    for (const Silence& silence : schedule.silences()) contents.add_silent(silence.first, silence.count);
    return contents;
}

}  // namespace

const std::vector<ScheduleForm>& schedule_forms() {
    static const std::vector<ScheduleForm> forms = {
        {"json", ".json", "kport's own: whatever a schedule may hold, a transfer a line", begins_json, read_json,
         write_json, options_in_json, false, true},
        {"text", ".txt", "as on paper: round 1: 0 -> 4 {4..7}, 1 -> 3 {3}", begins_text_schedule, read_text_schedule,
         write_text_schedule, options_in_text},
        {"goal", ".goal", "LogGOPSim's and Schedgen's: sends, receives and what they require", begins_goal, read_goal,
         write_goal, nullptr, true, false, true, true},
        {"msccl", ".xml", "msccl-tools' XML: the steps of thread blocks, which send, receive and reduce chunks",
         begins_msccl, read_msccl, write_msccl, nullptr, true, false, false, true, true},
        {"mscclpp", "", "MSCCL++'s execution plans: operations on local and remote memory", begins_mscclpp,
         read_mscclpp, write_mscclpp, nullptr, true, false, false, false, true},
        {"sccl", "", "msccl-tools' JSON: steps that send chunks; only read", begins_sccl, read_sccl, nullptr, nullptr,
         false, false, false, false, true},
        {"teccl", "", "TE-CCL's JSON: chunks that travel over links in epochs; only read", begins_teccl, read_teccl,
         nullptr, nullptr, false, false, false, false, true},
        {"simgrid", "", "SimGrid's time-independent trace: what each rank sends and receives", begins_simgrid,
         read_simgrid, write_simgrid, nullptr, true, false, true},
        {"csv", ".csv", "a table: round,from,to,packets,via", begins_csv_schedule, read_csv_schedule,
         write_csv_schedule, options_in_csv},
    };
    return forms;
}

namespace {

const ScheduleForm& form_named(std::string_view name, bool is_written) {
    std::vector<std::string_view> names;
    bool is_only_read = false;
    for (const ScheduleForm& form : schedule_forms()) {
        if (is_written && form.write == nullptr) {
            is_only_read |= form.name == name;
            continue;
        }
        if (form.name == name) return form;
        names.push_back(form.name);
    }
    if (is_only_read)
        throw RequestError(
            fmt::format("schedules of the form {} are only read; want one of {}", name, fmt::join(names, ", ")));
    throw RequestError(fmt::format("no schedule has the form {}{}; want one of {}", quoted(name),
                                   did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace

const ScheduleForm& schedule_form_named(std::string_view name) { return form_named(name, false); }

const ScheduleForm& written_form_named(std::string_view name) { return form_named(name, true); }

const ScheduleForm* schedule_form_of_path(std::string_view path) {
    const auto found = std::ranges::find_if(schedule_forms(),
                                            [&](const ScheduleForm& form) { return has_ending(path, form.endings); });
    return found == schedule_forms().end() ? nullptr : &*found;
}

const ScheduleForm* schedule_form_of(std::string_view head) {
    const std::string_view begin = begin_of(head);
    const auto found =
        std::ranges::find_if(schedule_forms(), [&](const ScheduleForm& form) { return form.begins(begin); });
    return found == schedule_forms().end() ? nullptr : &*found;
}

namespace {

/// Messages of a schedule without a promise carry bytes, and no packets.
ReadSchedule without_packets_of_nothing(ReadSchedule read) {
    if (read.told.collective.promises()) return read;
    read.told.schedule = of_contents(read.told.schedule, read.told.collective.packet_bytes);
    read.told.collective = Collective::none();
    return read;
}

/// Checks that the context's promise has an effect.
ReadSchedule with_promise_kept(ReadSchedule read, const std::string& name, const ScheduleContext& context) {
    if (context.all_held && !read.told.took_all_held)
        throw RequestError(fmt::format(
            "schedule {}: --promise all-held: no message leaves open what it carries; leave it out", quoted(name)));
    return without_packets_of_nothing(std::move(read));
}

}  // namespace

ReadSchedule read_schedule_folder(const std::string& folder, const ScheduleContext& context) {
    return with_promise_kept({&schedule_form_named("simgrid"), read_simgrid_folder(folder, context)}, folder, context);
}

ReadSchedule read_any_schedule(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return read_by_options(in, name, [&](const std::string&) { return context; });
}

ReadSchedule read_by_options(std::istream& in, const std::string& name, const ContextOfOptions& context_of) {
    ReadTwice twice(in);
    std::istream all(&twice);
    if (in.bad()) throw RequestError(fmt::format("schedule {} cannot be read", quoted(name)));
    const ScheduleForm* form = schedule_form_of(twice.head());
    if (form == nullptr && names_simgrid_files(name, twice.head())) form = &schedule_form_named("simgrid");
    const std::string options = form == nullptr || form->options == nullptr ? "" : form->options(twice.head());
    const ScheduleContext context = context_of(options);
    if (form != nullptr && context.promise && form->name != "text" && form->name != "json" && form->name != "csv")
        throw RequestError(fmt::format("schedule {}: --promise: packets are not named in {}; want text, CSV or JSON",
                                       quoted(name), form->name));
    if (form != nullptr && form->has_chunks && (context.packets_each || context.counts != nullptr))
        throw RequestError(fmt::format("schedule {}: {}: the chunks of {} say how many packets there are; leave it out",
                                       quoted(name), context.packets_each ? "--packets" : "--counts", form->name));
    if (form != nullptr && form->has_chunks && context.members != nullptr)
        throw RequestError(
            fmt::format("schedule {}: --members: in {} all GPUs take part; leave it out", quoted(name), form->name));
    if (form != nullptr) {
        ReadSchedule read = with_promise_kept({form, form->read(all, name, context)}, name, context);
        if (read.told.options != options)
            throw RequestError(
                fmt::format("schedule {}: its options stand too far down; want them before all transfers, in the first "
                            "64 KiB",
                            quoted(name)));
        return read;
    }
    std::vector<std::string_view> names;
    for (const ScheduleForm& one : schedule_forms()) names.push_back(one.name);
    throw RequestError(
        fmt::format("schedule {} is in no known form; want one of {}", quoted(name), fmt::join(names, ", ")));
}

}  // namespace kport
