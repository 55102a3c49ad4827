#include "actors/cli/local/refused_workloads.hpp"

#include "actors/cli/manifest/missing_controllers.hpp"

namespace troupe::cli {

void refuse_workloads_without_controller(k8s::apiserver::api_server& server) {
  for (const auto& w : workloads_without_controller())
    server.set_admission_validator(
        w, [why = missing_controller_message(w.api_version(), w.kind)](
               const k8s::json&, const k8s::json* old) {
          k8s::apiserver::admission_response response;
          if (!old)
            response.denial = why;
          return response;
        });
}

} // namespace troupe::cli
