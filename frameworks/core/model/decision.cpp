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

const char* to_string(queue_action a) {
  switch (a) {
  case queue_action::ask:
    return "ask for quota";
  case queue_action::ask_anew:
    return "ask for other quota";
  case queue_action::hold:
    return "suspend the job";
  case queue_action::start:
    return "start the job";
  case queue_action::label:
    return "take over";
  case queue_action::shrink:
    return "ask for less quota";
  case queue_action::grow:
    return "ask for more quota";
  case queue_action::regrow:
    return "ask for another size";
  case queue_action::rank:
    return "ask with another priority";
  case queue_action::report:
    return "report the pods";
  case queue_action::release:
    return "give the quota back";
  case queue_action::finish:
    return "finish";
  case queue_action::unguard:
    return "let go";
  case queue_action::remove:
    return "delete";
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
  std::string operator()(const queue_order& d) const {
    return std::string{to_string(d.what)} + ", workload " + d.name + ": "
           + d.why;
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

std::string rank_key(const std::string& workload_uid) {
  return workload_uid + "/rank";
}

} // namespace troupe::core
