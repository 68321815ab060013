/// @file msccl.cpp   MSCCL XML: thread blocks that run at the same time, FIFO connections, slots of chunks.
#include "tests/foreign/reach.hpp"
#include "tests/foreign/slots.hpp"
#include "tests/foreign/verdict.hpp"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace foreign {
namespace {

struct Step {
    std::string type;
    char source_buffer = 'i', target_buffer = 'i';
    int source = -1, target = -1, count = 0, block_waited = -1, step_waited = -1;
    bool tells = false;
    std::size_t event = 0;

    [[nodiscard]] bool is(std::initializer_list<const char*> types) const {
        return std::ranges::find(types, type) != types.end();
    }
    [[nodiscard]] bool sends() const { return is({"s", "rcs", "rrs", "rrcs"}); }
    [[nodiscard]] bool receives() const { return is({"r", "rcs", "rrs", "rrc", "rrcs"}); }
    [[nodiscard]] bool reads_source() const { return is({"s", "rrs", "rrc", "rrcs", "cpy", "re"}); }
    [[nodiscard]] bool writes() const { return is({"r", "rcs", "rrc", "rrcs", "cpy", "re"}); }
    [[nodiscard]] bool waits() const { return block_waited >= 0; }
};

struct Block {
    int send = -1, receive = -1, channel = 0;
    std::vector<Step> steps = {};
};

struct Gpu {
    std::map<char, int> chunks = {};
    std::vector<Block> blocks = {};
};

struct File {
    std::map<std::string, std::string> head = {};
    std::map<int, Gpu> gpus = {};
};

using Attributes = std::map<std::string, std::string>;

int number(const Attributes& attributes, const char* key) {
    const auto found = attributes.find(key);
    if (found == attributes.end()) throw Refused(std::string("no ") + key);
    int value = 0;
    const auto* end = found->second.data() + found->second.size();
    const auto read = std::from_chars(found->second.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) throw Refused(std::string(key) + " is no number");
    return value;
}

char buffer(const Attributes& attributes, const char* key) {
    const auto found = attributes.find(key);
    if (found == attributes.end() || found->second.size() != 1 ||
        std::string("ios").find(found->second) == std::string::npos)
        throw Refused(std::string(key) + " names no buffer");
    return found->second.front();
}

Step read_step(const Attributes& attributes) {
    Step step;
    const auto type = attributes.find("type");
    if (type == attributes.end()) throw Refused("a step without a type");
    step.type = type->second;
    if (!step.is({"nop"}) && !step.sends() && !step.receives() && !step.reads_source())
        throw Refused("unknown type " + step.type);
    step.source_buffer = buffer(attributes, "srcbuf");
    step.target_buffer = buffer(attributes, "dstbuf");
    step.source = number(attributes, "srcoff");
    step.target = number(attributes, "dstoff");
    step.count = number(attributes, "cnt");
    step.block_waited = number(attributes, "depid");
    step.step_waited = number(attributes, "deps");
    step.tells = number(attributes, "hasdep") != 0;
    return step;
}

/// Reads the elements that the loaders know, and skips all others with what they hold.
class Reader {
  public:
    static File read(const std::string& text) {
        Reader reader;
        const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                                  &XML_ParserFree);
        XML_SetUserData(parser.get(), &reader);
        XML_SetElementHandler(parser.get(), &Reader::opens, &Reader::closes);
        const auto status = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
        if (!reader.error_.empty()) throw Refused(reader.error_);
        if (status != XML_STATUS_OK) throw Refused("no XML");
        return reader.file_;
    }

  private:
    static void XMLCALL opens(void* self, const char* element, const char** pairs) {
        auto& reader = *static_cast<Reader*>(self);
        try {
            reader.open(element, pairs);
        } catch (const Refused& error) {
            if (reader.error_.empty()) reader.error_ = error.what();
        }
    }
    static void XMLCALL closes(void* self, const char*) {
        auto& reader = *static_cast<Reader*>(self);
        if (reader.skipped_ > 0)
            --reader.skipped_;
        else
            --reader.depth_;
    }
    void open(const std::string& element, const char** pairs) {
        static const std::vector<std::string> known = {"algo", "gpu", "tb", "step"};
        if (skipped_ > 0 || depth_ >= known.size() || element != known[depth_]) {
            if (depth_ == 0 && skipped_ == 0) throw Refused("the first element is not <algo>");
            ++skipped_;
            return;
        }
        Attributes attributes;
        for (; *pairs != nullptr; pairs += 2) attributes[pairs[0]] = pairs[1];
        if (depth_ == 0) file_.head = attributes;
        if (depth_ == 1) open_gpu(attributes);
        if (depth_ == 2) open_block(attributes);
        if (depth_ == 3) open_step(attributes);
        ++depth_;
    }
    void open_gpu(const Attributes& attributes) {
        gpu_ = number(attributes, "id");
        if (file_.gpus.contains(gpu_)) throw Refused("a GPU stands twice");
        for (const char each : {'i', 'o', 's'}) {
            file_.gpus[gpu_].chunks[each] = number(attributes, (std::string(1, each) + "_chunks").c_str());
            if (file_.gpus[gpu_].chunks[each] < 0) throw Refused("a buffer of less than nothing");
        }
    }
    void open_block(const Attributes& attributes) {
        auto& blocks = file_.gpus[gpu_].blocks;
        if (number(attributes, "id") != static_cast<int>(blocks.size())) throw Refused("blocks not numbered 0, 1, 2");
        blocks.push_back({number(attributes, "send"), number(attributes, "recv"), number(attributes, "chan")});
        if (blocks.back().channel < 0) throw Refused("no such channel");
    }
    void open_step(const Attributes& attributes) {
        auto& steps = file_.gpus[gpu_].blocks.back().steps;
        if (number(attributes, "s") != static_cast<int>(steps.size())) throw Refused("steps not numbered 0, 1, 2");
        steps.push_back(read_step(attributes));
    }

    File file_;
    std::string error_;
    std::size_t depth_ = 0, skipped_ = 0;
    int gpu_ = 0;
};

/// The operation that the file or the command line names; for `none` no contents, but the layout of the file.
struct Named {
    std::optional<std::string> layout, promised;
    bool none = false;
    bool own = false;  ///< the layout is that of the file's own operation, with which its counts must agree
};

Named operation_of(const File& file, const Question& question) {
    static const std::map<std::string, std::string> known = {{"allreduce", "allreduce"},
                                                             {"allgather", "allgather"},
                                                             {"alltoall", "alltoall"},
                                                             {"broadcast", "broadcast"},
                                                             {"reduce", "reduce"},
                                                             {"reduce_scatter", "reduce-scatter"},
                                                             {"reducescatter", "reduce-scatter"},
                                                             {"reduce-scatter", "reduce-scatter"},
                                                             {"gather", "gather"},
                                                             {"scatter", "scatter"}};
    static const std::set<std::string> without = {"custom", "alltoallv", "send", "recv", "sendrecv"};
    const auto said = file.head.find("coll");
    if (said == file.head.end()) throw Refused("no coll");
    const auto own = known.find(said->second);
    if (question.operation && question.operation != "none")
        return {question.operation, question.operation, false,
                own != known.end() && own->second == *question.operation};
    if (own == known.end() && !without.contains(said->second) && !question.operation)
        throw Refused("no coll " + said->second);
    const auto layout = own == known.end() ? std::optional<std::string>() : own->second;
    if (question.operation) return {layout, std::nullopt, true, true};
    return {layout, layout, false, true};
}

class Judge {
  public:
    Judge(File file, Layout layout, const Named& named)
        : file_(std::move(file)), layout_(std::move(layout)), named_(named) {}

    Verdict verdict() {
        check();
        connect();
        if (!verdict_.findings.empty()) return verdict_;
        order();
        if (!reach_.close()) verdict_.blame(Fault::deadlock, "a cycle");
        if (!verdict_.findings.empty()) return verdict_;
        for (const auto& [sender, receiver] : messages_)
            if (step(sender).count != step(receiver).count)
                verdict_.blame(Fault::count, place(sender) + " and " + place(receiver));
        races();
        if (!verdict_.findings.empty()) return verdict_;
        if (named_.promised)
            contents();
        else if (!named_.none)
            verdict_.not_judged.emplace_back("delivery");
        return verdict_;
    }

  private:
    using Place = std::tuple<int, std::size_t, std::size_t>;  // GPU, block, step

    [[nodiscard]] Step& step(const Place& at) {
        return file_.gpus.at(std::get<0>(at)).blocks[std::get<1>(at)].steps[std::get<2>(at)];
    }
    [[nodiscard]] static std::string place(const Place& at) {
        return "GPU " + std::to_string(std::get<0>(at)) + " block " + std::to_string(std::get<1>(at)) + " step " +
               std::to_string(std::get<2>(at));
    }

    template <typename Act>
    void each_step(Act act) {
        for (auto& [id, gpu] : file_.gpus)
            for (std::size_t block = 0; block < gpu.blocks.size(); ++block)
                for (std::size_t at = 0; at < gpu.blocks[block].steps.size(); ++at)
                    act(Place{id, block, at}, gpu.blocks[block], gpu.blocks[block].steps[at]);
    }

    void check() {
        const int ranks = layout_.ranks;
        if (ranks < 1 || layout_.loop < 1) throw Refused("no GPUs, or no chunks");
        if (static_cast<int>(file_.gpus.size()) != ranks || file_.gpus.begin()->first != 0 ||
            file_.gpus.rbegin()->first != ranks - 1)
            throw Refused("GPUs are missing");
        if (layout_.root < 0 || layout_.root >= ranks) throw Refused("no such root");
        if (layout_.divides() && layout_.loop % ranks != 0) throw Refused("nchunksperloop is no multiple of ngpus");
        std::set<std::tuple<int, int, int, bool>> ends;
        for (const auto& [id, gpu] : file_.gpus) {
            check_counts(gpu);
            for (const auto& block : gpu.blocks) {
                for (const int peer : {block.send, block.receive})
                    if (peer < -1 || peer >= ranks || peer == id) throw Refused("no such peer");
                if (block.send >= 0 && !ends.insert({id, block.send, block.channel, true}).second)
                    throw Refused("two senders");
                if (block.receive >= 0 && !ends.insert({id, block.receive, block.channel, false}).second)
                    throw Refused("two receivers");
                check_nops(block);
            }
        }
        each_step(
            [&](const Place& at, const Block& block, const Step& each) { check_step(std::get<0>(at), block, each); });
    }

    void check_counts(const Gpu& gpu) const {
        if (!layout_.operation || !named_.own) return;
        const int inputs = gpu.chunks.at('i'), outputs = gpu.chunks.at('o');
        if (inputs > 0 && inputs != layout_.input_chunks()) throw Refused("i_chunks is not that of the operation");
        if (outputs > 0 && outputs != layout_.output_chunks()) throw Refused("o_chunks is not that of the operation");
    }

    static void check_nops(const Block& block) {
        bool led = false;
        for (const auto& each : block.steps) {
            if (each.is({"nop"})) {
                led = led || each.waits();
            } else {
                if (led && !each.waits()) throw Refused("a step behind nops that wait must wait");
                led = false;
            }
        }
    }

    void check_step(int id, const Block& block, const Step& each) const {
        const auto& gpu = file_.gpus.at(id);
        if ((each.block_waited == -1) != (each.step_waited == -1)) throw Refused("one of depid and deps is -1");
        if (each.block_waited != -1) {
            if (each.block_waited < 0 || each.block_waited >= static_cast<int>(gpu.blocks.size()))
                throw Refused("no such block");
            const auto& steps = gpu.blocks[static_cast<std::size_t>(each.block_waited)].steps;
            if (each.step_waited < 0 || each.step_waited >= static_cast<int>(steps.size()))
                throw Refused("no such step");
        }
        if (each.sends() && block.send < 0) throw Refused("a send without a peer");
        if (each.receives() && block.receive < 0) throw Refused("a receive without a peer");
        if (each.is({"nop"})) return;
        if (each.count < 1) throw Refused("cnt below 1");
        if (each.reads_source()) check_bounds(gpu, id, each.source_buffer, each.source, each.count);
        if (each.writes()) check_bounds(gpu, id, each.target_buffer, each.target, each.count);
    }

    void check_bounds(const Gpu& gpu, int id, char name, int from, int count) const {
        int chunks = gpu.chunks.at(name);
        if (layout_.in_place && name != 's') chunks = std::max(gpu.chunks.at('i'), gpu.chunks.at('o'));
        if (from < 0 || count > chunks - from) throw Refused("outside of the buffer");
        const auto last = layout_.slot({id, name, from + count - 1});
        if (layout_.operation && layout_.in_place && name != 's' && last.index >= layout_.loop)
            throw Refused("outside of the buffer");
    }

    void connect() {
        std::map<std::tuple<int, int, int>, std::pair<std::vector<Place>, std::vector<Place>>> connections;
        each_step([&](const Place& at, const Block& block, const Step& each) {
            const int id = std::get<0>(at);
            if (each.sends()) connections[{id, block.send, block.channel}].first.push_back(at);
            if (each.receives()) connections[{block.receive, id, block.channel}].second.push_back(at);
        });
        for (const auto& [key, ends] : connections) {
            const auto& [sends, receives] = ends;
            for (std::size_t at = std::min(sends.size(), receives.size()); at < std::max(sends.size(), receives.size());
                 ++at)
                verdict_.blame(Fault::unmatched, place(at < sends.size() ? sends[at] : receives[at]));
            for (std::size_t at = 0; at < std::min(sends.size(), receives.size()); ++at)
                messages_[sends[at]] = receives[at];
        }
    }

    void order() {
        each_step([&](const Place& at, const Block&, Step& each) {
            each.event = reach_.event();
            places_.push_back(at);
        });
        each_step([&](const Place& at, const Block& block, const Step& each) {
            const auto next = std::get<2>(at) + 1;
            if (next < block.steps.size()) reach_.before(each.event, block.steps[next].event);
            if (!each.waits()) return;
            const auto& waited =
                file_.gpus.at(std::get<0>(at)).blocks[static_cast<std::size_t>(each.block_waited)].steps;
            const auto told = std::find_if(waited.begin() + each.step_waited, waited.end(),
                                           [](const Step& other) { return other.tells && !other.is({"nop"}); });
            if (told == waited.end())
                verdict_.blame(Fault::deadlock, place(at) + " is never told");
            else
                reach_.before(told->event, each.event);
        });
        for (const auto& [sender, receiver] : messages_) reach_.before(step(sender).event, step(receiver).event);
    }

    void races() {
        struct Access {
            std::size_t event;
            bool writes;
        };
        std::map<Slot, std::vector<Access>> accesses;
        each_step([&](const Place& at, const Block&, const Step& each) {
            const int id = std::get<0>(at);
            if (each.is({"nop"})) return;
            for (int chunk = 0; chunk < each.count; ++chunk) {
                if (each.reads_source())
                    accesses[layout_.slot({id, each.source_buffer, each.source + chunk})].push_back(
                        {each.event, false});
                if (each.writes())
                    accesses[layout_.slot({id, each.target_buffer, each.target + chunk})].push_back({each.event, true});
            }
        });
        for (const auto& [slot, all] : accesses)
            for (const auto& one : all)
                for (const auto& other : all)
                    if (one.event < other.event && (one.writes || other.writes) &&
                        !reach_.leads(one.event, other.event) && !reach_.leads(other.event, one.event))
                        verdict_.blame(Fault::race, slot.text() + ": " + place(places_[one.event]) + ", " +
                                                        place(places_[other.event]));
    }

    void contents() {
        Contents contents(layout_, verdict_);
        std::map<Place, std::vector<Value>> sent;
        std::map<Place, Place> sender_of;
        for (const auto& [sender, receiver] : messages_) sender_of[receiver] = sender;
        for (const auto event : reach_.order()) {
            const auto& at = places_[event];
            const auto& each = step(at);
            if (each.is({"nop"})) continue;
            const int id = std::get<0>(at);
            const auto where = place(at);
            std::vector<Value> values(static_cast<std::size_t>(each.count));
            if (each.receives()) {
                values = sent.at(sender_of.at(at));
                contents.receive(id, values, each.is({"r", "rcs"}), where);
            }
            for (int chunk = 0; chunk < each.count; ++chunk) {
                auto& value = values[static_cast<std::size_t>(chunk)];
                if (each.reads_source()) {
                    const auto local = contents.read({id, each.source_buffer, each.source + chunk}, where);
                    value = each.receives() ? contents.fold(local, value, where) : local;
                }
                if (each.is({"re"}))
                    value = contents.fold(contents.read({id, each.target_buffer, each.target + chunk}, where), value,
                                          where);
            }
            for (int chunk = 0; each.writes() && chunk < each.count; ++chunk)
                contents.write({id, each.target_buffer, each.target + chunk}, values[static_cast<std::size_t>(chunk)]);
            if (each.sends()) sent[at] = values;
        }
        contents.finish();
    }

    File file_;
    Layout layout_;
    Named named_;
    Verdict verdict_;
    Reach reach_;
    std::vector<Place> places_;
    std::map<Place, Place> messages_;
};

}  // namespace

Verdict judge_msccl(const std::string& text, const Question& question) {
    const auto file = Reader::read(text);
    const auto named = operation_of(file, question);
    Layout layout{named.layout, number(file.head, "ngpus"), number(file.head, "nchunksperloop"), question.root};
    const bool in_place = file.head.contains("inplace") && number(file.head, "inplace") != 0;
    const bool both = in_place && file.head.contains("outofplace") && number(file.head, "outofplace") != 0;
    layout.in_place = in_place;
    auto verdict = Judge(file, layout, named).verdict();
    if (both) {
        layout.in_place = false;
        const auto other = Judge(file, layout, named).verdict();
        verdict.findings.insert(verdict.findings.end(), other.findings.begin(), other.findings.end());
    }
    return verdict;
}

}  // namespace foreign
