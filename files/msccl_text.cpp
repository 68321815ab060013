#include "files/msccl_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "files/xml_events.hpp"

namespace kport::msccl {

namespace {

constexpr std::array<StepType, 10> types{
    {{.name = "s", .sends = true},
     {.name = "r", .receives = true, .copies = true},
     {.name = "rcs", .receives = true, .copies = true, .sends = true},
     {.name = "rrs", .receives = true, .reduces = true, .sends = true},
     {.name = "rrc", .receives = true, .reduces = true, .copies = true},
     {.name = "rrcs", .receives = true, .reduces = true, .copies = true, .sends = true},
     {.name = "cpy", .copies = true},
     {.name = "re", .reduces = true, .copies = true},
     {.name = "ra", .reduces = true, .copies = true},
     {.name = "nop"}}};

constexpr std::uint64_t gpus_most = std::uint64_t{1} << 16;
constexpr std::uint64_t chunks_most = std::uint64_t{1} << 24;
constexpr std::uint64_t steps_most = 1 << 12;   ///< of a block
constexpr std::uint64_t blocks_most = 1 << 16;  ///< of a GPU
constexpr std::uint64_t count_most = 1 << 12;

class Reader final : public XmlEvents {
  public:
    explicit Reader(TextSource& source) : XmlEvents(source) {}

    Algorithm take() {
        read();
        if (algorithm_.gpus.empty()) text().refuse("no <algo> in it; want one");
        for (std::size_t id = 0; id < algorithm_.gpus.size(); ++id)
            if (!algorithm_.gpus[id].seen) text().refuse(fmt::format("no <gpu id=\"{}\"> in it; want all", id));
        return std::move(algorithm_);
    }

  private:
    enum class Within : std::uint8_t { document, algorithm, gpu, block, step };

    void begin_element(std::string_view name, const XmlAttributes& attributes) override {
        constexpr std::array<std::string_view, 4> elements{"algo", "gpu", "tb", "step"};
        const auto depth = static_cast<std::size_t>(within_);
        if (depth == elements.size() || name != elements[depth])
            refuse(fmt::format("<{}> stands here; want {}", quoted(name).substr(1, name.size()),
                               depth == elements.size() ? "</step>" : fmt::format("<{}>", elements[depth])));
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
        if (within_ == Within::block) give_rounds();
        within_ = static_cast<Within>(static_cast<int>(within_) - 1);
    }

    void add_comment(std::string_view comment) override {
        if (!comment.starts_with(own_words)) return;
        comment.remove_prefix(own_words.size());
        if (comment.ends_with(' ')) comment.remove_suffix(1);
        if (within_ == Within::block && comment.starts_with(round_words))
            rounds_ = comment.substr(round_words.size());
        else
            algorithm_.own.emplace_back(comment);
    }

    /// A number of this element, from 0 on; `otherwise` where it is not there.
    std::uint64_t number(std::string_view name, std::uint64_t most, std::optional<std::uint64_t> otherwise = {}) const {
        if (otherwise && !attributes_->value(name)) return *otherwise;
        const std::string_view word = wanted(*attributes_, element_, name);
        const auto value = to_count(word);
        if (!value || *value > most)
            refuse(fmt::format("<{} {}={}>; want a whole number from 0 to {}", element_, name, quoted(word), most));
        return *value;
    }
    /// The same, or -1 for none.
    std::int64_t number_or_none(std::string_view name, std::uint64_t most) const {
        const auto word = attributes_->value(name);
        return !word || *word == "-1" ? -1 : static_cast<std::int64_t>(number(name, most));
    }
    bool flag(std::string_view name) const { return number(name, 1, 0) == 1; }

    void begin_algorithm() {
        if (!algorithm_.gpus.empty()) refuse("a second <algo>; want one a file");
        algorithm_.collective = wanted(*attributes_, element_, "coll");
        algorithm_.chunks = number("nchunksperloop", chunks_most);
        algorithm_.in_place = flag("inplace");
        const std::uint64_t gpus = number("ngpus", gpus_most);
        if (gpus == 0) refuse("<algo ngpus=\"0\">; want at least one");
        algorithm_.gpus.resize(gpus);
    }

    void begin_gpu() {
        const std::uint64_t id = number("id", algorithm_.gpus.size() - 1);
        gpu_ = &algorithm_.gpus[id];
        if (gpu_->seen) refuse(fmt::format("a second <gpu id=\"{}\">; want one", id));
        *gpu_ = {true, number("i_chunks", chunks_most), number("o_chunks", chunks_most),
                 number("s_chunks", chunks_most)};
        own_id_ = id;
    }

    void begin_block() {
        if (gpu_->blocks.size() == blocks_most) refuse(fmt::format("more than {} blocks of a GPU", blocks_most));
        Block block;
        block.id = number("id", blocks_most);
        for (const Block& other : gpu_->blocks)
            if (other.id == block.id) refuse(fmt::format("a second <tb id=\"{}\"> of this GPU; want one", block.id));
        block.send = peer("send");
        block.receive = peer("recv");
        block.channel = number("chan", chunks_most, 0);
        for (const Block& other : gpu_->blocks)
            if (other.channel == block.channel && ((other.send == block.send && block.send != no_node) ||
                                                   (other.receive == block.receive && block.receive != no_node)))
                refuse(fmt::format("<tb id=\"{}\"> and <tb id=\"{}\"> share a peer and channel {}; want one block",
                                   other.id, block.id, block.channel));
        block.at = place();
        gpu_->blocks.push_back(std::move(block));
        rounds_.clear();
    }

    NodeId peer(std::string_view name) const {
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
        const std::string_view type = wanted(*attributes_, element_, "type");
        const auto found = std::ranges::find(types, type, &StepType::name);
        if (found == types.end()) {
            std::vector<std::string_view> names;
            for (const StepType& one : types) names.push_back(one.name);
            refuse(fmt::format("<step type={}>; want one of {}", quoted(type), fmt::join(names, ", ")));
        }
        step.type = &*found;
        step.at = place();
        if (step.type->sends && block.send == no_node)
            refuse(fmt::format("step {} sends, and its block has no peer to send to", type));
        if (step.type->receives && block.receive == no_node)
            refuse(fmt::format("step {} receives, and its block has no peer to receive from", type));
        step.count = type == "nop" ? 0 : number("cnt", count_most, 1);
        // What describes the other side is ignored, as the runtime does.
        if (type != "nop" && (!step.type->receives || step.type->reduces))
            step.source = position("srcbuf", "srcoff", step);
        if (step.type->copies) step.destination = position("dstbuf", "dstoff", step);
        step.after_block = number_or_none("depid", blocks_most);
        step.after_step = number_or_none("deps", steps_most);
        if ((step.after_block < 0) != (step.after_step < 0)) refuse("one of depid and deps is -1; want both or none");
        step.awaited = flag("hasdep");
        block.steps.push_back(step);
    }

    Place position(std::string_view buffer, std::string_view offset, const Step& step) const {
        const std::string_view name = wanted(*attributes_, element_, buffer);
        if (name != "i" && name != "o" && name != "s")
            refuse(fmt::format("<step {}={}>; want i, o or s", buffer, quoted(name)));
        const Place at{name.front(), number(offset, chunks_most)};
        const std::uint64_t size = at.buffer == 'i' ? gpu_->inputs : at.buffer == 'o' ? gpu_->outputs : gpu_->scratch;
        // In place one of the two buffers may be said to have no chunks.
        const std::uint64_t both =
            algorithm_.in_place && at.buffer != 's' ? std::max(gpu_->inputs, gpu_->outputs) : size;
        if (at.offset + step.count > both)
            refuse(fmt::format("chunks {} to {} of buffer {}, which has {}", at.offset, at.offset + step.count - 1,
                               name, both));
        return at;
    }

    /// The comment has a number for each step.
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
};

}  // namespace

Algorithm read_algorithm(TextSource& text) { return Reader(text).take(); }

}  // namespace kport::msccl
