// SPDX-License-Identifier: MIT
#pragma once
// The numbers that a loop's steps hand on and share, in variables of their own: where a step is computed number by
// number, they stay in registers. Through memory every step would wait for what the one before it has stored.

#include <tapeless/exec/custom_loop.hpp>

namespace tapeless::detail::inline compile_part {

/// Operand J of a call whose operands for the body begin at `First`, as it is in memory.
template <class Program, int First, int J>
struct held_type {
    static constexpr dtype given = Program::call_operands[First + J].at.type;
    using type = type_of<is_mask(given) ? dtype::b8 : given>;
};
/// One number for each carry, and for each operand in Shared, which is the same in all steps.
template <class Program, int First, auto const& Shared, class Carries, class = each_of<Shared>>
struct held_numbers;
template <class Program, int First, auto const& Shared, int... K, int... N>
struct held_numbers<Program, First, Shared, std::integer_sequence<int, K...>, std::integer_sequence<int, N...>>
    : numbered<K, typename held_type<Program, First, K>::type>...,
      numbered<Shared.at[N], typename held_type<Program, First, Shared.at[N]>::type>... {
    template <int J>
    using type = typename held_type<Program, First, J>::type;
    template <int J>
    TAPELESS_CONFIG_INLINE type<J>& at() {
        return static_cast<numbered<J, type<J>>*>(this)->it;
    }

    TAPELESS_CONFIG_INLINE explicit held_numbers(void* const* in)
        : numbered<K, type<K>>{*static_cast<type<K> const*>(in[K])}...,
          numbered<Shared.at[N], type<Shared.at[N]>>{*static_cast<type<Shared.at[N]> const*>(in[Shared.at[N]])}... {}
    /// A step reads these numbers and writes its carries over them.
    TAPELESS_CONFIG_INLINE void stand_for(void** in, void** out) {
        ((in[K] = out[K] = &at<K>()), ...);
        ((in[Shared.at[N]] = &at<Shared.at[N]>()), ...);
    }
    /// A step's carries into the records that there are, which begin at slot.
    template <auto const& Recorded>
    TAPELESS_CONFIG_INLINE void record(void** slot, std::int64_t const* bytes) {
        ((Recorded.recorded[K] ? (*static_cast<type<K>*>(slot[K]) = at<K>(),
                                  slot[K] = static_cast<std::byte*>(slot[K]) + bytes[K], void())
                               : void()),
         ...);
    }
    TAPELESS_CONFIG_INLINE void leave(std::byte* const* last) {
        ((last[K] ? (*reinterpret_cast<type<K>*>(last[K]) = at<K>(), void()) : void()), ...);
    }
};

}  // namespace tapeless::detail::compile_part
