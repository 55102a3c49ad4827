#include "actors/metrics/actor_metrics.hpp"

#include <nlohmann/json.hpp>
#include <prometheus/metric_type.h>

#include <algorithm>
#include <map>
#include <string>

namespace troupe::actors {

using nlohmann::json;
using prometheus::MetricFamily;
using prometheus::MetricType;

namespace {

double gauge_field_or_zero(const json& report, const char* field) {
  auto i = report.find(field);
  if (i == report.end() || i->is_null())
    return 0;
  return i->is_boolean() ? static_cast<double>(i->get<bool>())
                         : i->get<double>();
}

/// One gauge with at most one label; its values are added up by the caller.
class gauge {
public:
  gauge(const char* name, const char* help, const char* label = "")
      : family_{name, help, MetricType::Gauge, {}}
      , label_(label) {}

  double& at(const std::string& label_value = "") {
    return values_[label_value];
  }

  MetricFamily to_metric_family() && {
    for (const auto& [label_value, value] : values_) {
      auto& m = family_.metric.emplace_back();
      if (!label_.empty())
        m.label = {{label_, label_value}};
      m.gauge.value = value;
    }
    return std::move(family_);
  }

private:
  MetricFamily family_;
  std::string label_;
  std::map<std::string, double> values_;
};

struct actor_gauges {
  gauge silent{"troupe_actors_unresponsive",
               "Actors that did not report to this scrape in time"};
  gauge mailbox{"troupe_actor_mailbox_messages",
                "Messages that wait in the mailboxes of all actors of this "
                "name",
                "actor"};
  gauge in_flight{"troupe_api_calls_in_flight",
                  "Calls to the API server that have no response yet"};
  gauge window{"troupe_api_calls_window",
               "Calls to the API server that may be in flight at most now"};
  gauge waiting{"troupe_api_calls_waiting",
                "Calls, event writes and watches that wait in the operator "
                "until they may be sent",
                "type"};
  gauge held{"troupe_api_server_unavailable",
             "1 while calls are held back because the API server is not "
             "available"};
  gauge lag{"troupe_watch_lag_seconds",
            "Time since the last event, bookmark or complete list; API "
            "servers send a bookmark about once a minute",
            "resource"};

  void add_report(const json& report) {
    auto name = report.value("actor", "");
    if (name == "silent") {
      ++silent.at();
      return;
    }
    mailbox.at(name) += gauge_field_or_zero(report, "mailbox");
    if (name == "gateway")
      add_gateway_report(report);
    else if (name == "watcher")
      add_watcher_report(report);
    for (const auto& child : report.value("children", json::array()))
      add_report(child);
  }

  void add_gateway_report(const json& report) {
    in_flight.at() += gauge_field_or_zero(report, "underWay");
    window.at() += gauge_field_or_zero(report, "window");
    waiting.at("call") += gauge_field_or_zero(report, "waiting");
    waiting.at("event") += gauge_field_or_zero(report, "waitingEvents");
    waiting.at("watch") += gauge_field_or_zero(report, "waitingStreams");
    held.at() = std::max(held.at(), gauge_field_or_zero(report, "serverAway"));
  }

  void add_watcher_report(const json& report) {
    // Not there: nothing was listed yet, or the resource cannot be listed.
    if (report.value("secondsBehind", json{}).is_null())
      return;
    auto& oldest = lag.at(report.value("resource", ""));
    oldest = std::max(oldest, gauge_field_or_zero(report, "secondsBehind"));
  }
};

} // namespace

std::vector<MetricFamily> actor_metric_families(const json& report) {
  actor_gauges all;
  all.silent.at() = 0;
  if (report.is_null()) {
    all.silent.at() = 1;
    return {std::move(all.silent).to_metric_family()};
  }
  all.add_report(report);
  std::vector<MetricFamily> result;
  for (auto* g : {&all.silent, &all.mailbox, &all.in_flight, &all.window,
                  &all.waiting, &all.held, &all.lag})
    result.push_back(std::move(*g).to_metric_family());
  return result;
}

} // namespace troupe::actors
