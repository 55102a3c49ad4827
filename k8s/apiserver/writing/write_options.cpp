#include "k8s/apiserver/writing/write_options.hpp"

namespace troupe::k8s::apiserver {

std::optional<status_error>
check_write_options_except_delete(const request_info& info) {
  const auto& method = info.request->method;
  if (method == "DELETE" || method == "GET")
    return std::nullopt;
  field_errors wrong;
  if (info.request->query.count("dryRun") > 0 && !info.is_dry_run())
    wrong.push_back(unsupported_value(
        "dryRun", json::array({info.query_param("dryRun")}), {"All"}));
  auto mode = info.query_param("fieldValidation");
  if (!mode.empty() && mode != "Ignore" && mode != "Strict" && mode != "Warn")
    wrong.push_back(unsupported_value("fieldValidation", mode,
                                      {"", "Ignore", "Strict", "Warn"}));
  if (wrong.empty())
    return std::nullopt;
  auto kind = method == "POST"  ? "CreateOptions"
              : method == "PUT" ? "UpdateOptions"
                                : "PatchOptions";
  return invalid("meta.k8s.io", kind, "", wrong);
}

} // namespace troupe::k8s::apiserver
