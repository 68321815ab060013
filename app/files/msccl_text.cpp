#include "app/files/msccl_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/xml_events.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::msccl {

namespace {

constexpr std::array<StepType, 9> types{
    {{.name = "s", .sends = true},
     {.name = "r", .receives = true, .copies = true},
     {.name = "rcs", .receives = true, .copies = true, .sends = true},
     {.name = "rrs", .receives = true, .reduces = true, .sends = true},
     {.name = "rrc", .receives = true, .reduces = true, .copies = true},
     {.name = "rrcs", .receives = true, .reduces = true, .copies = true, .sends = true},
     {.name = "cpy", .copies = true},
     {.name = "re", .reduces = true, .copies = true},
     {.name = "nop"}}};

constexpr std::uint64_t gpus_most = std::uint64_t{1} << 16;
constexpr std::uint64_t chunks_most = std::uint64_t{1} << 24;
constexpr std::uint64_t steps_most = 1 << 20;   ///< a block
constexpr std::uint64_t blocks_most = 1 << 16;  ///< a GPU
constexpr std::uint64_t count_most = 1 << 20;
constexpr std::uint64_t moves_most = 1 << 24;  ///< chunks moved by all steps together

class Reader final : public XmlEvents {
  public:
    explicit Reader(TextSource& source) : XmlEvents(source) {}

    Algorithm take() {
        read();
        if (algorithm_.gpus.empty()) text().refuse("no <algo> in it; want one");
        for (std::size_t id = 0; id < algorithm_.gpus.size(); ++id) finish_gpu(id);
        for (const auto& [name, count] : skipped_)
            algorithm_.notes.push_back(fmt::format(
                "{} <{}> {} skipped, as the runtime does; {}", count, name, count == 1 ? "element is" : "elements are",
                name == "copy" ? "it copies nothing, 'cpy' steps do" : "it means nothing to the loaders"));
        note_limits();
        return std::move(algorithm_);
    }

  private:
    enum class Within : std::uint8_t { document, algorithm, gpu, block, step };

    void begin_element(std::string_view name, const XmlAttributes& attributes) override {
        constexpr std::array<std::string_view, 4> elements{"algo", "gpu", "tb", "step"};
        const auto depth = static_cast<std::size_t>(within_);
        if (skipping_ > 0 || depth == elements.size() || name != elements[depth]) {
            if (within_ == Within::document)
                refuse(fmt::format("<{}> stands here; want <algo>", quoted(name).substr(1, name.size())));
            if (skipping_++ == 0) note_skipped(name);
            return;
        }
        attributes_ = &attributes;
        element_ = elements[depth];
        switch (within_) {
            case Within::document: begin_algorithm(); break;
            case Within::algorithm: begin_gpu(); break;
            case Within::gpu: begin_block(); break;
            default: begin_step();
        }
        within_ = static_cast<Within>(depth + 1);
    }

    void end_element() override {
        if (skipping_ > 0) {
            --skipping_;
            return;
        }
        if (within_ == Within::block) finish_block();
        if (within_ == Within::gpu) gpu_->end = place();
        within_ = static_cast<Within>(static_cast<int>(within_) - 1);
    }

    void note_skipped(std::string_view name) {
        constexpr std::size_t names_shown = 8;
        constexpr std::size_t name_shown = 40;
        std::string shown = one_line(name, name_shown);
        if (skipped_.size() >= names_shown && !skipped_.contains(shown)) shown = "...";
        ++skipped_[shown];
    }

    void add_comment(std::string_view comment) override {
        if (skipping_ > 0 || !comment.starts_with(own_words)) return;
        comment.remove_prefix(own_words.size());
        if (comment.ends_with(' ')) comment.remove_suffix(1);
        if (within_ == Within::block && comment.starts_with(round_words))
            rounds_ = comment.substr(round_words.size());
        else
            algorithm_.own.emplace_back(comment);
    }

    /// Returns a number of this element, from 0 on; `otherwise` if it is absent.
    [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t most,
                                       std::optional<std::uint64_t> otherwise = {}) const {
        if (otherwise && !attributes_->value(name)) return *otherwise;
        const std::string_view word = wanted(*attributes_, element_, name);
        const auto value = to_count(word);
        if (!value || *value > most)
            refuse(fmt::format("<{} {}={}>; want a whole number from 0 to {}", element_, name, quoted(word), most));
        return *value;
    }
    /// As number(), or -1 for none.
    [[nodiscard]] std::int64_t number_or_none(std::string_view name, std::uint64_t most) const {
        const auto word = attributes_->value(name);
        return !word || *word == "-1" ? -1 : static_cast<std::int64_t>(number(name, most));
    }
    [[nodiscard]] bool flag(std::string_view name, bool otherwise) const {
        return number(name, 1, otherwise ? 1 : 0) == 1;
    }

    void begin_algorithm() {
        if (!algorithm_.gpus.empty()) refuse("a second <algo>; want one a file");
        algorithm_.at = place();
        algorithm_.collective = wanted(*attributes_, element_, "coll");
        algorithm_.chunks = number("nchunksperloop", chunks_most);
        if (algorithm_.chunks == 0) refuse("<algo nchunksperloop=\"0\">; want at least one");
        algorithm_.in_place = flag("inplace", false);
        algorithm_.out_of_place = flag("outofplace", !algorithm_.in_place);
        if (!algorithm_.in_place && !algorithm_.out_of_place) {
            algorithm_.notes.emplace_back(
                "inplace and outofplace are both 0, so that no runtime uses it; judged out of place");
            algorithm_.out_of_place = true;
        }
        const std::uint64_t gpus = number("ngpus", gpus_most);
        if (gpus == 0) refuse("<algo ngpus=\"0\">; want at least one");
        algorithm_.gpus.resize(gpus);
    }

    void begin_gpu() {
        own_id_ = number("id", algorithm_.gpus.size() - 1);
        gpu_ = &algorithm_.gpus[own_id_];
        if (gpu_->seen) refuse(fmt::format("a second <gpu id=\"{}\">; want one", own_id_));
        *gpu_ = {true, number("i_chunks", chunks_most), number("o_chunks", chunks_most),
                 number("s_chunks", chunks_most)};
        gpu_->at = place();
        sends_.clear();
        receives_.clear();
    }

    void begin_block() {
        if (gpu_->blocks.size() == blocks_most) refuse(fmt::format("more than {} blocks of a GPU", blocks_most));
        Block block;
        block.id = number("id", blocks_most, gpu_->blocks.size());
        block.send = peer("send");
        block.receive = peer("recv");
        block.channel = number("chan", chunks_most, 0);
        require_free(sends_, block.send, block, "sends to");
        require_free(receives_, block.receive, block, "receives from");
        block.at = place();
        gpu_->blocks.push_back(std::move(block));
        rounds_.clear();
    }

    /// Throws RequestError if an end of the connection has another block already.
    void require_free(std::map<std::pair<NodeId, std::uint64_t>, std::uint64_t>& taken, NodeId peer, const Block& block,
                      std::string_view what) const {
        if (peer == no_node) return;
        const auto [at, is_new] = taken.try_emplace({peer, block.channel}, block.id);
        if (!is_new)
            refuse(fmt::format("<tb id=\"{}\"> {} GPU {} on channel {}, and so does <tb id=\"{}\">; want one block",
                               block.id, what, peer, block.channel, at->second));
    }

    [[nodiscard]] NodeId peer(std::string_view name) const {
        const std::int64_t peer = number_or_none(name, algorithm_.gpus.size() - 1);
        if (peer < 0) return no_node;
        if (static_cast<NodeId>(peer) == own_id_)
            refuse(fmt::format("GPU {0} has itself as {1}; want another", peer, name));
        return static_cast<NodeId>(peer);
    }

    void begin_step() {
        Block& block = gpu_->blocks.back();
        if (block.steps.size() == steps_most) refuse(fmt::format("more than {} steps of a block", steps_most));
        if (number("s", steps_most) != block.steps.size())
            refuse(fmt::format("<step s=\"{}\">; want steps in order, from 0 on: {}", number("s", steps_most),
                               block.steps.size()));
        Step step;
        step.type = &step_type();
        step.at = place();
        if (step.type->sends && block.send == no_node)
            refuse(fmt::format("step {} sends, and its block has no peer to send to", step.type->name));
        if (step.type->receives && block.receive == no_node)
            refuse(fmt::format("step {} receives, and its block has no peer to receive from", step.type->name));
        step.count = step.type->moves() ? number("cnt", count_most) : (void(wanted(*attributes_, element_, "cnt")), 0);
        if (step.type->moves() && step.count == 0)
            refuse(fmt::format("step {} of no chunks; want cnt=\"1\" or more", step.type->name));
        moves_ += step.count;
        if (moves_ > moves_most) refuse(fmt::format("steps that move more than {} chunks together", moves_most));
        step.source = position("srcbuf", "srcoff", step, step.type->reads_source());
        step.destination = position("dstbuf", "dstoff", step, step.type->copies);
        step.after_block = required_or_none("depid", blocks_most);
        step.after_step = required_or_none("deps", steps_most);
        if ((step.after_block < 0) != (step.after_step < 0)) refuse("one of depid and deps is -1; want both or none");
        (void)wanted(*attributes_, element_, "hasdep");
        step.awaited = flag("hasdep", false) && step.type->moves();
        block.steps.push_back(step);
    }

    [[nodiscard]] const StepType& step_type() const {
        const std::string_view type = wanted(*attributes_, element_, "type");
        const auto found = std::ranges::find(types, type, &StepType::name);
        if (found != types.end()) return *found;
        std::vector<std::string_view> names;
        for (const StepType& one : types) names.push_back(one.name);
        refuse(fmt::format("<step type={}>; want one of {}", quoted(type), fmt::join(names, ", ")));
    }

    [[nodiscard]] std::int64_t required_or_none(std::string_view name, std::uint64_t most) const {
        (void)wanted(*attributes_, element_, name);
        return number_or_none(name, most);
    }

    /// Checks an offset that describes the other side: the loaders accept any integer.
    void require_whole_number(std::string_view name) const {
        std::string_view word = wanted(*attributes_, element_, name);
        if (word.starts_with('-')) word.remove_prefix(1);
        if (word.empty() || !std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; }))
            refuse(
                fmt::format("<step {}={}>; want a whole number", name, quoted(wanted(*attributes_, element_, name))));
    }

    /// `is_used`: false if it describes the other side; then only its form is checked.
    [[nodiscard]] Place position(std::string_view buffer, std::string_view offset, const Step& step,
                                 bool is_used) const {
        const std::string_view name = wanted(*attributes_, element_, buffer);
        if (name != "i" && name != "o" && name != "s")
            refuse(fmt::format("<step {}={}>; want i, o or s", buffer, quoted(name)));
        if (!is_used) {
            require_whole_number(offset);
            return {name.front(), 0};
        }
        const std::int64_t first = required_or_none(offset, chunks_most);
        if (first < 0) refuse(fmt::format("<step {}=\"-1\">; a step {} uses it", offset, step.type->name));
        const Place at{name.front(), static_cast<std::uint64_t>(first)};
        const std::uint64_t size = at.buffer == 'i' ? gpu_->inputs : at.buffer == 'o' ? gpu_->outputs : gpu_->scratch;
        // In place one of the two buffers may be declared with no chunks. Out of place neither contains the other.
        const bool lies_within = algorithm_.in_place && at.buffer != 's' && (size == 0 || !algorithm_.out_of_place);
        const std::uint64_t both = lies_within ? std::max(gpu_->inputs, gpu_->outputs) : size;
        if (at.offset + step.count > both)
            refuse(fmt::format("chunks {} to {} of buffer {}, which has {}", at.offset, at.offset + step.count - 1,
                               name, both));
        return at;
    }

    void finish_block() {
        gpu_->blocks.back().end = place();
        const std::vector<Step>& steps = gpu_->blocks.back().steps;
        for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
            if (steps[i].type->moves()) continue;
            if (!steps[i].waits()) unneeded_nops_ = true;
            if (steps[i].waits() && steps[i + 1].type->moves() && !steps[i + 1].waits())
                text().refuse(
                    steps[i + 1].at,
                    fmt::format("step {} follows a nop that waits, and has depid=\"-1\"; want the last of its "
                                "dependences here, as the loaders do",
                                i + 1));
        }
        give_rounds();
    }

    /// Sorts blocks by id, and resolves what steps wait for.
    void finish_gpu(std::size_t id) {
        Gpu& gpu = algorithm_.gpus[id];
        if (!gpu.seen) text().refuse(fmt::format("no <gpu id=\"{}\"> in it; want all", id));
        std::vector<Block>& blocks = gpu.blocks;
        std::ranges::stable_sort(blocks, {}, &Block::id);
        for (std::size_t i = 0; i < blocks.size(); ++i)
            if (blocks[i].id != i)
                text().refuse(
                    blocks[i].at,
                    fmt::format("<tb id=\"{}\"> of GPU {}; want ids 0, 1, 2, ..., each once: {}", blocks[i].id, id, i));
        for (const Block& block : blocks)
            for (const Step& step : block.steps)
                if (step.waits()) require_there(id, step);
    }

    void require_there(std::size_t id, const Step& step) const {
        const std::vector<Block>& blocks = algorithm_.gpus[id].blocks;
        const auto block = static_cast<std::size_t>(step.after_block);
        if (block >= blocks.size())
            text().refuse(step.at, fmt::format("depid {}: GPU {} has no such block", block, id));
        if (static_cast<std::size_t>(step.after_step) >= blocks[block].steps.size())
            text().refuse(step.at, fmt::format("deps {}: block {} has {}", step.after_step, block,
                                               counted(blocks[block].steps.size(), "step")));
    }

    void note_limits() {
        std::size_t blocks = 0;
        std::size_t steps = 0;
        std::size_t of_channel = 0;
        std::uint64_t count = 0;
        for (const Gpu& gpu : algorithm_.gpus) {
            blocks = std::max(blocks, gpu.blocks.size());
            std::map<std::uint64_t, std::size_t> in_channel;
            for (const Block& block : gpu.blocks) {
                of_channel = std::max(of_channel, ++in_channel[block.channel]);
                steps = std::max(steps, block.steps.size());
                for (const Step& step : block.steps) count = std::max(count, step.count);
            }
        }
        const auto note = [&](std::uint64_t is, std::string_view what, std::uint64_t msccl, std::uint64_t rccl) {
            if (is > rccl)
                algorithm_.notes.push_back(fmt::format(
                    "{} {}: {} at most {}", is, what, is > msccl ? "the loaders take" : "RCCL and msccl-scheduler take",
                    is > msccl ? msccl : rccl));
        };
        note(steps, "steps in a block", steps_max, rccl_steps_max);
        note(blocks, "blocks in a GPU", blocks_max, rccl_blocks_max);
        note(of_channel, "blocks in a channel of a GPU", blocks_max_of_channel, blocks_max_of_channel);
        note(count, "chunks in a step", count_max, count_max);
        if (unneeded_nops_)
            algorithm_.notes.emplace_back(
                "a nop without a dependence: the loaders drop it and number the steps behind it one lower");
    }

    /// Reads the comment's number for each step.
    void give_rounds() {
        if (rounds_.empty()) return;
        std::vector<Step>& steps = gpu_->blocks.back().steps;
        const std::vector<std::string_view> words = split(rounds_, ' ');
        if (words.size() != steps.size())
            refuse(fmt::format("{} for {} steps; want one for each", counted(words.size(), "round"), steps.size()));
        for (std::size_t i = 0; i < words.size(); ++i) {
            const auto round = to_count(words[i]);
            if (!round || *round > 0xFFFFFFFE) refuse(fmt::format("{} is no round", quoted(words[i])));
            steps[i].round = static_cast<Round>(*round);
        }
    }

    Algorithm algorithm_;
    Within within_ = Within::document;
    const XmlAttributes* attributes_ = nullptr;  ///< of the element that begins
    std::string_view element_;
    Gpu* gpu_ = nullptr;
    NodeId own_id_ = 0;
    std::string rounds_;
    std::size_t skipping_ = 0;  ///< depth within an element that is skipped
    std::map<std::string, std::size_t> skipped_;
    std::map<std::pair<NodeId, std::uint64_t>, std::uint64_t> sends_;  ///< blocks of the GPU, by peer and channel
    std::map<std::pair<NodeId, std::uint64_t>, std::uint64_t> receives_;
    std::uint64_t moves_ = 0;
    bool unneeded_nops_ = false;
};

}  // namespace

std::string step_tag(std::size_t number, std::string_view type, std::string_view places, std::uint64_t count,
                     std::string_view after, bool awaited) {
    return fmt::format("<step s=\"{}\" type=\"{}\" {} cnt=\"{}\" {} hasdep=\"{}\"/>", number, type, places, count,
                       after, awaited ? 1 : 0);
}

std::string places_text(const Place& source, const Place& destination) {
    return fmt::format("srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\"", source.buffer, source.offset,
                       destination.buffer, destination.offset);
}

std::string wait_text(std::uint64_t block, std::uint64_t step) {
    return fmt::format("depid=\"{}\" deps=\"{}\"", block, step);
}

Algorithm read_algorithm(TextSource& text) { return Reader(text).take(); }

}  // namespace kport::msccl
