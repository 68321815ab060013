#include "app/measure/least_squares.hpp"

#include <cmath>

#include <Eigen/QR>
#include <boost/math/distributions/students_t.hpp>

#include "emulator/base/error.hpp"

namespace kport::measure {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A column whose residual after projection on the others is smaller than this share is a combination of them: counts
/// are integers, so only rounding is left.
constexpr double nothing_left = 1e-9;

/// Without long double: the tables that Boost.Math then makes before main() overflow if a long double has no more bits
/// than a double, as under valgrind.
using StudentsT =
    boost::math::students_t_distribution<double,
                                         boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

/// Returns the residual of a unit column after projection on the others.
double left_of(const VectorXd& column, const MatrixXd& others) {
    if (others.cols() == 0) return column.norm();
    return (column - others * others.colPivHouseholderQr().solve(column)).norm();
}

MatrixXd with(const MatrixXd& columns, const VectorXd& one_more) {
    MatrixXd all(one_more.size(), columns.cols() + 1);
    if (columns.cols() > 0) all.leftCols(columns.cols()) = columns;
    all.rightCols(1) = one_more;
    return all;
}

/// Returns the diagonal of the inverse of A^T A.
VectorXd inverse_diagonal(const Eigen::ColPivHouseholderQR<MatrixXd>& qr) {
    const Index n = qr.cols();
    const MatrixXd r = qr.matrixR().topLeftCorner(n, n);
    const MatrixXd inverse = r.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(n, n));
    return qr.colsPermutation() * inverse.rowwise().squaredNorm();
}

}  // namespace

Fit least_squares(const std::vector<std::vector<double>>& counts, const std::vector<double>& times) {
    invariant(!counts.empty() && counts.size() == times.size(), "counts for every time");
    const auto rows = static_cast<Index>(times.size());
    const auto columns = static_cast<Index>(counts.front().size());
    MatrixXd all(rows, columns);
    for (Index i = 0; i < rows; ++i)
        for (Index c = 0; c < columns; ++c)
            all(i, c) =
                counts[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)] / times[static_cast<std::size_t>(i)];

    // Unit columns: startups and bytes differ by many decades.
    const VectorXd lengths = all.colwise().norm();
    std::vector<Index> kept;
    MatrixXd basis(rows, 0);
    for (Index c = 0; c < columns; ++c) {
        if (lengths(c) <= 0 || basis.cols() == rows) continue;
        const VectorXd column = all.col(c) / lengths(c);
        if (left_of(column, basis) <= nothing_left) continue;
        basis = with(basis, column);
        kept.push_back(c);
    }

    Fit fit;
    fit.prices.resize(counts.front().size());
    fit.made_of.resize(counts.front().size());
    fit.fitted.assign(times.size(), 0);
    fit.degrees_of_freedom = times.size() - kept.size();
    for (std::vector<double>& factors : fit.made_of) factors.assign(counts.front().size(), 0);
    fit.miss = 1;
    if (kept.empty()) return fit;

    const Eigen::ColPivHouseholderQR<MatrixXd> qr = basis.colPivHouseholderQr();
    const VectorXd scaled = qr.solve(VectorXd::Ones(rows));
    const VectorXd shares = basis * scaled;  // fitted / time
    const double squares = (shares - VectorXd::Ones(rows)).squaredNorm();
    fit.miss = std::sqrt(squares / static_cast<double>(rows));
    for (Index i = 0; i < rows; ++i)
        fit.fitted[static_cast<std::size_t>(i)] = shares(i) * times[static_cast<std::size_t>(i)];

    const VectorXd variances = inverse_diagonal(qr);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const auto at = static_cast<Index>(k);
        Estimate price{scaled(at) / lengths(kept[k]), {}, 0, 0};
        if (fit.degrees_of_freedom > 0) {
            const auto freedom = static_cast<double>(fit.degrees_of_freedom);
            const double error = std::sqrt(squares / freedom * variances(at)) / lengths(kept[k]);
            const double reach = error * boost::math::quantile(StudentsT(freedom), 0.975);
            price = {price.value, error, price.value - reach, price.value + reach};
        }
        fit.prices[static_cast<std::size_t>(kept[k])] = price;
    }
    for (Index c = 0; c < columns; ++c) {
        if (fit.prices[static_cast<std::size_t>(c)] || lengths(c) <= 0) continue;
        const VectorXd factors = qr.solve(all.col(c));
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const double factor = factors(static_cast<Index>(k));
            if (std::abs(factor) <= nothing_left * lengths(c)) continue;
            fit.made_of[static_cast<std::size_t>(c)][static_cast<std::size_t>(kept[k])] = factor / lengths(kept[k]);
        }
    }
    return fit;
}

}  // namespace kport::measure
