#include "k8s/apiserver/storage/selectors.hpp"
#include "tests/fuzz/fuzz_input.hpp"

// A label selector and, on the next line, a field selector.

namespace {

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using operation = requirement::operation;
using requirements = std::vector<requirement>;
using troupe::fuzz::require;

bool is_same(const requirement& a, const requirement& b) {
  return a.key == b.key && a.op == b.op && a.values == b.values;
}

bool is_same(const requirements& a, const requirements& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return is_same(x, y); });
}

std::string parenthesized(const std::vector<std::string>& values) {
  std::string out;
  for (const auto& v : values)
    out += (out.empty() ? "(" : ",") + v;
  return out + ")";
}

std::string to_label_selector(const requirement& r) {
  switch (r.op) {
  case operation::exists:
    return r.key;
  case operation::absent:
    return "!" + r.key;
  case operation::in:
    return r.key + " in " + parenthesized(r.values);
  case operation::not_in:
    return r.key + " notin " + parenthesized(r.values);
  case operation::greater:
    return r.key + ">" + r.values.at(0);
  case operation::less:
    return r.key + "<" + r.values.at(0);
  }
  return {};
}

std::string to_field_selector(const requirement& r) {
  auto out = r.key + (r.op == operation::in ? "==" : "!=");
  for (char c : r.values.at(0)) {
    if (c == '\\' || c == ',' || c == '=')
      out += '\\';
    out += c;
  }
  return out;
}

template <class F>
std::string joined(const requirements& all, F to_text) {
  std::string out;
  for (const auto& r : all)
    out += (out.empty() ? "" : ",") + to_text(r);
  return out;
}

const json& pod() {
  static const json value{
      {"metadata",
       {{"name", "a"}, {"labels", {{"a", "1"}, {"b", "x"}, {"c", ""}}}}},
      {"spec", {{"nodeName", "n"}}},
      {"status", {{"phase", "Running"}}}};
  return value;
}

/// The opposite, where there is one.
bool negate(requirement& r) {
  switch (r.op) {
  case operation::exists:
    r.op = operation::absent;
    return true;
  case operation::absent:
    r.op = operation::exists;
    return true;
  case operation::in:
    r.op = operation::not_in;
    return true;
  case operation::not_in:
    r.op = operation::in;
    return true;
  case operation::greater:
  case operation::less:
    return false;
  }
  return false;
}

void check_matches(const requirements& all, requirements selector::*kind) {
  bool every = true;
  for (auto r : all) {
    selector one;
    (one.*kind) = {r};
    bool matches = one.matches(pod());
    every = every && matches;
    if (negate(r)) {
      (one.*kind) = {r};
      require(one.matches(pod()) != matches,
              "an object matches a requirement or its opposite");
    }
  }
  selector s;
  s.*kind = all;
  require(s.matches(pod()) == every,
          "an object matches a selector if it matches all of it");
}

void check_label_selector(const std::string& text) {
  auto parsed = parse_label_selector(text);
  if (!parsed)
    return;
  const auto& all = *parsed;
  auto again = parse_label_selector(joined(all, to_label_selector));
  require(again && is_same(all, *again),
          "a label selector that is written and read is the same");
  check_matches(all, &selector::labels);
}

void check_field_selector(const std::string& text) {
  static const std::vector<std::string> known{
      "metadata.name", "metadata.namespace", "spec.nodeName", "status.phase"};
  auto parsed = parse_field_selector(text, known, "/v1, Resource=pods");
  if (!parsed)
    return;
  const auto& all = *parsed;
  auto again = parse_field_selector(joined(all, to_field_selector), known, "");
  require(again && is_same(all, *again),
          "a field selector that is written and read is the same");
  check_matches(all, &selector::fields);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  troupe::fuzz::fuzz_input input{data, size};
  check_label_selector(std::string{input.take_until("\n")});
  check_field_selector(std::string{input.rest()});
  return 0;
}
