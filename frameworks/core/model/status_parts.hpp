#pragma once

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/status.hpp"

namespace troupe::core {

// Parts of a status that all kinds have alike. Only for sources.

json conditions_json(const std::vector<condition>& all);
std::vector<condition> read_conditions_up_to_limit(const json& list);

json restarts_json(const std::vector<restart_record>& all);
std::vector<restart_record> read_restarts_up_to_limit(const json& list);

std::optional<time_point> read_time(const json& text);

/// Zero counts are left out.
json replica_status_json_without_zeros(const replica_status& r);
std::map<std::string, replica_status>
read_replica_statuses_up_to_limit(const json& map);

} // namespace troupe::core
