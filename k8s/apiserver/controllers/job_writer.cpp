#include "k8s/apiserver/controllers/job_writer.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/controllers/job_objects.hpp"
#include "k8s/apiserver/writing/deleting.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

std::string namespace_of_job(const stored_object& job) {
  return text_at(job.value(), {"metadata", "namespace"});
}

} // namespace

status_or<write_result> job_writer::create(const char* bucket,
                                           const std::string& ns, json body) {
  --writes_left_;
  static const http::request post = [] {
    http::request r;
    r.method = "POST";
    r.headers["user-agent"] = "job-controller";
    return r;
  }();
  request_info info;
  info.request = &post;
  info.type = state_.resources.find_stored_version_by_bucket(bucket);
  info.ns = ns;
  return create_object(state_, info, std::move(body));
}

void job_writer::record_event(const stored_object& job, const job_event& event,
                              job_allowance& events) {
  if (events.take(state_.now()))
    // An event that is refused is not worth a second try.
    static_cast<void>(
        create("events", namespace_of_job(job),
               make_job_event(job.value(), event, state_.timestamp())));
}

bool job_writer::create_pod(const stored_object& job, int index,
                            job_allowance& events) {
  auto made = create(pod_bucket, namespace_of_job(job),
                     make_job_pod(job.value(), index));
  if (!made) {
    record_event(
        job, {true, "FailedCreate", "Error creating: " + made.error().message},
        events);
    return false;
  }
  const auto& name = text_at(made->object->value(), {"metadata", "name"});
  record_event(job, {false, "SuccessfulCreate", "Created pod: " + name},
               events);
  return true;
}

void job_writer::remove_pod(const stored_object& job, const std::string& name,
                            bool is_counted, job_allowance& events) {
  auto key = storage_key(namespace_of_job(job), name);
  if (!is_counted)
    release_pod(key);
  --writes_left_;
  auto type = state_.resources.find_stored_version_by_bucket(pod_bucket);
  auto pod = state_.objects.find(pod_bucket, key);
  delete_options d;
  d.propagation_policy = "Background";
  if (pod && delete_stored_object(state_, *type, pod, key, d))
    record_event(job, {false, "SuccessfulDelete", "Deleted pod: " + name},
                 events);
}

void job_writer::release_pod(const std::string& key) {
  auto type = state_.resources.find_stored_version_by_bucket(pod_bucket);
  auto pod = state_.objects.find(pod_bucket, key);
  if (!pod || !has_finalizer(pod->value(), job_tracking_finalizer))
    return;
  --writes_left_;
  json next = pod->value();
  auto& held = next["metadata"]["finalizers"];
  held.erase(std::remove(held.begin(), held.end(), job_tracking_finalizer),
             held.end());
  if (held.empty())
    next["metadata"].erase("finalizers");
  store_or_finish_deletion(state_, *type, key, std::move(next));
}

bool job_writer::write_status(const stored_object& job, const std::string& key,
                              const job_plan& plan, job_allowance& events) {
  const auto& old = value_at(job.value(), {"status"});
  if (plan.status == old || (plan.status.empty() && !old.is_object()))
    return false;
  --writes_left_;
  json next = job.value();
  next["status"] = plan.status;
  state_.objects.put(job_bucket, key, std::move(next));
  for (const auto& event : plan.events)
    record_event(job, event, events);
  return true;
}

bool job_writer::remove_finished_job(const stored_object& job,
                                     const std::string& key) {
  --writes_left_;
  delete_options d;
  d.propagation_policy = "Foreground";
  d.uid = text_at(job.value(), {"metadata", "uid"});
  auto type = state_.resources.find_stored_version_by_bucket(job_bucket);
  auto s = state_.objects.find(job_bucket, key);
  return !s || bool(delete_stored_object(state_, *type, s, key, d));
}

} // namespace troupe::k8s::apiserver
