#include "config/setting_rows.hpp"
#include "k8s/duration.hpp"
#include "k8s/text.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <type_traits>

// Text to the values of settings, and back.

namespace troupe::config {

namespace {

using k8s::ec;
using k8s::failure;
using k8s::nothing;
using k8s::result;

failure must_be_failure(const std::string& what) {
  return {ec::invalid, "must be " + what};
}

result<nothing> parse_setting_value(std::string& to, const std::string& text) {
  to = text;
  return nothing{};
}

result<nothing> parse_setting_value(bool& to, const std::string& text) {
  if (text == "true" || text == "1")
    to = true;
  else if (text == "false" || text == "0")
    to = false;
  else
    return must_be_failure("true or false");
  return nothing{};
}

result<nothing> parse_setting_value(int& to, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  auto n = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0')
    return must_be_failure("an integer");
  using limits = std::numeric_limits<int>;
  if (errno == ERANGE || n > limits::max() || n < limits::min())
    return must_be_failure("an integer from " + std::to_string(limits::min())
                           + " to " + std::to_string(limits::max()));
  to = static_cast<int>(n);
  return nothing{};
}

result<nothing> parse_setting_value(double& to, const std::string& text) {
  char* end = nullptr;
  auto n = std::strtod(text.c_str(), &end);
  // strtod also reads "nan", "inf" and hexadecimal: none is meant here.
  if (text.empty() || *end != '\0'
      || text.find_first_not_of("0123456789.eE+-") != std::string::npos)
    return must_be_failure("a number");
  to = n;
  return nothing{};
}

result<nothing> parse_setting_value(std::chrono::milliseconds& to,
                                    const std::string& text) {
  auto d = k8s::parse_duration(text);
  if (!d)
    return d.error();
  to = *d;
  return nothing{};
}

/// Adds: `--enable-scheme a --enable-scheme b` and "a,b" mean the same.
result<nothing> parse_setting_value(std::vector<std::string>& to,
                                    const std::string& text) {
  for (auto& part : k8s::split_without_empty_parts(text, ','))
    to.push_back(std::move(part));
  return nothing{};
}

std::string format_setting_value(const std::string& x) {
  return x;
}

std::string format_setting_value(bool x) {
  return x ? "true" : "false";
}

std::string format_setting_value(int x) {
  return std::to_string(x);
}

/// The shortest text that reads back as the same number; without an exponent,
/// unless it were long.
std::string format_setting_value(double x) {
  char text[24]; // The longest with an exponent: -2.2250738585072014e-308
  auto* limit = std::end(text);
  auto done = std::to_chars(text, limit, x, std::chars_format::fixed);
  if (done.ec != std::errc{})
    done = std::to_chars(text, limit, x, std::chars_format::scientific);
  return {text, done.ptr};
}

std::string format_setting_value(std::chrono::milliseconds x) {
  return k8s::to_duration_text(x);
}

std::string format_setting_value(const std::vector<std::string>& x) {
  return k8s::join(x, ",");
}

} // namespace

result<nothing> set_setting_from_text(const setting_row& r, settings& s,
                                      const std::string& text) {
  return std::visit(
      [&](auto field) { return parse_setting_value(s.*field, text); }, r.where);
}

std::string format_setting(const setting_row& r, const settings& s) {
  return std::visit([&](auto field) { return format_setting_value(s.*field); },
                    r.where);
}

std::string format_default(const setting_row& r) {
  return std::visit([](const auto& x) { return format_setting_value(x); },
                    r.standard);
}

std::string format_bound(const setting_row& r, double bound) {
  bool is_duration =
      std::holds_alternative<std::chrono::milliseconds>(r.standard);
  return format_setting_value(bound) + (is_duration ? "s" : "");
}

} // namespace troupe::config
