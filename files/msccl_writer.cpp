/// @file msccl_writer.cpp   A schedule as MSCCL's XML: a block for each neighbour of a GPU, and one for the copies of its own data.
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "files/foreign_schedule.hpp"
#include "files/msccl_text.hpp"
#include "files/msccl_writing.hpp"
#include "files/slot_layout.hpp"
#include "files/transfer_words.hpp"

namespace kport {

namespace msccl {

namespace {

class Writer {
  public:
    explicit Writer(const ToldSchedule& told)
        : told_(told), collective_(told.collective), nodes_(told.topology->nodes()),
          layout_(collective_, nodes_, vector_of(collective_, nodes_), false), gpus_(nodes_), data_(told, layout_) {}

    void write(std::ostream& out) {
        const Schedule& schedule = told_.schedule;
        for (std::size_t first = 0; first < schedule.size();) {
            std::size_t end = first;
            while (end < schedule.size() && schedule.round(end) == schedule.round(first)) ++end;
            add_round(first, end);
            first = end;
        }
        for (NodeId v = 0; v < nodes_; ++v)
            for (const ChunkRun& run : joined(data_.own_copies(v))) gpus_[v].add_local(no_node, run, 0);
        for (GpuSteps& gpu : gpus_) gpu.settle_waiting();
        put(out);
    }

  private:
    /// Vectors are counted in segments, which each block of a reduce-scatter has.
    static std::uint64_t vector_of(const Collective& collective, NodeId nodes) {
        return collective.packets_each * (slots::Layout::has_shares(collective.operation) ? nodes : 1);
    }

    /// What a node sends in a round it has before: sends first.
    void add_round(std::size_t first, std::size_t end) {
        const Schedule& schedule = told_.schedule;
        std::vector<std::vector<ChunkRun>> runs;
        data_.begin_round();
        for (std::size_t i = first; i < end; ++i) {
            const Transfer transfer = schedule.transfer(i);
            for (const ChunkRun& run : data_.send(transfer))
                gpus_[transfer.from].add_local(transfer.to, run, schedule.round(i));
        }
        for (std::size_t i = first; i < end; ++i) {
            (void)way_in_words(schedule.transfer(i), *told_.topology);  // refuses what leads nowhere
            runs.push_back(joined(data_.receive(schedule.transfer(i))));
        }
        for (const bool sends : {true, false})
            for (std::size_t i = first; i < end; ++i) {
                const Transfer transfer = schedule.transfer(i);
                GpuSteps& gpu = gpus_[sends ? transfer.from : transfer.to];
                for (const ChunkRun& run : runs[i - first])
                    gpu.add_message(sends ? transfer.to : transfer.from, sends, run, schedule.round(i));
            }
    }

    [[nodiscard]] std::string_view name_of_collective() const {
        if (collective_.operation == Operation::reduce_scatter) return "reduce_scatter";
        for (const Operation& known :
             {Operation::broadcast, Operation::allgather, Operation::alltoall, Operation::reduce, Operation::allreduce})
            if (collective_.operation == known) return name(known);
        return "custom";
    }

    void put(std::ostream& out) {
        const std::string_view collective = name_of_collective();
        out << fmt::format(
            "<algo name=\"kport\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
            "inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"{}\">\n",
            vector_of(collective_, nodes_), nodes_, collective, bytes_max);
        for (const std::string& line : header_in_words(told_)) out << fmt::format("  <!--{}{} -->\n", own_words, line);
        if (collective == "custom") out << "  <!-- RCCL and msccl-scheduler do not load custom -->\n";
        if (collective == "reduce_scatter") out << "  <!-- RCCL and msccl-scheduler want coll reducescatter -->\n";
        for (NodeId v = 0; v < nodes_; ++v) {
            const bool owns = !collective_.owned(v, nodes_).empty();
            const bool wants = layout_.wanted(v, 0).has_value();
            out << fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", v,
                               owns ? layout_.inputs() : 0, wants ? layout_.outputs() : 0, data_.scratch_of(v));
            gpus_[v].put(out, v);
            out << "  </gpu>\n";
        }
        out << "</algo>\n";
    }

    /// Runtimes choose an algorithm by the size of the data: it is for all sizes.
    static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 40;

    const ToldSchedule& told_;
    const Collective& collective_;
    NodeId nodes_;
    slots::Layout layout_;
    std::vector<GpuSteps> gpus_;
    WrittenData data_;
};

}  // namespace

}  // namespace msccl

void write_msccl(std::ostream& out, const ToldSchedule& told) {
    if (!told.schedule.silences().empty())
        throw RequestError("MSCCL's XML cannot say that rounds are silent on purpose; text and JSON can");
    if (!slots::Layout::exists_for(told.collective.operation))
        throw RequestError(
            fmt::format("MSCCL's XML is not written of {}; text and JSON are", name(told.collective.operation)));
    msccl::Writer(told).write(out);
}

}  // namespace kport
