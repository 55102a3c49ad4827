#include "k8s/apiserver/storage/object_database.hpp"

#include "k8s/apiserver/storage/database_file.hpp"
#include "k8s/apiserver/storage/database_salvage.hpp"

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* file_name = "objects.db";
constexpr const char* set_aside_table =
    "CREATE TABLE IF NOT EXISTS set_aside (bucket TEXT, key TEXT, value TEXT,"
    " why TEXT)";

/// Whether somebody else could put objects there, whose programs would run as
/// this user. Root takes what others own: volumes of containers.
bool may_be_written_by_others(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0)
    return false; // It is not there yet.
  bool is_ours = there.st_uid == ::geteuid() || ::geteuid() == 0;
  return !is_ours || (there.st_mode & S_IWOTH) != 0;
}

class sqlite_database : public object_database {
public:
  explicit sqlite_database(std::string path)
      : path_(std::move(path)) {}

  result<nothing> open() {
    auto opened = open_or_salvage_file();
    if (!opened)
      return opened;
    if (!execute("PRAGMA journal_mode = WAL") || !execute("BEGIN EXCLUSIVE"))
      return database_failure();
    if (stored_layout_version() == 0 && !make_tables(database_.get()))
      return database_failure();
    // A crash of the machine, not of this process, may lose the last changes.
    if (!execute("COMMIT") || !execute("PRAGMA synchronous = NORMAL")
        || !prepare_statements())
      return database_failure();
    auto latest = query("SELECT resource_version FROM latest");
    version_ = latest < 0 ? 0 : static_cast<std::uint64_t>(latest);
    return set_aside_lost_objects();
  }

  result<nothing> for_each_object(
      const std::function<void(const std::string&, const std::string&, json)>&
          f) override {
    std::vector<std::array<std::string, 3>> unreadable;
    auto all = make("SELECT bucket, key, value FROM objects");
    int code = SQLITE_ERROR;
    while (all && (code = sqlite3_step(all.get())) == SQLITE_ROW) {
      auto bucket = column_text(all, 0), key = column_text(all, 1);
      auto value = parse_json(column_text(all, 2));
      if (value)
        f(bucket, key, std::move(*value));
      else
        unreadable.push_back({bucket, key, value.error().message});
    }
    if (code != SQLITE_DONE)
      return database_failure();
    all.reset();
    for (const auto& [bucket, key, why] : unreadable)
      if (auto done = set_aside(bucket, key, why); !done)
        return done;
    return nothing{};
  }

  result<nothing> set_aside(const std::string& bucket, const std::string& key,
                            const std::string& why) override {
    constexpr auto text =
        "INSERT INTO set_aside SELECT ?1, ?2, (SELECT value FROM objects WHERE"
        " bucket = ?1 AND key = ?2), ?3";
    auto keep = make(text);
    if (!keep && execute(set_aside_table))
      keep = make(text);
    if (!keep)
      return database_failure();
    bind_text(keep, 1, bucket);
    bind_text(keep, 2, key);
    bind_text(keep, 3, why);
    bind_text(remove_, 1, bucket);
    bind_text(remove_, 2, key);
    if (!step_and_reset(begin_) || !step_and_reset(keep)
        || !step_and_reset(remove_) || !step_and_reset(commit_)) {
      auto wrong = database_failure();
      execute("ROLLBACK");
      return wrong;
    }
    damage_.push_back(path_ + ": " + bucket + " " + key
                      + " cannot be read and was set aside: " + why);
    return nothing{};
  }

  bool is_set_aside(const std::string& bucket,
                    const std::string& key) override {
    auto s = make("SELECT 1 FROM set_aside WHERE bucket = ? AND key = ?");
    if (!s)
      return false; // There is no such table.
    bind_text(s, 1, bucket);
    bind_text(s, 2, key);
    return sqlite3_step(s.get()) == SQLITE_ROW;
  }

  bool was_broken() const override { return was_broken_; }
  const std::vector<std::string>& damage() const override { return damage_; }

  std::uint64_t resource_version() const override { return version_; }

  void write_change(const change& c) override {
    bool is_deletion = c.type == change::kind::deleted;
    auto text = is_deletion ? std::string{} : c.after->text();
    auto& s = is_deletion ? remove_ : put_;
    bind_text(s, 1, c.bucket);
    bind_text(s, 2, c.key);
    if (!is_deletion)
      bind_text(s, 3, text);
    sqlite3_bind_int64(set_version_.get(), 1,
                       static_cast<std::int64_t>(c.resource_version));
    if (step_and_reset(begin_) && step_and_reset(s)
        && step_and_reset(set_version_) && step_and_reset(commit_)) {
      version_ = c.resource_version;
      return;
    }
    std::string why = sqlite3_errmsg(database_.get());
    execute("ROLLBACK");
    throw database_error{path_ + " cannot be written: " + why};
  }

private:
  bool execute(const char* text) { return execute_sql(database_.get(), text); }
  statement_ptr make(const char* text) {
    return make_statement(database_.get(), text);
  }
  std::int64_t query(const char* text) {
    return query_number_or_zero(database_.get(), text);
  }

  /// Opens the file. A broken one is replaced by what can be read of it.
  result<nothing> open_or_salvage_file() {
    int code = SQLITE_OK;
    database_ = open_database_file(path_, code);
    // The lock is taken by the first access, and kept.
    if (code != SQLITE_OK || !execute("PRAGMA locking_mode = EXCLUSIVE"))
      return database_failure();
    if (auto wrong = find_unusable_database_error(); !wrong.empty())
      return failure{ec::invalid, path_ + ": " + wrong};
    if (stored_layout_version() == 0)
      return is_in_use_or_no_database() ? result<nothing>{database_failure()}
                                        : result<nothing>{nothing{}};
    auto broken = find_damage(database_.get());
    if (broken.empty())
      return nothing{};
    if (is_trouble_of_the_machine())
      return database_failure(); // What is in the file may be sound.
    if (is_in_use_or_no_database() || was_broken_)
      return failure{ec::invalid, path_ + ": " + broken};
    database_.reset();
    auto salvaged = salvage_database(path_);
    if (!salvaged)
      return salvaged.error();
    was_broken_ = true;
    lost_ = std::move(salvaged->lost);
    damage_.push_back(path_ + " was damaged (" + broken
                      + "): " + std::to_string(salvaged->objects)
                      + " objects were read; the damaged file is kept as "
                      + salvaged->kept_as);
    return open_or_salvage_file();
  }

  bool is_in_use_or_no_database() const {
    auto code = sqlite3_errcode(database_.get());
    return code == SQLITE_BUSY || code == SQLITE_NOTADB;
  }

  bool is_trouble_of_the_machine() const {
    switch (sqlite3_errcode(database_.get())) {
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return true;
    default:
      return false;
    }
  }

  result<nothing> set_aside_lost_objects() {
    for (const auto& [bucket, key] : lost_)
      if (auto done = set_aside(bucket, key, "its pages are damaged"); !done)
        return done;
    return nothing{};
  }

  std::int64_t stored_layout_version() { return query("PRAGMA user_version"); }

  std::string find_unusable_database_error() {
    auto id = query("PRAGMA application_id");
    bool is_new = id == 0 && query("SELECT count(*) FROM sqlite_master") == 0;
    if (!is_new && id != application_id)
      return "is a database of another program; name another directory";
    if (stored_layout_version() > layout_version)
      return "was made by a newer troupe; use that one, or name another "
             "directory";
    return {};
  }

  bool prepare_statements() {
    begin_ = make("BEGIN");
    put_ = make("INSERT OR REPLACE INTO objects VALUES (?, ?, ?)");
    remove_ = make("DELETE FROM objects WHERE bucket = ? AND key = ?");
    set_version_ = make("UPDATE latest SET resource_version = ?");
    commit_ = make("COMMIT");
    return begin_ && put_ && remove_ && set_version_ && commit_;
  }

  failure database_failure() const {
    auto code = sqlite3_errcode(database_.get());
    return {ec::invalid,
            path_ + ": "
                + (code == SQLITE_BUSY ? "another process has it open"
                                       : sqlite3_errmsg(database_.get()))};
  }

  const std::string path_;
  database_ptr database_; // Its statements are destroyed before it.
  statement_ptr begin_;
  statement_ptr put_;
  statement_ptr remove_;
  statement_ptr set_version_;
  statement_ptr commit_;
  std::uint64_t version_ = 0;
  bool was_broken_ = false;
  std::vector<std::pair<std::string, std::string>> lost_;
  std::vector<std::string> damage_;
};

} // namespace

result<std::unique_ptr<object_database>>
open_object_database(const std::string& directory) {
  std::error_code wrong;
  std::filesystem::create_directories(directory, wrong);
  if (wrong)
    return failure{ec::invalid, directory + ": " + wrong.message()};
  auto path = directory + "/" + file_name;
  for (const auto& one : {directory, path})
    if (may_be_written_by_others(one))
      return failure{ec::invalid,
                     one
                         + ": belongs to another user, or anybody may write to "
                           "it; name a directory of your own"};
  // Secrets are in it. SQLite gives its other files the same mode.
  if (int fresh = ::open(path.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      fresh >= 0)
    ::close(fresh);
  auto database = std::make_unique<sqlite_database>(std::move(path));
  if (auto opened = database->open(); !opened)
    return opened.error();
  return std::unique_ptr<object_database>{std::move(database)};
}

} // namespace troupe::k8s::apiserver
