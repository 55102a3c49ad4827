#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string>

namespace troupe::k8s::apiserver {

// The parts of SQLite that the database of objects uses.

struct close_database {
  void operator()(sqlite3* d) const { sqlite3_close(d); }
};
struct finalize_statement {
  void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using database_ptr = std::unique_ptr<sqlite3, close_database>;
using statement_ptr = std::unique_ptr<sqlite3_stmt, finalize_statement>;

/// The first marks the file as ours ("trpe"), the second says which tables it
/// has.
inline constexpr int application_id = 0x74727065;
inline constexpr int layout_version = 1;

/// Opens the file, which is created if missing. If `code` is an error, the
/// result can only say which.
database_ptr open_database_file(const std::string& path, int& code);

bool execute_sql(sqlite3* d, const std::string& text);
statement_ptr make_statement(sqlite3* d, const char* text);
/// The first number of the first row, 0 if there is none.
std::int64_t query_number_or_zero(sqlite3* d, const char* text);
std::string column_text(const statement_ptr& s, int column);
/// The text must live until the statement has run.
void bind_text(statement_ptr& s, int index, const std::string& text);
bool step_and_reset(statement_ptr& s);

/// Makes the tables in an empty file.
bool make_tables(sqlite3* d);

/// Why the pages of the file cannot be trusted; "" if they can.
std::string find_damage(sqlite3* d);

} // namespace troupe::k8s::apiserver
