#include "actors/metrics/families.hpp"

namespace troupe::actors {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

Family<Counter>& add_counter_family(Registry& r, const char* name,
                                    const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(r);
}

Family<Gauge>& add_gauge_family(Registry& r, const char* name,
                                const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(r);
}

Family<Histogram>& add_histogram_family(Registry& r, const char* name,
                                        const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(r);
}

Counter& add_counter(Registry& r, const char* name, const char* help) {
  return add_counter_family(r, name, help).Add({});
}

Gauge& add_gauge(Registry& r, const char* name, const char* help) {
  return add_gauge_family(r, name, help).Add({});
}

} // namespace troupe::actors
