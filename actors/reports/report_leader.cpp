#include "actors/reports/report_leader.hpp"

#include "k8s/json.hpp"

#include <utility>

namespace troupe::actors {

namespace {

constexpr const char* address_annotation =
    "training.kubeflow.org/reports-address";

} // namespace

std::map<std::string, std::string> report_leader::lease_annotations() const {
  return {{address_annotation, address_}};
}

void report_leader::on_lease_observed(bool leads, const std::string& lease) {
  auto object = k8s::parse_json_or_null(lease);
  place now;
  now.here = leads;
  bool is_held = !k8s::text_at(object, {"spec", "holderIdentity"}).empty();
  if (is_held)
    now.address =
        k8s::text_at(object, {"metadata", "annotations", address_annotation});
  // This replica wrote it when it led.
  if (now.address == address_)
    now.address.clear();
  std::lock_guard guard{lock_};
  place_ = std::move(now);
}

report_leader::place report_leader::current_place() const {
  std::lock_guard guard{lock_};
  return place_;
}

} // namespace troupe::actors
