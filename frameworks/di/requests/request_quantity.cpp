#include "frameworks/di/requests/request_quantity.hpp"

#include "frameworks/core/base/quantity.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::frameworks::di {

namespace {

using type = request_value::type;

std::string trim_blanks(const std::string& text) {
  constexpr const char* blanks = " \t\r\n\v\f";
  auto first = text.find_first_not_of(blanks);
  if (first == text.npos)
    return "";
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Drops the characters at the front that are among these.
bool skip_any_of(std::string_view& text, const char* characters) {
  auto end = std::min(text.find_first_not_of(characters), text.size());
  text.remove_prefix(end);
  return end > 0;
}

void skip_sign(std::string_view& text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    text.remove_prefix(1);
}

constexpr const char* wrong_form =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// Why it is none: "64K" has letters that mean nothing, "99E" is too large.
std::string describe_quantity_error(std::string_view text) {
  constexpr const char* digits = "0123456789";
  skip_sign(text);
  bool any = skip_any_of(text, digits);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    any |= skip_any_of(text, digits);
  }
  const auto unit = std::string{text};
  skip_any_of(text, "eEinumkKMGTP");
  skip_sign(text);
  skip_any_of(text, digits);
  if (!any || !text.empty())
    return wrong_form;
  return core::quantity::parse("1" + unit)
             ? "unable to parse numeric part of quantity"
             : "unable to parse quantity's suffix";
}

} // namespace

k8s::result<request_quantity>
read_request_quantity(const request_value& value) {
  if (value.is == type::null)
    return request_quantity{};
  const auto text = value.is == type::string || value.is == type::number
                        ? trim_blanks(value.text)
                        : std::string{};
  auto amount = core::quantity::parse(text);
  if (!amount)
    return k8s::failure{k8s::ec::invalid, describe_quantity_error(text)};
  if (amount->is_zero())
    return request_quantity{};
  return request_quantity{amount->to_text(), amount->round_up()};
}

} // namespace troupe::frameworks::di
