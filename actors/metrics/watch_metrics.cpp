#include "actors/metrics/watch_metrics.hpp"

#include "actors/metrics/families.hpp"

namespace troupe::actors {

class watch_metrics::resource_meter : public watch_meter {
public:
  resource_meter(watch_metrics& all, const std::string& resource)
      : resource_(resource)
      , lists_(all.lists_.Add({{"resource", resource}}))
      , events_(all.events_.Add({{"resource", resource}}))
      , restarts_(all.restarts_) {
    // Rates need a first value.
    for (const char* reason : {"closed", "expired"})
      restarts_.Add({{"resource", resource}, {"reason", reason}});
  }

  void count_list() override { lists_.Increment(); }
  void count_watch_event() override { events_.Increment(); }
  void count_watch_end(const char* reason) override {
    restarts_.Add({{"resource", resource_}, {"reason", reason}}).Increment();
  }

private:
  std::string resource_;
  prometheus::Counter& lists_;
  prometheus::Counter& events_;
  prometheus::Family<prometheus::Counter>& restarts_;
};

watch_metrics::watch_metrics(prometheus::Registry& r)
    : lists_(
        add_counter_family(r, "troupe_relists_total",
                           "Complete lists that were started, by resource"))
    , events_(add_counter_family(r, "troupe_watch_events_total",
                                 "Watch events received, bookmarks included"))
    , restarts_(add_counter_family(
          r, "troupe_watch_restarts_total",
          "Watches that ended and are opened again; reason "
          "closed: by the server, when their time was over")) {}

watch_metrics::~watch_metrics() = default;

watch_meter& watch_metrics::meter_of(const std::string& resource) {
  std::lock_guard guard{mutex_};
  auto& meter = resources_[resource];
  if (!meter)
    meter = std::make_unique<resource_meter>(*this, resource);
  return *meter;
}

} // namespace troupe::actors
