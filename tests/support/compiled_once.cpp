// SPDX-License-Identifier: MIT
// The templates of the library that are compiled here instead of in the tests.

#include "support/compiled_once.hpp"

namespace tapeless::detail {

template struct real_rules_of<float>;
template struct real_rules_of<double>;
template operation const operation_table<expand_op, float>::value;
template operation const operation_table<slice_op, float>::value;
template operation const operation_table<axes_op, float>::value;
template operation const operation_table<reshape_op, float>::value;
template operation const operation_table<padded_op, float>::value;
template operation const operation_table<windows_op, float>::value;
template operation const operation_table<put_op, float, float, float>::value;
template operation const operation_table<neg_op, float>::value;
template operation const operation_table<sum_op, float>::value;
template operation const operation_table<add_op, float, float>::value;
template operation const operation_table<sub_op, float, float>::value;
template operation const operation_table<mul_op, float, float>::value;
template operation const operation_table<div_op, float, float>::value;
template operation const operation_table<less_op, float, float>::value;
template operation const operation_table<contract_op, float, float>::value;
template operation const operation_table<where_op, bool, float, float>::value;
template operation const operation_table<neg_op, double>::value;
template operation const operation_table<sum_op, double>::value;
template operation const operation_table<add_op, double, double>::value;
template operation const operation_table<sub_op, double, double>::value;
template operation const operation_table<mul_op, double, double>::value;
template operation const operation_table<div_op, double, double>::value;
template operation const operation_table<less_op, double, double>::value;
template operation const operation_table<contract_op, double, double>::value;
template operation const operation_table<where_op, bool, double, double>::value;
template operation const operation_table<not_op, bool>::value;
template operation const operation_table<not_op, mask32_t>::value;
template operation const operation_table<not_op, mask64_t>::value;

template class explainer<std::string>;
template std::string place_text(explainer<std::string> const&, place const&);
template std::string product_text(explainer<std::string> const&, kernel const&, product const&, place const&,
                                  double&);
template std::string loop_text(explainer<std::string> const&, kernel const&, planned_loop const&);
template std::string threads_text(explainer<std::string> const&, kernel const&, product const*);

}  // namespace tapeless::detail
