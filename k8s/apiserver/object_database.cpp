#include "k8s/apiserver/object_database.hpp"

#include <fcntl.h>
#include <filesystem>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* file_name = "objects.db";
/// Marks the file as ours ("trpe"), and says how its tables look.
constexpr int application_id = 0x74727065;
constexpr int layout_version = 1;

constexpr const char* tables =
    "CREATE TABLE objects (bucket TEXT NOT NULL, key TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY (bucket, key));"
    "CREATE TABLE latest (resource_version INTEGER NOT NULL);"
    "INSERT INTO latest VALUES (0);";

struct close_database {
  void operator()(sqlite3* d) const { sqlite3_close(d); }
};
struct finalize_statement {
  void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using database = std::unique_ptr<sqlite3, close_database>;
using statement = std::unique_ptr<sqlite3_stmt, finalize_statement>;

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
    sqlite3* opened = nullptr;
    auto code =
        sqlite3_open_v2(path_.c_str(), &opened,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    database_.reset(opened);
    // The lock is taken by the first access, and kept.
    if (code != SQLITE_OK || !execute_sql("PRAGMA locking_mode = EXCLUSIVE"))
      return database_failure();
    if (auto wrong = find_unusable_database_error(); !wrong.empty())
      return failure{ec::invalid, path_ + ": " + wrong};
    if (!execute_sql("PRAGMA journal_mode = WAL")
        || !execute_sql("BEGIN EXCLUSIVE"))
      return database_failure();
    if (stored_layout_version() == 0 && !make_tables())
      return database_failure();
    // A crash of the machine, not of this process, may lose the last changes.
    if (!execute_sql("COMMIT") || !execute_sql("PRAGMA synchronous = NORMAL")
        || !prepare_statements())
      return database_failure();
    version_ = static_cast<std::uint64_t>(
        query_number("SELECT resource_version FROM latest"));
    return nothing{};
  }

  result<nothing> for_each_object(
      const std::function<void(const std::string&, const std::string&, json)>&
          f) override {
    auto all = make_statement("SELECT bucket, key, value FROM objects");
    int code = SQLITE_ERROR;
    while (all && (code = sqlite3_step(all.get())) == SQLITE_ROW) {
      auto value = parse_json(column_text(all, 2));
      if (!value)
        return failure{ec::invalid,
                       path_ + ": " + column_text(all, 0) + " "
                           + column_text(all, 1)
                           + " is no object: " + value.error().message};
      f(column_text(all, 0), column_text(all, 1), std::move(*value));
    }
    return code == SQLITE_DONE ? result<nothing>{nothing{}}
                               : database_failure();
  }

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
    execute_sql("ROLLBACK");
    throw database_error{path_ + " cannot be written: " + why};
  }

private:
  bool execute_sql(const char* text) {
    return sqlite3_exec(database_.get(), text, nullptr, nullptr, nullptr)
           == SQLITE_OK;
  }

  statement make_statement(const char* text) {
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(database_.get(), text, -1, &made, nullptr);
    return statement{made};
  }

  /// The first number of the first row, 0 if there is none.
  std::int64_t query_number(const char* text) {
    auto s = make_statement(text);
    return s && sqlite3_step(s.get()) == SQLITE_ROW
               ? sqlite3_column_int64(s.get(), 0)
               : 0;
  }

  static std::string column_text(const statement& s, int column) {
    auto bytes = sqlite3_column_text(s.get(), column);
    return bytes ? std::string{reinterpret_cast<const char*>(bytes),
                               static_cast<std::size_t>(
                                   sqlite3_column_bytes(s.get(), column))}
                 : std::string{};
  }

  /// The text must live until the statement has run.
  static void bind_text(statement& s, int index, const std::string& text) {
    sqlite3_bind_text(s.get(), index, text.data(),
                      static_cast<int>(text.size()), SQLITE_STATIC);
  }

  static bool step_and_reset(statement& s) {
    auto code = sqlite3_step(s.get());
    sqlite3_reset(s.get());
    return code == SQLITE_DONE;
  }

  std::int64_t stored_layout_version() {
    return query_number("PRAGMA user_version");
  }

  std::string find_unusable_database_error() {
    auto id = query_number("PRAGMA application_id");
    bool is_new =
        id == 0 && query_number("SELECT count(*) FROM sqlite_master") == 0;
    if (!is_new && id != application_id)
      return "is a database of another program; name another directory";
    if (stored_layout_version() > layout_version)
      return "was made by a newer troupe; use that one, or name another "
             "directory";
    return {};
  }

  bool make_tables() {
    return execute_sql(tables)
           && execute_sql(
               ("PRAGMA application_id = " + std::to_string(application_id))
                   .c_str())
           && execute_sql(
               ("PRAGMA user_version = " + std::to_string(layout_version))
                   .c_str());
  }

  bool prepare_statements() {
    begin_ = make_statement("BEGIN");
    put_ = make_statement("INSERT OR REPLACE INTO objects VALUES (?, ?, ?)");
    remove_ =
        make_statement("DELETE FROM objects WHERE bucket = ? AND key = ?");
    set_version_ = make_statement("UPDATE latest SET resource_version = ?");
    commit_ = make_statement("COMMIT");
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
  database database_; // Its statements are destroyed before it.
  statement begin_;
  statement put_;
  statement remove_;
  statement set_version_;
  statement commit_;
  std::uint64_t version_ = 0;
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
