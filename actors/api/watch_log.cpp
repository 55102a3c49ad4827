#include "actors/api/watch_log.hpp"

#include "config/logging.hpp"
#include "k8s/objects.hpp"

namespace troupe::actors {

void log_watch_news(const k8s::watch_course::step& next,
                    const k8s::resource& about, bool dispensable,
                    const char* file) {
  using news = k8s::watch_course::news;
  switch (next.tell) {
  case news::none:
    break;
  case news::not_found:
    log::warn("the server could not find the requested resource (CRD not "
              "installed?), will retry",
              {{"resource", about.plural}, {"apiVersion", about.api_version()}},
              file);
    break;
  case news::forbidden:
    if (dispensable)
      log::warn("failed to list resource: forbidden; jobs that need it are not "
                "reconciled",
                {{"resource", about.plural},
                 {"apiVersion", about.api_version()},
                 {"error", next.why.message}},
                file);
    else
      log::error("failed to list resource: forbidden; operator stays unready",
                 {{"resource", about.plural},
                  {"apiVersion", about.api_version()},
                  {"error", next.why.message}},
                 file);
    break;
  case news::keeps_failing:
    log::warn("watch keeps failing, will retry",
              {{"resource", about.plural}, {"error", next.why.message}}, file);
    break;
  case news::listed_again:
    log::info("listed resource again", {{"resource", about.plural}}, file);
    break;
  }
}

void log_watch_retry(const k8s::failure& why, const k8s::resource& about,
                     bool lists, std::chrono::milliseconds delay,
                     const char* file) {
  log::debug("watch ended, will retry",
             {{"resource", about.plural},
              {"error", why.message},
              {"relist", lists},
              {"delay_ms", delay.count()}},
             file);
}

void log_unreadable_object(const k8s::object& item, const k8s::resource& about,
                           const char* file) {
  log::warn("failed to read object, it is left out",
            {{"resource", about.plural},
             {"namespace", item.meta.ns},
             {"name", item.meta.name},
             {"error", item.unreadable()->why}},
            file);
}

} // namespace troupe::actors
