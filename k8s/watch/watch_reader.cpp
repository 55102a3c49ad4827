#include "k8s/watch/watch_reader.hpp"

#include "k8s/codec/codec.hpp"

namespace troupe::k8s {

namespace {

watch_event error_event(std::string why) {
  watch_event e;
  e.type = watch_event::kind::error;
  e.message = std::move(why);
  return e;
}

} // namespace

std::vector<watch_event> watch_reader::feed(std::string_view chunk) {
  std::vector<watch_event> events;
  if (chunk.empty())
    return events;
  // A length that began like JSON would be one of half a gigabyte.
  if (!framed_)
    framed_ = static_cast<unsigned char>(chunk.front()) < '\t';
  auto take = [&](result<watch_event> e) {
    events.push_back(e ? std::move(*e) : error_event(e.error().message));
  };
  bool whole =
      *framed_
          ? frames_.feed(chunk,
                         [&](std::string_view frame) {
                           take(decode_protobuf_watch_frame(frame, detail_));
                         })
          : lines_.feed(chunk, [&](std::string_view line) {
              if (!line.empty())
                take(decode_watch_line(line, detail_));
            });
  if (!whole)
    events.push_back(error_event("an event of the watch is too long"));
  return events;
}

} // namespace troupe::k8s
