#pragma once

#include "k8s/json.hpp"

namespace troupe::k8s::apiserver {

// What clients ask about themselves (`kubectl auth can-i` and `whoami`).
// Whoever has the token may do everything, so the answers are always the same.
// Each takes the review and returns it with its status.

json answer_access_review(json review);
json answer_rules_review(json review);
json answer_subject_review(json review);

} // namespace troupe::k8s::apiserver
