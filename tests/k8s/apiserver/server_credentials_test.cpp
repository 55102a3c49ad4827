#include "k8s/apiserver/server_credentials.hpp"
#include "k8s/http/certificate_reader.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(server_credentials_test)

namespace {

const auto today = *from_rfc3339("2026-01-01T00:00:00Z");

struct credentials_fixture {
  server_credentials made(const std::string& where, time_point now = today) {
    auto c = load_or_create_server_credentials({"10.1.2.3", "host.example"},
                                               where, now);
    BOOST_REQUIRE_MESSAGE(c, (c ? "" : c.error().message));
    return std::move(*c);
  }

  std::string complaint() {
    auto c = load_or_create_server_credentials({}, directory, today);
    return c ? "" : c.error().message;
  }

  troupe::fixtures::scratch_directory scratch;
  const std::string& directory = scratch.path();
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_certificate_is_for_all_names, credentials_fixture) {
  auto c = made("");
  BOOST_TEST(http::is_signed_by(c.server_certificate.certificate,
                                c.authority.certificate));
  BOOST_TEST(http::key_matches_certificate(c.server_certificate));
  for (const char* name : {"10.1.2.3", "host.example"})
    BOOST_TEST(http::is_issued_for(c.server_certificate.certificate, name),
               name);
  BOOST_TEST(
      !http::is_issued_for(c.server_certificate.certificate, "other.example"));
  BOOST_TEST(made("").token != c.token);
}

BOOST_FIXTURE_TEST_CASE(they_are_kept_for_their_owner, credentials_fixture) {
  auto before = made(directory);
  auto after = made(directory);
  BOOST_TEST(after.token == before.token);
  BOOST_TEST(after.token_key == before.token_key);
  BOOST_TEST(after.authority.certificate == before.authority.certificate);
  BOOST_TEST(http::is_signed_by(after.server_certificate.certificate,
                                before.authority.certificate));
  int count = 0;
  for (const auto& file : fs::directory_iterator(directory)) {
    struct stat s {};
    BOOST_REQUIRE(::stat(file.path().c_str(), &s) == 0);
    BOOST_TEST((s.st_mode & 0777u) == 0600u, file.path());
    ++count;
  }
  BOOST_TEST(count == 3);
  // Nine years later the authority would expire before a certificate does.
  auto late = made(directory, today + std::chrono::hours{24 * 365 * 9 + 24});
  BOOST_TEST(late.authority.certificate != before.authority.certificate);
  BOOST_TEST(late.token == before.token);
}

BOOST_FIXTURE_TEST_CASE(an_authority_that_cannot_be_renewed_stays,
                        credentials_fixture) {
  auto before = made(directory);
  auto path = directory + "/authority.pem";
  fs::create_directory(path + ".new"); // In the way of a new one.
  auto late = load_or_create_server_credentials(
      {}, directory, today + std::chrono::hours{24 * 365 * 9 + 24});
  BOOST_REQUIRE(!late);
  BOOST_TEST(late.error().message.find(
                 path
                 + " expires within a year and cannot be renewed: cannot "
                   "write "
                 + path + ".new: ")
                 == 0u,
             late.error().message);
  BOOST_TEST(made(directory).authority.certificate
             == before.authority.certificate);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_cannot_be_used_is_named,
                        credentials_fixture) {
  for (const char* name : {"authority.pem", "token", "token-key.pem"}) {
    made(directory);
    auto path = directory + "/" + name;
    BOOST_REQUIRE(::chmod(path.c_str(), 0644) == 0);
    BOOST_TEST(complaint().find(path + " is a secret that others can read")
               == 0u);
    BOOST_REQUIRE(::chmod(path.c_str(), 0600) == 0);
    std::ofstream{path} << "nonsense";
    BOOST_TEST(complaint().find(path + ": ") == 0u, complaint());
    BOOST_TEST(complaint().find("remove it") != std::string::npos);
    fs::remove(path);
  }
  BOOST_TEST(complaint() == "");
}

BOOST_AUTO_TEST_SUITE_END()
