#include "k8s/codec/codec.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::k8s;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(codec_parts_test)

BOOST_AUTO_TEST_CASE(codes_and_reasons_say_what_to_do_next) {
  struct {
    int status;
    const char* reason;
    ec code;
  } const rows[] = {
      {400, "BadRequest", ec::invalid},
      {401, "Unauthorized", ec::unauthenticated},
      {403, "Forbidden", ec::forbidden},
      {404, "NotFound", ec::not_found},
      {405, "MethodNotAllowed", ec::invalid},
      {408, "", ec::timeout},
      {409, "AlreadyExists", ec::exists},
      {409, "Conflict", ec::conflict},
      {409, "", ec::conflict},
      {410, "Expired", ec::expired},
      {410, "Gone", ec::expired},
      {412, "", ec::conflict},
      {413, "RequestEntityTooLarge", ec::invalid},
      {415, "UnsupportedMediaType", ec::invalid},
      {422, "Invalid", ec::invalid},
      {429, "TooManyRequests", ec::overloaded},
      {500, "InternalError", ec::server_error},
      {500, "ServerTimeout", ec::server_error},
      {500, "Timeout", ec::timeout},
      {502, "", ec::server_error},
      {503, "ServiceUnavailable", ec::overloaded},
      {504, "Timeout", ec::timeout},
      {504, "", ec::timeout},
      {301, "", ec::invalid},
  };
  for (const auto& row : rows) {
    json status{{"kind", "Status"},
                {"message", "no pods today"},
                {"reason", row.reason},
                {"code", row.status}};
    auto f = decode_status(status.dump(), row.status);
    BOOST_CHECK_MESSAGE(f.code == row.code, row.status << " " << row.reason
                                                       << " gave "
                                                       << to_string(f.code));
    BOOST_CHECK_EQUAL(f.message, "no pods today");
    BOOST_CHECK(!f.retry_after);
  }
}

BOOST_AUTO_TEST_CASE(a_status_may_say_when_to_come_back) {
  using namespace std::chrono_literals;
  const std::pair<const char*, std::optional<std::chrono::milliseconds>>
      rows[] = {{"2", 2s},
                {"0", std::nullopt},
                {"-1", std::nullopt},
                {"\"2\"", std::nullopt},
                {"999999", 1h},
                {"9223372036854775807", std::nullopt}};
  for (const auto& [text, wait] : rows) {
    auto f = decode_status(
        R"({"kind":"Status","code":429,"details":{"retryAfterSeconds":)"
            + std::string{text} + "}}",
        429);
    BOOST_CHECK(f.code == ec::overloaded);
    BOOST_CHECK_MESSAGE(f.retry_after == wait, text);
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_that_is_no_status_is_named_after_its_code) {
  auto html = decode_status("<html>\r\nbad gateway", 502);
  BOOST_CHECK(html.code == ec::server_error);
  BOOST_CHECK_EQUAL(html.message,
                    "the server answered 502: <html>??bad gateway");
  auto empty = decode_status("", 404);
  BOOST_CHECK(empty.code == ec::not_found);
  BOOST_CHECK_EQUAL(empty.message, "the server answered 404");
  BOOST_CHECK(decode_status("[1]", 503).code == ec::overloaded);
  BOOST_CHECK(decode_status("\"text\"", 500).code == ec::server_error);
}

BOOST_AUTO_TEST_SUITE_END()
