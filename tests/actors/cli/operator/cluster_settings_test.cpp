#include "actors/cli/operator/cluster_settings.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(cluster_settings_test)

BOOST_AUTO_TEST_CASE(a_template_of_init_containers_may_be_empty) {
  struct row {
    const char* text;
    const char* containers; ///< "": it is refused.
  } rows[] = {
      {"- {name: a, image: b}", R"([{"image":"b","name":"a"}])"},
      {"[]", "[]"},
      {"", "[]"},
      {"\n# none\n", "[]"},
      {"---\n", "[]"},
      {"null", "[]"},
      {"- {image: b}", ""},
      {"{name: a}", ""},
      {"a", ""},
      {"[1]", ""},
  };
  config::settings s;
  for (const auto& r : rows) {
    auto result = cli::parse_init_container_template(r.text, "file.yaml", s);
    BOOST_TEST_CONTEXT(r.text) {
      BOOST_REQUIRE(static_cast<bool>(result) == (*r.containers != '\0'));
      if (result)
        BOOST_TEST(*result == r.containers);
      else
        BOOST_TEST(result.error().message.find("or an empty list")
                   != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_template_file_may_be_missing_but_not_unreadable) {
  struct row {
    const char* file;
    const char* why; ///< "": it is not refused.
  } rows[] = {
      {"/nonexistent", ""},
      {"/tmp", "/tmp: cannot be read: Is a directory"},
      {"/dev/zero", "/dev/zero: is longer than 64 MiB"},
  };
  for (const auto& r : rows) {
    config::settings s;
    s.pytorch_init_template = r.file;
    auto read = cli::load_cluster_options(s);
    BOOST_TEST((read ? "" : read.error().message)
               == (*r.why ? "--pytorch-init-container-template-file: "
                                + std::string{r.why}
                          : ""));
  }
}

BOOST_AUTO_TEST_SUITE_END()
