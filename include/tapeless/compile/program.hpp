// SPDX-License-Identifier: MIT
#pragma once
// A traced function made ready to run: its graph and plan as constants of fixed size, and the call of its kernels.

#include <string>

#include <tapeless/array/errors.hpp>
#include <tapeless/compile/body_call.hpp>
#include <tapeless/compile/fixed_plan.hpp>
#include <tapeless/exec/custom_loop.hpp>
#include <tapeless/exec/kernel.hpp>
#include <tapeless/exec/strips.hpp>
#include <tapeless/exec/workspace.hpp>
#include <tapeless/schedule/same_code.hpp>

namespace tapeless::detail::inline compile_part {

/// What a plan depends on besides the function: translation units built for other instruction sets, without
/// optimisation, or with a CBLAS, have plans and kernels of their own.
template <class Batch, bool Optimised, bool Cblas>
struct build {
    static constexpr bool optimised = Optimised;
};
#if defined(__OPTIMIZE__) || defined(TAPELESS_UNROLLED_PLANS)
using this_build = build<simd::batch<float>, true, uses_cblas>;
#else
using this_build = build<simd::batch<float>, false, uses_cblas>;
#endif

/// Source::trace() gives the traced function, Source::dense() which of its arguments and results are surely contiguous.
template <class Source, class Build = this_build>
struct program;
template <class Source, class Build>
struct program {
    using build_type = Build;
    using all_graphs = graph_set<typename graph_of_source<Source>::root>;
    static constexpr int number = graph_of_source<Source>::number;
    static constexpr graph_sizes graph_size = all_graphs::size[number];
    static constexpr fixed_graph<graph_size> graph = without_operations(all_graphs::template graph<number>());

    /// The graph as plans are made from it.
    static constexpr builder rebuild() {
        fixed_graph<graph_size> const g = all_graphs::template graph<number>();
        builder b = rebuilt({graph_size, g.nodes.items, g.shapes.items, g.extents.items, g.index_checks.items,
                             g.calls.items, g.call_results.items, g.call_extents.items});
        b.dense = Source::dense();
        if constexpr (requires { Source::columns(); }) b.columns = Source::columns();
        if constexpr (requires { Source::steady(); }) b.steady = Source::steady();
        return b;
    }
    static constexpr list<int> output_list() {
        list<int> outputs;
        for (int o : graph.outputs) outputs.push(o);
        return outputs;
    }
    /// (The plan is handed on: of a variable, clang computes the value once more, to see what its destructor does.)
    template <plan_sizes Room>
    static constexpr fixed_plan<Room> plan_into() {
        return fixed_into<Room>(make_plan(rebuild(), output_list(), Build::optimised));
    }
#if defined(__clang__)  // see graph_set::trace_all
    template <plan_sizes Room>
    static constexpr fixed_plan<Room> planned_into = plan_into<Room>();
#endif
    template <plan_sizes Usual = usual_plan_of(graph_size)>
    static constexpr auto fix_plan() {
#if defined(__clang__)
        constexpr fixed_plan<Usual> const& p = planned_into<Usual>;
#else
        constexpr fixed_plan<Usual> p = plan_into<Usual>();
#endif
        if constexpr (!requires { typename std::bool_constant<(p.needed.kernels >= 0)>; }) {
            return fixed_plan<plan_sizes{}>{};  // the compiler has said that it went on for too long: no more of it
        } else if constexpr (constexpr plan_sizes need = p.needed; !need.fits(Usual)) {
#if defined(__clang__)
            return planned_into<need>;
#else
            constexpr fixed_plan<need> r = plan_into<need>();
            return r;
#endif
        } else {
            return shrunk<need>(p);
        }
    }
    static constexpr auto plan = without_operations(fix_plan());
    static constexpr plan_sizes plan_size = plan.needed;

    /// Of the operations only what runs: that of each step, and of each custom loop.
    static constexpr fixed_list<step_operation, plan_size.steps> find_step_operations() {
        auto const full = fix_plan();
        fixed_list<step_operation, plan_size.steps> r;
        for (int i = 0; i < plan_size.steps; ++i)
            if (full.steps[i].kind == step_kind::eval) r[i] = step_operation(*full.steps[i].op);
        return r;
    }
    static constexpr fixed_list<step_operation, plan_size.steps> step_operations = find_step_operations();
    static constexpr fixed_list<operation::chosen_loop, plan_size.custom_loops> find_loops() {
        auto const full = fix_plan();
        fixed_list<operation::chosen_loop, plan_size.custom_loops> r;
        for (int i = 0; i < plan_size.custom_loops; ++i) r[i] = full.custom_loops[i].loop();
        return r;
    }
    static constexpr fixed_list<operation::chosen_loop, plan_size.custom_loops> loops = find_loops();

    /// Of each kernel, the one whose code it runs.
    static constexpr fixed_list<int, plan_size.kernels> code_of =
        find_same_code<fixed_list<int, plan_size.kernels>>(fix_plan());
    static constexpr bool is_shared(int k) {
        int uses = 0;
        for (int c : code_of) uses += c == k;
        return uses > 1;
    }

    using source = Source;
    static constexpr fixed_list<step, plan_size.steps> steps = plan.steps;
    static constexpr fixed_list<int, plan_size.order> order = plan.order;
    static constexpr fixed_list<kernel, plan_size.kernels> kernels = plan.kernels;
    static constexpr fixed_list<root, plan_size.roots> roots = plan.roots;
    static constexpr fixed_list<place, plan_size.places> places = plan.places;
    static constexpr fixed_list<buffer, plan_size.buffers> buffers = plan.buffers;
    static constexpr fixed_list<product, plan_size.products> products = plan.products;
    static constexpr fixed_list<affine_walk, plan_size.walks> walks = plan.walks;
    static constexpr fixed_list<walk_bound, plan_size.bounds> bounds = plan.bounds;
    static constexpr auto shapes = graph.shapes;
    static constexpr auto lengths = graph.extents;
    static constexpr auto checks = graph.checks;
    static constexpr fixed_list<planned_check, plan_size.index_checks> index_checks = plan.index_checks;
    static constexpr fixed_list<planned_call, plan_size.calls> calls = plan.calls;
    static constexpr fixed_list<loop_operand, plan_size.call_operands> call_operands = plan.call_operands;
    static constexpr fixed_list<planned_result, plan_size.call_results> call_results = plan.call_results;
    static constexpr fixed_list<std::int64_t, plan_size.call_extents> call_extents = plan.call_extents;
    static constexpr auto output_axes = graph.output_axes;
    static constexpr auto output_shape = graph.output_shape;

    static constexpr int leaves = Source::leaves;
    static constexpr program_tables tables{shapes.items, walks.items, bounds.items, output_axes.items, leaves};
    static constexpr fixed_list<int, leaves> find_leaf_shapes() {
        fixed_list<int, leaves> s;
        for (int i = 0; i < leaves; ++i) s[i] = graph.nodes[i].shape;
        return s;
    }
    static constexpr auto leaf_shape = find_leaf_shapes();
    /// How many of the run-time extents are handed in; the others are made from them.
    static constexpr int count_given_extents() {
        int n = 0;
        while (n < graph_size.extents && graph.extents[n].formula.rule == length_rule::given) ++n;
        return n;
    }
    static constexpr int given_extents = count_given_extents();
    static constexpr bool optimised = Build::optimised;
    static constexpr bool any_strided() {
        for (char d : Source::dense())
            if (!d) return true;
        return false;
    }
    static constexpr bool has_strided = any_strided();

    /// Whether all is read before anything is written: then results may lie where arguments do.
    static constexpr bool reads_first() {
        if (plan_size.kernels != 1) return false;
        kernel const& k = kernels.items[0];
        if (k.axes > 0 || k.product >= 0 || k.custom >= 0 || k.call >= 0) return false;
        for (root const& t : roots)
            if (t.how != target::store || t.clears || t.adds) return false;
        return true;
    }

    /// Whether the work is so little that a call of each kernel would cost as much: then the program and whatever calls
    /// it are one function.
    static constexpr bool find_few() {
        if (!Build::optimised || number > 0 || plan_size.steps > machine::few_steps) return false;
        if (plan_size.calls + plan_size.custom_loops + plan_size.products + plan_size.index_checks > 0) return false;
        std::int64_t work = 0;
        for (kernel const& k : kernels) {
            std::int64_t n = k.strip == 0 ? 1 : -1;
            for (int l = 0; l < k.axes; ++l) {
                if (k.extent[l] < 0) return false;
                n *= l + 1 < k.axes ? k.extent[l] : (k.extent[l] + k.lanes - 1) / k.lanes;
            }
            if (n < 0) return false;  // strips
            work += n * k.cost;
        }
        return work <= machine::few_instructions;
    }
    static constexpr bool is_few = find_few();

    // ---- workspace -------------------------------------------------------------------------------------------------

    static constexpr bool is_static() {
        for (buffer const& b : buffers)
            if (!b.shape.is_static()) return false;
        return each_call([](auto c) { return call_workspace<program, c.i>::is_static(); });
    }
    /// Whether test(c) holds for all calls from number `From` on.
    template <int From = 0, class Test>
    static constexpr bool each_call(Test test) {
        constexpr int left = plan_size.calls - From, now = left < 128 ? left : 128;
        bool all = [&]<std::size_t... C>(std::index_sequence<C...>) {
            return (test(index<From + C>{}) && ...);
        }(std::make_index_sequence<static_cast<std::size_t>(now)>{});
        if constexpr (left > now) all = all && each_call<From + now>(test);
        return all;
    }
    static constexpr std::int64_t workspace_of_call(int call, std::int64_t const* extents) {
        std::int64_t bytes = 0;
        each_call([&](auto c) {
            if (c.i == call) bytes = call_workspace<program, c.i>::bytes(extents);
            return true;
        });
        return bytes;
    }
    struct layout {
        std::int64_t offset[static_cast<std::size_t>(plan_size.buffers > 0 ? plan_size.buffers : 1)]{};
        std::int64_t bytes = 0;
    };
    static constexpr layout make_layout(std::int64_t const* extents) {
        layout l;
        std::int64_t bytes[static_cast<std::size_t>(plan_size.buffers > 0 ? plan_size.buffers : 1)]{};
        for (int i = 0; i < plan_size.buffers; ++i) {
            bytes[i] = bytes_of_buffer(buffers.items[i], extents);
            if constexpr (plan_size.calls > 0)
                if (buffers.items[i].call >= 0) bytes[i] = workspace_of_call(buffers.items[i].call, extents);
        }
        l.bytes = lay_out(buffers, plan_size.buffers, bytes, l.offset);
        for (int i = 0; i < plan_size.buffers; ++i) l.offset[i] += buffers.items[i].lead();
        return l;
    }
    static constexpr bool has_margins = [] {
        bool any = false;
        for (buffer const& b : buffers) any = any || b.margin > 0;
        return any;
    }();
    static constexpr layout fixed_layout = is_static() ? make_layout(nullptr) : layout{};
    /// Whether it runs on the stack alone.
    static constexpr bool needs_nothing() { return is_few && fixed_layout.bytes <= machine::few_bytes; }

    // ---- running ---------------------------------------------------------------------------------------------------

    TAPELESS_CONFIG_INLINE static void run(workspace& memory, crew& threads, void const* const* arguments,
                                           void* const* outputs, std::int64_t const* extents,
                                           std::ptrdiff_t const (*strides)[max_rank]) {
        if constexpr (is_few) run_here(memory, threads, arguments, outputs, extents, strides);
        else run_apart(memory, threads, arguments, outputs, extents, strides);
    }
    static void run_apart(workspace& memory, crew& threads, void const* const* arguments, void* const* outputs,
                          std::int64_t const* extents, std::ptrdiff_t const (*strides)[max_rank]) {
        run_here(memory, threads, arguments, outputs, extents, strides);
    }
    TAPELESS_CONFIG_INLINE static void run_here(workspace& memory, crew& threads, void const* const* arguments,
                                                void* const* outputs, std::int64_t const* extents,
                                                std::ptrdiff_t const (*strides)[max_rank]) {
        run_context ctx;
        ctx.threads = &threads;
        ctx.arguments = arguments;
        ctx.outputs = outputs;
        ctx.extents = extents;
        ctx.strides = strides;
        if constexpr (all_graphs::constants.size > 0) ctx.constants = all_graphs::constants.bytes;
        if constexpr (plan_size.index_checks > 0) check_indices<program, -1>(ctx, checks_before<program, -1>{});
        if constexpr (needs_nothing()) {
            alignas(64) std::byte room[static_cast<std::size_t>(fixed_layout.bytes > 0 ? fixed_layout.bytes : 1)];
            ctx.arena = room;
            ctx.offsets = fixed_layout.offset;
            run_kernels<0>(ctx, some_from<0>{});
        } else if constexpr (is_static()) {
            if constexpr (fixed_layout.bytes > 0)
                ctx.arena = memory.reserve(static_cast<std::size_t>(fixed_layout.bytes));
            ctx.offsets = fixed_layout.offset;
            run_kernels<0>(ctx, some_from<0>{});
        } else {
            layout const& l = memory.note<layout, graph_size.extents>(&buffers, extents,
                                                                      [&] { return make_layout(extents); });
            ctx.arena = memory.reserve(static_cast<std::size_t>(l.bytes));
            ctx.offsets = l.offset;
            run_kernels<0>(ctx, some_from<0>{});
        }
    }
    /// The same as the body of a call: the workspace is part of the caller's, and so are strides of what is not
    /// contiguous.
    static void run_within(run_context const& caller, std::byte* arena, layout const& l, void const* const* arguments,
                           void* const* outputs, std::int64_t const* extents,
                           std::ptrdiff_t const (*strides)[max_rank] = nullptr, bool later_step = false) {
        run_context ctx;
        ctx.threads = caller.threads;
        ctx.later_step = later_step;
        ctx.arguments = arguments;
        ctx.outputs = outputs;
        ctx.extents = extents;
        ctx.strides = strides;
        if constexpr (all_graphs::constants.size > 0) ctx.constants = all_graphs::constants.bytes;
        ctx.arena = arena;
        ctx.offsets = l.offset;
        if constexpr (plan_size.index_checks > 0) check_indices<program, -1>(ctx, checks_before<program, -1>{});
        run_kernels<0>(ctx, some_from<0>{});
    }
    /// The buffers with margins that are written by kernel K, or one that runs strip by strip together with it.
    template <int K>
    static constexpr numbers<plan_size.buffers> widened{[](int i) {
        int const last = kernels[K].first_in_strip == K ? kernels[K].last_in_strip : K;
        return buffers.items[i].margin > 0 && buffers.items[i].first >= K && buffers.items[i].first <= last;
    }};
    template <int K>
    TAPELESS_CONFIG_INLINE static void run_kernel(run_context const& ctx) {
        if constexpr (has_margins && widened<K>.count > 0)
            for (int i = 0; i < widened<K>.count; ++i) {
                int const n = widened<K>.at[i];
                clear_margin(buffers.items[n], ctx.extents, ctx.arena + ctx.offsets[n]);
            }
        if constexpr (kernels[K].strip == 0) kernel_executor<program, code_of[K]>::type::run(ctx, K);
        else if constexpr (kernels[K].first_in_strip == K)
            run_strips<K>(ctx, std::make_integer_sequence<int, kernels[K].last_in_strip - K + 1>{});
    }
    template <int First, int... N>
    static void run_strips(run_context const& ctx, std::integer_sequence<int, N...>) {
        static constexpr kernels_in_strips::function run[]{
            &kernel_executor<program, code_of[First + N]>::type::run_part_of...};
        kernels_in_strips s{&ctx, kernels.items, First, static_cast<int>(sizeof...(N)), run, buffers.items,
                            plan_size.buffers, products.items};
        run_in_strips(s);
    }
    /// The kernels from number `From` on. (clang folds no more than 256 at once.)
    template <int From, int... K>
    static void run_kernels(run_context const& ctx, std::integer_sequence<int, K...>) {
        (run_kernel<From + K>(ctx), ...);
        constexpr int next = From + static_cast<int>(sizeof...(K));
        if constexpr (next < plan_size.kernels) run_kernels<next>(ctx, some_from<next>{});
    }
    template <int From>
    using some_from =
        std::make_integer_sequence<int, (plan_size.kernels - From < 128 ? plan_size.kernels - From : 128)>;
};

}  // namespace tapeless::detail::compile_part
