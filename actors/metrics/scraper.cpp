#include "actors/metrics/scraper.hpp"

#include "actors/metrics/metrics.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

namespace {

/// Longer than the root waits for its actors; much shorter than Prometheus
/// waits for us.
constexpr std::chrono::milliseconds scrape_patience{1'000};

} // namespace

scraper_actor::behavior_type scraper(scraper_actor::pointer self,
                                     root_actor root,
                                     std::shared_ptr<const metrics> counters,
                                     std::function<k8s::time_point()> clock) {
  return {
      [=](const scrape& s) {
        auto reply = [=, back = s.back](const nlohmann::json& report) {
          k8s::http::response r;
          r.content_type = "text/plain; version=0.0.4; charset=utf-8";
          r.body = counters->exposition_text(clock(), report);
          back->reply(std::move(r));
        };
        self->request<caf::message_priority::high>(
                root, caf::duration{scrape_patience}, get_report{})
            .then([=](const report_ptr& r) { reply(*r); },
                  [=](caf::error&) { reply(nullptr); });
      },
  };
}

} // namespace troupe::actors
