// SPDX-License-Identifier: MIT
#pragma once
// DLPack: arrays handed over in memory, between this library and PyTorch, NumPy, JAX, TVM and others. Arrays on the
// CPU only.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/array/argument.hpp>
#include <tapeless/array/errors.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif

namespace tapeless {

/// The structs of DLPack 1.0, laid out as its header has them. Those of any copy of that header (the one of PyTorch is
/// <ATen/dlpack.h>) can be handed to from_dlpack as well, and asked of to_dlpack<::DLManagedTensor>.
namespace dlpack {
#if __has_include(<dlpack/dlpack.h>)
using ::DLDataType;
using ::DLDevice;
using ::DLManagedTensor;
using ::DLTensor;
#else
struct DLDevice {
    std::int32_t device_type;  // an enumeration there
    std::int32_t device_id;
};
struct DLDataType {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};
struct DLTensor {
    void* data;
    DLDevice device;
    std::int32_t ndim;
    DLDataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor* self);
};
#endif
#if __has_include(<dlpack/dlpack.h>) && defined(DLPACK_MAJOR_VERSION)
using ::DLManagedTensorVersioned;
using ::DLPackVersion;
#else
struct DLPackVersion {
    std::uint32_t major, minor;
};
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned* self);
    std::uint64_t flags;
    DLTensor dl_tensor;
};
#endif
}  // namespace dlpack

/// An array that was handed over by DLPack and is not what is asked for.
struct dlpack_error : detail::error_as<std::invalid_argument> {
    using error_as::error_as;
};

namespace detail::inline interop_part {

/// DLManagedTensor or DLManagedTensorVersioned, of whichever header.
template <class M>
concept dlpack_managed = requires(M& m) {
    m.dl_tensor.data;
    m.dl_tensor.device.device_type;
    m.dl_tensor.byte_offset;
    m.manager_ctx;
    m.deleter(&m);
};
template <class M>
concept dlpack_versioned = dlpack_managed<M> && requires(M& m) {
    m.version.major;
    m.flags;
};

inline constexpr int dlpack_cpu = 1, dlpack_cuda_host = 3;
inline constexpr std::uint64_t dlpack_read_only = 1;

struct dlpack_type {
    int code = 0, bits = 0, lanes = 1;
    bool operator==(dlpack_type const&) const = default;
};
template <class T>
constexpr dlpack_type dlpack_type_of() {
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    if constexpr (std::same_as<T, bool>) return {6, 8};
    else if constexpr (std::same_as<T, bfloat16>) return {4, 16};
    else if constexpr (std::same_as<T, half> || std::floating_point<T>) return {2, bits};
    else if constexpr (std::signed_integral<T>) return {0, bits};
    else {
        static_assert(std::unsigned_integral<T>,
                      "DLPack hands over float, double, half, bfloat16, bool and whole numbers");
        return {1, bits};
    }
}
inline std::string name_of(dlpack_type t) {
    constexpr char const* names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
    std::string name = t.code < 7 ? names[t.code] : "type " + std::to_string(t.code) + " of ";
    name += std::to_string(t.bits);
    return t.lanes == 1 ? name : name + "x" + std::to_string(t.lanes);
}

/// What from_dlpack looked at, free of whose header the structs came from.
struct dlpack_content {
    void* data = nullptr;
    dlpack_type type;
    int rank = 0;
    bool read_only = false;
    std::array<std::int64_t, max_rank> extent{};
    std::array<std::ptrdiff_t, max_rank> stride{};

    std::string text() const {
        std::string s = name_of(type) + " (";
        for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k)
            s += (k > 0 ? ", " : "") + std::to_string(extent[k]);
        return s + (rank == 1 ? ",)" : ")");
    }
};

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_dlpack_error(std::string const& what) {
    detail::raise(dlpack_error("from_dlpack: " + what));
}

template <class Tensor>
dlpack_content read_dlpack(Tensor const& t) {
    int const device = static_cast<int>(t.device.device_type);
    if (device != dlpack_cpu && device != dlpack_cuda_host)
        throw_dlpack_error("expected an array in the CPU's memory (device type 1), found device type " +
                           std::to_string(device));
    if (t.ndim < 0 || t.ndim > max_rank)
        throw_dlpack_error("expected 0 to " + std::to_string(max_rank) + " axes, found " + std::to_string(t.ndim));
    if (t.ndim > 0 && !t.shape) throw_dlpack_error("there are axes and no lengths");
    dlpack_content c;
    c.rank = static_cast<int>(t.ndim);
    c.type = {t.dtype.code, t.dtype.bits, t.dtype.lanes};
    auto const rank = static_cast<std::size_t>(c.rank);
    c.extent.fill(1);
    bool empty = false;
    for (std::size_t k = 0; k < rank; ++k) {
        c.extent[k] = t.shape[k];
        if (c.extent[k] < 0)
            throw_dlpack_error("axis " + std::to_string(k) + " has the length " + std::to_string(c.extent[k]));
        empty = empty || c.extent[k] == 0;
    }
    (void)checked_count("from_dlpack", c.extent, 16);
    c.stride = row_major_strides(c.extent);
    // beyond the rank lengths are 1, so these are the strides of the axes that there are
    for (std::size_t k = 0; k < rank && t.strides; ++k) c.stride[k] = static_cast<std::ptrdiff_t>(t.strides[k]);
    if (!t.data && !empty) throw_dlpack_error("there are elements and no memory");
    c.data = t.data ? static_cast<char*>(t.data) + t.byte_offset : nullptr;
    return c;
}

/// Memory, lengths and strides of an array that is handed out, and perhaps the array.
template <class M, class A>
struct dlpack_export {
    M managed{};
    A array;
    std::array<std::int64_t, max_rank> extent{}, stride{};

    explicit dlpack_export(A&& a) : array(std::move(a)) {}
    static void destroy(M* m) { delete static_cast<dlpack_export*>(m->manager_ctx); }
};

template <class M, class A>
M* export_dlpack(A&& given) {
    using array = std::remove_cvref_t<A>;
    using traits = leaf_traits<array>;
    constexpr bool is_read_only = std::is_const_v<std::remove_pointer_t<decltype(traits::data(given))>>;
    static_assert(!is_read_only || dlpack_versioned<M>,
                  "DLManagedTensor cannot say that an array is read-only: export DLManagedTensorVersioned");
    auto* const e = new dlpack_export<M, array>(array(std::forward<A>(given)));
    auto const extents = traits::extents(e->array);
    auto strides = row_major_strides(extents);
    if constexpr (!traits::is_dense) strides = traits::strides(e->array);
    for (std::size_t k = 0; k < extents.size(); ++k) e->extent[k] = extents[k], e->stride[k] = strides[k];
    constexpr dlpack_type type = dlpack_type_of<typename traits::value_type>();
    auto& t = e->managed.dl_tensor;
    t.data = const_cast<void*>(static_cast<void const*>(traits::data(e->array)));
    t.device.device_type = static_cast<decltype(t.device.device_type)>(dlpack_cpu);
    t.device.device_id = 0;
    t.ndim = static_cast<std::int32_t>(extents.size());
    t.dtype.code = static_cast<std::uint8_t>(type.code);
    t.dtype.bits = static_cast<std::uint8_t>(type.bits);
    t.dtype.lanes = 1;
    t.shape = e->extent.data();
    t.strides = e->stride.data();
    t.byte_offset = 0;
    e->managed.manager_ctx = e;
    e->managed.deleter = dlpack_export<M, array>::destroy;
    if constexpr (dlpack_versioned<M>) {
        e->managed.version.major = 1;
        e->managed.version.minor = 0;
        e->managed.flags = is_read_only ? dlpack_read_only : 0;
    }
    return &e->managed;
}

}  // namespace detail::interop_part

/// An array that came by DLPack: keeps it, and gives it back when destroyed. What is computed on is a view of it.
///
///     auto x = ad::from_dlpack(managed);
///     auto [value, gradient] = loss(x.view<float const, ad::dyn, 3>(), w);
class dlpack_array {
public:
    dlpack_array(dlpack_array&& other) noexcept
        : content_(other.content_), managed_(std::exchange(other.managed_, nullptr)), release_(other.release_) {}
    dlpack_array& operator=(dlpack_array&& other) noexcept {
        std::swap(content_, other.content_);
        std::swap(managed_, other.managed_);
        std::swap(release_, other.release_);
        return *this;
    }
    ~dlpack_array() {
        if (managed_) release_(managed_);
    }

    int rank() const { return content_.rank; }
    /// Length of axis k; throws index_error where there is no such axis.
    std::size_t extent(std::integral auto k) const {
        auto const axis = static_cast<std::int64_t>(k);
        if (axis < 0 || axis >= content_.rank) detail::throw_no_axis("dlpack_array", axis, content_.rank);
        return static_cast<std::size_t>(content_.extent[static_cast<std::size_t>(axis)]);
    }
    /// Whether the elements are of type T.
    template <class T>
    bool holds() const {
        return content_.type == detail::dlpack_type_of<std::remove_cv_t<T>>();
    }

    /// A view of the elements; valid as long as this object is there. Throws dlpack_error where the element type, the
    /// number of axes or a length is another, or where T is not const and the array is read-only.
    template <class T, auto... E>
    tapeless::view<T, E...> view() const {
        using result = tapeless::view<T, E...>;
        using shape_type = typename result::shape_type;
        constexpr auto rank = static_cast<std::size_t>(result::rank);
        bool fits = holds<T>() && content_.rank == result::rank;
        for (std::size_t k = 0; k < rank && fits; ++k)
            fits = shape_type::extents[k] < 0 || shape_type::extents[k] == content_.extent[k];
        if (!fits) {
            std::string wanted = detail::name_of(detail::dlpack_type_of<std::remove_cv_t<T>>()) + " (";
            for (std::size_t k = 0; k < rank; ++k)
                wanted +=
                    (k > 0 ? ", " : "") + (shape_type::extents[k] < 0 ? "dyn" : std::to_string(shape_type::extents[k]));
            detail::throw_dlpack_error("expected " + wanted + (rank == 1 ? ",)" : ")") + ", found " + content_.text());
        }
        if (!std::is_const_v<T> && content_.read_only)
            detail::throw_dlpack_error(
                "expected an array that may be written, found a read-only one: ask for const elements");
        if (reinterpret_cast<std::uintptr_t>(content_.data) % alignof(T) != 0)
            detail::throw_dlpack_error("the elements are not aligned as their type wants it");
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            using all_lengths = tapeless::view<T, (static_cast<void>(E), dyn)...>;
            return result(all_lengths(static_cast<T*>(content_.data), content_.extent[K]...,
                                      std::array<std::ptrdiff_t, rank>{content_.stride[K]...}));
        }(std::make_index_sequence<rank>{});
    }

private:
    template <detail::dlpack_managed M>
    friend dlpack_array from_dlpack(M* managed);

    dlpack_array(detail::dlpack_content const& content, void* managed, void (*release)(void*))
        : content_(content), managed_(managed), release_(release) {}

    detail::dlpack_content content_;
    void* managed_ = nullptr;
    void (*release_)(void*) = nullptr;
};

/// Takes over an array from another library: a DLManagedTensor or a DLManagedTensorVersioned, of this or any other
/// copy of dlpack.h. Nothing is copied. Throws dlpack_error where it is not in the CPU's memory, has more than 8 axes
/// or is malformed, and shape_error where its lengths are more than memory; the caller has it still then.
template <detail::dlpack_managed M>
dlpack_array from_dlpack(M* managed) {
    if (!managed) detail::throw_dlpack_error("there is no array");
    bool read_only = false;
    if constexpr (detail::dlpack_versioned<M>) {
        if (managed->version.major != 1)
            detail::throw_dlpack_error("expected version 1 of DLPack, found " + std::to_string(managed->version.major));
        read_only = (managed->flags & detail::dlpack_read_only) != 0;
    }
    detail::dlpack_content content = detail::read_dlpack(managed->dl_tensor);
    content.read_only = read_only;
    return dlpack_array(content, managed, [](void* m) {
        if (auto* const back = static_cast<M*>(m); back->deleter) back->deleter(back);
    });
}

/// Hands out an array: the receiver calls its deleter. A tensor, vector or std::array is moved or copied into what is
/// handed out; a view or span is not, and what it looks at must stay.
///
///     auto* m = ad::to_dlpack(std::move(x));                                              // a DLManagedTensor
///     auto* v = ad::to_dlpack<ad::dlpack::DLManagedTensorVersioned>(std::move(x));        // of DLPack 1.0
template <detail::dlpack_managed M = dlpack::DLManagedTensor, class A>
    requires detail::leaf<A>
M* to_dlpack(A&& array) {
    return detail::export_dlpack<M>(std::forward<A>(array));
}

}  // namespace tapeless

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
