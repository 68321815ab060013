#include "tests/foreign/slots.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace foreign {

bool Layout::is(std::initializer_list<const char*> names) const {
    return operation && std::ranges::find(names, *operation) != names.end();
}

bool Layout::divides() const { return is({"reduce-scatter", "allgather", "alltoall", "scatter", "gather"}); }
bool Layout::folds() const { return is({"allreduce", "reduce", "reduce-scatter", "scan"}); }
int Layout::input_chunks() const { return is({"allgather", "gather"}) ? block() : loop; }
int Layout::output_chunks() const { return is({"reduce-scatter", "scatter"}) ? block() : loop; }

Slot Layout::slot(Slot named) const {
    if (!in_place || !operation || named.buffer == 's') return named;
    if (is({"allgather", "gather"})) {
        if (named.buffer == 'i') return {named.gpu, 'o', named.gpu * block() + named.index};
    } else if (is({"reduce-scatter", "scatter"})) {
        if (named.buffer == 'o') return {named.gpu, 'i', named.gpu * block() + named.index};
    } else if (named.buffer == 'i') {
        return {named.gpu, 'o', named.index};
    }
    return named;
}

std::map<Slot, Value> Layout::before() const {
    std::map<Slot, Value> held;
    if (!operation) return held;
    for (int rank = 0; rank < ranks; ++rank)
        for (int chunk = 0; chunk < input_chunks(); ++chunk)
            if (!is({"broadcast", "scatter"}) || rank == root) held[slot({rank, 'i', chunk})].parts[{rank, chunk}] = 1;
    return held;
}

std::map<Slot, Value> Layout::after() const {
    std::map<Slot, Value> wanted;
    if (!operation) return wanted;
    for (int rank = 0; rank < ranks; ++rank) {
        if (is({"reduce", "gather"}) && rank != root) continue;
        for (int chunk = 0; chunk < output_chunks(); ++chunk) {
            auto& parts = wanted[slot({rank, 'o', chunk})].parts;
            if (folds()) {
                const int folded = is({"reduce-scatter"}) ? rank * block() + chunk : chunk;
                for (int giver = 0; giver < (is({"scan"}) ? rank + 1 : ranks); ++giver) parts[{giver, folded}] = 1;
            } else if (is({"broadcast"})) {
                parts[{root, chunk}] = 1;
            } else if (is({"scatter"})) {
                parts[{root, rank * block() + chunk}] = 1;
            } else if (is({"alltoall"})) {
                parts[{chunk / block(), rank * block() + chunk % block()}] = 1;
            } else {
                parts[{chunk / block(), chunk % block()}] = 1;
            }
        }
    }
    return wanted;
}

bool Layout::complete(const Value& value) const {
    if (value.unknown || static_cast<int>(value.parts.size()) != ranks) return false;
    const int chunk = value.parts.begin()->first.second;
    return std::ranges::all_of(value.parts,
                               [&](const auto& part) { return part.first.second == chunk && part.second == 1; });
}

Value Contents::read(const Slot& slot, const std::string& place) {
    const auto& value = held_[layout_.slot(slot)];
    if (value.written()) return value;
    verdict_.blame(Fault::unwritten, place + " reads " + slot.text() + ", which holds nothing");
    return {.unknown = true};
}

Value Contents::fold(const Value& left, const Value& right, const std::string& place) {
    if (!layout_.folds()) verdict_.blame(Fault::fold, place + " folds in an operation that folds nothing");
    if (left.unknown || right.unknown) return {.unknown = true};
    Value sum = left;
    for (const auto& [part, times] : right.parts) sum.parts[part] += times;
    for (const auto& [part, times] : sum.parts) {
        if (times > 1)
            verdict_.blame(Fault::fold, place + " folds the contribution of " + std::to_string(part.first) + " again");
        if (part.second != sum.parts.begin()->first.second) verdict_.blame(Fault::fold, place + " mixes chunks");
    }
    return sum;
}

void Contents::receive(int rank, const std::vector<Value>& values, bool plain, const std::string& place) {
    std::set<std::pair<Contribution, bool>> brought;  // with whether it is a complete result
    for (const auto& value : values) {
        if (plain && layout_.is({"allreduce"}) && layout_.complete(value)) {
            brought.insert({{-1, value.parts.begin()->first.second}, true});
        } else {
            for (const auto& [part, times] : value.parts) brought.insert({part, false});
        }
    }
    for (const auto& packet : brought) {
        const auto what = std::to_string(packet.first.first) + "/" + std::to_string(packet.first.second);
        if (packet.first.first == rank) verdict_.blame(Fault::NOHO, place + " brings its own " + what);
        if (!received_.insert({rank, packet}).second) verdict_.blame(Fault::NODUP, place + " brings again " + what);
    }
}

void Contents::finish() {
    for (const auto& [slot, value] : layout_.after())
        if (held_[slot] != value) verdict_.blame(Fault::delivery, slot.text() + " does not hold what is promised");
}

}  // namespace foreign
