#include "frameworks/core/decision.hpp"

namespace troupe::core {

namespace {

struct sentence {
  std::string operator()(const create_child& d) const {
    return std::string{"create "} + to_string(d.kind) + " "
           + to_string(d.kind, d.at) + ": " + d.why;
  }
  std::string operator()(const update_child& d) const {
    return named("update", d);
  }
  std::string operator()(const annotate_child& d) const {
    return named("annotate", d);
  }
  std::string operator()(const read_child& d) const { return named("read", d); }
  std::string operator()(const remove_child& d) const {
    return named("remove", d);
  }
  std::string operator()(const adopt_child& d) const {
    return named("adopt", d);
  }
  std::string operator()(const release_child& d) const {
    return named("release", d);
  }
  std::string operator()(const remove_job& d) const {
    return "remove the job: " + d.why;
  }

  template <class Decision>
  static std::string named(const char* verb, const Decision& d) {
    return std::string{verb} + " " + to_string(d.kind) + " " + d.name + ": "
           + d.why;
  }
};

} // namespace

std::string describe(const decision& d) {
  return std::visit(sentence{}, d);
}

} // namespace troupe::core
