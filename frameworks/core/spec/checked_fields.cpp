#include "frameworks/core/spec/checked_fields.hpp"

#include "frameworks/core/base/json.hpp"
#include "k8s/duration.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr std::size_t most_errors = 50;
constexpr std::size_t longest_told_value = 64;

const json no_value;
const json no_items = json::array();

} // namespace

field_path field_path::child(const std::string& name) const {
  return {root_, separator_, below_ + (below_.empty() ? "" : ".") + name};
}

field_path field_path::item(std::size_t index) const {
  return {root_, separator_, below_ + "[" + std::to_string(index) + "]"};
}

std::string field_path::text() const {
  return below_.empty() ? root_ : root_ + separator_ + below_;
}

void field_errors::add(const field_path& at, std::string text) {
  add({at.text(), std::move(text)});
}

void field_errors::add(field_error error) {
  constexpr std::size_t longest_error = 4'096;
  if (errors_.size() >= most_errors)
    return;
  error.field = k8s::shorten_text(std::move(error.field), longest_error);
  error.text = k8s::shorten_text(std::move(error.text), longest_error);
  errors_.push_back(std::move(error));
}

std::string value_for_error(const json& value) {
  if (value.is_structured())
    return value.is_array() ? "[...]" : "{...}";
  if (!value.is_string())
    return to_text(value);
  const auto& text = value.get_ref<const std::string&>();
  return to_quoted(k8s::shorten_text(text, longest_told_value));
}

std::string supported_values(const std::vector<std::string>& values) {
  constexpr std::size_t most_told = 20;
  std::vector<std::string> quoted;
  for (const auto& value : values)
    if (quoted.size() < most_told)
      quoted.push_back(to_quoted(k8s::shorten_text(value, longest_told_value)));
  const auto rest = values.size() - quoted.size();
  return "supported values: " + k8s::join(quoted, ", ")
         + (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
}

checked_object::checked_object(const json& value, field_path at,
                               field_errors& errors,
                               std::vector<std::string> known)
    : value_(&value)
    , at_(std::move(at))
    , errors_(&errors) {
  if (value.is_object()) {
    check_names(known);
    return;
  }
  errors.add(at_, "Invalid value: " + value_for_error(value)
                      + ": must be an object with the fields "
                      + k8s::join(known, ", "));
  value_ = &no_value;
}

void checked_object::check_names(const std::vector<std::string>& known) const {
  for (const auto& [name, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    auto near =
        k8s::nearest_word(k8s::shorten_text(name, longest_told_value), known);
    errors_->add(at_.child(k8s::shorten_text(name, longest_told_value)),
                 near.empty() ? "Forbidden: there is no such field; there are "
                                    + k8s::join(known, ", ")
                              : "Forbidden: there is no such field; did you "
                                "mean "
                                    + near + "?");
  }
}

bool checked_object::is_object() const {
  return value_->is_object();
}

const json* checked_object::find(const char* field) const {
  const auto& value = value_at(*value_, {field});
  return value.is_null() ? nullptr : &value;
}

std::optional<std::string> checked_object::text(const char* field,
                                                std::size_t most) const {
  const auto* value = find(field);
  if (!value)
    return std::nullopt;
  if (!value->is_string()) {
    add_error(field, "Invalid value: " + value_for_error(*value)
                         + ": must be a text"
                         + (value->is_structured() ? "" : ", in quotes"));
    return std::nullopt;
  }
  const auto& text = value->get_ref<const std::string&>();
  if (!text.empty() && text.size() <= most)
    return text;
  add_error(field, text.empty()
                       ? "Invalid value: \"\": must not be empty; leave the "
                         "field out"
                       : "Too long: has " + std::to_string(text.size())
                             + " bytes, the limit is " + std::to_string(most));
  return std::nullopt;
}

std::optional<std::string>
checked_object::word(const char* field,
                     std::initializer_list<const char*> words) const {
  const auto* value = find(field);
  if (!value)
    return std::nullopt;
  if (value->is_string())
    for (const char* known : words)
      if (*value == known)
        return known;
  add_error(field, "Unsupported value: " + value_for_error(*value) + ": "
                       + supported_values({words.begin(), words.end()}));
  return std::nullopt;
}

std::optional<bool> checked_object::boolean(const char* field) const {
  const auto* value = find(field);
  if (!value)
    return std::nullopt;
  if (value->is_boolean())
    return value->get<bool>();
  add_error(field, "Invalid value: " + value_for_error(*value)
                       + ": must be true or false");
  return std::nullopt;
}

std::optional<std::int32_t> checked_object::number(const char* field,
                                                   std::int32_t least,
                                                   std::int32_t most) const {
  const auto* value = find(field);
  if (!value)
    return std::nullopt;
  auto n = int32_at(*value, {});
  if (n && *n >= least && *n <= most)
    return n;
  add_error(field, "Invalid value: " + value_for_error(*value)
                       + ": must be a whole number from "
                       + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<std::chrono::seconds>
checked_object::duration(const char* field, std::chrono::seconds least,
                         std::chrono::seconds most) const {
  const auto* value = find(field);
  if (!value)
    return std::nullopt;
  auto rule = "must be a text of whole seconds from "
              + k8s::to_duration_text(least) + " to "
              + k8s::to_duration_text(most) + ", such as 90s, 5m or 1h30m";
  if (value->is_string()) {
    auto read = k8s::parse_duration(value->get_ref<const std::string&>());
    if (read && *read >= least && *read <= most
        && *read % std::chrono::seconds{1} == std::chrono::seconds{0})
      return std::chrono::duration_cast<std::chrono::seconds>(*read);
  }
  add_error(field, "Invalid value: " + value_for_error(*value) + ": " + rule);
  return std::nullopt;
}

const json& checked_object::list(const char* field, std::size_t most) const {
  const auto* value = find(field);
  if (!value)
    return no_items;
  if (!value->is_array())
    add_error(field,
              "Invalid value: " + value_for_error(*value) + ": must be a list");
  else if (value->empty())
    add_error(field, "Invalid value: []: must have an item; leave the field "
                     "out");
  else if (value->size() > most)
    add_error(field, "Too many: " + std::to_string(value->size())
                         + ": must have at most " + std::to_string(most)
                         + " items");
  else
    return *value;
  return no_items;
}

std::vector<std::string> checked_object::texts(const char* field,
                                               std::size_t most,
                                               std::size_t most_bytes) const {
  std::vector<std::string> out;
  const auto& items = list(field, most);
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto at = at_.child(field).item(i);
    if (!items[i].is_string() || items[i] == "") {
      errors_->add(at, "Invalid value: " + value_for_error(items[i])
                           + ": must be a text that is not empty");
      continue;
    }
    const auto& text = items[i].get_ref<const std::string&>();
    if (text.size() > most_bytes)
      errors_->add(at, "Too long: has " + std::to_string(text.size())
                           + " bytes, the limit is "
                           + std::to_string(most_bytes));
    else if (std::find(out.begin(), out.end(), text) != out.end())
      errors_->add(at, "Duplicate value: " + value_for_error(items[i]));
    else
      out.push_back(text);
  }
  return out;
}

void checked_object::add_error_of_item(const char* list,
                                       const std::string& item,
                                       std::string text) const {
  const auto& items = array_at(*value_, {list});
  auto at = std::find(items.begin(), items.end(), item) - items.begin();
  errors_->add(at_.child(list).item(static_cast<std::size_t>(at)),
               std::move(text));
}

} // namespace troupe::core
