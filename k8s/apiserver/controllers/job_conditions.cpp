#include "k8s/apiserver/controllers/job_conditions.hpp"

namespace troupe::k8s::apiserver {

const json* find_job_condition(const json& status, const char* type) {
  for (const auto& c : array_at(status, {"conditions"}))
    if (text_at(c, {"type"}) == type)
      return &c;
  return nullptr;
}

bool is_job_condition_true(const json& status, const char* type) {
  auto* c = find_job_condition(status, type);
  return c && text_at(*c, {"status"}) == "True";
}

bool set_job_condition(json& status, const char* type, bool value,
                       const std::string& reason, const std::string& message,
                       const std::string& time) {
  auto* old = find_job_condition(status, type);
  const char* text = value ? "True" : "False";
  if (old ? text_at(*old, {"status"}) == text : !value)
    return false;
  json next{{"type", type},          {"status", text},
            {"reason", reason},      {"message", message},
            {"lastProbeTime", time}, {"lastTransitionTime", time}};
  auto& all = ensure_array(status, "conditions");
  for (auto& c : all)
    if (text_at(c, {"type"}) == type) {
      c = std::move(next);
      return true;
    }
  all.push_back(std::move(next));
  return true;
}

} // namespace troupe::k8s::apiserver
