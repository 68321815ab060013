/// @file group.hpp   Collectives among the threads of a program, on buffers of the caller's.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "emulator/base/error.hpp"
#include "emulator/node/operator.hpp"
#include "emulator/schedule/operation.hpp"

namespace KPORT_PUBLIC kport {
namespace shm {

/// The threads of a group do not call the same collective, or one of them has ended. The sentence says which. The group is of no use from
/// then on: every call of every thread throws the same.
class GroupError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// What threads give each other: bytes that may be copied.
template <class T>
concept Copied = std::is_trivially_copyable_v<T>;
/// What the operators of the table fold (operator.hpp).
template <class T>
concept Folded = std::same_as<T, std::int64_t> || std::same_as<T, double>;

/// A number of threads, ranks 0 to threads() - 1, that call collectives together, all the same ones in the same order, as the processes of
/// MPI do.
///
///     kport::shm::Group group(4);
///     // in each of four threads, with its rank:
///     group.allreduce(rank, std::span(gradient), kport::Operator::sum);
///
/// How it moves data is not written here: it follows schedules of the catalogue that the auditor has passed (algorithm()). All calls wait
/// until the caller's buffers are free again, also those that throw; none waits for a thread that has nothing to do with its data, but
/// barrier(). The result of a reduction has the same bits at every thread, and in every run with as many threads: brackets stand where
/// the schedule puts them.
///
/// Callers   one thread a rank, always the same one; a thread has one rank of a group. A group is of no use when one of its threads has ended:
///           a pool of threads keeps its group as long as its threads.
/// Buffers   may not overlap, but where it is said. Of a rooted operation the buffers of all, in the root alone, may be empty elsewhere.
/// Errors    RequestError, before anything moves, for a rank or a root that is not there, a size that does not fit, an operator that is not
///           defined, and a rank of another thread. GroupError where a thread has called something else, or has ended, after its first call,
///           without calling this.
/// Cost      a waiting thread spins for some microseconds, then it yields and sleeps. The first call in a process of an operation with its
///           root, on as many threads, in each range of sizes (a factor of 4), plans: about 10 ms for 4 threads, 200 ms for 64.
/// Memory    a thread keeps at most the pieces that it passes on or folds for others: at most the size of its buffers.
class Group {
  public:
    /// Throws RequestError for none, and for more than 64.
    explicit Group(unsigned threads);
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() = default;

    class Impl;

    [[nodiscard]] unsigned threads() const;

    /// Returns when all threads have called it.
    void barrier(unsigned rank);

    /// The root's data come to all.
    template <Copied T>
    void broadcast(unsigned rank, std::span<T> data, unsigned root = 0) {
        call(rank, {Operation::broadcast, root, sizeof(T), std::as_writable_bytes(data), std::as_writable_bytes(data)});
    }
    /// The v-th of as many equal parts of the root's `all` as there are threads comes to thread v.
    template <Copied T>
    void scatter(unsigned rank, std::span<const T> all, std::span<T> part, unsigned root = 0) {
        call(rank, {Operation::scatter, root, sizeof(T), std::as_bytes(all), std::as_writable_bytes(part)});
    }
    /// The parts of all threads come to the root, in the order of their ranks.
    template <Copied T>
    void gather(unsigned rank, std::span<const T> part, std::span<T> all, unsigned root = 0) {
        call(rank, {Operation::gather, root, sizeof(T), std::as_bytes(part), std::as_writable_bytes(all)});
    }
    /// The parts of all threads come to all, in the order of their ranks.
    template <Copied T>
    void allgather(unsigned rank, std::span<const T> part, std::span<T> all) {
        call(rank, {Operation::allgather, 0, sizeof(T), std::as_bytes(part), std::as_writable_bytes(all)});
    }
    /// The v-th part of `to_all` comes to thread v, as the rank-th of its `from_all`.
    template <Copied T>
    void alltoall(unsigned rank, std::span<const T> to_all, std::span<T> from_all) {
        call(rank, {Operation::alltoall, 0, sizeof(T), std::as_bytes(to_all), std::as_writable_bytes(from_all)});
    }

    /// The fold of the data of all threads, element by element, comes to the root; elsewhere `result` is not looked at.
    template <Folded T>
    void reduce(unsigned rank, std::span<const T> data, std::span<T> result, const Operator& op = Operator::sum,
                unsigned root = 0) {
        call(rank, {Operation::reduce, root, sizeof(T), std::as_bytes(data), std::as_writable_bytes(result), &op,
                    &type_of<T>()});
    }
    /// The fold of the data of all threads comes to all, in the place of their data.
    template <Folded T>
    void allreduce(unsigned rank, std::span<T> data, const Operator& op = Operator::sum) {
        call(rank, {Operation::allreduce, 0, sizeof(T), std::as_writable_bytes(data), std::as_writable_bytes(data), &op,
                    &type_of<T>()});
    }
    /// The rank-th part of the fold of all threads' data comes to each.
    template <Folded T>
    void reduce_scatter(unsigned rank, std::span<const T> data, std::span<T> part, const Operator& op = Operator::sum) {
        call(rank, {Operation::reduce_scatter, 0, sizeof(T), std::as_bytes(data), std::as_writable_bytes(part), &op,
                    &type_of<T>()});
    }

    /// Returns the algorithm that threads follow where one gives another one so many bytes (broadcast, reduce, allreduce: where the vector
    /// has so many): "direct, 6 rounds, 4 pieces". Throws RequestError for another operation than those above, and for a root that is not
    /// there.
    [[nodiscard]] std::string algorithm(const Operation& operation, std::uint64_t bytes, unsigned root = 0) const;

    /// One call of one thread, as the functions above make it.
    struct Call {
        Operation operation;
        unsigned root;
        std::size_t element;
        std::span<const std::byte> given;
        std::span<std::byte> taken;
        const Operator* op = nullptr;
        const ElementType* type = nullptr;
    };

  private:
    void call(unsigned rank, const Call& call);
    template <Folded T>
    [[nodiscard]] static const ElementType& type_of() {
        return std::same_as<T, double> ? ElementType::real : ElementType::int64;
    }

    std::shared_ptr<Impl> impl_;  ///< also of the threads, which say when they end
};

}  // namespace shm
}  // namespace kport
