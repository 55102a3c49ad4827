#pragma once

#include "tests/k8s/apiserver/server_fixture.hpp"

namespace troupe::k8s::apiserver {

inline const std::string rbac = "/apis/rbac.authorization.k8s.io/v1";

/// A server that authorizes by roles.
struct rbac_fixture : server_fixture {
  explicit rbac_fixture(bool with_controllers = true)
      : server_fixture(5000, authorization_mode::rbac, with_controllers) {}

  /// `rules` as JSON text.
  void make_cluster_role(const std::string& name, const char* rules,
                         json labels = json::object()) {
    as_administrator([&] {
      auto a = post(rbac + "/clusterroles",
                    {{"metadata", {{"name", name}, {"labels", labels}}},
                     {"rules", json::parse(rules)}});
      BOOST_REQUIRE(a.status == 201);
    });
  }

  void make_role(const std::string& name, const char* rules) {
    as_administrator([&] {
      auto a =
          post(rbac + "/namespaces/default/roles",
               {{"metadata", {{"name", name}}}, {"rules", json::parse(rules)}});
      BOOST_REQUIRE(a.status == 201);
    });
  }

  static json binding(const std::string& name, const std::string& kind,
                      const std::string& role, const std::string& person) {
    return {{"metadata", {{"name", name}}},
            {"roleRef",
             {{"apiGroup", "rbac.authorization.k8s.io"},
              {"kind", kind},
              {"name", role}}},
            {"subjects", {{{"kind", "User"}, {"name", person}}}}};
  }

  /// Everywhere, or in the namespace default.
  void bind(const std::string& kind, const std::string& role,
            const std::string& person, bool is_everywhere = false) {
    as_administrator([&] {
      auto a = post(rbac
                        + (is_everywhere ? "/clusterrolebindings"
                                         : "/namespaces/default/rolebindings"),
                    binding(role + "-" + person, kind, role, person));
      BOOST_REQUIRE(a.status == 201);
    });
  }

  void ask_as(const std::string& name, std::vector<std::string> groups = {}) {
    groups.emplace_back("system:authenticated");
    user = std::make_shared<user_info>(user_info{name, std::move(groups)});
  }

private:
  template <class F>
  void as_administrator(F f) {
    auto who = std::exchange(user, nullptr);
    f();
    user = who;
  }
};

} // namespace troupe::k8s::apiserver
