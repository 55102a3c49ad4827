#pragma once

#include "k8s/api.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>

namespace troupe::cli {

/// Of a definition whose objects may be stored in several versions: how all are
/// rewritten in the one that is stored now, so that the others may leave the
/// definition. "" if they are stored in one.
std::string rewrite_advice(const nlohmann::json& definition);

/// Reads the definition of MPIJobs, and logs that advice. Waits for nothing,
/// and says nothing if the definition cannot be read.
void log_rewrite_advice_on_mpijobs(const std::shared_ptr<k8s::api>& client);

} // namespace troupe::cli
