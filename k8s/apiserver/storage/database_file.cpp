#include "k8s/apiserver/storage/database_file.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* tables =
    "CREATE TABLE objects (bucket TEXT NOT NULL, key TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY (bucket, key));"
    "CREATE TABLE latest (resource_version INTEGER NOT NULL);"
    "INSERT INTO latest VALUES (0);";

} // namespace

database_ptr open_database_file(const std::string& path, int& code) {
  sqlite3* opened = nullptr;
  code = sqlite3_open_v2(path.c_str(), &opened,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  return database_ptr{opened};
}

bool execute_sql(sqlite3* d, const std::string& text) {
  return sqlite3_exec(d, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

statement_ptr make_statement(sqlite3* d, const char* text) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(d, text, -1, &made, nullptr);
  return statement_ptr{made};
}

std::int64_t query_number_or_zero(sqlite3* d, const char* text) {
  auto s = make_statement(d, text);
  return s && sqlite3_step(s.get()) == SQLITE_ROW
             ? sqlite3_column_int64(s.get(), 0)
             : 0;
}

std::string column_text(const statement_ptr& s, int column) {
  auto bytes = sqlite3_column_text(s.get(), column);
  return bytes ? std::string{reinterpret_cast<const char*>(bytes),
                             static_cast<std::size_t>(
                                 sqlite3_column_bytes(s.get(), column))}
               : std::string{};
}

void bind_text(statement_ptr& s, int index, const std::string& text) {
  sqlite3_bind_text(s.get(), index, text.data(), static_cast<int>(text.size()),
                    SQLITE_STATIC);
}

bool step_and_reset(statement_ptr& s) {
  auto code = sqlite3_step(s.get());
  sqlite3_reset(s.get());
  return code == SQLITE_DONE;
}

bool make_tables(sqlite3* d) {
  return execute_sql(d, tables)
         && execute_sql(d, "PRAGMA application_id = "
                               + std::to_string(application_id))
         && execute_sql(d, "PRAGMA user_version = "
                               + std::to_string(layout_version));
}

std::string find_damage(sqlite3* d) {
  auto check = make_statement(d, "PRAGMA integrity_check(1)");
  if (!check || sqlite3_step(check.get()) != SQLITE_ROW)
    return sqlite3_errmsg(d);
  auto found = column_text(check, 0);
  if (found != "ok")
    return found;
  for (auto needed : {"SELECT bucket, key, value FROM objects LIMIT 1",
                      "SELECT resource_version FROM latest"})
    if (auto s = make_statement(d, needed);
        !s || sqlite3_step(s.get()) == SQLITE_CORRUPT)
      return sqlite3_errmsg(d);
  return query_number_or_zero(d, "SELECT count(*) FROM latest") == 1
             ? ""
             : "it does not say which version is the latest";
}

} // namespace troupe::k8s::apiserver
