// SPDX-License-Identifier: MIT
#pragma once
// Eigen's matrices, arrays, vectors, maps, blocks and references as arguments and as targets of into(...), where they
// lie.
//
// A vector or row vector is (n), all else (rows, columns), std::vector<Vector3d> (n, 3). Sizes that Eigen's type
// knows are known to the compiler, others are run-time extents. The gradient of what owns its elements has the same
// type, that of what only points its PlainObject: of Map<MatrixXd> a MatrixXd. What Eigen has yet to compute (a + b,
// a.cast<double>()) is refused: store it first.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/array/argument.hpp>

#include <Eigen/Core>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tapeless::detail {  // of array/argument.hpp

/// What has elements in memory: plain objects, and what points to them.
template <class A>
concept eigen_array = std::derived_from<A, Eigen::DenseBase<A>> && element<typename A::Scalar> &&
                      (Eigen::internal::traits<A>::Flags & Eigen::DirectAccessBit) != 0;

template <eigen_array A>
struct leaf_traits<A> {
    template <int N>
    static constexpr auto length() {
        if constexpr (N == Eigen::Dynamic) return dyn;
        else return N;
    }
    static constexpr bool is_vector = A::IsVectorAtCompileTime != 0;
    static constexpr auto rows = length<A::RowsAtCompileTime>(), columns = length<A::ColsAtCompileTime>(),
                          size = length<A::SizeAtCompileTime>();
    static constexpr std::size_t rank = is_vector ? 1 : 2;
    using value_type = typename A::Scalar;
    using shape_type = std::conditional_t<is_vector, shape<size>, shape<rows, columns>>;
    using owner = typename A::PlainObject;
    /// Elements one after the other: row by row, or column by column.
    static constexpr int outer_stride = static_cast<int>(Eigen::internal::traits<A>::OuterStrideAtCompileTime);
    template <int Inner>
    static constexpr bool is_piece =
        Eigen::internal::traits<A>::InnerStrideAtCompileTime == 1 &&
        (std::derived_from<A, Eigen::PlainObjectBase<A>> || (Inner != Eigen::Dynamic && outer_stride == Inner));
    static constexpr bool is_dense =
        is_vector ? Eigen::internal::traits<A>::InnerStrideAtCompileTime == 1
                  : A::IsRowMajor && is_piece<A::ColsAtCompileTime>;
    static constexpr bool is_column_major = !is_vector && !A::IsRowMajor && is_piece<A::RowsAtCompileTime>;

    static auto* data(auto& a) { return a.data(); }
    static std::array<std::int64_t, rank> extents(auto const& a) {
        if constexpr (is_vector) return {static_cast<std::int64_t>(a.size())};
        else return {static_cast<std::int64_t>(a.rows()), static_cast<std::int64_t>(a.cols())};
    }
    static std::array<std::ptrdiff_t, rank> strides(auto const& a) {
        if constexpr (is_vector) return {a.innerStride()};
        else return {a.rowStride(), a.colStride()};
    }
    static owner make(std::array<std::int64_t, rank> const& e) {
        owner made;
        if constexpr (A::SizeAtCompileTime != Eigen::Dynamic) (void)e;
        else if constexpr (is_vector) made.resize(static_cast<Eigen::Index>(e[0]));
        else made.resize(static_cast<Eigen::Index>(e[0]), static_cast<Eigen::Index>(e[1]));
        return made;
    }
};

/// Vectors of a size that the compiler knows are rows: std::vector<Eigen::Vector3d> is (n, 3).
template <eigen_array A>
    requires(std::derived_from<A, Eigen::PlainObjectBase<A>> && A::IsVectorAtCompileTime != 0 &&
             A::SizeAtCompileTime > 0)
inline constexpr row_info row_of_class<A>{dtype_of<typename A::Scalar>(),
                                          static_cast<std::size_t>(A::SizeAtCompileTime)};

}  // namespace tapeless::detail

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
