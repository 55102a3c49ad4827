#include "frameworks/core/auxiliary_content.hpp"

#include "frameworks/core/framework.hpp"
#include "frameworks/core/json.hpp"
#include "frameworks/core/pod_template.hpp"

#include <functional>

namespace troupe::core {

namespace {

constexpr std::hash<std::string> hash_of;

bool same_json(const std::string& a, const std::string& b) {
  return a == b || parse_json_or_null(a) == parse_json_or_null(b);
}

/// Whether the bodies differ at most in the status that controllers write.
bool same_body_except_status(const std::string& a, const std::string& b) {
  return a == b
         || equal_except(parse_json_or_null(a), parse_json_or_null(b),
                         {"status"});
}

bool was_stored_as_sent(const auxiliary_object& wanted, const job& of,
                        const auxiliary_texts& stored) {
  return same_json(stored.body, wanted.body)
         && equal_except(parse_json_or_null(stored.metadata),
                         auxiliary_metadata(of, wanted),
                         {"creationTimestamp", "generation", "resourceVersion",
                          "selfLink", "uid"});
}

/// "" if what was applied last is not known, or another body is there now.
std::string last_applied_for(const std::string& body,
                             const auxiliary_content& before) {
  if (before.stored_as_sent)
    return hash_of(body) == before.stored_as_sent->stored_body ? body : "";
  const auto& texts = *before.texts;
  bool same =
      !texts.last_applied.empty() && same_body_except_status(body, texts.body);
  return same ? texts.last_applied : "";
}

} // namespace

bool auxiliary_content::is_result_of_applying(
    const auxiliary_object& wanted) const {
  return stored_as_sent ? stored_as_sent->wanted_body == hash_of(wanted.body)
                        : texts->last_applied == wanted.body;
}

bool auxiliary_content::can_be_replaced_by(
    const auxiliary_object& wanted) const {
  return stored_as_sent
         && stored_as_sent->wanted_metadata == hash_of(wanted.metadata);
}

bool same_content(const auxiliary_content& a, const auxiliary_content& b) {
  return a.stored_as_sent == b.stored_as_sent && a.texts->body == b.texts->body;
}

auxiliary_content content_after_applying(const auxiliary_object& wanted,
                                         const job& of,
                                         const auxiliary_content& stored) {
  // The body of one that is watched whole is read for more than corrections.
  bool only_corrected =
      watched_detail_of(wanted.kind) == k8s::object_detail::metadata;
  if (only_corrected && was_stored_as_sent(wanted, of, *stored.texts))
    return {stored.version,
            {},
            sent_hashes{hash_of(wanted.body), hash_of(wanted.metadata),
                        hash_of(stored.texts->body)}};
  auto texts = *stored.texts;
  texts.last_applied = wanted.body;
  return {stored.version, std::move(texts), {}};
}

shared_value<auxiliary_content>
content_with_history(const shared_value<auxiliary_content>& shown,
                     const shared_value<auxiliary_content>& before) {
  if (shown->version == 0)
    return before;
  auto last_applied = last_applied_for(shown->texts->body, *before);
  if (last_applied.empty())
    return shown;
  auto texts = *shown->texts;
  texts.last_applied = std::move(last_applied);
  return auxiliary_content{shown->version, std::move(texts), {}};
}

} // namespace troupe::core
