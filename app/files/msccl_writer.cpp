/// @file msccl_writer.cpp   A schedule as MSCCL's XML: a block for each neighbour of a GPU, and one for the copies of its own data.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/files/foreign_schedule.hpp"
#include "app/files/msccl_text.hpp"
#include "app/files/msccl_writing.hpp"
#include "app/files/slot_writing.hpp"
#include "app/files/transfer_words.hpp"

namespace kport {

namespace msccl {

namespace {

using slots::WrittenAction;

class Writer {
  public:
    explicit Writer(const ToldSchedule& told)
        : told_(told), collective_(told.collective), program_(slots::written_program(told, form, count_max)),
          gpus_(told.topology->nodes()) {}

    void write(std::ostream& out) {
        for (const WrittenAction& action : program_.actions)
            for (const ChunkRun& run : action.runs) add(action, run);
        for (GpuSteps& gpu : gpus_) gpu.settle_waiting();
        put(out);
    }

  private:
    void add(const WrittenAction& action, const ChunkRun& run) {
        GpuSteps& gpu = gpus_[action.at];
        if (action.kind == WrittenAction::Kind::local)
            gpu.add_local(action.peer, run, action.round);
        else
            gpu.add_message(action.peer, action.kind == WrittenAction::Kind::send, run, action.round);
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
            std::max(program_.layout.inputs(), program_.layout.outputs()), gpus_.size(), collective, bytes_max);
        for (const std::string& line : header_in_words(told_)) out << fmt::format("  <!--{}{} -->\n", own_words, line);
        if (collective == "custom") out << "  <!-- RCCL and msccl-scheduler do not load custom -->\n";
        if (collective == "reduce_scatter") out << "  <!-- RCCL and msccl-scheduler want coll reducescatter -->\n";
        for (NodeId v = 0; v < gpus_.size(); ++v) {
            const bool owns = !collective_.owned(v, gpus_.size()).empty();
            const bool wants = program_.layout.wanted(v, 0).has_value();
            out << fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", v,
                               owns ? program_.layout.inputs() : 0, wants ? program_.layout.outputs() : 0,
                               program_.scratch[v]);
            gpus_[v].put(out, v);
            out << "  </gpu>\n";
        }
        out << "</algo>\n";
    }

    /// Runtimes choose an algorithm by the size of the data; this one is for all sizes.
    static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 40;

    static constexpr std::string_view form = "MSCCL's XML";

    const ToldSchedule& told_;
    const Collective& collective_;
    slots::WrittenProgram program_;
    std::vector<GpuSteps> gpus_;
};

}  // namespace

}  // namespace msccl

void write_msccl(std::ostream& out, const ToldSchedule& told) { msccl::Writer(told).write(out); }

}  // namespace kport
