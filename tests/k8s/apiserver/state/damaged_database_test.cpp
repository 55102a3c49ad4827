#include "k8s/apiserver/api_server.hpp"
#include "k8s/apiserver/storage/object_database.hpp"
#include "tests/fixtures/scratch_directory.hpp"
#include "tests/k8s/apiserver/custom_resource_fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sqlite3.h>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(damaged_database_test)

namespace {

/// A server with what a data directory has.
struct kept_server {
  explicit kept_server(const std::string& directory) {
    auto opened = open_object_database(directory);
    if (!opened)
      BOOST_FAIL(opened.error().message);
    database = std::move(*opened);
    server_environment environment;
    environment.database = database.get();
    core = std::make_unique<api_server>(environment);
    auto loaded = core->load();
    if (!loaded)
      BOOST_FAIL(loaded.error().message);
  }

  http::response ask(const char* method, const std::string& path,
                     const json& body = nullptr) {
    http::request r;
    r.method = method;
    r.path = path;
    if (!body.is_null())
      r.body = body.dump();
    return core->handle(r);
  }

  /// Name -> data of the config maps.
  std::map<std::string, std::string> maps() {
    std::map<std::string, std::string> out;
    auto list = json::parse(ask("GET", apiserver::maps).body);
    for (const auto& item : list["items"])
      if (auto* data = find_value(item, {"data", "x"}))
        out[text_at(item, {"metadata", "name"})] = *data;
    return out;
  }

  std::unique_ptr<object_database> database;
  std::unique_ptr<api_server> core;
};

json map_of(int number) {
  auto out = config_map("m" + std::to_string(number));
  out["data"]["x"] = std::string(300 + 97 * (number % 60), 'a');
  return out;
}

struct damaged_fixture {
  damaged_fixture() {
    kept_server server{directory};
    server.ask("POST", crds, crd());
    server.ask("POST", jobs, job({{"size", 1}}));
    for (int i = 0; i < most_maps; ++i)
      server.ask("POST", maps, map_of(i));
    whole = server.maps();
    version = server.core->objects().resource_version();
  }

  void run_sql(const std::string& sql) const {
    sqlite3* opened = nullptr;
    sqlite3_open(file.c_str(), &opened);
    BOOST_TEST(sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, nullptr)
               == SQLITE_OK);
    sqlite3_close(opened);
  }

  std::string bytes() const {
    std::ifstream from{file, std::ios::binary};
    return {std::istreambuf_iterator<char>(from), {}};
  }

  void write(const std::string& all) const {
    std::ofstream{file, std::ios::binary} << all;
  }

  static constexpr int most_maps = 120;
  troupe::fixtures::scratch_directory scratch;
  const std::string directory = scratch.path() + "/data";
  const std::string file = directory + "/objects.db";
  std::map<std::string, std::string> whole;
  std::uint64_t version = 0;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(an_object_that_cannot_be_read_is_set_aside,
                        damaged_fixture) {
  struct row {
    const char* change; ///< Of the value of m7.
    const char* why;
  } rows[] = {
      {"substr(value, 1, 100)", "string"},
      {"'[]'", "it has no metadata"},
      {"'{}'", "it has no metadata"},
      {"replace(value, '\"m7\"', '\"m8\"')", "it names itself default/m8"},
      {"replace(value, '\"uid\"', '\"vid\"')", "it has no uid"},
      {"replace(value, 'ConfigMap', 'ConfigMaq')", "it is of another resource"},
      {"replace(value, '{\"x\":', '{\"x\":1,\"y\":')", "data.x"},
      {"replace(value, '\"data\":{', '\"labels\":7,\"data\":{')", ""},
  };
  const auto kept = bytes();
  for (const auto& r : rows) {
    write(kept);
    run_sql(std::string{"UPDATE objects SET value = "} + r.change
            + " WHERE key = 'default/m7'");
    auto left = whole;
    {
      kept_server server{directory};
      const auto& damage = server.database->damage();
      if (!*r.why) { // An unknown field does no harm.
        BOOST_TEST(damage.empty());
        continue;
      }
      left.erase("m7");
      BOOST_REQUIRE_MESSAGE(damage.size() == 1u, r.change);
      BOOST_TEST(damage[0].find("configmaps default/m7 cannot be read and was "
                                "set aside: ")
                     != std::string::npos,
                 damage[0]);
      BOOST_TEST(damage[0].find(r.why) != std::string::npos, damage[0]);
      BOOST_TEST(server.maps() == left);
      // There is room for another.
      BOOST_TEST(server.ask("POST", maps, map_of(7)).status == 201);
    }
    kept_server again{directory};
    BOOST_TEST(again.database->damage().empty());
    BOOST_TEST(again.maps() == whole);
  }
}

// What was damaged may have been there until a moment ago.
BOOST_FIXTURE_TEST_CASE(objects_stay_when_their_owner_cannot_be_read,
                        damaged_fixture) {
  auto collect = [](kept_server& s) {
    while (s.core->collect_garbage() > 0) {
    }
  };
  auto make_owned = [&](kept_server& s, const char* name,
                        const std::string& owner) {
    auto m = config_map(name);
    auto made = json::parse(s.ask("GET", owner).body);
    m["metadata"]["ownerReferences"] = {{{"apiVersion", made["apiVersion"]},
                                         {"kind", made["kind"]},
                                         {"name", made["metadata"]["name"]},
                                         {"uid", made["metadata"]["uid"]}}};
    s.ask("POST", maps, m);
  };
  {
    kept_server s{directory};
    make_owned(s, "of-map", maps + "/m7");
    make_owned(s, "of-job", jobs + "/j");
  }
  run_sql("UPDATE objects SET value = '{' WHERE key = 'default/m7'");
  run_sql("UPDATE objects SET value = '{' WHERE key = 'default/j'");
  auto there = [](kept_server& s, const char* name) {
    return s.ask("GET", maps + "/" + name).status == 200;
  };
  for (int start = 0; start < 2; ++start) { // Also the next time.
    kept_server s{directory};
    collect(s);
    BOOST_TEST(there(s, "of-map"));
    BOOST_TEST(there(s, "of-job"));
  }
  // Another has its place: it is gone for good.
  kept_server s{directory};
  collect(s);
  s.ask("POST", maps, map_of(7));
  collect(s);
  BOOST_TEST(!there(s, "of-map"));
  BOOST_TEST(there(s, "of-job"));
  // One that is deleted is gone as ever.
  make_owned(s, "of-other", maps + "/m8");
  s.ask("DELETE", maps + "/m8");
  collect(s);
  BOOST_TEST(!there(s, "of-other"));
}

BOOST_FIXTURE_TEST_CASE(objects_stay_when_their_definition_cannot_be_read,
                        damaged_fixture) {
  for (auto damage : {"'{'", "'{}'", "replace(value, '\"versions\"', '\"v\"')",
                      "replace(value, '\"group\":', '\"g\":')"}) {
    run_sql(std::string{"UPDATE objects SET value = "} + damage
            + " WHERE key = '/jobs.x.io'");
    {
      kept_server server{directory};
      BOOST_TEST(server.database->damage().size() == 1u);
      BOOST_TEST(server.ask("GET", jobs + "/j").status == 404);
    }
    kept_server server{directory};
    BOOST_TEST(server.database->damage().empty());
    BOOST_TEST(server.ask("POST", crds, crd()).status == 201);
    BOOST_TEST(server.ask("GET", jobs + "/j").status == 200);
  }
}

BOOST_FIXTURE_TEST_CASE(a_file_with_broken_bytes_gives_what_it_has,
                        damaged_fixture) {
  const auto kept = bytes();
  int broken = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    for (const auto& old : std::filesystem::directory_iterator{directory})
      if (old.path().string().find("objects.db") != std::string::npos)
        std::filesystem::remove(old.path());
    auto all = kept;
    std::mt19937 random{seed};
    for (int i = 0; i < 8; ++i) // Behind the header, which says what it is.
      all[100 + random() % (all.size() - 100)] ^=
          static_cast<char>(1 + random() % 255);
    write(all);
    std::map<std::string, std::string> there;
    {
      kept_server server{directory};
      broken += server.database->was_broken();
      there = server.maps();
      // What is gone is told.
      BOOST_TEST(
          (there.size() == whole.size() || !server.database->damage().empty()),
          seed);
      BOOST_TEST(there.size() + 60 >= whole.size(), seed);
      BOOST_TEST(server.core->objects().resource_version() >= version, seed);
      if (server.database->was_broken())
        BOOST_TEST(server.database->damage()[0].find("the damaged file is kept "
                                                     "as ")
                       != std::string::npos,
                   seed);
      // It can be written.
      BOOST_TEST(server.ask("POST", maps, config_map("new")).status == 201);
    }
    kept_server again{directory};
    BOOST_TEST(again.database->damage().empty(), seed);
    BOOST_TEST(again.maps() == there, seed);
    BOOST_TEST(again.ask("GET", maps + "/new").status == 200, seed);
  }
  BOOST_TEST(broken > 5);
}

// Each change gives a row a new number: after millions of changes, those that
// are left are far apart.
BOOST_FIXTURE_TEST_CASE(rows_between_broken_pages_are_found_however_far_apart,
                        damaged_fixture) {
  run_sql("UPDATE objects SET rowid = rowid * 7000000");
  run_sql("VACUUM");
  const auto kept = bytes();
  constexpr std::size_t page = 4096;
  constexpr char table_leaf = 13, index_leaf = 10, index_interior = 2;
  auto pages_of = [&](std::initializer_list<char> types) {
    std::vector<std::size_t> out;
    for (auto at = page; at + page <= kept.size(); at += page)
      if (std::count(types.begin(), types.end(), kept[at]) > 0)
        out.push_back(at);
    return out;
  };
  const auto leaves = pages_of({table_leaf});
  BOOST_REQUIRE(leaves.size() > 12u);
  for (bool with_index : {true, false}) {
    for (const auto& old : std::filesystem::directory_iterator{directory})
      std::filesystem::remove(old.path());
    auto all = kept;
    for (std::size_t i :
         {leaves.size() / 3, leaves.size() / 2, 2 * leaves.size() / 3})
      all[leaves[i]] = 'x';
    if (!with_index)
      for (auto at : pages_of({index_leaf, index_interior}))
        all[at] = 'x';
    write(all);
    kept_server server{directory};
    BOOST_TEST(server.database->was_broken());
    // Each of the three pages has some rows.
    auto there = server.maps();
    BOOST_TEST(there.size() < whole.size());
    BOOST_TEST(there.size() + 40 >= whole.size());
    if (with_index)
      BOOST_TEST(there.size() + server.database->damage().size() - 1
                 == whole.size());
  }
}

BOOST_FIXTURE_TEST_CASE(a_broken_first_page_is_as_another, damaged_fixture) {
  auto all = bytes();
  for (std::size_t i = 100; i < 4096; ++i)
    all[i] = static_cast<char>(i);
  write(all);
  kept_server server{directory};
  BOOST_TEST(server.database->was_broken());
  BOOST_TEST(server.maps() == whole);
  BOOST_TEST(server.ask("GET", jobs + "/j").status == 200);
}

BOOST_AUTO_TEST_CASE(a_pod_that_was_just_bound_is_not_damaged) {
  troupe::fixtures::scratch_directory scratch;
  const std::string pods = "/api/v1/namespaces/n/pods";
  {
    kept_server s{scratch.path()};
    s.ask("POST", "/api/v1/namespaces", {{"metadata", {{"name", "n"}}}});
    BOOST_REQUIRE(s.ask("POST", pods, apiserver::pod("a")).status == 201);
    BOOST_REQUIRE(s.ask("POST", pods + "/a/binding",
                        {{"target", {{"kind", "Node"}, {"name", "x"}}}})
                      .status
                  == 201);
  }
  kept_server s{scratch.path()};
  BOOST_TEST(s.database->damage().empty());
  BOOST_TEST(s.ask("GET", pods + "/a").status == 200);
}

BOOST_AUTO_TEST_SUITE_END()
