#pragma once

#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/registry.hpp"
#include "tests/fixtures/builders.hpp"

namespace troupe::fixtures {

inline json di_template(const char* image = "reg.example/ding:1") {
  return {{"spec",
           {{"containers",
             json::array({{{"name", "di-container"}, {"image", image}}})}}}};
}

/// The spec of a DIJob with all sections.
inline json di_spec() {
  return {{"coordinator", {{"template", di_template()}}},
          {"collector", {{"template", di_template()}}},
          {"learner", {{"template", di_template()}}}};
}

/// "default/NAME" of this kind.
inline core::job make_job_of(const core::framework& kind, const json& spec,
                             const std::string& name) {
  k8s::object_meta meta;
  meta.name = name;
  meta.ns = "default";
  meta.uid = "job-uid";
  meta.generation = 1;
  auto j = core::decode_job(
      kind, {meta, k8s::spec_and_status_state{spec.dump(), "null"}});
  if (!j)
    throw std::logic_error(j.error().message);
  return *j;
}

/// "default/cp" with this spec.
inline core::job make_dijob(const json& spec, const std::string& name = "cp") {
  static const auto kind = frameworks::dijob();
  return make_job_of(kind, spec, name);
}

} // namespace troupe::fixtures
