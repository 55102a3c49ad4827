#include "actors/cli/admin_text.hpp"

#include "actors/cli/json_text.hpp"
#include "actors/cli/plain_text.hpp"

#include <cstdio>
#include <set>

namespace troupe::cli {

using nlohmann::json;

namespace {

using lines = std::vector<std::string>;

/// A value in one line.
std::string word(const json& j) {
  if (j.is_string())
    return plain(j.get<std::string>());
  if (j.is_number_float()) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", j.get<double>());
    return text;
  }
  return plain(j.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// "key value, key value" of a row, without the fields named in `but`.
std::string row_text(const json& row, const std::set<std::string>& but = {}) {
  if (!row.is_object())
    return word(row);
  std::string text;
  for (const auto& [key, value] : row.items())
    if (but.count(key) == 0)
      text += (text.empty() ? "" : ", ") + plain(key) + " " + word(value);
  return text;
}

void add_conditions(lines& out, const json& report) {
  const auto& all = array_at(report, "/status/conditions");
  if (all.empty())
    return;
  out.push_back("Conditions, the last one is the newest:");
  for (const auto& c : all)
    out.push_back("  " + padded(text_at(c, "/type"), 11)
                  + padded(text_at(c, "/status"), 6)
                  + plain(text_at(c, "/reason")) + ": "
                  + plain(text_at(c, "/message")));
}

void add_pods(lines& out, const json& report) {
  const auto& all = array_at(report, "/pods");
  out.push_back(all.empty() ? "Pods: none" : "Pods:");
  for (const auto& p : all) {
    auto line = "  " + text_at(p, "/name") + "  " + text_at(p, "/phase");
    if (p.contains("exitCode"))
      line += ", exit code " + word(p["exitCode"]);
    if (number_at(p, "/restarts") > 0)
      line += ", restarts " + word(p["restarts"]);
    if (p.contains("terminating") && p["terminating"] == json(true))
      line += ", ending";
    if (p.contains("trouble"))
      line += " (" + word(p["trouble"]) + ")";
    out.push_back(plain(line));
  }
}

std::string expectation(const json& e) {
  auto line = text_at(e, "/action") + " " + text_at(e, "/what") + " "
              + text_at(e, "/subject");
  auto rest = row_text(e, {"action", "what", "subject", "ageSeconds"});
  if (e.contains("ageSeconds"))
    line += ", asked for " + word(e["ageSeconds"]) + " s ago";
  return plain(line + (rest.empty() ? "" : ", " + rest));
}

/// A list of rows below a heading; nothing for an empty one.
template <class Text>
void add_rows(lines& out, const json& report, const char* field,
              const std::string& heading, Text text) {
  const auto& rows = array_at(report, field);
  if (rows.empty())
    return;
  out.push_back(heading + ":");
  for (const auto& r : rows)
    out.push_back("  " + text(r));
}

void add_actor(lines& out, const json& actor, const std::string& indent) {
  auto rest = row_text(actor, {"actor", "children"});
  out.push_back(indent + plain(text_at(actor, "/actor"))
                + (rest.empty() ? "" : "  " + rest));
  for (const auto& child : array_at(actor, "/children"))
    add_actor(out, child, indent + "  ");
}

} // namespace

lines explain_lines(const json& report) {
  lines out;
  out.push_back(plain(text_at(report, "/kind") + " "
                      + text_at(report, "/namespace") + "/"
                      + text_at(report, "/name")));
  auto verdict = text_at(report, "/verdict");
  out.push_back("Verdict: "
                + (verdict.empty() ? std::string{"none yet"} : plain(verdict)));
  if (report.contains("replicas"))
    out.push_back("Replicas wanted: " + row_text(report["replicas"]));
  add_conditions(out, report);
  add_pods(out, report);
  if (array_at(report, "/expectations").empty())
    out.push_back("Waits for nothing that was asked for.");
  add_rows(out, report, "/expectations", "Waits for what was asked for",
           expectation);
  auto whole = [](const json& r) { return row_text(r); };
  add_rows(out, report, "/orders", "Orders under way", whole);
  add_rows(out, report, "/timers", "Timers", whole);
  add_rows(out, report, "/lastDecisions", "Last decisions", [](const json& n) {
    auto rest = row_text(n, {"at", "what"});
    return plain(text_at(n, "/at") + "  " + text_at(n, "/what"))
           + (rest.empty() ? "" : ", " + rest);
  });
  // What a newer operator tells besides.
  const std::set<std::string> told{
      "kind",     "namespace", "name",          "verdict", "replicas",
      "status",   "pods",      "expectations",  "orders",  "timers",
      "services", "groups",    "lastDecisions", "actor",   "uid"};
  auto rest = row_text(report, told);
  if (!rest.empty())
    out.push_back("Besides: " + rest);
  return out;
}

lines top_lines(const json& tree) {
  lines out;
  add_actor(out, tree, "");
  return out;
}

} // namespace troupe::cli
