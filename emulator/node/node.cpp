#include "emulator/node/node.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/node/strands.hpp"
#include "emulator/node/waiting.hpp"

namespace kport {

void Program::refuse_none() {
    throw std::invalid_argument(
        "the program that is awaited is none: it was moved from, or made in a run that is over; make it anew");
}

void Program::refuse_outside_run() {
    throw std::logic_error("a node program is made outside of a run; an engine calls it, or another program");
}

void Program::Call::await_suspend(Handle caller) noexcept {
    callee_.promise().caller = caller;
    running.node->call(callee_);
}

void Arrival::refuse_contents() const {
    if (value_.has_outlived_its_run())
        throw std::invalid_argument(
            fmt::format("what the message from node {} carried ended with its run; as<T>() copies contents", from));
    throw std::invalid_argument(
        fmt::format("the message from node {} has no contents; they are sent as Data(x)", from));
}

void Arrival::refuse_size(std::size_t wanted) const {
    throw std::invalid_argument(fmt::format("the message from node {} has contents of {}; it is read as a type of {}",
                                            from, counted(bytes().size(), "byte"), wanted));
}

void Value::refuse_element(std::uint64_t i, std::size_t bytes) const {
    if (has_outlived_its_run())
        throw std::invalid_argument("the value ended with its run; as<T>() copies an element while the run lasts");
    throw std::invalid_argument(fmt::format("element {} of {} each is read of a value of {}", i, counted(bytes, "byte"),
                                            counted(this->bytes().size(), "byte")));
}

void Node::refuse_no_choice(Waiting waiting) const {
    throw std::invalid_argument(
        fmt::format("node {} waits for a message {}; want at least 1", topology().name(id()),
                    waiting == Waiting::for_message_by_one_of ? "by one of 0 ports" : "from one of 0 senders"));
}

void Node::refuse_another() { throw std::invalid_argument("the program uses the Node of another node; want its own"); }

void Node::refuse_no_port() const {
    throw std::invalid_argument(fmt::format("node {} waits for a message by no_port; want a port, or receive() for any",
                                            topology().name(id())));
}

// ------------------------------------------------------------------------------------------------------------ strands

Strands& Node::strands() {
    if (strands_ != nullptr) return *strands_;
    FramePool& pool = *running.pool;
    void* const first = pool.allocate(sizeof(Strand));
    void* memory = nullptr;
    try {
        memory = pool.allocate(sizeof(Strands));
    } catch (...) {
        pool.deallocate(first, sizeof(Strand));
        throw;
    }
    asked_ |= Asked::strands;
    strands_ = new (memory) Strands(new (first) Strand{0, Strand::no_group, {}});
    return *strands_;
}

void Node::enlist(Program program, std::uint32_t group) {
    if (!program)
        throw std::invalid_argument(
            "the program of a strand is none: it was moved from, or made in a run that is over; make it anew");
    StrandQueue& queue = strands().queue;
    void* const memory = running.pool->allocate(sizeof(Strand));
    queue.append(new (memory) Strand{strands_->new_number(), group, program.release()});
}

void Node::spawn(Program program) {
    require_own();
    enlist(std::move(program), strands().now->number);
}

std::uint32_t Node::new_group() {
    require_own();
    return strands().new_number();
}

Node::Join Node::join() { return {*this, strands_ == nullptr ? Strand::no_group : strands_->now->number}; }

bool Node::Join::await_ready() const { return node_.strands_ == nullptr || !node_.strands_->has_group(group_); }

bool Wait::chooses(NodeId from, Port port) const {
    const auto has = [](const auto& choice, auto wanted) { return std::ranges::find(choice, wanted) != choice.end(); };
    return waiting == Waiting::for_message_by_one_of ? has(ports(), port) : has(senders(), from);
}

}  // namespace kport
