#include "k8s/apiserver/state/server_state.hpp"

#include "k8s/apiserver/access/policy_updates.hpp"
#include "k8s/apiserver/schema/schema_validation.hpp"
#include "k8s/apiserver/state/custom_resource_definitions.hpp"
#include "k8s/apiserver/state/loaded_objects.hpp"
#include "k8s/apiserver/storage/object_database.hpp"

#include <random>

namespace troupe::k8s::apiserver {

namespace {

server_environment with_default_clock_and_random(server_environment e) {
  if (!e.now)
    e.now = [] { return std::chrono::system_clock::now(); };
  if (!e.random) {
    std::random_device seed;
    auto engine = std::make_shared<std::mt19937_64>(
        (std::uint64_t(seed()) << 32) | seed());
    e.random = [engine] { return (*engine)(); };
  }
  return e;
}

} // namespace

const user_ptr& admin_user() {
  static const user_ptr one = std::make_shared<user_info>(
      user_info{"troupe", {"system:masters", "system:authenticated"}});
  return one;
}

server_state::server_state(server_environment e)
    : environment(with_default_clock_and_random(std::move(e)))
    , objects(environment.history) {
  objects.on_change = [this](const change_ptr& c) {
    owners.apply_change(*c);
    apply_change_to_policy(policy, *c);
    register_crd_or_purge_objects(*this, *c);
    if (c->bucket == crd_bucket && c->type != change::kind::deleted)
      owners.add_candidates_with_missing_owner();
    watches.broadcast_change(c);
    if (observe_change)
      observe_change(*c);
  };
}

std::string server_state::new_uid() {
  static constexpr char hex[] = "0123456789abcdef";
  std::string out = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
  auto bits = environment.random();
  int left = 16;
  for (char& c : out) {
    if (c != 'x')
      continue;
    if (left-- == 0) {
      bits = environment.random();
      left = 15;
    }
    c = hex[bits & 15];
    bits >>= 4;
  }
  return out;
}

std::string server_state::random_suffix() {
  // Without vowels and look-alikes, so that no words come out.
  static constexpr char letters[] = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  auto bits = environment.random();
  for (int i = 0; i < 5; ++i) {
    out += letters[bits % (sizeof letters - 1)];
    bits /= sizeof letters - 1;
  }
  return out;
}

const rbac_policy* server_state::enforced_policy() const {
  return environment.authorization == authorization_mode::rbac ? &policy
                                                               : nullptr;
}

result<token_signer*> server_state::get_or_make_token_signer() {
  if (!signer_) {
    const auto& key = environment.token_key;
    auto made = key.empty() ? make_token_signer() : make_token_signer(key);
    if (!made)
      return made.error();
    signer_ = std::move(*made);
  }
  return signer_.get();
}

namespace {

/// One that is in the database, and that nobody could work with.
struct unusable_object {
  std::string bucket, key, why;
};
using unusable_objects = std::vector<unusable_object>;

/// Does what its creation did.
void register_loaded_object(server_state& state, const std::string& bucket,
                            const std::string& key,
                            const stored_object_ptr& object,
                            unusable_objects& unusable) {
  change c{change::kind::added,       bucket, key, nullptr, object,
           object->resource_version()};
  try {
    register_crd_or_purge_objects(state, c);
    apply_change_to_policy(state.policy, c);
    state.owners.apply_loaded(c);
  } catch (const json::exception& e) {
    unusable.push_back({bucket, key, e.what()});
  }
}

/// Nobody knows all that was in a broken file: an owner that is named and is
/// not there may have been, so it counts as one that cannot be read.
result<nothing> set_aside_missing_owners(server_state& state) {
  auto& database = *state.environment.database;
  for (const auto& dependent : state.owners.list_objects_with_missing_owner()) {
    auto object = state.objects.find(dependent.first, dependent.second);
    if (!object)
      continue;
    for (const auto& owner :
         array_at(object->value(), {"metadata", "ownerReferences"})) {
      auto type = state.resources.find_by_kind(text_at(owner, {"apiVersion"}),
                                               text_at(owner, {"kind"}));
      if (!type || state.owners.has_object(text_at(owner, {"uid"})))
        continue;
      auto [bucket, key] =
          expected_owner_location(*type, dependent, text_at(owner, {"name"}));
      if (state.objects.find(bucket, key) || database.is_set_aside(bucket, key))
        continue;
      auto why = "it is lost; " + dependent.first + " " + dependent.second
                 + " names it as its owner";
      if (auto done = database.set_aside(bucket, key, why); !done)
        return done;
    }
  }
  return nothing{};
}

} // namespace

result<nothing> load_objects_and_begin_database_writes(server_state& state) {
  auto* database = state.environment.database;
  if (!database)
    return nothing{};
  auto& objects = state.objects;
  unusable_objects unusable;
  auto read = database->for_each_object(
      [&](const std::string& bucket, const std::string& key, json value) {
        value_cache::pin pinned{objects.parsed_values()};
        if (auto type = state.resources.find_stored_version_by_bucket(bucket);
            type && !type->custom)
          drop_null_members(value); // A binding stores one.
        auto why =
            find_stored_object_error(state.resources, bucket, key, value);
        if (!why.empty()) {
          unusable.push_back({bucket, key, std::move(why)});
        } else {
          if (bucket == "secrets") // Older programs kept stringData.
            state.resources.find_stored_version_by_bucket(bucket)
                ->strategy.normalize(value);
          objects.restore_without_change_event(bucket, key, std::move(value));
          register_loaded_object(state, bucket, key, objects.find(bucket, key),
                                 unusable);
        }
      });
  if (!read)
    return read;
  objects.continue_from_version_if_higher(database->resource_version());
  state.owners.finish_loading_and_add_candidates();
  for (const auto& one : unusable) {
    objects.forget_without_change_event(one.bucket, one.key);
    if (auto done = database->set_aside(one.bucket, one.key, one.why); !done)
      return done;
  }
  if (database->was_broken())
    if (auto done = set_aside_missing_owners(state); !done)
      return done;
  objects.persist = [database](const change& c) { database->write_change(c); };
  return purge_objects_without_definition(state);
}

std::string admission_key(const resource& type) {
  return type.api_version() + "/" + type.plural;
}

} // namespace troupe::k8s::apiserver
