// SPDX-License-Identifier: MIT
#pragma once
// Learning rates that change from step to step: optimizer.options.learning_rate = cosine_decay(step, total, 1e-3);

#include <cmath>
#include <cstdint>
#include <numbers>

namespace tapeless::optim {

/// last + (first - last) (1 + cos(pi step / total)) / 2: from `first` at step 0 to `last` at step `total`, and there
/// it stays (Loshchilov and Hutter, 2017).
inline double cosine_decay(std::int64_t step, std::int64_t total, double first, double last = 0) {
    if (step >= total) return last;
    double const part = step > 0 ? static_cast<double>(step) / static_cast<double>(total) : 0;
    return last + (first - last) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

/// min(1, (step + 1) / steps): a factor that grows to 1 during the first steps.
inline double linear_warmup(std::int64_t step, std::int64_t steps) {
    return step + 1 < steps ? static_cast<double>(step + 1) / static_cast<double>(steps) : 1;
}

}  // namespace tapeless::optim
