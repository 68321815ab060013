/// @file gradient_sums.cpp   A small model is trained by four threads, each on its own samples; their gradients are summed up.
#include <cmath>
#include <cstdlib>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

namespace {

constexpr unsigned threads = 4;
constexpr std::size_t samples = 1000;  // of each thread
const std::vector<double> truth{2, -1, 0.5};

/// The gradient of the squared error at the weights, and behind it the error itself.
std::vector<double> gradient(unsigned rank, const std::vector<double>& weights) {
    std::mt19937 random(rank);  // the same samples in every step
    const auto uniform = [&random] { return static_cast<double>(random()) / 4294967296.0 * 2 - 1; };
    std::vector<double> sums(weights.size() + 1);
    for (std::size_t i = 0; i < samples; ++i) {
        std::vector<double> x(weights.size());
        double miss = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j] = uniform();
            miss += (weights[j] - truth[j]) * x[j];
        }
        for (std::size_t j = 0; j < x.size(); ++j) sums[j] += 2 * miss * x[j];
        sums.back() += miss * miss;
    }
    return sums;
}

void train(kport::shm::Group& group, unsigned rank, std::vector<double>& weights) {
    for (int step = 0; step <= 20; ++step) {
        std::vector<double> sums = gradient(rank, weights);
        group.allreduce(rank, std::span(sums));
        for (double& sum : sums) sum /= threads * samples;
        if (rank == 0 && step % 5 == 0) fmt::print("step {:2}: squared error {:.6f}\n", step, sums.back());
        for (std::size_t j = 0; j < weights.size(); ++j) weights[j] -= 0.5 * sums[j];
    }
}

}  // namespace

int main() {
    kport::shm::Group group(threads);
    std::vector<std::vector<double>> weights(threads, std::vector<double>(truth.size()));
    std::vector<std::thread> all;
    for (unsigned rank = 0; rank < threads; ++rank) all.emplace_back([&, rank] { train(group, rank, weights[rank]); });
    for (std::thread& one : all) one.join();

    bool agree = true;
    for (const std::vector<double>& own : weights) agree &= own == weights.front();
    fmt::print("weights {:.3f} {:.3f} {:.3f}, {} at all threads; allreduce by {}\n", weights[0][0], weights[0][1],
               weights[0][2], agree ? "the same bits" : "NOT the same",
               group.algorithm(kport::Operation::allreduce, 4 * sizeof(double)));
    return agree ? EXIT_SUCCESS : EXIT_FAILURE;
}
