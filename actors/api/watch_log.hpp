#pragma once

#include "k8s/watch/watch_course.hpp"

#include <chrono>

namespace troupe::k8s {
struct object;
struct resource;
} // namespace troupe::k8s

namespace troupe::actors {

// What a watcher writes into the log about its resource. `file` is that of the
// caller, whose lines these are.

/// What the step tells, if anything. `dispensable`: the operator becomes ready
/// without the resource.
void log_watch_news(const k8s::watch_course::step& next,
                    const k8s::resource& about, bool dispensable,
                    const char* file = __builtin_FILE());
/// `lists`: everything is listed again then.
void log_watch_retry(const k8s::failure& why, const k8s::resource& about,
                     bool lists, std::chrono::milliseconds delay,
                     const char* file = __builtin_FILE());
void log_unreadable_object(const k8s::object& item, const k8s::resource& about,
                           const char* file = __builtin_FILE());

} // namespace troupe::actors
