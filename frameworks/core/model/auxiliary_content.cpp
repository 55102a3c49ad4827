#include "frameworks/core/model/auxiliary_content.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/framework.hpp"

namespace troupe::core {

namespace {

/// Whether the bodies differ at most in the status that controllers write.
bool same_body_except_status(const std::string& a, const std::string& b) {
  return a == b
         || equal_except(parse_json_or_null(a), parse_json_or_null(b),
                         {"status"});
}

/// "" if what was applied last is not known, or another body is there now.
std::string last_applied_if_body_unchanged(const std::string& body,
                                           const auxiliary_content& before) {
  if (before.stored_as_sent)
    return hash_of_text(body) == before.stored_as_sent->stored_body ? body : "";
  const auto& texts = *before.texts;
  bool same =
      !texts.last_applied.empty() && same_body_except_status(body, texts.body);
  return same ? texts.last_applied : "";
}

} // namespace

bool auxiliary_content::is_result_of_applying(
    const auxiliary_object& wanted) const {
  return stored_as_sent
             ? stored_as_sent->wanted_body == hash_of_text(wanted.body)
             : texts->last_applied == wanted.body;
}

bool auxiliary_content::can_be_replaced_without_loss_by(
    const auxiliary_object& wanted) const {
  return stored_as_sent
         && stored_as_sent->wanted_metadata == hash_of_text(wanted.metadata);
}

bool same_content(const auxiliary_content& a, const auxiliary_content& b) {
  return a.stored_as_sent == b.stored_as_sent && a.texts->body == b.texts->body
         && a.workload == b.workload;
}

shared_value<auxiliary_content>
content_with_history(const shared_value<auxiliary_content>& shown,
                     const shared_value<auxiliary_content>& before) {
  if (shown->version == 0)
    return before;
  auto last_applied =
      last_applied_if_body_unchanged(shown->texts->body, *before);
  if (last_applied.empty())
    return shown;
  auto texts = *shown->texts;
  texts.last_applied = std::move(last_applied);
  return auxiliary_content{shown->version, std::move(texts), {}, {}};
}

} // namespace troupe::core
