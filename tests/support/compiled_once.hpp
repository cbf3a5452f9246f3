// SPDX-License-Identifier: MIT
#pragma once
// Templates of the library that many tests need when they run: compiled with what tests share, rather than in each.
// (What the compiler computes with them it computes as ever. None of them depends on the macros by which tests are
// compiled in several ways.)

#include <tapeless/tapeless.hpp>

#include <string>

namespace tapeless::detail {

// The rules of arithmetic, views and products, which every graph has that is made when a test runs.
extern template struct real_rules_of<float>;
extern template struct real_rules_of<double>;
extern template operation const operation_table<expand_op, float>::value;
extern template operation const operation_table<slice_op, float>::value;
extern template operation const operation_table<axes_op, float>::value;
extern template operation const operation_table<reshape_op, float>::value;
extern template operation const operation_table<padded_op, float>::value;
extern template operation const operation_table<windows_op, float>::value;
extern template operation const operation_table<put_op, float, float, float>::value;
extern template operation const operation_table<neg_op, float>::value;
extern template operation const operation_table<sum_op, float>::value;
extern template operation const operation_table<add_op, float, float>::value;
extern template operation const operation_table<sub_op, float, float>::value;
extern template operation const operation_table<mul_op, float, float>::value;
extern template operation const operation_table<div_op, float, float>::value;
extern template operation const operation_table<less_op, float, float>::value;
extern template operation const operation_table<contract_op, float, float>::value;
extern template operation const operation_table<where_op, bool, float, float>::value;
extern template operation const operation_table<neg_op, double>::value;
extern template operation const operation_table<sum_op, double>::value;
extern template operation const operation_table<add_op, double, double>::value;
extern template operation const operation_table<sub_op, double, double>::value;
extern template operation const operation_table<mul_op, double, double>::value;
extern template operation const operation_table<div_op, double, double>::value;
extern template operation const operation_table<less_op, double, double>::value;
extern template operation const operation_table<contract_op, double, double>::value;
extern template operation const operation_table<where_op, bool, double, double>::value;
extern template operation const operation_table<not_op, bool>::value;
extern template operation const operation_table<not_op, mask32_t>::value;
extern template operation const operation_table<not_op, mask64_t>::value;

// Plans as text.
extern template class explainer<std::string>;
extern template std::string place_text(explainer<std::string> const&, place const&);
extern template std::string product_text(explainer<std::string> const&, kernel const&, product const&, place const&,
                                         double&);
extern template std::string loop_text(explainer<std::string> const&, kernel const&, planned_loop const&);
extern template std::string threads_text(explainer<std::string> const&, kernel const&, product const*);

}  // namespace tapeless::detail
