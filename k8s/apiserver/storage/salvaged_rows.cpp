#include "k8s/apiserver/storage/salvaged_rows.hpp"

#include "k8s/apiserver/storage/database_file.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

namespace troupe::k8s::apiserver {

namespace {

/// Of a table whose end cannot be read, and that has no index.
constexpr std::int64_t numbers_beyond = 2'000'000;
/// Each takes some microseconds.
constexpr int most_tries_between = 200'000;

bool is_text(const statement_ptr& s, int column) {
  return sqlite3_column_type(s.get(), column) == SQLITE_TEXT;
}

/// Numbers of rows, both included.
struct number_range {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();

  bool is_empty() const { return first > last; }
  std::uint64_t width() const {
    return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  }
};

class row_reader {
public:
  explicit row_reader(sqlite3* d)
      : up_(make_statement(
          d, "SELECT rowid, bucket, key, value FROM objects NOT INDEXED"
             " WHERE rowid >= ? AND rowid <= ? ORDER BY rowid"))
      , down_(make_statement(
            d, "SELECT rowid, bucket, key, value FROM objects NOT INDEXED"
               " WHERE rowid >= ? AND rowid <= ? ORDER BY rowid DESC")) {}

  /// Takes rows until the end, or until one cannot be read: what is left then,
  /// which begins with that one.
  std::optional<number_range> read_up_and_return_unread(number_range r) {
    bool at_end = read(up_, r, [&](std::int64_t number) {
      r.first = std::max(r.first, number + 1);
    });
    return at_end || r.is_empty() ? std::nullopt : std::optional{r};
  }

  /// The same from the last to the first.
  std::optional<number_range> read_down_and_return_unread(number_range r) {
    bool at_end = read(down_, r, [&](std::int64_t number) {
      r.last = std::min(r.last, number - 1);
    });
    return at_end || r.is_empty() ? std::nullopt : std::optional{r};
  }

  /// Rows between others that cannot be read: looks in the middle of the widest
  /// range of which nothing is known, again and again.
  void read_between_unreadable_rows(number_range unknown) {
    auto is_narrower = [](const number_range& a, const number_range& b) {
      return a.width() < b.width();
    };
    std::priority_queue<number_range, std::vector<number_range>,
                        decltype(is_narrower)>
        all{is_narrower};
    auto add = [&](std::optional<number_range> left) {
      if (left && !left->is_empty())
        all.push(*left);
    };
    add(unknown);
    for (int tries = 0; !all.empty() && tries < most_tries_between; ++tries) {
      auto r = all.top();
      all.pop();
      auto middle = r.first + (r.last - r.first) / 2;
      auto above = read_up_and_return_unread({middle, r.last});
      if (above && above->first == middle)
        ++above->first; // It was tried.
      add(above);
      if (middle > r.first)
        add(read_down_and_return_unread({r.first, middle - 1}));
    }
  }

  salvaged_rows& rows() { return rows_; }

private:
  /// Whether all of the range was read.
  template <class Function>
  bool read(statement_ptr& s, number_range r, Function on_row) {
    if (!s)
      return false;
    sqlite3_bind_int64(s.get(), 1, r.first);
    sqlite3_bind_int64(s.get(), 2, r.last);
    int code = SQLITE_ERROR;
    while ((code = sqlite3_step(s.get())) == SQLITE_ROW) {
      auto number = sqlite3_column_int64(s.get(), 0);
      if (is_text(s, 1) && is_text(s, 2) && is_text(s, 3))
        rows_[number] = {column_text(s, 1), column_text(s, 2),
                         column_text(s, 3)};
      on_row(number);
    }
    sqlite3_reset(s.get());
    return code == SQLITE_DONE;
  }

  statement_ptr up_, down_;
  salvaged_rows rows_;
};

std::int64_t highest_number(const salvaged_index& index) {
  std::int64_t highest = 0;
  for (const auto& [place, number] : index.numbers)
    highest = std::max(highest, number);
  return highest;
}

} // namespace

salvaged_index read_salvaged_index(sqlite3* d) {
  salvaged_index out;
  for (auto text :
       {"SELECT bucket, key, rowid FROM objects ORDER BY bucket, key",
        "SELECT bucket, key, rowid FROM objects"
        " ORDER BY bucket DESC, key DESC"}) {
    auto s = make_statement(d, text);
    int code = SQLITE_ERROR;
    while (s && (code = sqlite3_step(s.get())) == SQLITE_ROW)
      if (is_text(s, 0) && is_text(s, 1))
        out.numbers.emplace(
            std::make_pair(column_text(s, 0), column_text(s, 1)),
            sqlite3_column_int64(s.get(), 2));
    out.is_whole = code == SQLITE_DONE;
    if (out.is_whole)
      break;
  }
  return out;
}

salvaged_rows read_salvaged_rows(sqlite3* d, const salvaged_index& index) {
  row_reader reader{d};
  auto unknown = reader.read_up_and_return_unread({});
  if (unknown)
    unknown = reader.read_down_and_return_unread(*unknown);
  if (!unknown)
    return std::move(reader.rows());
  bool has_all = index.is_whole;
  for (const auto& [place, number] : index.numbers)
    if (reader.rows().count(number) == 0)
      has_all &= !reader.read_up_and_return_unread({number, number});
  if (!has_all) {
    number_range all;
    if (unknown->first == all.first) // Numbers are given from 1 on.
      unknown->first = 1;
    if (unknown->last == all.last)
      unknown->last =
          std::max(highest_number(index), unknown->first + numbers_beyond);
    reader.read_between_unreadable_rows(*unknown);
  }
  return std::move(reader.rows());
}

} // namespace troupe::k8s::apiserver
