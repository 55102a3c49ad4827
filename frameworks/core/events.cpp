#include "frameworks/core/events.hpp"

namespace troupe::core {

namespace {

const char* noun(child what) {
  return what == child::pod ? "Pod" : "Service";
}

} // namespace

tell created_event(child what, const std::string& name) {
  return {false, std::string{"SuccessfulCreate"} + noun(what),
          std::string{"Created "} + to_string(what) + ": " + name};
}

tell create_failed_event(child what, const std::string& why) {
  return {true, std::string{"FailedCreate"} + noun(what),
          "Error creating: " + why};
}

tell deleted_event(child what, const std::string& name) {
  return {false, std::string{"SuccessfulDelete"} + noun(what),
          std::string{"Deleted "} + to_string(what) + ": " + name};
}

tell delete_failed_event(child what, const std::string& why) {
  return {true, std::string{"FailedDelete"} + noun(what),
          "Error deleting: " + why};
}

tell job_deleted_event(const framework& f, const std::string& name) {
  return {false, std::string{"SuccessfulDelete"} + f.removal_noun,
          "Deleted job: " + name};
}

tell job_delete_failed_event(const framework& f, const std::string& why) {
  return {true, std::string{"FailedDelete"} + f.removal_noun,
          "Error deleting: " + why};
}

} // namespace troupe::core
