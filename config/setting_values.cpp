#include "config/duration.hpp"
#include "config/setting_rows.hpp"
#include "k8s/text.hpp"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <type_traits>

// Text to the values of settings, and back.

namespace troupe::config {

namespace {

using k8s::ec;
using k8s::failure;
using k8s::nothing;
using k8s::result;

failure unexpected_value_failure(const char* what, const std::string& text) {
  return {ec::invalid, "wants " + std::string(what) + ", not \"" + text + "\""};
}

result<nothing> read(std::string& to, const std::string& text) {
  to = text;
  return nothing{};
}

result<nothing> read(bool& to, const std::string& text) {
  if (text == "true" || text == "1")
    to = true;
  else if (text == "false" || text == "0")
    to = false;
  else
    return unexpected_value_failure("true or false", text);
  return nothing{};
}

result<nothing> read(int& to, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  auto n = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0')
    return unexpected_value_failure("a whole number", text);
  if (errno == ERANGE || n > std::numeric_limits<int>::max()
      || n < std::numeric_limits<int>::min())
    return unexpected_value_failure("a smaller number", text);
  to = static_cast<int>(n);
  return nothing{};
}

result<nothing> read(double& to, const std::string& text) {
  char* end = nullptr;
  auto n = std::strtod(text.c_str(), &end);
  // strtod also reads "nan", "inf" and hexadecimal: none is meant here.
  if (text.empty() || *end != '\0'
      || text.find_first_not_of("0123456789.eE+-") != std::string::npos)
    return unexpected_value_failure("a number", text);
  to = n;
  return nothing{};
}

result<nothing> read(std::chrono::milliseconds& to, const std::string& text) {
  auto d = parse_duration(text);
  if (!d)
    return d.error();
  to = *d;
  return nothing{};
}

/// Adds: `--enable-scheme a --enable-scheme b` and "a,b" mean the same.
result<nothing> read(std::vector<std::string>& to, const std::string& text) {
  for (auto& part : k8s::split(text, ','))
    to.push_back(std::move(part));
  return nothing{};
}

std::string write(const std::string& x) {
  return x;
}

std::string write(bool x) {
  return x ? "true" : "false";
}

std::string write(int x) {
  return std::to_string(x);
}

std::string write(double x) {
  auto text = std::to_string(x);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return text;
}

std::string write(std::chrono::milliseconds x) {
  return to_string(x);
}

std::string write(const std::vector<std::string>& x) {
  return k8s::join(x, ",");
}

} // namespace

result<nothing> parse_value(const setting_row& r, settings& s,
                            const std::string& text) {
  return std::visit([&](auto field) { return read(s.*field, text); }, r.where);
}

std::string format_value(const setting_row& r, const settings& s) {
  return std::visit([&](auto field) { return write(s.*field); }, r.where);
}

} // namespace troupe::config
