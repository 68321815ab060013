#include "app/files/mscclpp_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/transfer_words.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::mscclpp {

namespace {

using nlohmann::json;

constexpr std::array<OperationType, 30> operation_types{{
    {.name = "nop", .kind = Kind::meet},
    {.name = "barrier", .kind = Kind::meet},
    {.name = "signal", .kind = Kind::signal},
    {.name = "rlxsignal", .kind = Kind::signal, .relaxed = true},
    {.name = "wait", .kind = Kind::wait},
    {.name = "rlxwait", .kind = Kind::wait, .relaxed = true},
    {.name = "flush", .kind = Kind::flush},
    {.name = "copy", .kind = Kind::copy},
    {.name = "put", .kind = Kind::copy, .writes_remote = true},
    {.name = "pws", .kind = Kind::copy, .signals = true, .writes_remote = true},
    {.name = "pwsf", .kind = Kind::copy, .signals = true, .flushes = true, .writes_remote = true},
    {.name = "get", .kind = Kind::copy, .reads_remote = true},
    {.name = "re", .kind = Kind::reduce},
    {.name = "res", .kind = Kind::reduce, .writes_remote = true},
    {.name = "rre", .kind = Kind::reduce, .reads_remote = true},
    {.name = "rres", .kind = Kind::reduce, .reads_remote = true, .writes_remote = true},
    {.name = "ppkt", .kind = Kind::copy, .writes_packets = true, .writes_remote = true},
    {.name = "rppkt", .kind = Kind::copy, .reads_packets = true, .writes_packets = true, .writes_remote = true},
    {.name = "cpkt", .kind = Kind::copy, .writes_packets = true},
    {.name = "upkt", .kind = Kind::copy, .reads_packets = true},
    {.name = "repkt", .kind = Kind::reduce, .reads_packets = true},
    {.name = "respkt", .kind = Kind::reduce, .reads_packets = true, .writes_packets = true, .writes_remote = true},
    {.name = "recpkt", .kind = Kind::reduce, .reads_packets = true, .writes_packets = true},
    {.name = "recspkt", .kind = Kind::reduce, .reads_packets = true, .writes_packets = true},
    {.name = "pipeline"},
    {.name = "sem_acquire"},
    {.name = "sem_release"},
    {.name = "glres"},
    {.name = "gstore"},
    {.name = "gstorepkt"},
}};

constexpr std::uint64_t gpus_most = 1 << 16;
constexpr std::uint64_t chunks_most = 1 << 24;
constexpr std::uint64_t moves_most = 1 << 24;  ///< chunks named by all operations together

/// A remote buffer of a GPU.
struct RemoteBuffer {
    NodeId rank = 0;
    char buffer = 'i';
    std::array<bool, 2> is_for = {};  ///< memory, port channels
};

/// What a block's operations refer to: ids of channels, and remote buffers, for memory and port channels.
struct BlockNames {
    std::array<std::vector<std::uint64_t>, 2> channels;
    std::array<std::vector<RemoteBuffer>, 2> buffers;
};

class PlanReader {
  public:
    explicit PlanReader(const std::string& what) : what_(what) {}

    Plan read(const json& file) {
        const json& gpus = array(member(file, "the file", "gpus"), "gpus");
        if (gpus.empty()) refuse_at("gpus", "no GPUs; want at least one");
        if (gpus.size() > gpus_most) refuse_at("gpus", fmt::format("more than {} GPUs", gpus_most));
        if (gpus.front().is_object() && gpus.front().contains("inputChunks"))
            refuse_at("gpus[0]",
                      "has inputChunks, so it is an older plan of MSCCL++, which is not read; want input_chunks");
        plan_.collective = text(member(file, "the file", "collective"), "collective");
        plan_.in_place = flag(member(file, "the file", "inplace"), "inplace");
        if (file.contains("kport"))
            for (const json& line : array(file.at("kport"), "kport")) plan_.own.push_back(text(line, "kport"));
        plan_.gpus.resize(gpus.size());
        for (NodeId rank = 0; rank < gpus.size(); ++rank) read_gpu(gpus[rank], rank);
        for (rank_ = 0; rank_ < gpus.size(); ++rank_) read_blocks(gpus[rank_]);
        if (gets_elsewhere_)
            plan_.notes.emplace_back(
                "a get whose two ends have different indices: the runtime exchanges them; judged as it is meant");
        return std::move(plan_);
    }

  private:
    [[noreturn]] void refuse_at(const std::string& where, const std::string& why) const {
        throw RequestError(fmt::format("{}: {}: {}", what_, where, why));
    }
    const json& member(const json& object, const std::string& where, const char* wanted) const {
        if (!object.is_object() || !object.contains(wanted)) refuse_at(where, fmt::format("no '{}' in it", wanted));
        return object.at(wanted);
    }
    [[nodiscard]] std::string text(const json& value, const std::string& where) const {
        if (!value.is_string()) refuse_at(where, fmt::format("{}; want a string", quoted(value.dump())));
        return value.get<std::string>();
    }
    [[nodiscard]] bool flag(const json& value, const std::string& where) const {
        if (!value.is_boolean()) refuse_at(where, fmt::format("{}; want true or false", quoted(value.dump())));
        return value.get<bool>();
    }
    [[nodiscard]] const json& array(const json& value, const std::string& where) const {
        if (!value.is_array()) refuse_at(where, fmt::format("{}; want an array", quoted(value.dump())));
        return value;
    }
    [[nodiscard]] std::uint64_t number(const json& value, const std::string& where, std::uint64_t least,
                                       std::uint64_t most) const {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
            refuse_at(where, fmt::format("{}; want a whole number from {} to {}", quoted(value.dump()), least, most));
        return value.get<std::uint64_t>();
    }
    std::uint64_t number_of(const json& object, const std::string& where, const char* name, std::uint64_t least,
                            std::uint64_t most) const {
        return number(member(object, where, name), fmt::format("{}.{}", where, name), least, most);
    }
    [[nodiscard]] char buffer_type(const json& object, const std::string& where) const {
        const std::string type = text(member(object, where, "type"), where + ".type");
        if (type != "i" && type != "o" && type != "s")
            refuse_at(where, fmt::format("buffer {}; want i, o or s", quoted(type)));
        return type.front();
    }
    /// Returns 0: memory, 1: port; nothing: switch or none.
    std::optional<std::size_t> channel_type(const json& object, const std::string& where, const char* name) const {
        return type_named(text(member(object, where, name), fmt::format("{}.{}", where, name)), where);
    }
    [[nodiscard]] std::optional<std::size_t> type_named(const std::string& type, const std::string& where) const {
        if (type == "memory") return 0;
        if (type == "port") return 1;
        if (type == "switch" || type == "none") return std::nullopt;
        refuse_at(where, fmt::format("channel type {}; want memory, port, switch or none", quoted(type)));
    }

    void read_gpu(const json& object, NodeId rank) {
        const std::string where = fmt::format("gpus[{}]", rank);
        if (number_of(object, where, "id", 0, gpus_most) != rank)
            refuse_at(where, fmt::format("id {}; want GPUs in order: {}", object.at("id").dump(), rank));
        Gpu& gpu = plan_.gpus[rank];
        gpu.inputs = number_of(object, where, "input_chunks", 0, chunks_most);
        gpu.outputs = number_of(object, where, "output_chunks", 0, chunks_most);
        gpu.scratch = number_of(object, where, "scratch_chunks", 0, chunks_most);
        const json& channels = array(member(object, where, "channels"), where + ".channels");
        for (std::size_t i = 0; i < channels.size(); ++i) {
            const std::string at = fmt::format("{}.channels[{}]", where, i);
            const auto type = channel_type(channels[i], at, "channel_type");
            if (!type) continue;
            for (const json& peer : array(member(channels[i], at, "connected_to"), at + ".connected_to")) {
                const NodeId other = number(peer, at + ".connected_to", 0, plan_.gpus.size() - 1);
                if (other == rank) refuse_at(at, "a channel to the GPU itself");
                gpu.add_channel(*type == 1, other);
            }
        }
    }

    [[nodiscard]] std::vector<RemoteBuffer> remote_buffers(const json& object, const std::string& where) const {
        std::vector<RemoteBuffer> buffers;
        const json& remote = array(member(object, where, "remote_buffers"), where + ".remote_buffers");
        for (std::size_t i = 0; i < remote.size(); ++i) {
            const std::string at = fmt::format("{}.remote_buffers[{}]", where, i);
            const NodeId rank = number_of(remote[i], at, "rank", 0, plan_.gpus.size() - 1);
            if (rank == rank_) refuse_at(at, "a remote buffer of the GPU itself");
            RemoteBuffer buffer{rank, buffer_type(remote[i], at)};
            for (const json& type : array(member(remote[i], at, "access_channel_types"), at + ".access_channel_types"))
                if (const auto number = type_named(text(type, at + ".access_channel_types"), at))
                    buffer.is_for[*number] = true;
            buffers.push_back(buffer);
        }
        return buffers;
    }

    void read_blocks(const json& object) {
        const std::string where = fmt::format("gpus[{}]", rank_);
        const std::vector<RemoteBuffer> remote = remote_buffers(object, where);
        const json& blocks = array(member(object, where, "threadblocks"), where + ".threadblocks");
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const std::string at = fmt::format("{}.threadblocks[{}]", where, i);
            if (number_of(blocks[i], at, "id", 0, blocks.size()) != i)
                refuse_at(at, fmt::format("id {}; want blocks in order: {}", blocks[i].at("id").dump(), i));
            const BlockNames names = names_of(blocks[i], at, remote);
            const json& operations = array(member(blocks[i], at, "ops"), at + ".ops");
            std::vector<Operation>& block = plan_.gpus[rank_].blocks.emplace_back();
            for (std::size_t k = 0; k < operations.size(); ++k)
                block.push_back(operation(operations[k], fmt::format("{}.ops[{}]", at, k), names));
        }
    }

    [[nodiscard]] BlockNames names_of(const json& block, const std::string& where,
                                      const std::vector<RemoteBuffer>& remote) const {
        BlockNames names;
        for (const json& each : array(member(block, where, "channels"), where + ".channels")) {
            const auto type = channel_type(each, where + ".channels", "channel_type");
            if (!type) continue;
            const std::size_t channels = plan_.gpus[rank_].peers[*type].size();
            for (const json& id : array(member(each, where, "channel_ids"), where + ".channels.channel_ids"))
                names.channels[*type].push_back(
                    index(id, where + ".channels.channel_ids", channels, "channels of the GPU"));
        }
        if (!block.contains("remote_buffer_refs")) return names;
        for (const json& each : array(block.at("remote_buffer_refs"), where + ".remote_buffer_refs")) {
            const auto type = channel_type(each, where + ".remote_buffer_refs", "access_channel_type");
            if (!type) continue;
            const std::string at = where + ".remote_buffer_refs.remote_buffer_ids";
            for (const json& id : array(member(each, where, "remote_buffer_ids"), at)) {
                names.buffers[*type].push_back(remote[index(id, at, remote.size(), "remote buffers of the GPU")]);
                if (!names.buffers[*type].back().is_for[*type])
                    refuse_at(at, fmt::format("{} by {} channels, which its access_channel_types do not name",
                                              id.dump(), *type == 0 ? "memory" : "port"));
            }
        }
        return names;
    }

    /// Returns an index below `size`.
    [[nodiscard]] std::uint64_t index(const json& value, const std::string& where, std::size_t size,
                                      std::string_view what) const {
        if (size == 0) refuse_at(where, fmt::format("{}; there are no {}", value.dump(), what));
        return number(value, where, 0, size - 1);
    }

    [[nodiscard]] const OperationType& type_of(const std::string& word, const std::string& where) const {
        const auto found = std::ranges::find(operation_types, word, &OperationType::name);
        if (found != operation_types.end()) return *found;
        std::vector<std::string_view> names;
        for (const OperationType& one : operation_types) names.push_back(one.name);
        refuse_at(where, fmt::format("operation {}; want one of {}", quoted(word), fmt::join(names, ", ")));
    }

    Operation operation(const json& object, const std::string& where, const BlockNames& names) {
        Operation op;
        op.type = &type_of(text(member(object, where, "name"), where + ".name"), where);
        const bool is_shared = object.contains("tbg_info");
        if (op.type->kind == Kind::unjudged || is_shared) {
            const std::string_view name = is_shared ? "tbg_info" : op.type->name;
            if (std::ranges::find(plan_.unjudged, name) == plan_.unjudged.end()) plan_.unjudged.emplace_back(name);
            return op;
        }
        std::optional<std::size_t> type;
        if (object.contains("channel_type")) type = channel_type(object, where, "channel_type");
        op.is_port = type == std::optional<std::size_t>(1);
        if (object.contains("channel_ids") && type)
            for (const json& id : array(object.at("channel_ids"), where + ".channel_ids"))
                op.channels.push_back(
                    {rank_, op.is_port,
                     names.channels[*type][index(id, where + ".channel_ids", names.channels[*type].size(),
                                                 "channels of this type in the block")]});
        if (op.type->name == "barrier") read_barrier(op, object, where);
        const bool synchronizes = op.type->kind == Kind::signal || op.type->kind == Kind::wait || op.type->signals;
        if (synchronizes && op.channels.empty())
            refuse_at(where, fmt::format("{} without channel_ids; want at least one", op.type->name));
        for (const ChannelEnd& end : op.channels) require_other_end(end, where);
        if (op.type->kind == Kind::copy || op.type->kind == Kind::reduce) read_chunks(op, object, where, names, type);
        if (!plan_.own.empty() && object.contains("round"))
            op.round = static_cast<Round>(number_of(object, where, "round", 1, ScheduleWriting::round_max));
        return op;
    }

    void read_barrier(Operation& op, const json& object, const std::string& where) const {
        op.is_barrier = true;
        op.barrier = number_of(object, where, "barrier_id", 0, chunks_most);
        op.barrier_blocks = number_of(object, where, "num_threadblocks", 1, chunks_most);
    }

    void require_other_end(const ChannelEnd& end, const std::string& where) const {
        const NodeId peer = plan_.peer_of(end);
        const auto& back = plan_.gpus[peer].channels_to;
        const auto found = back.find({end.is_port, end.rank});
        const std::size_t others = found == back.end() ? 0 : found->second.size();
        const std::uint64_t ordinal = plan_.gpus[end.rank].ordinals[end.is_port ? 1 : 0][end.id];
        if (ordinal >= others)
            refuse_at(where, fmt::format("channel {} of GPU {} is the {}-th to GPU {}, which has {} back; want as many",
                                         end.id, end.rank, ordinal + 1, peer, others));
    }

    void read_chunks(Operation& op, const json& object, const std::string& where, const BlockNames& names,
                     std::optional<std::size_t> type) {
        op.sources = chunks(member(object, where, "src_buff"), where + ".src_buff", names, type);
        op.targets = chunks(member(object, where, "dst_buff"), where + ".dst_buff", names, type);
        if (op.sources.empty() || op.targets.empty()) refuse_at(where, "no src_buff or no dst_buff; want at least one");
        const bool pairs = op.type->kind == Kind::copy;
        if (pairs && op.sources.size() != op.targets.size())
            refuse_at(where,
                      fmt::format("{} sources and {} targets; want pairs", op.sources.size(), op.targets.size()));
        for (std::size_t i = 0; i < op.sources.size(); ++i)
            require_place(op.sources[i], op.type->reads_remote && (pairs || i > 0), op, where + ".src_buff");
        for (std::size_t i = 0; i < op.targets.size(); ++i) {
            // recspkt writes both as packets, locally and remotely.
            const bool either = op.type->name == "recspkt" && i > 0;
            if (!either)
                require_place(op.targets[i], op.type->writes_remote && (pairs || i > 0), op, where + ".dst_buff");
        }
        const auto require_size = [&](const ChunkRef& chunk, const ChunkRef& like) {
            if (chunk.size != like.size)
                refuse_at(where, fmt::format("{} and {} in one operation; want the same size",
                                             counted(like.size, "chunk"), chunk.size));
        };
        for (std::size_t i = 0; i < op.sources.size(); ++i)
            require_size(op.sources[i], pairs ? op.targets[i] : op.targets.front());
        for (const ChunkRef& target : op.targets)
            if (!pairs) require_size(target, op.targets.front());
        if (op.type->name == "get")
            for (std::size_t i = 0; i < op.sources.size(); ++i)
                gets_elsewhere_ |= op.sources[i].index != op.targets[i].index;
    }

    void require_place(const ChunkRef& chunk, bool is_remote, const Operation& op, const std::string& where) const {
        if ((chunk.rank != rank_) != is_remote)
            refuse_at(where, fmt::format("a {} buffer; {} wants {} here", chunk.rank != rank_ ? "remote" : "local",
                                         op.type->name, is_remote ? "a buffer_id" : "a type"));
    }

    std::vector<ChunkRef> chunks(const json& list, const std::string& where, const BlockNames& names,
                                 std::optional<std::size_t> type) {
        std::vector<ChunkRef> refs;
        for (const json& each : array(list, where)) {
            ChunkRef ref{rank_};
            if (each.is_object() && each.contains("buffer_id")) {
                if (!type) refuse_at(where, "a buffer_id, and no channel_type memory or port");
                const std::vector<RemoteBuffer>& buffers = names.buffers[*type];
                const RemoteBuffer& remote = buffers[index(each.at("buffer_id"), where + ".buffer_id", buffers.size(),
                                                           "remote buffers of this type in the block")];
                ref.rank = remote.rank;
                ref.buffer = remote.buffer;
            } else {
                ref.buffer = buffer_type(each, where);
            }
            ref.index = number_of(each, where, "index", 0, chunks_most);
            ref.size = number_of(each, where, "size", 1, chunks_most);
            require_within(ref, where);
            refs.push_back(ref);
        }
        return refs;
    }

    void require_within(const ChunkRef& ref, const std::string& where) {
        const Gpu& gpu = plan_.gpus[ref.rank];
        const std::uint64_t size = ref.buffer == 's'   ? gpu.scratch
                                   : plan_.in_place    ? std::max(gpu.inputs, gpu.outputs)
                                   : ref.buffer == 'i' ? gpu.inputs
                                                       : gpu.outputs;
        if (ref.index + ref.size > size)
            refuse_at(where, fmt::format("chunks {} to {} of buffer {} of GPU {}, which has {}", ref.index,
                                         ref.index + ref.size - 1, ref.buffer, ref.rank, size));
        moves_ += ref.size;
        if (moves_ > moves_most) refuse_at(where, fmt::format("operations that name more than {} chunks", moves_most));
    }

    const std::string& what_;
    Plan plan_;
    NodeId rank_ = 0;
    std::uint64_t moves_ = 0;
    bool gets_elsewhere_ = false;
};

}  // namespace

const OperationType& operation_type(std::string_view name) {
    return *std::ranges::find(operation_types, name, &OperationType::name);
}

void Gpu::add_channel(bool is_port, NodeId peer) {
    const std::size_t type = is_port ? 1 : 0;
    std::vector<std::uint64_t>& to_peer = channels_to[{is_port, peer}];
    ordinals[type].push_back(to_peer.size());
    to_peer.push_back(peers[type].size());
    peers[type].push_back(peer);
}

ChannelEnd Plan::other_end(const ChannelEnd& end) const {
    const NodeId peer = peer_of(end);
    return {peer, end.is_port,
            gpus[peer].channels_to.at({end.is_port, end.rank})[gpus[end.rank].ordinals[end.is_port ? 1 : 0][end.id]]};
}

Plan read_plan(const nlohmann::json& file, const std::string& what) { return PlanReader(what).read(file); }

}  // namespace kport::mscclpp
