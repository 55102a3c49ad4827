#include "frameworks/core/model/decision.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/names.hpp"

namespace troupe::core {

const char* to_string(operation o) {
  switch (o) {
  case operation::update:
    return "update";
  case operation::annotate:
    return "annotate";
  case operation::read:
    return "read";
  case operation::delete_object:
    return "delete";
  case operation::adopt:
    return "adopt";
  case operation::release:
    return "release";
  }
  return "";
}

namespace {

struct sentence {
  std::string operator()(const create_child& d) const {
    return std::string{"create "} + to_string(d.kind) + " "
           + (d.name.empty() ? to_string(d.at) : d.name) + ": " + d.why;
  }
  std::string operator()(const create_auxiliary& d) const {
    return std::string{"create "} + to_string(d.wanted->kind) + " "
           + d.wanted->name + ": " + d.why;
  }
  std::string operator()(const delete_job& d) const {
    return "delete the job: " + d.why;
  }
  std::string operator()(const read_node& d) const {
    return "read node " + d.name + ": " + d.why;
  }
  template <class Decision>
  std::string operator()(const Decision& d) const {
    return std::string{to_string(d.action)} + " " + to_string(d.kind) + " "
           + d.name + ": " + d.why;
  }
};

} // namespace

std::string describe_decision(const decision& d) {
  return std::visit(sentence{}, d);
}

std::string describe_decision(const decision& d, const job& of) {
  const auto* creation = std::get_if<create_child>(&d);
  if (!creation || !of.kind->names.random_names)
    return describe_decision(d);
  auto named = *creation;
  named.name = child_name(of, *creation);
  return sentence{}(named);
}

} // namespace troupe::core
