#pragma once

#include "tests/exploration/encoder.hpp"
#include "tests/exploration/world.hpp"

namespace troupe::exploration {

/// Equal for states from which the same things can happen.
///
/// What is left out of it decides nothing: the events that wait for a status
/// to be saved, texts of failures, what only metrics and reports read (which
/// orders restart a replica, when an order was sent), and the numbers of orders
/// and timers.
fingerprint fingerprint_of(const world& w, encoder& e);
/// With other groups of slots than the world's.
fingerprint fingerprint_of(const world& w, encoder& e,
                           const pod_places& places);

} // namespace troupe::exploration
