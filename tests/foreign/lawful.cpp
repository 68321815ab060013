#include "tests/foreign/lawful.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace foreign {
namespace {

using nlohmann::json;

std::string text(int number) { return std::to_string(number); }

// --- MSCCL XML

struct Step {
    std::string type;
    char from = 'i';
    int source = -1;
    char to = 'o';
    int target = -1;
    int count = 1, block = -1, step = -1;
    bool tells = false;
};

struct Block {
    int send = -1, receive = -1;
    std::vector<Step> steps = {};
};

struct Program {
    std::string operation;
    int ranks, loop, inputs, outputs, scratch;
    bool in_place;
    std::vector<std::vector<Block>> gpus;

    Program(std::string name, int n, int l, int i, int o, int s, bool place)
        : operation(std::move(name)), ranks(n), loop(l), inputs(i), outputs(o), scratch(s), in_place(place),
          gpus(static_cast<std::size_t>(n)) {}
    std::vector<Block>& of(int gpu) { return gpus[static_cast<std::size_t>(gpu)]; }
    [[nodiscard]] std::string xml() const;
};

std::string pair(const char* key, const std::string& value) { return std::string(" ") + key + "=\"" + value + "\""; }

std::string Program::xml() const {
    std::string out = "<algo" + pair("name", "t") + pair("proto", "Simple") + pair("nchannels", "1") +
                      pair("nchunksperloop", text(loop)) + pair("ngpus", text(ranks)) + pair("coll", operation) +
                      pair("inplace", in_place ? "1" : "0") + ">\n";
    for (int gpu = 0; gpu < ranks; ++gpu) {
        out += "  <gpu" + pair("id", text(gpu)) + pair("i_chunks", text(inputs)) + pair("o_chunks", text(outputs)) +
               pair("s_chunks", text(scratch)) + ">\n";
        int id = 0;
        for (const auto& block : gpus[static_cast<std::size_t>(gpu)]) {
            out += "    <tb" + pair("id", text(id++)) + pair("send", text(block.send)) +
                   pair("recv", text(block.receive)) + pair("chan", "0") + ">\n";
            int at = 0;
            for (const auto& step : block.steps)
                out += "      <step" + pair("s", text(at++)) + pair("type", step.type) +
                       pair("srcbuf", std::string(1, step.from)) + pair("srcoff", text(step.source)) +
                       pair("dstbuf", std::string(1, step.to)) + pair("dstoff", text(step.target)) +
                       pair("cnt", text(step.count)) + pair("depid", text(step.block)) + pair("deps", text(step.step)) +
                       pair("hasdep", step.tells ? "1" : "0") + "/>\n";
            out += "    </tb>\n";
        }
        out += "  </gpu>\n";
    }
    return out + "</algo>\n";
}

std::string ring_allgather(int n) {
    Program program("allgather", n, n, 1, n, 0, false);
    for (int rank = 0; rank < n; ++rank) {
        Block ring{(rank + 1) % n, (rank + n - 1) % n, {{"s", 'i', 0, 'o', rank}}};
        for (int step = 1; step < n; ++step) {
            const int owner = (rank + n - step) % n;
            ring.steps.push_back({step + 1 < n ? "rcs" : "r", 'o', owner, 'o', owner});
        }
        program.of(rank) = {ring, {-1, -1, {{"cpy", 'i', 0, 'o', rank}}}};
    }
    return program.xml();
}

std::string direct(const std::string& operation, int n, int block) {
    const bool gather = operation == "allgather";
    Program program(operation, n, n * block, gather ? block : n * block, n * block, 0, false);
    for (int rank = 0; rank < n; ++rank) {
        program.of(rank).push_back({-1, -1, {{"cpy", 'i', gather ? 0 : rank * block, 'o', rank * block, block}}});
        for (int peer = 0; peer < n; ++peer)
            if (peer != rank)
                program.of(rank).push_back({peer,
                                            peer,
                                            {{"s", 'i', gather ? 0 : peer * block, 'o', rank * block, block},
                                             {"r", 'i', 0, 'o', peer * block, block}}});
    }
    return program.xml();
}

std::string ring_allreduce(int n) {
    Program program("allreduce", n, n, n, n, 0, true);
    for (int rank = 0; rank < n; ++rank) {
        const auto chunk = [&](int back) { return (rank + 2 * n - back) % n; };
        Block ring{(rank + 1) % n, (rank + n - 1) % n, {{"s", 'i', rank, 'i', rank}}};
        for (int step = 1; step < n - 1; ++step) ring.steps.push_back({"rrs", 'i', chunk(step), 'i', chunk(step)});
        ring.steps.push_back({"rrcs", 'i', chunk(n - 1), 'i', chunk(n - 1)});
        for (int step = n; step < 2 * n - 2; ++step) ring.steps.push_back({"rcs", 'i', chunk(step), 'i', chunk(step)});
        ring.steps.push_back({"r", 'i', chunk(2 * n - 2), 'i', chunk(2 * n - 2)});
        program.of(rank) = {ring};
    }
    return program.xml();
}

std::string chain_broadcast(int n, int chunks) {
    Program program("broadcast", n, chunks, chunks, chunks, 0, false);
    for (int rank = 0; rank < n; ++rank) {
        Block receive{-1, rank - 1, {}}, send{rank + 1 < n ? rank + 1 : -1, -1, {}};
        for (int chunk = 0; chunk < chunks; ++chunk) {
            if (rank > 0) receive.steps.push_back({"r", 'o', chunk, 'o', chunk, 1, -1, -1, true});
            if (rank == 0)
                send.steps.push_back({"s", 'i', chunk, 'o', chunk});
            else if (rank + 1 < n)
                send.steps.push_back({"s", 'o', chunk, 'o', chunk, 1, 0, chunk});
        }
        if (rank == 0) receive.steps.push_back({"cpy", 'i', 0, 'o', 0, chunks});
        program.of(rank).push_back(receive);
        if (rank + 1 < n) program.of(rank).push_back(send);
    }
    return program.xml();
}

/// A binomial tree to rank 0; a block a child, each after the one before.
std::string tree_reduce(int n) {
    Program program("reduce", n, 1, 1, 1, 0, true);
    for (int rank = 0; rank < n; ++rank) {
        int bit = 1;
        for (; bit < n && (rank & bit) == 0; bit *= 2) {
            if (rank + bit >= n) continue;
            const int before = static_cast<int>(program.of(rank).size()) - 1;
            program.of(rank).push_back(
                {-1, rank + bit, {{"rrc", 'o', 0, 'o', 0, 1, before, before < 0 ? -1 : 0, true}}});
        }
        const int before = static_cast<int>(program.of(rank).size()) - 1;
        if (rank > 0)
            program.of(rank).push_back({rank - bit, -1, {{"s", 'o', 0, 'o', 0, 1, before, before < 0 ? -1 : 0}}});
    }
    return program.xml();
}

// --- GOAL

struct Goal {
    std::vector<std::string> ranks;
    int label = 0;
    explicit Goal(int n) : ranks(static_cast<std::size_t>(n)) {}
    std::string& of(int rank) { return ranks[static_cast<std::size_t>(rank)]; }
    std::string send(int from, int to, int tag = 0) {
        return add(from, "send 64b to " + text(to) + " tag " + text(tag));
    }
    std::string receive(int at, int from, int tag = 0) {
        return add(at, "recv 64b from " + text(from) + " tag " + text(tag));
    }
    std::string add(int rank, const std::string& operation) {
        const auto name = "l" + text(++label);
        of(rank) += name + ": " + operation + "\n";
        return name;
    }
    void after(int rank, const std::string& later, const std::string& earlier) {
        of(rank) += later + " requires " + earlier + "\n";
    }
    [[nodiscard]] std::string all() const {
        std::string out = "num_ranks " + text(static_cast<int>(ranks.size())) + "\n";
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            out += "rank " + std::to_string(rank) + " {\n" + ranks[rank] + "}\n";
        return out;
    }
};

std::string goal_broadcast(int n) {
    Goal goal(n);
    for (int rank = 0; rank < n; ++rank) {
        int bit = 1;
        while (bit < n && (rank & bit) == 0) bit *= 2;
        const auto came = rank > 0 ? goal.receive(rank, rank - bit) : "";
        for (int child = bit / 2; child > 0; child /= 2) {
            if (rank + child >= n) continue;
            const auto sent = goal.send(rank, rank + child);
            if (rank > 0) goal.after(rank, sent, came);
        }
    }
    return goal.all();
}

std::string goal_reduce(int n) {
    Goal goal(n);
    for (int rank = 0; rank < n; ++rank) {
        std::vector<std::string> came;
        int bit = 1;
        for (; bit < n && (rank & bit) == 0; bit *= 2)
            if (rank + bit < n) came.push_back(goal.receive(rank, rank + bit));
        if (rank == 0) continue;
        const auto sent = goal.send(rank, rank - bit);
        for (const auto& each : came) goal.after(rank, sent, each);
    }
    return goal.all();
}

std::string goal_barrier(int n) {
    Goal goal(n);
    for (int rank = 0; rank < n; ++rank) {
        std::vector<std::string> came;
        int tag = 0;
        for (int by = 1; by < n; by *= 2, ++tag) {
            const auto sent = goal.send(rank, (rank + by) % n, tag);
            for (const auto& each : came) goal.after(rank, sent, each);
            came.push_back(goal.receive(rank, (rank + n - by) % n, tag));
        }
    }
    return goal.all();
}

std::string goal_direct(int n) {
    Goal goal(n);
    for (int rank = 0; rank < n; ++rank)
        for (int peer = 0; peer < n; ++peer)
            if (peer != rank) {
                goal.send(rank, peer);
                goal.receive(rank, peer);
            }
    return goal.all();
}

// --- SimGrid

std::string simgrid_broadcast(int n, bool blocking) {
    std::string out;
    for (int rank = 0; rank < n; ++rank) {
        const auto line = [&](const std::string& action) { out += text(rank) + " " + action + "\n"; };
        int bit = 1;
        while (bit < n && (rank & bit) == 0) bit *= 2;
        line("init");
        if (rank > 0 && blocking) line("recv " + text(rank - bit) + " 0 1e3");
        if (rank > 0 && !blocking) {
            line("irecv " + text(rank - bit) + " 0 1e3");
            line("wait " + text(rank - bit) + " " + text(rank) + " 0");
        }
        for (int child = bit / 2; child > 0; child /= 2)
            if (rank + child < n) line((blocking ? "send " : "isend ") + text(rank + child) + " 0 1e3");
        if (!blocking) line("waitall");
        line("finalize");
    }
    return out;
}

// --- SCCL and TE-CCL

json sccl(const std::string& operation, int n, const json& chunks, const json& sends) {
    json links = json::array(), steps = json::array();
    for (int to = 0; to < n; ++to) {
        links.push_back(json::array());
        for (int from = 0; from < n; ++from) links.back().push_back(from == to ? 0 : 1);
    }
    for (const auto& step : sends) steps.push_back({{"msccl_type", "step"}, {"rounds", 1}, {"sends", step}});
    json inputs = json::object(), outputs = json::object();
    for (int rank = 0; rank < n; ++rank) inputs[text(rank)] = outputs[text(rank)] = json::array();
    for (const auto& chunk : chunks)
        for (const auto& [ends, map] : {std::pair{"pre", &inputs}, std::pair{"post", &outputs}})
            for (const auto& rank : chunk.at(ends)) {
                auto& list = (*map)[text(rank.get<int>())];
                if (std::ranges::find(list, chunk.at("addr")) == list.end()) list.push_back(chunk.at("addr"));
            }
    return {{"msccl_type", "algorithm"},
            {"name", operation},
            {"instance",
             {{"msccl_type", "instance"},
              {"steps", steps.size()},
              {"extra_rounds", 0},
              {"chunks", 1},
              {"pipeline", nullptr},
              {"extra_memory", nullptr},
              {"allow_exchange", false}}},
            {"input_map", inputs},
            {"output_map", outputs},
            {"steps", steps},
            {"collective",
             {{"msccl_type", "collective"},
              {"name", operation + "(n=" + text(n) + ")"},
              {"nodes", n},
              {"chunks", chunks},
              {"triggers", json::object()},
              {"runtime_name", operation}}},
            {"topology", {{"msccl_type", "topology"}, {"name", "net"}, {"switches", json::array()}, {"links", links}}}};
}

json everyone(int n) {
    json all = json::array();
    for (int rank = 0; rank < n; ++rank) all.push_back(rank);
    return all;
}

std::string sccl_ring(int n) {
    json chunks = json::array(), sends = json::array();
    for (int rank = 0; rank < n; ++rank)
        chunks.push_back({{"msccl_type", "chunk"}, {"pre", {rank}}, {"post", everyone(n)}, {"addr", rank}});
    for (int step = 0; step + 1 < n; ++step) {
        sends.push_back(json::array());
        for (int rank = 0; rank < n; ++rank) sends.back().push_back({(rank + n - step) % n, rank, (rank + 1) % n});
    }
    return sccl("allgather", n, chunks, sends).dump(1);
}

/// All fold along a chain to the last rank, and the result comes back along it.
std::string sccl_chain(int n) {
    json chunks = json::array(), sends = json::array();
    for (int rank = 0; rank < n; ++rank)
        chunks.push_back({{"msccl_type", "chunk"}, {"pre", {rank}}, {"post", everyone(n)}, {"addr", 0}});
    for (int rank = 0; rank + 1 < n; ++rank) sends.push_back(json::array({json::array({0, rank, rank + 1})}));
    for (int rank = n - 1; rank > 0; --rank) sends.push_back(json::array({json::array({0, rank, rank - 1})}));
    return sccl("allreduce", n, chunks, sends).dump(1);
}

std::string teccl_ring(int n) {
    json flows = json::array(), demands = json::object();
    for (int epoch = 0; epoch + 1 < n; ++epoch)
        for (int rank = 0; rank < n; ++rank)
            flows.push_back("Chunk 0 from " + text((rank + n - epoch) % n) + " traveled over " + text(rank) + "->" +
                            text((rank + 1) % n) + " in epoch " + text(2 * epoch));
    for (int to = 0; to < n; ++to)
        for (int from = 0; from < n; ++from)
            if (from != to) demands["GPU " + text(to)]["GPU " + text(from)]["Chunk 0"] = 1e-6;
    return json{{"1-Epoch_Duration", 1e-6},
                {"2-Expected_Epoch_Duration", 1e-6},
                {"3-Epochs_Required", 2 * n},
                {"4-Collective_Finish_Time", 1e-6},
                {"5-Algo_Bandwidth", 1.0},
                {"6-Demand_Met", demands},
                {"7-Flows", flows}}
        .dump(1);
}

}  // namespace

std::vector<Lawful> lawful_schedules() {
    return {{"ring-allgather.xml", ring_allgather(4), ""},
            {"direct-allgather.xml", direct("allgather", 3, 2), ""},
            {"direct-alltoall.xml", direct("alltoall", 3, 2), ""},
            {"ring-allreduce.xml", ring_allreduce(4), ""},
            {"chain-broadcast.xml", chain_broadcast(3, 2), ""},
            {"tree-reduce.xml", tree_reduce(5), ""},
            {"broadcast.goal", goal_broadcast(6), "broadcast"},
            {"reduce.goal", goal_reduce(6), "reduce"},
            {"barrier.goal", goal_barrier(5), "barrier"},
            {"direct.goal", goal_direct(3), "none"},
            {"broadcast.txt", simgrid_broadcast(6, true), "broadcast"},
            {"broadcast-isend.txt", simgrid_broadcast(6, false), "broadcast"},
            {"ring-sccl.json", sccl_ring(4), ""},
            {"chain-sccl.json", sccl_chain(4), ""},
            {"ring-teccl.json", teccl_ring(4), "allgather"}};
}

}  // namespace foreign
