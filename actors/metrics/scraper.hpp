#pragma once

#include "actors/base/protocols.hpp"
#include "k8s/http/server.hpp"

namespace troupe::actors {

/// A request for the metrics, by Prometheus.
struct scrape {
  k8s::http::response_writer_ptr back;
};

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(scrape)

namespace troupe::actors {

/// Answers scrapes. For gauges that only an actor knows (mailboxes, windows,
/// the lag of watches) the root's actors are asked, by messages that overtake
/// those that wait. Supervisors are not asked, because there may be ten
/// thousand.
using scraper_actor = caf::typed_actor<
    // Answer it.
    caf::reacts_to<scrape>>;

scraper_actor::behavior_type scraper(scraper_actor::pointer self,
                                     root_actor root,
                                     std::shared_ptr<const metrics> counters,
                                     std::function<k8s::time_point()> clock);

} // namespace troupe::actors
