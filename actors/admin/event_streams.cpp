#include "actors/admin/event_streams.hpp"

#include "actors/admin/admin_responses.hpp"
#include "k8s/json.hpp"

#include <functional>

namespace troupe::actors {

using nlohmann::json;

namespace {

/// The report without what changes although nothing happens: ages and such.
json remove_volatile_fields(json report) {
  if (!report.is_object())
    return report;
  for (const char* changing : {"at", "ageSeconds", "mailbox", "lastMessage"})
    report.erase(changing);
  if (report.contains("waitingFor")) // The text has the time left.
    report["waitingFor"].erase("text");
  for (const char* list : {"expectations", "timers"})
    if (report.contains(list))
      for (auto& row : report[list])
        for (const char* age : {"ageSeconds", "heldForSeconds", "inSeconds"})
          row.erase(age);
  return report;
}

} // namespace

std::uint64_t event_streams::open_stream(k8s::http::response_writer_ptr back,
                                         stream_subject subject) {
  back->start(make_stream_head());
  event_stream s;
  s.back = std::move(back);
  s.subject = std::move(subject);
  streams_.emplace(next_stream_, std::move(s));
  return next_stream_++;
}

std::vector<event_streams::due_request>
event_streams::send_heartbeats_and_take_due() {
  std::vector<due_request> result;
  for (auto& [number, s] : streams_) {
    if (++s.looks_without_event >= looks_per_heartbeat) {
      s.back->write(stream_heartbeat);
      s.looks_without_event = 0;
    }
    if (!std::exchange(s.waiting, true))
      result.push_back({number, s.subject});
  }
  return result;
}

event_streams::event_stream*
event_streams::find_and_mark_answered(std::uint64_t stream) {
  auto i = streams_.find(stream);
  if (i == streams_.end())
    return nullptr;
  i->second.waiting = false;
  return &i->second;
}

void event_streams::on_job_changes(std::uint64_t stream,
                                   const job_changes& changes,
                                   k8s::time_point now) {
  auto* s = find_and_mark_answered(stream);
  if (!s || changes.revision == s->subject.revision)
    return;
  s->subject.revision = changes.revision;
  s->looks_without_event = 0;
  s->back->write(format_stream_event("jobs", to_json(changes, now)));
}

void event_streams::on_job_report(std::uint64_t stream, const json& report) {
  auto* s = find_and_mark_answered(stream);
  if (!s)
    return;
  auto hash =
      std::hash<std::string>{}(k8s::to_text(remove_volatile_fields(report)));
  if (hash == s->last_report)
    return;
  s->last_report = hash;
  s->looks_without_event = 0;
  s->back->write(
      format_stream_event(report.is_null() ? "gone" : "job", report));
}

void event_streams::on_no_answer(std::uint64_t stream) {
  find_and_mark_answered(stream);
}

} // namespace troupe::actors
