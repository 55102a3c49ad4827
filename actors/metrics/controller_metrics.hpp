#pragma once

#include "actors/metrics/families.hpp"
#include "actors/metrics/metrics.hpp"

#include <string>

namespace troupe::actors {

// The metrics of controller-runtime. Included by the sources of metrics only.

/// The families of controller-runtime that have a meaning here.
struct controller_families {
  explicit controller_families(prometheus::Registry& r);

  prometheus::Family<prometheus::Counter>& reconciles;
  prometheus::Family<prometheus::Counter>& errors;
  prometheus::Family<prometheus::Histogram>& times;
  prometheus::Family<prometheus::Gauge>& at_once;
  prometheus::Family<prometheus::Gauge>& active;
  prometheus::Family<prometheus::Gauge>& depth;
  prometheus::Family<prometheus::Counter>& adds;
  prometheus::Family<prometheus::Histogram>& waits;
  prometheus::Family<prometheus::Histogram>& works;
  prometheus::Family<prometheus::Counter>& retries;
};

/// The families of its webhooks.
struct webhook_families {
  explicit webhook_families(prometheus::Registry& r);

  prometheus::Family<prometheus::Counter>& requests;
  prometheus::Family<prometheus::Histogram>& times;
  prometheus::Family<prometheus::Gauge>& active;
};

/// The metrics of one path.
class path_meter : public webhook_meter {
public:
  path_meter(webhook_families& f, const std::string& path);

  void on_review_started() override;
  void on_review_ended(int status, double seconds) override;

private:
  std::string path_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Histogram& times_;
  prometheus::Gauge& active_;
};

/// The metrics of one controller.
class controller_meter : public reconcile_meter {
public:
  controller_meter(controller_families& f, const std::string& name);

  void on_reconcile_queued() override;
  void on_reconcile_dropped() override;
  void on_reconcile_started(double waited) override;
  void on_reconcile_ended(double took, bool requeued) override;
  void count_failed_order() override;

  prometheus::Gauge& at_once;

private:
  prometheus::Counter& succeeded_;
  prometheus::Counter& again_;
  prometheus::Counter& failed_;
  prometheus::Counter& errors_;
  prometheus::Histogram& times_;
  prometheus::Gauge& active_;
  prometheus::Gauge& depth_;
  prometheus::Counter& adds_;
  prometheus::Histogram& waits_;
  prometheus::Histogram& works_;
  prometheus::Counter& retries_;
};

} // namespace troupe::actors
