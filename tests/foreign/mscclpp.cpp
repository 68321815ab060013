/// @file mscclpp.cpp   MSCCL++ execution plans: operations of blocks that only nops and barriers order, signals, remote buffers.
#include "tests/foreign/reach.hpp"
#include "tests/foreign/slots.hpp"
#include "tests/foreign/verdict.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace foreign {
namespace {

using nlohmann::json;

int whole(const json& value) {
    if (!value.is_number_integer() || value.get<long long>() < 0 || value.get<long long>() > 1000000)
        throw Refused("no whole number from 0: " + value.dump());
    return value.get<int>();
}

const json& some(const json& list) {
    if (list.empty()) throw Refused("an empty list");
    return list;
}

struct Piece {
    Slot first;
    int size = 1;
    bool remote = false;
};

/// One end of a channel: GPU, type, number among the GPU's channels of the type.
using End = std::tuple<int, std::string, int>;

struct Operation {
    std::string name;
    int gpu = 0;
    std::vector<Piece> sources = {}, targets = {};
    std::vector<End> channels = {};
    std::size_t event = 0;

    [[nodiscard]] bool is(std::initializer_list<const char*> names) const {
        return std::ranges::find(names, name) != names.end();
    }
    [[nodiscard]] bool signals() const { return is({"signal", "rlxsignal", "pws", "pwsf"}); }
    [[nodiscard]] bool waits() const { return is({"wait", "rlxwait"}); }
    [[nodiscard]] bool relaxed() const { return is({"rlxsignal", "rlxwait"}); }
    [[nodiscard]] bool pairs() const {
        return is({"copy", "put", "get", "pws", "pwsf", "ppkt", "rppkt", "cpkt", "upkt"});
    }
    [[nodiscard]] bool folds() const {
        return is({"re", "res", "rre", "rres", "repkt", "respkt", "recpkt", "recspkt"});
    }
    [[nodiscard]] bool meets() const { return is({"nop", "barrier"}); }
    [[nodiscard]] bool reads_packets(std::size_t source) const {
        return is({"upkt", "rppkt"}) || (is({"repkt", "respkt", "recpkt", "recspkt"}) && source > 0);
    }
    [[nodiscard]] bool writes_packets(std::size_t target) const {
        return is({"ppkt", "rppkt", "cpkt"}) || (is({"respkt", "recpkt", "recspkt"}) && target > 0);
    }
};

class Plan {
  public:
    Plan(const json& file, const Question& question) : file_(file), question_(question) {
        layout_.ranks = static_cast<int>(file.at("gpus").size());
        if (layout_.ranks < 1) throw Refused("no gpus");
        layout_.in_place = file.at("inplace").get<bool>();
        layout_.root = question.root;
        name_operation();
        read_channels();
        for (int gpu = 0; gpu < layout_.ranks; ++gpu) read_blocks(gpu);
    }

    Verdict verdict() {
        meet_at_barriers();
        match_signals();
        match_packets();
        bool sound = running_.close();
        sound = ordered_.close() && sound;
        sound = started_.close() && sound;
        if (!sound) verdict_.blame(Fault::deadlock, "a cycle");
        if (!verdict_.findings.empty()) return verdict_;
        races();
        ends();
        if (!verdict_.findings.empty()) return verdict_;
        if (layout_.operation && question_.operation != "none")
            contents();
        else if (question_.operation != "none")
            verdict_.not_judged.emplace_back("delivery");
        for (const auto& name : left_out_) verdict_.not_judged.push_back(name);
        return verdict_;
    }

  private:
    [[nodiscard]] const json& gpu_of(int gpu) const { return file_.at("gpus").at(static_cast<std::size_t>(gpu)); }
    [[nodiscard]] int chunks(int gpu, char buffer) const {
        const char* key = buffer == 'i' ? "input_chunks" : buffer == 'o' ? "output_chunks" : "scratch_chunks";
        return whole(gpu_of(gpu).at(key));
    }

    void name_operation() {
        static const std::map<std::string, std::string> known = {{"allreduce", "allreduce"},
                                                                 {"allgather", "allgather"},
                                                                 {"reducescatter", "reduce-scatter"},
                                                                 {"alltoall", "alltoall"}};
        const auto own = known.find(file_.at("collective").get<std::string>());
        if (own != known.end()) layout_.operation = own->second;
        if (question_.operation && question_.operation != "none") layout_.operation = question_.operation;
        const int inputs = chunks(0, 'i'), outputs = chunks(0, 'o');
        layout_.loop = inputs;
        if (layout_.is({"allgather"})) layout_.loop = layout_.ranks * inputs;
        if (layout_.is({"reduce-scatter"})) layout_.loop = layout_.ranks * outputs;
        if (layout_.divides() && layout_.loop % layout_.ranks != 0) throw Refused("chunks are no multiple of the GPUs");
        for (int gpu = 0; gpu < layout_.ranks; ++gpu) {
            if (whole(gpu_of(gpu).at("id")) != gpu) throw Refused("gpus not numbered 0, 1, 2");
            if (!layout_.operation) continue;
            if (chunks(gpu, 'i') > 0 && chunks(gpu, 'i') != layout_.input_chunks()) throw Refused("input_chunks");
            if (chunks(gpu, 'o') > 0 && chunks(gpu, 'o') != layout_.output_chunks()) throw Refused("output_chunks");
        }
    }

    void read_channels() {
        for (int gpu = 0; gpu < layout_.ranks; ++gpu) {
            std::map<std::string, int> numbers;
            for (const auto& each : gpu_of(gpu).at("channels")) {
                const auto type = each.at("channel_type").get<std::string>();
                for (const auto& connected : each.at("connected_to")) {
                    const int peer = whole(connected);
                    if (peer >= layout_.ranks || peer == gpu) throw Refused("no such peer");
                    const int number = numbers[type]++;
                    const int nth = between_[{gpu, peer, type}]++;
                    ends_[{gpu, peer, type, nth}] = {gpu, type, number};
                }
            }
        }
        for (const auto& [key, end] : ends_) {
            const auto& [gpu, peer, type, nth] = key;
            const auto other = ends_.find({peer, gpu, type, nth});
            other_end_[end] = other == ends_.end() ? std::optional<End>() : other->second;
        }
    }

    void read_blocks(int gpu) {
        int expected = 0;
        for (const auto& block : gpu_of(gpu).at("threadblocks")) {
            if (whole(block.at("id")) != expected++) throw Refused("threadblocks not numbered 0, 1, 2");
            std::vector<std::size_t> run;
            std::map<int, int> turns;  // of this block at each barrier
            for (const auto& each : block.at("ops")) {
                auto read = read_operation(gpu, block, each);
                read.event = running_.event();
                ordered_.event();
                started_.event();
                if (read.name == "barrier") {
                    const int id = whole(each.at("barrier_id"));
                    barriers_[{gpu, id, turns[id]++}].push_back(
                        {operations_.size(), whole(each.at("num_threadblocks"))});
                }
                block_of_[operations_.size()] = {gpu, expected};
                run.push_back(operations_.size());
                operations_.push_back(std::move(read));
            }
            order_block(run);
        }
    }

    Operation read_operation(int gpu, const json& block, const json& each) {
        static const std::set<std::string> later = {"pipeline", "sem_acquire", "sem_release", "glres",
                                                    "gstore",   "gstorepkt",   "tbg_info"};
        Operation read{each.at("name").get<std::string>(), gpu};
        if (later.contains(read.name)) {
            left_out_.insert(read.name);
            return read;
        }
        if (!read.signals() && !read.waits() && !read.pairs() && !read.folds() && !read.meets() && read.name != "flush")
            throw Refused("no such operation: " + read.name);
        const auto type = each.value("channel_type", std::string());
        if (read.signals() || read.waits())
            for (const auto& id : some(each.at("channel_ids")))
                read.channels.push_back(channel(gpu, block, type, whole(id)));
        const bool data = read.pairs() || read.folds();
        if (!data) return read;
        for (const auto& piece : each.at("src_buff")) read.sources.push_back(this->piece(gpu, block, type, piece));
        for (const auto& piece : each.at("dst_buff")) read.targets.push_back(this->piece(gpu, block, type, piece));
        if (read.sources.empty() || read.targets.empty()) throw Refused("no buffers");
        if (read.pairs() && read.sources.size() != read.targets.size())
            throw Refused("sources and targets are no pairs");
        check_places(read);
        return read;
    }

    /// Each piece is where the operation reads or writes, and all that move together have one size.
    static void check_places(const Operation& read) {
        const bool gets = read.is({"get"}), puts = read.is({"put", "pws", "pwsf", "ppkt", "rppkt"}),
                   spreads = read.is({"res", "rres", "respkt", "recpkt", "recspkt"});
        for (std::size_t at = 0; at < read.sources.size(); ++at) {
            if (read.sources[at].remote != (gets || (at > 0 && read.is({"rre", "rres"}))))
                throw Refused("a source of the wrong GPU");
            if (read.sources[at].size != (read.folds() ? read.sources[0] : read.targets[at]).size)
                throw Refused("unequal sizes");
        }
        for (std::size_t at = 0; at < read.targets.size(); ++at) {
            if (read.targets[at].remote != (puts || (at > 0 && read.folds())))
                throw Refused("a target of the wrong GPU");
            if (read.folds() && read.targets[at].size != read.sources[0].size) throw Refused("unequal sizes");
        }
        if (read.folds() && !spreads && read.targets.size() > 1) throw Refused("more than one target");
    }

    End channel(int gpu, const json& block, const std::string& type, int id) const {
        for (const auto& list : block.at("channels")) {
            if (list.at("channel_type") != type) continue;
            const auto& ids = list.at("channel_ids");
            if (id >= static_cast<int>(ids.size())) break;
            const End end{gpu, type, whole(ids.at(static_cast<std::size_t>(id)))};
            if (!other_end_.contains(end)) break;
            return end;
        }
        throw Refused("no such channel");
    }

    Piece piece(int gpu, const json& block, const std::string& type, const json& given) const {
        Piece read;
        read.size = given.contains("size") ? whole(given.at("size")) : 1;
        if (read.size < 1) throw Refused("a piece of nothing");
        read.remote = given.contains("buffer_id");
        const auto name = read.remote ? std::string() : given.at("type").get<std::string>();
        read.first = {gpu, name.size() == 1 ? name[0] : '?', whole(given.at("index"))};
        if (read.remote) {
            const auto& buffers = gpu_of(gpu).at("remote_buffers");
            const auto& buffer = buffers.at(remote(buffers, block, type, whole(given.at("buffer_id"))));
            read.first.gpu = whole(buffer.at("rank"));
            read.first.buffer = buffer.at("type").get<std::string>().at(0);
            if (read.first.gpu >= layout_.ranks || read.first.gpu == gpu) throw Refused("no such peer");
        }
        if (std::string("ios").find(read.first.buffer) == std::string::npos) throw Refused("no such buffer");
        int limit = chunks(read.first.gpu, read.first.buffer);
        if (layout_.in_place && read.first.buffer != 's')
            limit = std::max(chunks(read.first.gpu, 'i'), chunks(read.first.gpu, 'o'));
        if (read.first.index + read.size > limit) throw Refused("outside of the buffer");
        auto last = read.first;
        last.index += read.size - 1;
        if (layout_.in_place && layout_.operation && read.first.buffer != 's' && layout_.slot(last).index >= limit)
            throw Refused("outside of the buffer that it lies in");
        return read;
    }

    static std::size_t remote(const json& buffers, const json& block, const std::string& type, int id) {
        for (const auto& list : block.at("remote_buffer_refs")) {
            if (list.at("access_channel_type") != type) continue;
            const auto found =
                static_cast<std::size_t>(whole(list.at("remote_buffer_ids").at(static_cast<std::size_t>(id))));
            for (const auto& access : buffers.at(found).at("access_channel_types"))
                if (access == type) return found;
            throw Refused("a remote buffer that channels of this type do not reach");
        }
        throw Refused("no such remote buffer");
    }

    /// In all three relations: `published` is that of data, `started` counts relaxed signals too, `running` is which
    /// event waits for which.
    void before(std::size_t first, std::size_t second, bool publishes = true) {
        if (publishes) ordered_.before(first, second);
        started_.before(first, second);
        running_.before(first, second);
    }

    void order_block(const std::vector<std::size_t>& run) {
        for (std::size_t at = 0; at < run.size(); ++at) {
            if (at > 0) running_.before(run[at - 1], run[at]);
            const auto& one = operations_[run[at]];
            for (std::size_t other = at + 1; other < run.size(); ++other) {
                const auto& next = operations_[run[other]];
                const bool signs = (one.signals() || one.waits()) && (next.signals() || next.waits());
                if (one.meets() || next.meets() || signs) before(run[at], run[other]);
            }
        }
    }

    void meet_at_barriers() {
        for (const auto& [key, all] : barriers_) {
            const auto size = static_cast<std::size_t>(all.front().second);
            bool agree = true;
            for (const auto& [operation, wanted] : all) {
                if (wanted < 1) throw Refused("a barrier of no blocks");
                agree = agree && wanted == all.front().second;
            }
            if (!agree)
                verdict_.blame(Fault::count, "a barrier of different numbers of blocks");
            else if (all.size() != size)
                verdict_.blame(Fault::unmatched, "a barrier that not all reach, or more");
            const auto in = node(), out = node();
            before(in, out);
            for (const auto& each : all) meet(each.first, in, out);
        }
    }
    std::size_t node() {
        ordered_.event();
        started_.event();
        return running_.event();
    }
    /// The operation arrives at `in`; what follows it in its block comes after `out`.
    void meet(std::size_t operation, std::size_t in, std::size_t out) {
        before(operations_[operation].event, in);
        leaves_.push_back({operation, out});
    }

    /// In the order in which blocks run, as far as nops and barriers determine it.
    [[nodiscard]] std::vector<std::size_t> in_order(const std::vector<std::size_t>& users, const Reach& known) const {
        std::vector<std::size_t> sorted;
        for (const auto user : users) {
            const auto later = std::find_if(sorted.begin(), sorted.end(), [&](std::size_t other) {
                return known.leads(operations_[user].event, operations_[other].event);
            });
            sorted.insert(later, user);
        }
        return sorted;
    }

    void match_signals() {
        for (const auto& [operation, out] : leaves_)
            for (std::size_t later = operation + 1; later < operations_.size() && same_block(operation, later); ++later)
                before(out, operations_[later].event);
        std::map<End, std::vector<std::size_t>> signals, waits;
        for (std::size_t at = 0; at < operations_.size(); ++at)
            for (const auto& end : operations_[at].channels) {
                if (operations_[at].waits())
                    waits[end].push_back(at);
                else
                    signals[end].push_back(at);
            }
        auto known = started_;
        if (known.close())
            for (auto* all : {&signals, &waits})
                for (auto& [end, users] : *all) users = in_order(users, known);
        for (const auto* all : {&signals, &waits})
            for (const auto& [end, users] : *all) users_.push_back(users);
        for (const auto& [end, other] : other_end_) {
            const auto& taken = waits[end];
            const auto& given = other ? signals[*other] : nothing_;
            if (taken.size() != given.size())
                verdict_.blame(Fault::unmatched, "signals and waits of GPU " + std::to_string(std::get<0>(end)));
            for (std::size_t at = 0; at < std::min(taken.size(), given.size()); ++at) {
                const auto &from = operations_[given[at]], &to = operations_[taken[at]];
                before(from.event, to.event, !from.relaxed() && !to.relaxed());
            }
            if (!other && !signals[end].empty()) verdict_.blame(Fault::unmatched, "signals that nobody takes");
        }
    }
    [[nodiscard]] bool same_block(std::size_t first, std::size_t second) const {
        return block_of_.at(first) == block_of_.at(second);
    }

    template <typename Act>
    void each_slot(const std::vector<Piece>& pieces, Act act) const {
        for (std::size_t at = 0; at < pieces.size(); ++at)
            for (int chunk = 0; chunk < pieces[at].size; ++chunk) {
                auto slot = pieces[at].first;
                slot.index += chunk;
                act(at, layout_.slot(slot), pieces[at].remote);
            }
    }

    void match_packets() {
        std::map<Slot, std::set<std::size_t>> writers;
        for (const auto& each : operations_)
            each_slot(each.targets, [&](std::size_t at, const Slot& slot, bool) {
                if (each.writes_packets(at)) writers[slot].insert(each.event);
            });
        for (const auto& each : operations_)
            each_slot(each.sources, [&](std::size_t at, const Slot& slot, bool) {
                if (!each.reads_packets(at)) return;
                if (writers[slot].empty()) verdict_.blame(Fault::deadlock, slot.text() + " never gets packets");
                for (const auto writer : writers[slot]) before(writer, each.event);
            });
    }

    struct Access {
        std::size_t event;
        bool writes, remote, packets;
        int gpu;
    };

    std::map<Slot, std::vector<Access>> accesses() const {
        std::map<Slot, std::vector<Access>> result;
        for (const auto& each : operations_) {
            each_slot(each.sources, [&](std::size_t at, const Slot& slot, bool remote) {
                result[slot].push_back({each.event, false, remote, each.reads_packets(at), slot.gpu});
            });
            each_slot(each.targets, [&](std::size_t at, const Slot& slot, bool remote) {
                result[slot].push_back({each.event, true, remote, each.writes_packets(at), slot.gpu});
            });
        }
        return result;
    }

    void races() {
        const auto in_order = [&](const Access& one, const Access& other) {
            return ordered_.leads(one.event, other.event) || (!one.writes && started_.leads(one.event, other.event));
        };
        for (const auto& [slot, all] : accesses())
            for (const auto& one : all)
                for (const auto& other : all)
                    if (one.event < other.event && (one.writes || other.writes) && !in_order(one, other) &&
                        !in_order(other, one))
                        verdict_.blame(Fault::race, slot.text() + ": operations " + std::to_string(one.event) + ", " +
                                                        std::to_string(other.event));
        // Which signal or wait of a channel is the k-th must not be chance.
        for (const auto& users : users_)
            for (std::size_t at = 1; at < users.size(); ++at)
                if (users[at - 1] != users[at] &&
                    !started_.leads(operations_[users[at - 1]].event, operations_[users[at]].event))
                    verdict_.blame(Fault::race, "a channel that two blocks use in no order");
    }

    /// Remote accesses before their GPU has begun, or after it may have ended.
    void ends() {
        for (const auto& [slot, all] : accesses())
            for (const auto& access : all) {
                if (!access.remote) continue;
                bool begun = access.packets && slot.buffer == 's', over = slot.buffer == 's';
                for (const auto& each : operations_) {
                    if (each.gpu != slot.gpu) continue;
                    begun = begun || started_.leads(each.event, access.event);
                    over = over || (access.writes ? ordered_ : started_).leads(access.event, each.event);
                }
                if (!begun) verdict_.blame(Fault::race, slot.text() + " is used before its GPU has begun");
                if (!over) verdict_.blame(Fault::race, slot.text() + " is used when its GPU may have ended");
            }
    }

    void contents() {
        Contents contents(layout_, verdict_);
        for (const auto event : started_.order()) {
            const auto found = std::ranges::find(operations_, event, &Operation::event);
            if (found == operations_.end() || (!found->pairs() && !found->folds())) continue;
            const auto& each = *found;
            const auto where = "GPU " + std::to_string(each.gpu) + " operation " + std::to_string(event);
            if (each.pairs()) {
                for (std::size_t at = 0; at < each.sources.size(); ++at)
                    move(contents, each.sources[at], each.targets[at], each, where);
            } else {
                reduce(contents, each, where);
            }
        }
        contents.finish();
    }

    static Slot shifted(Slot slot, int by) {
        slot.index += by;
        return slot;
    }

    static void move(Contents& contents, const Piece& from, const Piece& to, const Operation& each,
                     const std::string& where) {
        std::vector<Value> values;
        for (int chunk = 0; chunk < from.size; ++chunk)
            values.push_back(contents.read(shifted(from.first, chunk), where));
        if (from.first.gpu != to.first.gpu)
            contents.receive(each.is({"get"}) ? each.gpu : to.first.gpu, values, true, where);
        for (int chunk = 0; chunk < from.size; ++chunk)
            contents.write(shifted(to.first, chunk), values[static_cast<std::size_t>(chunk)]);
    }

    static void reduce(Contents& contents, const Operation& each, const std::string& where) {
        const int size = each.sources.front().size;
        std::vector<Value> sums(static_cast<std::size_t>(size));
        for (std::size_t at = 0; at < each.sources.size(); ++at) {
            const auto& source = each.sources[at];
            std::vector<Value> values;
            for (int chunk = 0; chunk < size; ++chunk)
                values.push_back(contents.read(shifted(source.first, chunk), where));
            if (source.remote) contents.receive(each.gpu, values, false, where);
            for (std::size_t chunk = 0; chunk < sums.size(); ++chunk)
                sums[chunk] = at == 0 ? values[chunk] : contents.fold(sums[chunk], values[chunk], where);
        }
        for (const auto& target : each.targets) {
            if (target.remote) contents.receive(target.first.gpu, sums, true, where);
            for (int chunk = 0; chunk < size; ++chunk)
                contents.write(shifted(target.first, chunk), sums[static_cast<std::size_t>(chunk)]);
        }
    }

    const json& file_;
    const Question& question_;
    Layout layout_;
    Verdict verdict_;
    Reach ordered_, started_, running_;
    std::vector<Operation> operations_;
    std::map<std::size_t, std::pair<int, int>> block_of_;
    std::map<std::tuple<int, int, std::string>, int> between_;
    std::map<std::tuple<int, int, std::string, int>, End> ends_;
    std::map<End, std::optional<End>> other_end_;
    std::map<std::tuple<int, int, int>, std::vector<std::pair<std::size_t, int>>> barriers_;  // a turn of a barrier
    std::vector<std::pair<std::size_t, std::size_t>> leaves_;
    std::set<std::string> left_out_;
    std::vector<std::vector<std::size_t>> users_;  ///< of each end of a channel: its signals, and its waits
    const std::vector<std::size_t> nothing_ = {};
};

}  // namespace

Verdict judge_mscclpp(const std::string& text, const Question& question) {
    const auto file = json::parse(text);
    return Plan(file, question).verdict();
}

}  // namespace foreign
