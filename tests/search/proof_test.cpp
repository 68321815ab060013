/// @file proof_test.cpp   The proofs of --proof, checked by a checker that shares nothing with the solver.
#include "app/search/proof.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "app/search/search.hpp"
#include "app/search/solver.hpp"
#include "tests/search/problems.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::search {
namespace {

using Clause = std::vector<int>;

/// Checks by reverse unit propagation: a step follows if its negation, and what that forces, contradicts a clause. Clauses that
/// the proof deletes stay, which takes time and hides nothing.
class Checker {
  public:
    explicit Checker(const std::filesystem::path& formula) {
        std::ifstream in(formula);
        std::string word;
        std::size_t clauses = 0;
        in >> word >> word >> variables_ >> clauses;
        value_.assign(2 * variables_ + 2, false);
        watched_.resize(2 * variables_ + 2);
        Clause clause;
        for (int literal = 0; in >> literal;) {
            if (literal != 0) clause.push_back(literal);
            if (literal == 0) add(std::exchange(clause, {}));
        }
        EXPECT_EQ(clauses_.size(), clauses);
    }

    /// Whether the steps lead to the empty clause; the number of the first that does not follow, else.
    [[nodiscard]] bool refuted_by(std::istream& steps) {
        for (std::string line; std::getline(steps, line);) {
            if (line.starts_with('d')) continue;
            std::istringstream literals(line);
            Clause clause;
            for (int literal = 0; literals >> literal && literal != 0;) clause.push_back(literal);
            if (!follows(clause)) return false;
            if (clause.empty()) return true;
            add(std::move(clause));
        }
        return false;
    }

  private:
    [[nodiscard]] static std::size_t at(int literal) {
        return 2 * static_cast<std::size_t>(std::abs(literal)) + (literal < 0 ? 1 : 0);
    }
    [[nodiscard]] bool holds(int literal) const { return value_[at(literal)]; }
    [[nodiscard]] bool fails(int literal) const { return value_[at(-literal)]; }

    void add(Clause clause) {
        if (clause.size() == 1) units_.push_back(clause.front());
        if (clause.empty()) contradicts_ = true;
        for (std::size_t i = 0; i < 2 && clause.size() > 1; ++i) watched_[at(clause[i])].push_back(clauses_.size());
        clauses_.push_back(std::move(clause));
    }
    /// False if it fails already.
    bool force(int literal) {
        if (fails(literal)) return false;
        if (holds(literal)) return true;
        value_[at(literal)] = true;
        forced_.push_back(literal);
        return true;
    }
    /// False at a contradiction.
    bool propagate() {
        for (std::size_t next = 0; next < forced_.size(); ++next) {
            const int failing = -forced_[next];
            std::vector<std::size_t> left = std::move(watched_[at(failing)]);
            watched_[at(failing)].clear();
            for (std::size_t i = 0; i < left.size(); ++i) {
                Clause& clause = clauses_[left[i]];
                if (clause.front() == failing) std::swap(clause[0], clause[1]);
                std::size_t other = 2;
                while (other < clause.size() && fails(clause[other])) ++other;
                if (!holds(clause.front()) && other < clause.size()) {
                    std::swap(clause[1], clause[other]);
                    watched_[at(clause[1])].push_back(left[i]);
                    continue;
                }
                watched_[at(failing)].push_back(left[i]);
                if (force(clause.front())) continue;
                watched_[at(failing)].insert(watched_[at(failing)].end(),
                                             left.begin() + static_cast<std::ptrdiff_t>(i) + 1, left.end());
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool follows(const Clause& clause) {
        bool consistent = !contradicts_;
        for (const int unit : units_) consistent = consistent && force(unit);
        for (const int literal : clause) consistent = consistent && force(-literal);
        const bool contradicted = !consistent || !propagate();
        for (const int literal : forced_) value_[at(literal)] = false;
        forced_.clear();
        return contradicted;
    }

    std::size_t variables_ = 0;
    std::vector<Clause> clauses_;
    std::vector<int> units_;
    bool contradicts_ = false;
    std::vector<std::vector<std::size_t>> watched_;  ///< by literal: the clauses of which it is one of the first two
    std::vector<bool> value_;
    std::vector<int> forced_;
};

std::string content_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

class AProof : public testing::Test {
  protected:
    void SetUp() override {
        if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    [[nodiscard]] Found search(const Problem& problem) const {
        SearchOptions options;
        options.proof = path;
        return fewest_rounds(problem, options);
    }
    [[nodiscard]] bool is_refuted(const std::string& steps) const {
        std::istringstream in(steps);
        return Checker(ProofFile::formula_of(path)).refuted_by(in);
    }

    std::filesystem::path folder = test::own_folder();
    std::string path = folder / "proof";
};

TEST_F(AProof, RefutesOneRoundFewerThanTheSchedule) {
    for (const Problem& problem :
         {broadcast_on("debruijn:2,4", {2}), broadcast_on("mesh:5x5", {12}), broadcast_on("butterfly:3", {0, 16}),
          broadcast_on("circulant:25,1,7", {0}, 3), broadcast_on("random-regular:4,30,3", {18})}) {
        const std::string spec = problem.topology->spec();
        const Found found = search(problem);
        ASSERT_EQ(found.proved, found.most - 1) << spec;
        EXPECT_TRUE(is_refuted(content_of(path))) << spec;
    }
}

TEST_F(AProof, OfAGossipIsCheckedToo) {
    Problem problem;
    problem.topology = make_topology("ring:5");
    problem.operation = Operation::allgather;
    problem.mode = Mode::telegraph;
    const Found found = search(problem);
    ASSERT_EQ(found.proved, Round{5});
    EXPECT_TRUE(is_refuted(content_of(path)));
}

TEST_F(AProof, IsRefusedByTheCheckerWithoutItsEndOrWithAStepThatDoesNotFollow) {
    ASSERT_TRUE(search(broadcast_on("debruijn:2,4", {2})).proved);
    EXPECT_FALSE(is_refuted(""));
    EXPECT_FALSE(is_refuted("1 0\n" + content_of(path))) << "some schedules do without what variable 1 says";
    EXPECT_FALSE(is_refuted("0\n"));
}

TEST_F(AProof, LeavesNothingWhereNothingIsRefuted) {
    {
        ProofFile proof(path);
        Solver solver(&proof);
        const Literal a = solver.variable();
        solver.add({a});
        EXPECT_EQ(solver.solve([] { return false; }), Answer::yes);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_FALSE(std::filesystem::exists(ProofFile::formula_of(path)));
}

TEST_F(AProof, IsNotWrittenToAFolderThatIsNotThere) {
    EXPECT_THROW(ProofFile(folder / "none" / "proof"), std::system_error);
}

}  // namespace
}  // namespace kport::search
