#include "frameworks/core/observed/applied_content.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/spec/pod_template.hpp"

namespace troupe::core {

namespace {

bool same_json(const std::string& a, const std::string& b) {
  return a == b || parse_json_or_null(a) == parse_json_or_null(b);
}

bool was_stored_as_sent(const auxiliary_object& wanted, const job& of,
                        const auxiliary_texts& stored) {
  return same_json(stored.body, wanted.body)
         && equal_except(parse_json_or_null(stored.metadata),
                         auxiliary_metadata(of, wanted),
                         {"creationTimestamp", "generation", "resourceVersion",
                          "selfLink", "uid"});
}

} // namespace

auxiliary_content content_after_applying(const auxiliary_object& wanted,
                                         const job& of,
                                         const auxiliary_content& stored) {
  // The body of one that is watched whole is read for more than corrections; of
  // a Secret the names of the keys, which were not in what was sent.
  bool only_corrected =
      watched_detail_of(wanted.kind) == k8s::object_detail::metadata
      && reconcile_detail_of(wanted.kind) == k8s::object_detail::full;
  if (only_corrected && was_stored_as_sent(wanted, of, *stored.texts))
    return {stored.version,
            {},
            sent_hashes{hash_of_text(wanted.body),
                        hash_of_text(wanted.metadata),
                        hash_of_text(stored.texts->body)},
            {}};
  auto texts = *stored.texts;
  // Of Kubernetes' PodGroup only minCount may change: what else was sent is not
  // repeated.
  if (wanted.kind != child_kind::native_group)
    texts.last_applied = wanted.body;
  return {stored.version, std::move(texts), {}, {}};
}

} // namespace troupe::core
