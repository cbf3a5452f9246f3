// SPDX-License-Identifier: MIT
#pragma once
// The exponential of a matrix: Padé's approximation of a scaled one, squared as often as it was halved (Higham 2005).

#include <tapeless/kernels/factor.hpp>

namespace tapeless::detail::inline kernels_part {

template <class T, class Build = simd::batch<T>>
struct matrix_exponential {
    using row = rows<T, Build>;
    using products = matrix_products<T, Build>;

    static constexpr std::int64_t matrices = 7;

    /// y = e^a, n by n, in the room of `matrices` of them and of products; where it lies is returned.
    static T* compute(matrix_view<T const> a, std::int64_t n, T* memory) {
        std::int64_t const size = n * n;
        T *const x = memory, *const x2 = x + size, *const x4 = x2 + size, *const x6 = x4 + size;
        T *const u = x6 + size, *const v = u + size, *const w = v + size, *const packed = w + size + n;
        row::copy(x, n, a, n, n);
        double norm = 0;  // the largest sum of a column
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t i = 0; i < n; ++i)
                sum += static_cast<double>(x[i * n + j] < 0 ? -x[i * n + j] : x[i * n + j]);
            norm = sum > norm || sum != sum ? sum : norm;
        }
        int halvings = 0;
        if (norm - norm != 0) {
            row::fill(x, static_cast<T>(norm - norm), size);
            return x;
        }
        for (double rest = norm; rest > 5.371920351148152; rest /= 2) ++halvings;
        if (halvings > 0) row::scale(x, static_cast<T>(__builtin_ldexp(1, -halvings)), size);
        multiply(x2, x, x, n, packed);
        if (norm <= 0.2539398330063230) {  // degree 5
            multiply(x4, x2, x2, n, packed);
            for (std::int64_t i = 0; i < size; ++i) {
                w[i] = T(420) * x2[i] + x4[i];
                v[i] = T(3360) * x2[i] + T(30) * x4[i];
            }
            for (std::int64_t i = 0; i < n; ++i) w[i * n + i] += T(15120), v[i * n + i] += T(30240);
        } else {  // degree 13
            constexpr double b[] = {64764752532480000.0,
                                    32382376266240000.0,
                                    7771770303897600.0,
                                    1187353796428800.0,
                                    129060195264000.0,
                                    10559470521600.0,
                                    670442572800.0,
                                    33522128640.0,
                                    1323241920.0,
                                    40840800.0,
                                    960960.0,
                                    16380.0,
                                    182.0,
                                    1.0};
            auto c = [&](int i) { return static_cast<T>(b[i] / b[0]); };  // so that float holds them
            multiply(x4, x2, x2, n, packed);
            multiply(x6, x4, x2, n, packed);
            for (std::int64_t i = 0; i < size; ++i) u[i] = c(13) * x6[i] + c(11) * x4[i] + c(9) * x2[i];
            multiply(w, x6, u, n, packed);
            for (std::int64_t i = 0; i < size; ++i) w[i] += c(7) * x6[i] + c(5) * x4[i] + c(3) * x2[i];
            for (std::int64_t i = 0; i < size; ++i) u[i] = c(12) * x6[i] + c(10) * x4[i] + c(8) * x2[i];
            multiply(v, x6, u, n, packed);
            for (std::int64_t i = 0; i < size; ++i) v[i] += c(6) * x6[i] + c(4) * x4[i] + c(2) * x2[i];
            for (std::int64_t i = 0; i < n; ++i) w[i * n + i] += c(1), v[i * n + i] += c(0);
        }
        multiply(u, x, w, n, packed);
        // (v - u) y = v + u
        T* const from = w + size;
        for (std::int64_t i = 0; i < size; ++i) x2[i] = v[i] - u[i], x4[i] = v[i] + u[i];
        factors<T, Build>::lu(x2, n, n, from, packed);
        for (std::int64_t i = 0; i < n; ++i)
            row::copy(x6 + i * n, n, {x4 + static_cast<std::int64_t>(from[i]) * n, n, 1}, 1, n);
        factors<T, Build>::solve_lu(false, {x2, n, 1}, x6, n, n, n, packed);
        T *y = x6, *z = x4;
        for (; halvings > 0; --halvings) {
            multiply(z, y, y, n, packed);
            T* const t = y;
            y = z;
            z = t;
        }
        return y;
    }

private:
    static void multiply(T* c, T const* a, T const* b, std::int64_t n, T* packed) {
        row::fill(c, 0, n * n);
        products::template add<1>(c, n, {a, n, 1}, b, n, n, n, n, packed);
    }
};

}  // namespace tapeless::detail::kernels_part
