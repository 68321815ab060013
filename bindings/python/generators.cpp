#include "bindings/python/generators.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "algorithms/support/fit.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/node/node.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport::python {

namespace py = pybind11;

namespace {

/// What a message carries: all packets that the node holds, some packets, or a value.
using Carried = std::variant<std::monostate, PacketSet, Value>;

/// What a generator yields.
struct Act {
    enum class Kind : std::uint8_t { send, send_to, receive, receive_by, receive_from, next_round, until };
    Kind kind;
    std::uint64_t where = 0;  ///< port, node or round
    Carried carried = {};
};

/// Thrown where a program of Python raised; its exception is kept in the run.
class Raised : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A node as its generator sees it.
class PythonNode {
  public:
    PythonNode(Node& node, GeneratorRun& run) : node_(&node), run_(&run), id_(node.id()) {}

    /// The node. Throws where its run is over.
    [[nodiscard]] Node& node() const {
        if (node_ == nullptr) throw std::runtime_error("this node's run is over");
        return *node_;
    }
    [[nodiscard]] NodeId id() const { return id_; }
    /// The line at which its generator waits; 0 where it does not.
    [[nodiscard]] int line() const {
        const py::object frame = generator_ ? py::getattr(generator_, "gi_frame", py::none()) : py::none();
        return frame.is_none() ? 0 : frame.attr("f_lineno").cast<int>();
    }
    void begin(py::object self) { generator_ = run_->program()(std::move(self)); }
    void end_of_run() {
        generator_ = {};
        act_ = {};
        node_ = nullptr;
    }

    /// Resumes the generator with what it waited for, or with an exception where the engine refused its act. Returns whether it yields
    /// something; throws Raised.
    [[nodiscard]] bool resume(const py::object& got, const std::string& refused) {
        PyObject* yielded = nullptr;
        PySendResult result = PYGEN_ERROR;
        if (refused.empty()) {
            result = PyIter_Send(generator_.ptr(), got.ptr(), &yielded);
        } else {
            const py::object error = py::module_::import("builtins").attr("ValueError")(refused);
            yielded = PyObject_CallMethod(generator_.ptr(), "throw", "O", error.ptr());
            if (yielded != nullptr) result = PYGEN_NEXT;
            if (yielded == nullptr && PyErr_ExceptionMatches(PyExc_StopIteration) != 0) {
                PyErr_Clear();
                result = PYGEN_RETURN;
            }
        }
        if (result == PYGEN_ERROR) fail();
        act_ = py::reinterpret_steal<py::object>(yielded);
        if (result == PYGEN_RETURN) generator_ = {};  // else the interpreter looks through it again and again
        return result == PYGEN_NEXT;
    }
    /// Keeps the exception of Python that is set.
    [[noreturn]] void fail() {
        py::error_already_set error;
        std::string text = error.type().attr("__name__").cast<std::string>();
        if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
        run_->note(node().id(), error.value());
        try {
            text += ": " + py::str(error.value()).cast<std::string>();
        } catch (const std::exception&) {
            text += " without a text";
        }
        throw Raised(text);
    }

    /// The acts that were yielded: one, or a list of sends that go in one round.
    [[nodiscard]] const Act* act() const { return py::isinstance<Act>(act_) ? &act_.cast<const Act&>() : nullptr; }
    [[nodiscard]] std::vector<SendRequest> sends() {
        std::vector<SendRequest> requests;
        if (py::isinstance<py::list>(act_) || py::isinstance<py::tuple>(act_))
            for (const py::handle one : act_) {
                if (!py::isinstance<Act>(one)) refuse_yielded();
                const Act& send = one.cast<const Act&>();
                if (send.kind == Act::Kind::send)
                    requests.emplace_back(static_cast<Port>(send.where), cargo(send));
                else if (send.kind == Act::Kind::send_to)
                    requests.emplace_back(send.where, std::span<const Port>(), cargo(send));
                else
                    throw std::invalid_argument("a list of acts has one that is no send; want sends only");
            }
        else
            refuse_yielded();
        return requests;
    }
    [[nodiscard]] Cargo cargo(const Act& send) {
        if (const auto* packets = std::get_if<PacketSet>(&send.carried)) return *packets;
        if (const auto* value = std::get_if<Value>(&send.carried)) return *value;
        const Collective& task = node().collective();
        if (task.one_packet()) return Packet(0);
        if (task.folds())
            throw std::invalid_argument("a send of a reduction needs a value: self.send(port, self.contribution())");
        return held();
    }
    [[nodiscard]] const PacketSet& held() {
        if (!held_) held_ = node().collective().owned(node().id(), node().nodes());
        return *held_;
    }
    /// The arrival for Python; the node holds its packets from now on.
    [[nodiscard]] py::object taken(Arrival arrival) {
        if (!node().collective().one_packet() && !node().collective().folds()) {
            (void)held();
            held_->include(arrival.packets());
        }
        return py::cast(std::move(arrival));
    }

  private:
    [[noreturn]] void refuse_yielded() const {
        throw std::invalid_argument(
            fmt::format("the program yields {}; want self.send(...), self.receive(...), self.next_round(), "
                        "self.until(...), or a list of sends",
                        py::repr(act_).cast<std::string>()));
    }

    Node* node_;
    GeneratorRun* run_;
    NodeId id_;
    py::object generator_ = {};
    py::object act_ = py::none();
    std::optional<PacketSet> held_;
};

/// The nodes of a run that have begun. Their memory ends with the run, or with what the program keeps of them.
struct Nodes {
    GeneratorRun& run;
    std::vector<std::shared_ptr<PythonNode>> begun = {};

    explicit Nodes(GeneratorRun& of) : run(of) {}
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;
    ~Nodes() {
        for (const auto& node : begun) node->end_of_run();
    }
};

Program generator_program(Node& self, PythonNode& node) {
    py::object got = py::none();
    std::string refused;
    while (node.resume(got, refused)) {
        got = py::none();
        refused.clear();
        try {
            const Act* const act = node.act();
            if (act == nullptr) {
                const std::vector<SendRequest> sends = node.sends();
                co_await self.send_together(sends);
                continue;
            }
            switch (act->kind) {
                case Act::Kind::send: {
                    const Cargo cargo = node.cargo(*act);
                    co_await self.send(static_cast<Port>(act->where), cargo);
                    break;
                }
                case Act::Kind::send_to: {
                    const Cargo cargo = node.cargo(*act);
                    co_await self.send_to(act->where, cargo);
                    break;
                }
                case Act::Kind::next_round: co_await self.next_round(); break;
                case Act::Kind::until: co_await self.until(static_cast<Round>(act->where)); break;
                case Act::Kind::receive: {
                    Arrival arrival = co_await self.receive();
                    got = node.taken(std::move(arrival));
                    break;
                }
                case Act::Kind::receive_by: {
                    Arrival arrival = co_await self.receive(static_cast<Port>(act->where));
                    got = node.taken(std::move(arrival));
                    break;
                }
                case Act::Kind::receive_from: {
                    Arrival arrival = co_await self.receive_from(act->where);
                    got = node.taken(std::move(arrival));
                    break;
                }
            }
        } catch (const std::logic_error&
                     error) {  // what the engine refuses: a port that is not there, a packet that is none
            refused = error.what();
        }
    }
}

Program begun_program(Node& self, Nodes& nodes) {
    auto node = std::make_shared<PythonNode>(self, nodes.run);
    nodes.begun.push_back(node);
    try {
        node->begin(py::cast(node));
    } catch (py::error_already_set& error) {
        error.restore();
        node->fail();
    }
    return generator_program(self, *node);
}

/// The nodes of the run that the calling thread has begun: the functions of a row of the catalogue have no state.
thread_local Nodes* nodes_of_run = nullptr;

PacketSet packets_from(const py::object& packets, const Node& node) {
    const PacketSpace space(node.collective(), node.nodes());
    PacketSet set;
    const auto include = [&](const py::handle& number) {
        const auto id = number.cast<PacketId>();
        if (!space.allows(id))
            throw std::invalid_argument(fmt::format("packet {} is none of {}", id, name(node.collective().operation)));
        const PacketBlock block = space.block(id);
        set.include({&block, 1});
    };
    if (py::isinstance<py::int_>(packets))
        include(packets);
    else
        for (const py::handle number : py::iter(packets)) include(number);
    return set;
}

Carried carried_from(const py::object& what, const Node& node) {
    if (what.is_none()) return {};
    if (py::isinstance<Value>(what)) return what.cast<const Value&>();
    return packets_from(what, node);
}

/// The graph of a machine as programs see it.
class PythonTopology {
  public:
    explicit PythonTopology(std::shared_ptr<const Topology> graph) : graph_(std::move(graph)) {}

    [[nodiscard]] const Topology& graph() const { return *graph_; }
    /// The node; throws where there is none of this number.
    [[nodiscard]] NodeId node(NodeId number) const {
        if (number >= graph_->nodes())
            throw py::index_error(fmt::format("node {} is none of {}", number, graph_->nodes()));
        return number;
    }

  private:
    std::shared_ptr<const Topology> graph_;
};

std::optional<NodeId> neighbour_of(const Topology& graph, NodeId node, Port port) {
    const NodeId other = port < graph.ports() ? graph.across(node, port).node : no_node;
    return other == no_node ? std::nullopt : std::optional(other);
}

std::vector<PacketId> numbers_of(const PacketSet& set, NodeId nodes) {
    std::vector<PacketId> numbers;
    numbers.reserve(set.size());
    for (const PacketBlock& block : set.blocks())
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) numbers.push_back(block.number(j, i, nodes));
    return numbers;
}

}  // namespace

GeneratorRun::GeneratorRun(py::function program, std::string name)
    : program_(std::move(program)), name_(std::move(name)), failure_(py::none()) {}

requests::Performed GeneratorRun::performed(Experiment experiment, Caller caller, const requests::Wanted& wanted) {
    if (experiment.engine == EngineKind::free)
        throw RequestError("--engine 'free': programs in Python run in lockstep; leave --engine out");
    if (experiment.threads && *experiment.threads != 1)
        throw RequestError(fmt::format("--threads '{}': programs in Python run on one thread; leave --threads out",
                                       *experiment.threads));
    experiment.threads = 1;
    require_valid(experiment);
    Algorithm& row = row_.emplace(Algorithm{
        .operation = experiment.collective.operation,
        .name = name_,
        .rule = "a program in Python",
        .needs = {},
        .cost = {},
        .source = {},
        .misfit = [](const Machine&, const Collective&,
                     const AlgorithmOptions& options) { return takes_no_options(options); },
        .make =
            [](const Machine&, const Collective& collective, const AlgorithmOptions&) {
                Start start{[](Node& self) { return begun_program(self, *nodes_of_run); }, {}};
                start.all_start = collective.operation->rooted != Rooted::gives;
                if (!start.all_start) start.starters = {collective.root};
                return start;
            },
        .expect = [](const Machine&, const Collective&, const AlgorithmOptions&) { return ExpectedCost{}; },
    });
    row.by_default = false;
    row.is_own = true;
    row.with_many = WithMany::own;
    if (const auto why = misfit_of(row, experiment.machine, experiment.collective, experiment.options))
        throw RequestError(fmt::format("{} {}", name_, *why));

    requests::Performed run;
    run.chosen.experiment = std::move(experiment);
    run.chosen.algorithm = &row;
    if (wanted.transfers) caller.recorded_schedule = &run.moved;
    if (wanted.phases) caller.phases = &run.phases;
    Nodes nodes(*this);
    Nodes* const before = std::exchange(nodes_of_run, &nodes);
    try {
        run.outcome = kport::run(run.chosen, caller);
    } catch (const ProgramError& error) {
        nodes_of_run = before;
        if (const auto raised = raised_.find(error.node); raised != raised_.end()) failure_ = raised->second;
        for (const auto& node : nodes.begun)
            if (node->id() == error.node) line_ = node->line();
        throw;
    } catch (...) {
        nodes_of_run = before;
        throw;
    }
    nodes_of_run = before;
    run.outcome.report.again.clear();
    return run;
}

void add_node_classes(py::module_& module) {
    py::class_<Act>(module, "Act");
    py::class_<Value>(module, "Value", "A partial result of a reduction.")
        .def_property_readonly(
            "contributions", [](const Value& value) { return numbers_of(value.contributions(), NodeId{1} << 32U); },
            "the nodes that contributed, of one segment");
    py::class_<Arrival>(module, "Arrival", "A message that came to a node.")
        .def_readonly("sender", &Arrival::from, "the node that started the message")
        .def_readonly("port", &Arrival::port, "the port of this node by which it came")
        .def_readonly("round", &Arrival::round, "the round in which it moved")
        .def_property_readonly(
            "packet", [](const Arrival& arrival) { return arrival.packet().id(); }, "the lowest packet that came")
        .def_property_readonly("value", &Arrival::value, "the partial result that came");
    using Graph = const PythonTopology&;
    py::class_<PythonTopology>(module, "Topology", "The graph of a machine.")
        .def_property_readonly(
            "nodes", [](Graph of) { return of.graph().nodes(); }, "N")
        .def(
            "degree", [](Graph of, NodeId node) { return of.graph().degree(of.node(node)); }, py::arg("node"),
            "The links of a node.")
        .def(
            "ports", [](Graph of, NodeId node) { return of.graph().labels(of.node(node)); }, py::arg("node"),
            "The ports of a node are 0 to ports - 1.")
        .def(
            "neighbour", [](Graph of, NodeId node, Port port) { return neighbour_of(of.graph(), of.node(node), port); },
            py::arg("node"), py::arg("port"), "The node at the other end of the link; None where the port has none.")
        .def(
            "distance",
            [](Graph of, NodeId one, NodeId other) { return of.graph().distance(of.node(one), of.node(other)); },
            py::arg("one"), py::arg("other"), "The links on a shortest path.");
    using Self = const PythonNode&;
    const auto of_node = [](auto get) { return [get](Self self) { return get(self.node()); }; };
    py::class_<PythonNode, std::shared_ptr<PythonNode>>(module, "Node", "A node, as its program sees it.")
        .def_property_readonly("id", of_node([](const Node& n) { return n.id(); }), "its number")
        .def_property_readonly("nodes", of_node([](const Node& n) { return n.nodes(); }), "N")
        .def_property_readonly("name", of_node([](const Node& n) { return n.topology().name(n.id()); }))
        .def_property_readonly("degree", of_node([](const Node& n) { return n.degree(); }), "its links")
        .def_property_readonly("ports", of_node([](const Node& n) { return n.topology().labels(n.id()); }),
                               "its ports are 0 to ports - 1")
        .def_property_readonly("port_limit", of_node([](const Node& n) { return n.port_limit(); }),
                               "sends that it may start in a round")
        .def_property_readonly("round", of_node([](const Node& n) { return n.round(); }))
        .def_property_readonly("source", of_node([](const Node& n) { return n.collective().root; }),
                               "the source or root")
        .def_property_readonly("is_source", of_node([](const Node& n) { return n.id() == n.collective().root; }))
        .def_property_readonly("packets", of_node([](const Node& n) { return n.collective().packets_each; }),
                               "M, the packets of each")
        .def_property_readonly("held", [](PythonNode& self) { return numbers_of(self.held(), self.node().nodes()); })
        .def_property_readonly(
            "has_arrival", [](Self self) { return self.node().has_arrival(); }, "whether receive() would not wait")
        .def(
            "neighbour",
            [](Self self, Port port) { return neighbour_of(self.node().topology(), self.node().id(), port); },
            py::arg("port"), "The node at the other end of the link; None where the port has none.")
        .def(
            "topology", [](Self self) { return PythonTopology(self.node().machine().topology); },
            "The graph of the machine.")
        .def(
            "send",
            [](Self self, Port port, const py::object& packets) {
                return Act{Act::Kind::send, port, carried_from(packets, self.node())};
            },
            py::arg("port"), py::arg("packets") = py::none(),
            "Sends to the neighbour at a port, all it holds by default.")
        .def(
            "send_to",
            [](Self self, NodeId node, const py::object& packets) {
                return Act{Act::Kind::send_to, node, carried_from(packets, self.node())};
            },
            py::arg("node"), py::arg("packets") = py::none(), "Sends to a node.")
        .def(
            "receive",
            [](Self, std::optional<Port> port) {
                return port ? Act{Act::Kind::receive_by, *port} : Act{Act::Kind::receive};
            },
            py::arg("port") = py::none(), "Waits for a message, by any port or by one.")
        .def(
            "receive_from",
            [](Self, NodeId node) {
                return Act{Act::Kind::receive_from, node};
            },
            py::arg("node"), "Waits for a message of one node.")
        .def(
            "next_round", [](Self) { return Act{Act::Kind::next_round}; }, "Goes on in the next round.")
        .def(
            "until",
            [](Self, Round round) {
                return Act{Act::Kind::until, round};
            },
            py::arg("round"), "Goes on in that round.")
        .def(
            "contribution", [](Self self) { return self.node().contribution(); }, "What it contributes to a reduction.")
        .def("fold", [](Self self, const Value& left, const Value& right) { return self.node().fold(left, right); })
        .def("merge", [](Self self, const Value& one, const Value& other) { return self.node().merge(one, other); })
        .def("whole", [](Self self, const Value& value) { return self.node().whole(value); })
        .def(
            "result", [](Self self, const Value& value) { self.node().result(value); }, "Its result of the operation.");
}

}  // namespace kport::python
