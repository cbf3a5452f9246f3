// SPDX-License-Identifier: MIT
// The names of arrays in trees: those of members where the compiler tells them, positions elsewhere.

#include <tapeless/io/member_names.hpp>
#include <tapeless/io/safetensors.hpp>

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "files.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using namespace files;

template <template <class, auto...> class Tensor, int Width>
struct dense_layer {
    Tensor<float, Width, 2> weight;
    Tensor<float, Width> bias_;
};
namespace {
namespace nested {
struct hidden {
    ad::tensor<double, 2> x1;
    std::vector<float> _2;
};
}  // namespace nested
/// Its members are its own business.
class closed {
public:
    auto members() { return std::tie(first_, second_); }
    auto members() const { return std::tie(first_, second_); }

private:
    float first_ = 1;
    double second_ = 2;
};
struct everything {
    std::array<dense_layer<ad::tensor, 3>, 2> layers;
    nested::hidden inner;
    std::tuple<float, std::pair<double, ad::tensor<float, 40, 400>>> pieces;
    closed own;
    ad::tensor<float> only;
};

template <bool Named, class Tree>
std::string names(Tree const& tree) {
    std::string all;
    ad::detail::for_each_named_leaf<Named>(
        tree, [&](auto&, std::string const& name) { all += (all.empty() ? "" : " ") + name; });
    return all;
}

}  // namespace

TEST_CASE("names: g++ and clang++ tell the names of members") {
    CHECK(ad::detail::tells_member_names);
    CHECK(names<true>(everything{}) ==
          "layers.0.weight layers.0.bias_ layers.1.weight layers.1.bias_ inner.x1 inner._2 pieces.0 "
          "pieces.1.0 pieces.1.1 own.0 own.1 only");
    struct local {
        float here;
        std::array<float, 2> there;
    };
    CHECK(names<true>(local{}) == "here there");
    CHECK(names<true>(1.0f) == "0");
    CHECK(names<true>(std::tuple(1.0f, local{})) == "0 1.here 1.there");
}

TEST_CASE("names: where they are not told, members have positions") {
    CHECK(names<false>(everything{}) == "0.0.0 0.0.1 0.1.0 0.1.1 1.0 1.1 2.0 2.1.0 2.1.1 3.0 3.1 4");
    CHECK(names<false>(dense_layer<ad::tensor, 1>{}) == "0 1");
}

TEST_CASE("names: the last name of what compilers print") {
    CHECK(ad::detail::last_name("... {(& absent<S>::instance.absent<S>::object.S::weight)}]") == "weight");
    CHECK(ad::detail::last_name("... [Pointer = {&instance.object.w_2}]") == "w_2");
    CHECK(ad::detail::last_name("... [Pointer = {&instance.object.gr\xc3\xb6\xc3\x9f"
                                "e}]") ==
          "gr\xc3\xb6\xc3\x9f"
          "e");
    CHECK(ad::detail::last_name("") == "");
    CHECK(ad::detail::last_name("}]") == "");
}

TEST_CASE("names: two structs of the same members share files, in whatever order the members stand") {
    folder f;
    struct one {
        float a = 1;
        double b = 2;
    };
    struct other {
        double b = 0;
        float a = 0;
    } loaded;
    ad::save_safetensors(f / "m", one{});
    ad::load_safetensors(f / "m", loaded);
    CHECK(loaded.a == 1);
    CHECK(loaded.b == 2);
}
