// SPDX-License-Identifier: MIT
// DLPack: what is handed over is the same memory, is given back once, and is refused where it is not what is asked for.

#include <tapeless/interop/dlpack.hpp>
#include <tapeless/tapeless.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

using ad::dlpack::DLManagedTensor;
using ad::dlpack::DLManagedTensorVersioned;

template <class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (ad::dlpack_error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
bool says(std::string const& text, std::string const& words) { return text.find(words) != std::string::npos; }

/// An array of another library, which counts how often it is given back.
template <class M>
struct foreign {
    M managed{};
    std::vector<std::int64_t> shape, strides;
    int given_back = 0;

    foreign(void* data, int code, int bits, std::vector<std::int64_t> lengths, std::vector<std::int64_t> steps = {})
        : shape(std::move(lengths)), strides(std::move(steps)) {
        auto& t = managed.dl_tensor;
        t.data = data;
        t.device.device_type = static_cast<decltype(t.device.device_type)>(1);
        t.ndim = static_cast<std::int32_t>(shape.size());
        t.dtype.code = static_cast<std::uint8_t>(code);
        t.dtype.bits = static_cast<std::uint8_t>(bits);
        t.dtype.lanes = 1;
        t.shape = shape.data();
        t.strides = strides.empty() ? nullptr : strides.data();
        managed.manager_ctx = this;
        managed.deleter = [](M* m) { ++static_cast<foreign*>(m->manager_ctx)->given_back; };
        if constexpr (requires { managed.version; }) managed.version.major = 1;
    }
    foreign(foreign const&) = delete;
};

}  // namespace

TEST_CASE("dlpack: an array that was taken over is an argument, and is given back once") {
    float numbers[6] = {1, 2, 3, 4, 5, 6};
    foreign<DLManagedTensor> other(numbers, 2, 32, {2, 3});
    {
        auto x = ad::from_dlpack(&other.managed);
        CHECK(x.rank() == 2);
        CHECK(x.extent(1) == 3);
        CHECK(x.holds<float const>());
        CHECK_FALSE(x.holds<double>());
        CHECK_THROWS_AS(x.extent(2), ad::index_error);
        auto const v = x.view<float const, ad::dyn, 3>();
        CHECK(v.data() == numbers);
        auto const g = ad::grad([](auto a) { return sum(a * a); })(v);
        CHECK(g(1, 2) == 12);
        auto moved = std::move(x);
        CHECK(moved.view<float, 2, 3>()(1, 0) == 4);
        CHECK(other.given_back == 0);
    }
    CHECK(other.given_back == 1);
}

TEST_CASE("dlpack: strides, an offset in bytes and axes without elements") {
    double numbers[7] = {0, 1, 2, 3, 4, 5, 6};
    foreign<DLManagedTensor> columns(numbers, 2, 64, {2, 3}, {1, 2});
    columns.managed.dl_tensor.byte_offset = 8;
    auto const v = ad::from_dlpack(&columns.managed).view<double const, ad::dyn, ad::dyn>();
    CHECK(v(1, 2) == 6);
    CHECK(v(0, 1) == 3);

    foreign<DLManagedTensor> nothing(nullptr, 2, 64, {0, 3});
    CHECK(ad::from_dlpack(&nothing.managed).view<double, ad::dyn, 3>().size() == 0);

    foreign<DLManagedTensor> number(numbers + 3, 2, 64, {});
    CHECK(ad::from_dlpack(&number.managed).view<double>()() == 3);
}

TEST_CASE("dlpack: what is refused, and that the caller has it still") {
    float numbers[6] = {};
    foreign<DLManagedTensor> a(numbers, 2, 32, {2, 3});
    auto const take = [&] { (void)ad::from_dlpack(&a.managed); };

    a.managed.dl_tensor.device.device_type = static_cast<decltype(a.managed.dl_tensor.device.device_type)>(2);
    CHECK(says(refusal(take), "found device type 2"));
    a.managed.dl_tensor.device.device_type = static_cast<decltype(a.managed.dl_tensor.device.device_type)>(1);
    a.managed.dl_tensor.ndim = 9;
    CHECK(says(refusal(take), "expected 0 to 8 axes, found 9"));
    a.managed.dl_tensor.ndim = -1;
    CHECK(says(refusal(take), "found -1"));
    a.managed.dl_tensor.ndim = 2;
    a.shape[0] = -2;
    CHECK(says(refusal(take), "axis 0 has the length -2"));
    a.shape[0] = 2;
    a.managed.dl_tensor.data = nullptr;
    CHECK(says(refusal(take), "no memory"));
    a.managed.dl_tensor.data = numbers;
    a.managed.dl_tensor.shape = nullptr;
    CHECK(says(refusal(take), "no lengths"));
    a.managed.dl_tensor.shape = a.shape.data();
    a.shape = {INT64_MAX, INT64_MAX};
    a.managed.dl_tensor.shape = a.shape.data();
    CHECK_THROWS_AS(take(), ad::shape_error);
    CHECK(says(refusal([] { (void)ad::from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }), "there is no array"));
    CHECK(a.given_back == 0);
}

TEST_CASE("dlpack: a view of another type or shape than the array's") {
    float numbers[7] = {};
    foreign<DLManagedTensor> a(numbers, 2, 32, {2, 3});
    auto const x = ad::from_dlpack(&a.managed);
    CHECK(says(refusal([&] { (void)x.view<double, 2, 3>(); }), "expected float64 (2, 3), found float32 (2, 3)"));
    CHECK(says(refusal([&] { (void)x.view<std::int32_t, 2, 3>(); }), "expected int32 (2, 3), found float32 (2, 3)"));
    CHECK(says(refusal([&] { (void)x.view<float, ad::dyn, 4>(); }), "expected float32 (dyn, 4), found float32 (2, 3)"));
    CHECK(says(refusal([&] { (void)x.view<float, 6>(); }), "expected float32 (6,), found float32 (2, 3)"));

    foreign<DLManagedTensor> crooked(numbers, 2, 32, {2});
    crooked.managed.dl_tensor.byte_offset = 1;
    CHECK(says(refusal([&] { (void)ad::from_dlpack(&crooked.managed).view<float, 2>(); }), "not aligned"));
    foreign<DLManagedTensor> wide(numbers, 2, 32, {2});
    wide.managed.dl_tensor.dtype.lanes = 2;
    CHECK(says(refusal([&] { (void)ad::from_dlpack(&wide.managed).view<float, 2>(); }), "found float32x2 (2,)"));
    foreign<DLManagedTensor> strange(numbers, 17, 4, {2});
    CHECK(says(refusal([&] { (void)ad::from_dlpack(&strange.managed).view<float, 2>(); }), "found type 17 of 4 (2,)"));
}

TEST_CASE("dlpack: version 1 has a version and may be read-only") {
    float numbers[2] = {1, 2};
    foreign<DLManagedTensorVersioned> a(numbers, 2, 32, {2});
    a.managed.flags = 1;
    {
        auto const x = ad::from_dlpack(&a.managed);
        CHECK(x.view<float const, 2>()(1) == 2);
        CHECK(says(refusal([&] { (void)x.view<float, 2>(); }), "read-only"));
    }
    CHECK(a.given_back == 1);
    a.managed.version.major = 2;
    CHECK(says(refusal([&] { (void)ad::from_dlpack(&a.managed); }), "expected version 1 of DLPack, found 2"));
}

TEMPLATE_TEST_CASE("dlpack: a tensor handed out comes back as it was", "", float, double, ad::half, ad::bfloat16, bool,
                   std::int8_t, std::int32_t, std::int64_t, std::uint8_t, std::uint64_t) {
    using T = TestType;
    ad::tensor<T, ad::dyn, 2> x(3);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(static_cast<int>(i % 2));
    T const* const memory = x.data();
    auto* const m = ad::to_dlpack(std::move(x));
    auto const back = ad::from_dlpack(m);
    auto const v = back.template view<T, 3, ad::dyn>();
    CHECK(v.data() == memory);  // moved, not copied
    CHECK(static_cast<float>(v(2, 1)) == 1);
    CHECK(static_cast<float>(v(2, 0)) == 0);
}

TEST_CASE("dlpack: tensors inside the object are copied, views are not; const ones are read-only") {
    ad::tensor<float, 2, 2> small{{1, 2}, {3, 4}};
    auto const copied = ad::from_dlpack(ad::to_dlpack(small));
    CHECK(copied.view<float, 2, 2>().data() != small.data());
    CHECK(copied.view<float, 2, 2>()(1, 1) == 4);

    ad::view<float, 2, 2> transposed(small.data(), std::array<std::ptrdiff_t, 2>{1, 2});
    auto const looked_at = ad::from_dlpack(ad::to_dlpack(transposed));
    CHECK(looked_at.view<float, 2, 2>().data() == small.data());
    CHECK(looked_at.view<float, 2, 2>()(0, 1) == 3);

    auto const read_only = ad::from_dlpack(ad::to_dlpack<DLManagedTensorVersioned>(ad::view<float const, 2, 2>(small)));
    CHECK(read_only.view<float const, 2, 2>()(0, 1) == 2);
    CHECK(says(refusal([&] { (void)read_only.view<float, 2, 2>(); }), "read-only"));
    auto const written = ad::from_dlpack(ad::to_dlpack<DLManagedTensorVersioned>(std::vector<double>{1, 2}));
    written.view<double, 2>()(0) = 5;
    CHECK(written.view<double const, ad::dyn>()(0) == 5);
}

#if !__has_include(<dlpack/dlpack.h>)
TEST_CASE("dlpack: the structs have the layout of dlpack.h") {
    static_assert(sizeof(void*) != 8 || sizeof(ad::dlpack::DLTensor) == 48);
    static_assert(sizeof(void*) != 8 || sizeof(DLManagedTensor) == 64);
    static_assert(sizeof(void*) != 8 || sizeof(DLManagedTensorVersioned) == 80);
    static_assert(sizeof(void*) != 8 || offsetof(ad::dlpack::DLTensor, shape) == 24);
    static_assert(sizeof(void*) != 8 || offsetof(DLManagedTensorVersioned, dl_tensor) == 32);
    SUCCEED();
}
#endif
