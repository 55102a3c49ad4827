#include "frameworks/core/model/auxiliary_content.hpp"
#include "frameworks/core/observed/applied_content.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(auxiliary_content_test)

namespace {

const char* const uid = "role-uid";

/// Changes what the API server stores of what it was sent.
using admission = std::function<void(json& object)>;

/// The job's object as the API server returns it.
core::auxiliary_texts store(const core::job& j, const core::auxiliary_object& w,
                            std::uint64_t version, const admission& change) {
  auto object = core::make_auxiliary_object(j, w);
  object["metadata"]["uid"] = uid;
  object["metadata"]["resourceVersion"] = std::to_string(version);
  object["metadata"]["creationTimestamp"] = "2030-01-01T00:00:00Z";
  change(object);
  auto metadata = object["metadata"].dump();
  for (const auto* key : {"apiVersion", "kind", "metadata"})
    object.erase(key);
  return {object.dump(), metadata, ""};
}

void keep(json&) {}

struct content_fixture {
  job_fixture s{make_job_of("MPIJob").type("Launcher", 1).type("Worker", 1)};
  core::auxiliary_object role = wanted_role();

  core::auxiliary_object wanted_role() {
    for (auto& w : s.j.kind->hooks.auxiliary_objects(s.j, s.seen, {}))
      if (w.kind == core::child_kind::role)
        return w;
    return {};
  }

  core::auxiliary_content applied(const admission& change = keep) {
    return core::content_after_applying(
        role, s.j, {3, store(s.j, role, 3, change), {}, {}});
  }

  /// A watch, a list or a response has shown it; without texts: its metadata.
  void show(std::uint64_t version, const core::auxiliary_texts* texts) {
    k8s::object o;
    o.meta.name = role.name;
    o.meta.ns = s.j.ns;
    o.meta.uid = uid;
    o.meta.resource_version = version;
    o.meta.owners.push_back({"kubeflow.org/v1", s.j.kind->names.type.kind,
                             s.j.name, s.j.uid, true});
    if (texts)
      o.state = k8s::full_state{texts->body, texts->metadata};
    record_seen(s.seen, role.kind, o, s.j);
  }

  void show_applied(std::uint64_t version, const admission& change = keep) {
    auto texts = store(s.j, role, version, change);
    show(version, &texts);
    s.seen.record_applied_content(role, s.j, uid);
  }

  /// What is decided about the role; "" if nothing is.
  std::string role_decision() {
    s.pass();
    for (const auto& d : s.last.decisions)
      if (auto text = core::describe_decision(d);
          text.find(" role job-launcher:") != std::string::npos)
        return text.substr(0, text.find(' '));
    return "";
  }

  json updated_role() {
    for (const auto& d : s.last.decisions)
      if (const auto* u = std::get_if<core::update_auxiliary>(&d))
        return json::parse(u->body);
    return nullptr;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(texts_are_kept_only_of_what_was_not_stored_as_sent,
                        content_fixture) {
  struct row {
    const char* what;
    admission change;
    bool as_sent;
  } rows[] = {
      {"nothing", keep, true},
      {"what the server sets", [](json& o) { o["metadata"]["generation"] = 1; },
       true},
      {"a label", [](json& o) { o["metadata"]["labels"]["theirs"] = "yes"; },
       false},
      {"an annotation",
       [](json& o) {
         o["metadata"]["annotations"] = {{"theirs", "yes"}};
       },
       false},
      {"a finalizer", [](json& o) { o["metadata"]["finalizers"] = {"theirs"}; },
       false},
      {"a label of ours is gone",
       [](json& o) { o["metadata"].erase("labels"); }, false},
      {"a field", [](json& o) { o["theirs"] = true; }, false},
      {"a rule",
       [](json& o) {
         o["rules"].push_back({{"verbs", {"get"}}});
       },
       false},
  };
  for (const auto& r : rows) {
    auto content = applied(r.change);
    BOOST_TEST_CONTEXT(r.what) {
      BOOST_TEST(content.version == 3);
      BOOST_TEST(content.stored_as_sent.has_value() == r.as_sent);
      BOOST_TEST(content.texts->body.empty() == r.as_sent);
      BOOST_TEST(content.is_result_of_applying(role));
      BOOST_TEST(content.can_be_replaced_without_loss_by(role) == r.as_sent);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(the_texts_of_a_pod_group_are_kept, content_fixture) {
  core::auxiliary_object group{core::child_kind::volcano_group, "job",
                               R"({"spec":{"queue":"q"}})", ""};
  auto content = core::content_after_applying(
      group, s.j, {3, store(s.j, group, 3, keep), {}, {}});
  BOOST_TEST(!content.stored_as_sent.has_value());
  BOOST_TEST(content.texts->body == group.body);
  BOOST_TEST(content.texts->last_applied == group.body);
}

BOOST_FIXTURE_TEST_CASE(another_wanted_object_is_told_apart, content_fixture) {
  auto content = applied();
  auto other = role;
  other.body = R"({"rules":[]})";
  BOOST_TEST(!content.is_result_of_applying(other));
  BOOST_TEST(content.can_be_replaced_without_loss_by(other));
  other = role;
  other.metadata = R"({"labels":{"app":"other"}})";
  BOOST_TEST(content.is_result_of_applying(other));
  BOOST_TEST(!content.can_be_replaced_without_loss_by(other));
}

BOOST_FIXTURE_TEST_CASE(what_was_stored_as_sent_is_as_desired,
                        content_fixture) {
  show_applied(3);
  BOOST_TEST(role_decision() == "");
}

BOOST_FIXTURE_TEST_CASE(what_was_stored_as_sent_is_replaced_without_a_read,
                        content_fixture) {
  auto before = role;
  role.body = R"({"rules":[],"dropped":true})";
  show_applied(3);
  BOOST_TEST(role_decision() == "update");
  auto expected = core::make_auxiliary_object(s.j, before);
  expected["metadata"]["uid"] = uid;
  expected["metadata"]["resourceVersion"] = "3";
  BOOST_TEST(updated_role() == expected);
}

BOOST_FIXTURE_TEST_CASE(it_is_read_first_if_its_labels_were_others,
                        content_fixture) {
  auto before = role;
  role.body = R"({"rules":[],"dropped":true})";
  role.metadata = R"({"labels":{"app":"other"}})";
  show_applied(3);
  BOOST_TEST(role_decision() == "read");
  // The response has the same version.
  auto texts = store(s.j, role, 3, keep);
  show(3, &texts);
  BOOST_TEST(role_decision() == "update");
  auto updated = updated_role();
  BOOST_TEST(updated["metadata"]["labels"]["app"] == "other");
  BOOST_TEST(updated["rules"] == json::parse(before.body)["rules"]);
  BOOST_TEST(!updated.contains("dropped"));
}

BOOST_FIXTURE_TEST_CASE(what_was_applied_is_known_again_after_a_read,
                        content_fixture) {
  struct row {
    const char* what;
    admission change;
    bool drops;
  } rows[] = {
      {"metadata", [](json& o) { o["metadata"]["labels"]["a"] = "b"; }, true},
      {"body", [](json& o) { o["theirs"] = true; }, false},
  };
  role.body = R"({"rules":[],"dropped":true})";
  std::uint64_t version = 3;
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      show_applied(version);
      show(version + 1, nullptr);
      BOOST_TEST(role_decision() == "read");
      auto texts = store(s.j, role, version + 1, r.change);
      show(version + 1, &texts);
      BOOST_TEST(role_decision() == "update");
      BOOST_TEST(!updated_role().contains("dropped") == r.drops);
      version += 2;
    }
}

BOOST_AUTO_TEST_SUITE_END()
