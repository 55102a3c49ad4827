#include "k8s/request_counts.hpp"

namespace troupe::k8s {

const char* http_method(verb what) {
  switch (what) {
  case verb::create:
    return "POST";
  case verb::update:
    return "PUT";
  case verb::patch:
    return "PATCH";
  case verb::remove:
    return "DELETE";
  case verb::get:
  case verb::list:
  case verb::watch:
    break;
  }
  return "GET";
}

request_counts::request_counts(std::string host)
    : host_(std::move(host)) {
  // nop
}

void request_counts::count(verb what, int status) {
  std::lock_guard guard{mutex_};
  ++counts_[{http_method(what), status}];
}

std::vector<request_counts::row> request_counts::rows() const {
  std::lock_guard guard{mutex_};
  std::vector<row> result;
  for (const auto& [key, times] : counts_)
    result.push_back({key.first, key.second, times});
  return result;
}

} // namespace troupe::k8s
