// SPDX-License-Identifier: MIT
// A matrix such as Eigen's.
// expect: matrix_of_another_library
// expect: ad::view of its data()
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
class matrix {
    double numbers_[6] = {};

public:
    double* data() { return numbers_; }
    double const* data() const { return numbers_; }
    long rows() const { return 3; }
    long cols() const { return 2; }
};
matrix m;
auto f = [](auto x) { return sum(x); };
#ifdef RIGHT
ad::view<double, ad::dyn, ad::dyn> x(m.data(), m.rows(), m.cols());
#else
matrix const& x = m;
#endif
auto g = ad::grad<0>(f)(x);  // <- here
int main() {}
