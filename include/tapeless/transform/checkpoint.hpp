// SPDX-License-Identifier: MIT
#pragma once
// checkpoint: what a function computes on the way is not kept for the backward pass, but computed again there.

#include <tapeless/transform/bodies.hpp>
#include <tapeless/transform/grad.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// f as a call: in the backward pass its body is computed again.
template <class F>
struct checkpointed {
    [[no_unique_address]] F f{};

    template <class... A>
    constexpr auto operator()(A const&... a) const {
        if constexpr ((holds_expressions<A>() || ...)) return call(named(a)...);
        else if constexpr (is_stateless<F>()) return evaluate(*this, a...);
    }

private:
    template <class... A>
    constexpr auto call(A const&... a) const {
        builder* b = nullptr;
        (find_graph(a, b), ...);
        int const first = b->nodes.size();
        list<int> inputs, operands, captured, outputs;
        std::tuple<decltype(bind_argument(*b, a, inputs, operands))...> const arguments{
            bind_argument(*b, a, inputs, operands)...};  // in order
        if constexpr (!accepts(why_not_on<F, bound_argument<A>...>())) {
            return in_place_of_result<A...>(*b);
        } else {
            using Plain = std::remove_cvref_t<decltype(detail::with_parts(f, arguments))>;
            auto const results = body_results<F>(*b, detail::with_parts(f, arguments));
            refuse_masks(results);
            list_nodes(results, outputs);
            find_captured(*b, inputs, outputs, first, captured);
            call_info c;
            c.name = "checkpoint";
            c.body[0] = cut_body(*b, inputs, captured, outputs);
            for (int k : captured) operands.push(emit_operand(*b, k));
            hoist_index_checks(*b, c.body[0], operands, 0);
            for (int r = 0; r < outputs.size(); ++r) c.results.push({result_form::plain, r});
            return as_returned<Plain>(take_results(*b, results, emit_call(*b, c, operands), c, result_form::plain));
        }
    }
};

template <int Segments, class Layers>
constexpr int segment_begin(int s) {
    constexpr int n = static_cast<int>(std::tuple_size_v<Layers>);
    return s * n / Segments;
}
}  // namespace detail::transform_part

/// f, but that its intermediate values are not kept for the backward pass: there they are computed again from its
/// arguments. The gradients are the same. f may capture symbols of the function that it is called in.
template <class F>
constexpr auto checkpoint(F const& f) {
    return detail::checkpointed<detail::plain_function<F>>{detail::as_plain(f)};
}

/// layers[n-1](... layers[1](layers[0](x))), cut into so many segments of about equal numbers of layers, each a
/// checkpoint. `layers` is a tuple or an array of functions; those of an array give back what they take.
template <int Segments, class Layers, class X>
constexpr auto checkpoint_sequential(Layers const& layers, X const& x) {
    static_assert(Segments >= 1, "checkpoint_sequential<segments>: at least one segment");
    constexpr int n = static_cast<int>(std::tuple_size_v<Layers>);
    static_assert(Segments <= n, "checkpoint_sequential<segments>: no more segments than layers");
    auto run = [&]<int S>(auto const& self, auto const& value, std::integral_constant<int, S>) {
        if constexpr (S == Segments) return value;
        else {
            constexpr int begin = detail::segment_begin<Segments, Layers>(S),
                          end = detail::segment_begin<Segments, Layers>(S + 1);
            auto const segment = checkpoint([&](auto h) {
                if constexpr (detail::is_array<Layers>) {
                    for (int i = begin; i < end; ++i) h = let(detail::as_plain(layers[static_cast<std::size_t>(i)])(h));
                    return h;
                } else {
                    auto step = [&]<int I>(auto const& again, auto const& v, std::integral_constant<int, I>) {
                        if constexpr (I == end) return v;
                        else
                            return again(again, let(detail::as_plain(std::get<I>(layers))(v)),
                                         std::integral_constant<int, I + 1>{});
                    };
                    return step(step, h, std::integral_constant<int, begin>{});
                }
            });
            return self(self, segment(value), std::integral_constant<int, S + 1>{});
        }
    };
    return run(run, detail::named(x), std::integral_constant<int, 0>{});
}

}  // namespace tapeless
