#include "k8s/apiserver/api_server.hpp"
#include "k8s/apiserver/storage/object_database.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sqlite3.h>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(object_database_test)

namespace {

struct storage_fixture {
  std::unique_ptr<object_database> open() const {
    auto opened = open_object_database(directory + "/data");
    BOOST_REQUIRE(opened);
    return std::move(*opened);
  }

  std::string complaint() const {
    auto opened = open_object_database(directory + "/data");
    return opened ? "" : opened.error().message;
  }

  /// "bucket key" -> the member `n` of what is stored.
  static std::map<std::string, int> contents(object_database& s) {
    std::map<std::string, int> all;
    BOOST_REQUIRE(s.for_each_object(
        [&](const std::string& bucket, const std::string& key, json value) {
          all[bucket + " " + key] = value["n"];
        }));
    return all;
  }

  troupe::fixtures::scratch_directory scratch;
  const std::string& directory = scratch.path();
};

/// A database that refuses what is to be written.
struct full_database : object_database {
  result<nothing> for_each_object(
      const std::function<void(const std::string&, const std::string&, json)>&)
      override {
    return nothing{};
  }
  result<nothing> set_aside(const std::string&, const std::string&,
                            const std::string&) override {
    return nothing{};
  }
  bool is_set_aside(const std::string&, const std::string&) override {
    return false;
  }
  bool was_broken() const override { return false; }
  const std::vector<std::string>& damage() const override { return none; }
  std::uint64_t resource_version() const override { return 0; }
  void write_change(const change&) override {
    if (is_full)
      throw database_error{"objects.db cannot be written: disk full"};
  }
  bool is_full = false;
  std::vector<std::string> none;
};

http::response ask(api_server& server, const char* method,
                   const std::string& path, const json& body = nullptr) {
  http::request r;
  r.method = method;
  r.path = path;
  if (!body.is_null())
    r.body = body.dump();
  return server.handle(r);
}

json config_map(const char* name, const json& owner = nullptr) {
  json meta{{"name", name}};
  if (!owner.is_null())
    meta["ownerReferences"] = {{{"apiVersion", "v1"},
                                {"kind", "ConfigMap"},
                                {"name", owner["metadata"]["name"]},
                                {"uid", owner["metadata"]["uid"]}}};
  return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", meta}};
}

constexpr const char* maps = "/api/v1/namespaces/default/configmaps";

} // namespace

BOOST_FIXTURE_TEST_CASE(what_was_changed_is_there_when_it_is_opened_again,
                        storage_fixture) {
  {
    auto database = open();
    BOOST_TEST(database->resource_version() == 0u);
    store objects{10};
    objects.persist = [&](const change& c) { database->write_change(c); };
    objects.put("pods", "a/x", {{"n", 1}});
    objects.put("pods", "a/y", {{"n", 2}});
    objects.put("jobs", "a/x", {{"n", 3}});
    objects.put("pods", "a/x", {{"n", 4}});
    objects.remove("pods", "a/y");
    BOOST_TEST(database->resource_version() == objects.resource_version());
  }
  for (const auto& file :
       std::filesystem::directory_iterator{directory + "/data"}) {
    auto open_to_others =
        file.status().permissions() & std::filesystem::perms::others_all;
    BOOST_TEST((open_to_others == std::filesystem::perms::none), file.path());
  }
  auto database = open();
  const std::map<std::string, int> wanted{{"jobs a/x", 3}, {"pods a/x", 4}};
  BOOST_TEST(contents(*database) == wanted);
  BOOST_TEST(database->resource_version() == 6u); // The deletion's.
}

BOOST_FIXTURE_TEST_CASE(only_one_can_have_it_open, storage_fixture) {
  auto database = open();
  BOOST_TEST(complaint()
             == directory + "/data/objects.db: another process has it open");
  database.reset();
  BOOST_TEST(complaint() == "");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_storage_of_ours_is_refused,
                        storage_fixture) {
  auto run_sql = [&](const char* sql) {
    sqlite3* file = nullptr;
    sqlite3_open((directory + "/data/objects.db").c_str(), &file);
    BOOST_TEST(sqlite3_exec(file, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(file);
  };
  open();
  run_sql("PRAGMA user_version = 2");
  BOOST_TEST(complaint().find("was made by a newer troupe")
             != std::string::npos);
  run_sql("PRAGMA user_version = 1; PRAGMA application_id = 1");
  BOOST_TEST(complaint().find("of another program") != std::string::npos);
  std::ofstream{directory + "/data/objects.db"} << "some text that is long "
                                                   "enough to be a header";
  BOOST_TEST(complaint().find("/data/objects.db: file is not a database")
             != std::string::npos);
  std::ofstream{directory + "/file"};
  auto opened = open_object_database(directory + "/file");
  BOOST_REQUIRE(!opened);
  BOOST_TEST(opened.error().message.find(directory + "/file") == 0u);
}

BOOST_FIXTURE_TEST_CASE(an_api_server_goes_on_with_it, storage_fixture) {
  json owner;
  std::uint64_t version = 0;
  {
    auto database = open();
    server_environment environment;
    environment.database = database.get();
    api_server server{environment};
    BOOST_REQUIRE(server.load());
    owner = json::parse(ask(server, "POST", maps, config_map("owner")).body);
    ask(server, "POST", maps, config_map("owned", owner));
    ask(server, "POST", maps, config_map("gone"));
    ask(server, "DELETE", std::string{maps} + "/gone");
    version = server.objects().resource_version();
  }
  auto database = open();
  server_environment environment;
  environment.database = database.get();
  api_server server{environment};
  BOOST_REQUIRE(server.load());
  BOOST_TEST(server.objects().resource_version() == version);
  BOOST_TEST(!server.objects().changes_after("configmaps", version - 1));
  auto list = json::parse(ask(server, "GET", maps).body);
  BOOST_TEST(list["items"].size() == 2u);
  BOOST_TEST(list["items"][1]["metadata"]["uid"] == owner["metadata"]["uid"]);
  // Who owns whom is known, too.
  ask(server, "DELETE", std::string{maps} + "/owner");
  while (server.collect_garbage() > 0) {
  }
  BOOST_TEST(ask(server, "GET", std::string{maps} + "/owned").status == 404);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_does_not_happen) {
  full_database database;
  server_environment environment;
  environment.database = &database;
  api_server server{environment};
  BOOST_REQUIRE(server.load());
  database.is_full = true;
  auto version = server.objects().resource_version();
  auto answer = ask(server, "POST", maps, config_map("a"));
  BOOST_TEST(answer.status == 500);
  BOOST_TEST(answer.body.find("disk full") != std::string::npos);
  BOOST_TEST(ask(server, "GET", std::string{maps} + "/a").status == 404);
  BOOST_TEST(server.objects().resource_version() == version);
  database.is_full = false;
  BOOST_TEST(ask(server, "POST", maps, config_map("a")).status == 201);
}

BOOST_AUTO_TEST_SUITE_END()
