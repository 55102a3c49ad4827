#pragma once

#include "frameworks/core/waiting/waiting_reason.hpp"

#include <string>

namespace troupe::core {

/// The summary of a pass, with what a list has to say beyond it: the place in a
/// queue of Kueue's, how many pods still hold quota, and a gang about which the
/// scheduler is silent.
std::string shown_summary(const std::string& summary, const waiting_inputs& in);

} // namespace troupe::core
