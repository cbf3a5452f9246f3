// SPDX-License-Identifier: MIT
#pragma once
// Results written over arguments: in place where every element is read before it is written, otherwise by way of the
// workspace.

#include <string>

#include <tapeless/array/errors.hpp>
#include <tapeless/array/overlap.hpp>
#include <tapeless/compile/program.hpp>
#include <tapeless/schedule/in_step.hpp>

namespace tapeless::detail::inline compile_part {

/// What may be written over what in a program.
template <class Program>
struct overwrite {
    static constexpr int leaves = Program::leaves, outputs = Program::graph_size.outputs;
    using numbers = fixed_list<int, leaves + outputs>;

    /// The last kernel that reads each argument, then the first that writes each result.
    static constexpr numbers find_uses() {
        numbers r;
        for (int& k : r.items) k = -1;
        auto const& plan = Program::plan;
        int now = 0;
        auto reads = [&](place const& p) {  // until the last of those that run in strips together, which all write
            int const last = now >= 0 && plan.kernels[now].strip > 0 ? plan.kernels[now].last_in_strip : now;
            if (p.where == memory::argument && r[p.index] < last) r[p.index] = last;
        };
        for (; now < plan.kernels.size(); ++now)
            for_places(plan, now, [&](place const& p) {
                reads(p);
                if (p.where == memory::output && r[leaves + p.index] < 0)  // a result is written before it is read
                    r[leaves + p.index] = plan.kernels[now].strip > 0 ? plan.kernels[now].first_in_strip : now;
            });
        for (buffer const& b : plan.buffers)
            if (b.copied_to >= 0) r[leaves + b.copied_to] = b.first;
        for (planned_check const& c : plan.index_checks) {
            now = c.before;
            reads(c.index.at);
            if (c.by_row) reads(c.lengths.at);
        }
        return r;
    }
    static constexpr numbers uses = find_uses();
    static constexpr kernel_lists lists{Program::steps.items, Program::roots.items, Program::places.items,
                                        Program::products.items, Program::order.items};

    /// Whether result o may have argument l's own elements for its own: each is read before it is written, and not
    /// again.
    static bool in_place(int l, int o) {
        int const read = uses[l], written = uses[leaves + o];
        return read < written || written < 0 || (read == written && goes_in_step(lists, Program::kernels[read],
                                                    {memory::argument, l}, {memory::output, o}));
    }
    /// Sizes of elements, and whether arrays are contiguous for certain: of the arguments, then of the results.
    static constexpr auto find_sizes() {
        fixed_list<int, leaves + outputs> r;
        auto size = [](int node) {
            dtype const t = Program::graph.nodes[node].type;
            return size_of(is_mask(t) ? dtype::b8 : t);
        };
        for (int l = 0; l < leaves; ++l) r[l] = size(l);
        for (int o = 0; o < outputs; ++o) r[leaves + o] = size(Program::graph.outputs[o]);
        return r;
    }
    static constexpr auto sizes = find_sizes();
    static constexpr auto dense = fix<leaves + outputs>(Program::source::dense());
    static constexpr dims const& shape_of(int i) {
        return Program::shapes.items[i < leaves ? Program::leaf_shape[i] : Program::output_shape[i - leaves]];
    }
    /// The bytes of arrays that are contiguous and of a size that is known; of others -1.
    static constexpr auto find_bytes() {
        fixed_list<std::int64_t, leaves + outputs> r;
        for (int i = 0; i < leaves + outputs; ++i)
            r[i] = dense[i] && shape_of(i).is_static() ? shape_of(i).static_size() * sizes[i] : -1;
        return r;
    }
    static constexpr auto bytes = find_bytes();
};

/// An array of this shape, with these strides in elements; without any it is contiguous.
inline byte_array describe_array(void* data, int element, dims const& d, std::int64_t const* extents,
                                 std::ptrdiff_t const* strides) {
    byte_array a;
    a.at.data = data;
    a.at.rank = d.rank;
    a.element = element;
    std::ptrdiff_t dense = element;
    for (int k = 0; k < d.rank; ++k) {
        a.at.extent[k] = d.from_right(k) >= 0 ? d.from_right(k) : extents[~d.from_right(k)];
        a.at.stride[k] = strides ? strides[k] * element : dense;
        dense *= a.at.extent[k];
    }
    return a;
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_alias_error(int first, int second) {
    detail::raise(alias_error(
        (sentence{} << "into: targets " << first << " and " << second
                    << " have memory in common; arrays are counted one by one, the members of a struct in order")
            .text()));
}

/// Array number i of a call, the arguments first and then the results.
template <class Program>
byte_array array_of_call(int i, void* data, std::int64_t const* extents, std::ptrdiff_t const (*strides)[max_rank]) {
    using over = overwrite<Program>;
    std::ptrdiff_t const* own = nullptr;
    if constexpr (Program::has_strided) own = over::dense[i] ? nullptr : strides[i];
    return describe_array(data, over::sizes[i], over::shape_of(i), extents, own);
}

/// f(From), ..., f(To - 1); where they are few, each by itself, so that what is known of them costs nothing.
template <int From, int To, class F>
TAPELESS_CONFIG_INLINE inline void for_numbers(F const& f) {
    if constexpr (To - From > 8)
        for (int k = From; k < To; ++k) f(k);
    else
        [&]<int... K>(std::integer_sequence<int, K...>) TAPELESS_CONFIG_INLINE { (f(From + K), ...); }(
            std::make_integer_sequence<int, (To > From ? To - From : 0)>{});
}

/// Whether the addresses of some target lie between those of an argument or of another target, and so have to be
/// looked at more closely. The targets are the results from number First on.
template <class Program, int First>
TAPELESS_CONFIG_INLINE inline bool come_close(void const* const* arguments, void* const* outputs,
                                              std::int64_t const* extents, std::ptrdiff_t const (*strides)[max_rank]) {
    using over = overwrite<Program>;
    constexpr int leaves = over::leaves, count = over::outputs;
    auto range_of = [&](int i) TAPELESS_CONFIG_INLINE {
        void* const data = i < leaves ? const_cast<void*>(arguments[i]) : outputs[i - leaves];
        auto const begin = reinterpret_cast<std::intptr_t>(data);
        if (over::bytes[i] >= 0) return address_range{begin, begin + over::bytes[i]};
        if (over::dense[i]) {
            std::int64_t n = over::sizes[i];
            dims const& d = over::shape_of(i);
            for (int k = 0; k < d.rank; ++k) n *= d.extent[k] >= 0 ? d.extent[k] : extents[~d.extent[k]];
            return address_range{begin, begin + n};
        }
        byte_array const a = array_of_call<Program>(i, data, extents, strides);
        return a.empty() ? address_range{begin, begin} : a.range();
    };
    auto meets = [](address_range const& a, address_range const& b) TAPELESS_CONFIG_INLINE {
        return a.begin < b.end && b.begin < a.end;
    };
    address_range target[static_cast<std::size_t>(count > 0 ? count : 1)], all{};
    bool ascending = true, close = false;
    for_numbers<First, count>([&](int o) TAPELESS_CONFIG_INLINE {
        target[o] = range_of(leaves + o);
        ascending = ascending && (o == First || target[o - (o > 0)].end <= target[o].begin);
        if (o == First || target[o].begin < all.begin) all.begin = target[o].begin;
        if (o == First || target[o].end > all.end) all.end = target[o].end;
    });
    for (int o = First + 1; o < count && !ascending; ++o)
        for (int other = First; other < o; ++other) close = close || meets(target[o], target[other]);
    for_numbers<0, leaves>([&](int l) TAPELESS_CONFIG_INLINE {
        address_range const a = range_of(l);
        if (meets(a, all))
            for (int o = First; o < count; ++o) close = close || meets(a, target[o]);
    });
    return close;
}

/// Targets of a call that are made elsewhere first: what would be written over something that is still to be read.
template <class Program>
struct made_elsewhere {
    using over = overwrite<Program>;
    static constexpr int leaves = over::leaves, count = over::outputs;
    static constexpr auto room = static_cast<std::size_t>(count > 0 ? count : 1);
    struct pointers {
        void const* argument[static_cast<std::size_t>(leaves > 0 ? leaves : 1)];
        void* output[room];
    };
    bool is[room]{};
    byte_array target[room];
    void* made[room]{};

    /// Finds them, and gives them memory of `spare`. Refuses targets that have memory in common.
    [[gnu::noinline, gnu::cold]] static pointers begin(made_elsewhere* here, workspace& spare, pointers at,
                                                       std::int64_t const* extents,
                                                       std::ptrdiff_t (*strides)[max_rank], int first) {
        (new (here) made_elsewhere)->find(spare, at.argument, at.output, extents, strides, first);
        return at;
    }
    /// Brings them where they belong.
    [[gnu::noinline, gnu::cold]] void end(std::int64_t const* extents) const {
        for (int o = 0; o < count; ++o)
            if (is[o])
                copy_elements(
                    describe_array(made[o], target[o].element, over::shape_of(leaves + o), extents, nullptr),
                    target[o]);
    }

private:
    void find(workspace& spare, void const* const* arguments, void** outputs, std::int64_t const* extents,
              std::ptrdiff_t (*strides)[max_rank], int first) {
        std::int64_t bytes = 0;
        for (int o = first; o < count; ++o) {
            target[o] = array_of_call<Program>(leaves + o, outputs[o], extents, strides);
            for (int other = first; other < o; ++other)
                if (meet(target[o], target[other])) throw_alias_error(other - first, o - first);
            for (int l = 0; l < leaves && !is[o]; ++l) {
                byte_array const a = array_of_call<Program>(l, const_cast<void*>(arguments[l]), extents, strides);
                is[o] = meet(target[o], a) && !(are_same(target[o], a) && over::in_place(l, o));
            }
            if (is[o]) bytes += bytes_of(o);
        }
        std::byte* next = bytes > 0 ? spare.reserve(static_cast<std::size_t>(bytes)) : nullptr;
        for (int o = first; o < count; ++o)
            if (is[o]) {
                outputs[o] = made[o] = next;
                next += bytes_of(o);
                std::ptrdiff_t stride = 1;
                if constexpr (Program::has_strided)
                    for (int k = 0; k < target[o].at.rank; stride *= target[o].at.extent[k++])
                        strides[leaves + o][k] = stride;
            }
    }
    std::int64_t bytes_of(int o) const { return (target[o].at.size() * target[o].element + 63) / 64 * 64; }
};

template <class Program>
TAPELESS_CONFIG_INLINE inline auto pointers_to(void const* const* arguments, void* const* outputs) {
    using few = made_elsewhere<Program>;
    typename few::pointers p;
    for_numbers<0, few::leaves>([&](int l) TAPELESS_CONFIG_INLINE { p.argument[l] = arguments[l]; });
    for_numbers<0, few::count>([&](int o) TAPELESS_CONFIG_INLINE { p.output[o] = outputs[o]; });
    return p;
}

/// Runs a program whose results from number First on are targets that somebody else holds.
template <class Program, int First>
TAPELESS_CONFIG_INLINE inline void run_over(workspace& memory, crew& threads, workspace& spare,
                                            void const* const* arguments, void** outputs, std::int64_t const* extents,
                                            std::ptrdiff_t (*strides)[max_rank]) {
    using few = made_elsewhere<Program>;
    // what few calls need, and nobody makes ready for the others: g++ would clear an optional
    union room_for_few {
        few it;
        room_for_few() {}
    } elsewhere;
    bool const close = come_close<Program, First>(arguments, outputs, extents, strides);
    if (close) [[unlikely]] {
        // copies: what nobody has the address of stays in registers
        typename few::pointers const found =
            few::begin(&elsewhere.it, spare, pointers_to<Program>(arguments, outputs), extents, strides, First);
        for_numbers<First, few::count>([&](int o) TAPELESS_CONFIG_INLINE { outputs[o] = found.output[o]; });
    }
    Program::run(memory, threads, arguments, outputs, extents, strides);
    if (close) [[unlikely]] elsewhere.it.end(extents);
}

}  // namespace tapeless::detail::compile_part
