#include "actors/cli/local/ignored_queue.hpp"

#include "frameworks/core/model/names.hpp"

namespace troupe::cli {

std::string ignored_queue_warning(const k8s::json& job) {
  auto queue =
      k8s::text_at(job, {"metadata", "labels", core::label::kueue_queue});
  if (queue.empty())
    return {};
  return std::string{"the label "} + core::label::kueue_queue + " of "
         + k8s::text_at(job, {"kind"}) + " "
         + k8s::text_at(job, {"metadata", "name"})
         + " is ignored: there is no Kueue here, and the job does not wait for "
           "queue "
         + queue;
}

} // namespace troupe::cli
