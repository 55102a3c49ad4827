#include "k8s/watch/watch_reader.hpp"
#include "tests/k8s/codec/protobuf_writer.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::k8s;
using nlohmann::json;
using kind = watch_event::kind;

BOOST_AUTO_TEST_SUITE(watch_reader_test)

BOOST_AUTO_TEST_CASE(a_stream_is_lines_or_frames_however_it_is_cut) {
  auto meta = [](const char* name) {
    return json{{"metadata", {{"name", name}}}};
  };
  std::string lines;
  std::string frames;
  for (const char* name : {"one", "two", "three"}) {
    lines += json{{"type", "ADDED"}, {"object", meta(name)}}.dump() + "\n";
    frames += with_length(protobuf_frame(
        "ADDED", protobuf_of(meta(name), "PartialObjectMetadata")));
  }
  for (const auto& stream : {lines, frames})
    for (std::size_t i = 0; i <= stream.size(); ++i)
      for (auto j = i; j <= stream.size(); j += 3) {
        watch_reader reader{object_detail::metadata};
        std::string names;
        std::string_view all{stream};
        for (auto piece :
             {all.substr(0, i), all.substr(i, j - i), all.substr(j)})
          for (const auto& e : reader.feed(piece))
            names += (e.item ? e.item->meta.name : e.message) + " ";
        BOOST_REQUIRE_EQUAL(names, "one two three ");
      }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_an_error_that_says_why) {
  watch_reader lines{object_detail::metadata};
  auto events = lines.feed("nonsense\n\n{\"type\":\"ADDED\",\"object\":{"
                           "\"metadata\":{\"name\":\"a\"}}}\n");
  BOOST_REQUIRE(events.size() == 2u); // An empty line is none.
  BOOST_TEST((events[0].type == kind::error));
  BOOST_TEST(events[0].code == 0);
  BOOST_TEST(events[0].message.find("nonsense") != std::string::npos);
  BOOST_TEST((events[1].type == kind::added));

  watch_reader frames{object_detail::metadata};
  BOOST_TEST(frames.feed("").empty()); // Says nothing about the format.
  events = frames.feed(with_length("nonsense"));
  BOOST_REQUIRE(events.size() == 1u);
  BOOST_TEST((events[0].type == kind::error));

  watch_reader reader{object_detail::pod};
  events = reader.feed(std::string{"\x08\xff\xff\xff", 4});
  BOOST_REQUIRE(events.size() == 1u);
  BOOST_TEST((events[0].type == kind::error));
  BOOST_TEST(events[0].message == "an event of the watch is too long");
}

BOOST_AUTO_TEST_SUITE_END()
