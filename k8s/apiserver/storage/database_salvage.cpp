#include "k8s/apiserver/storage/database_salvage.hpp"

#include "k8s/apiserver/storage/database_file.hpp"
#include "k8s/apiserver/storage/salvaged_rows.hpp"
#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace troupe::k8s::apiserver {

namespace {

namespace fs = std::filesystem;

/// Beyond the versions that were seen: of changes that are not known.
constexpr std::uint64_t versions_to_skip = 1'000'000;
constexpr std::uint64_t highest_version = 1ull << 62;

/// Goes on behind all versions that were given, even if that is not known.
std::uint64_t choose_latest_version(sqlite3* d, const salvaged_rows& all) {
  std::uint64_t seen = 0;
  for (const auto& [number, r] : all)
    if (auto version = parse_resource_version_or_zero(text_at(
            parse_json_members(r.value, {{"metadata", "resourceVersion"}}),
            {"metadata", "resourceVersion"}));
        version < highest_version)
      seen = std::max(seen, version);
  auto latest = static_cast<std::uint64_t>(
      query_number_or_zero(d, "SELECT resource_version FROM latest"));
  return latest >= seen && latest < highest_version ? latest
                                                    : seen + versions_to_skip;
}

bool write_tables_and_rows(sqlite3* d, const salvaged_rows& all,
                           std::uint64_t latest) {
  if (!execute_sql(d, "BEGIN") || !make_tables(d))
    return false;
  auto put = make_statement(d, "INSERT OR REPLACE INTO objects VALUES (?,?,?)");
  for (const auto& [number, r] : all) {
    bind_text(put, 1, r.bucket);
    bind_text(put, 2, r.key);
    bind_text(put, 3, r.value);
    if (!step_and_reset(put))
      return false;
  }
  return execute_sql(d, "UPDATE latest SET resource_version = "
                            + std::to_string(latest))
         && execute_sql(d, "COMMIT");
}

std::string utc_time_for_file_name() {
  auto text = to_rfc3339(std::chrono::system_clock::now());
  text.erase(std::remove(text.begin(), text.end(), ':'), text.end());
  return text;
}

/// Replaces the first page, which says where the tables are: that is the same
/// in every file of ours.
void replace_first_page(const std::string& broken, const std::string& fresh) {
  std::ifstream from{fresh, std::ios::binary};
  std::string page(100, '\0');
  from.read(page.data(), 100);
  auto size = static_cast<std::size_t>(static_cast<unsigned char>(page[16]) << 8
                                       | static_cast<unsigned char>(page[17]));
  page.resize(size);
  from.read(page.data() + 100, static_cast<std::streamsize>(size) - 100);
  // The number of pages is that of the file if these two counters differ; and
  // of free pages there are none.
  page[27] = '\1';
  page[95] = '\2';
  std::fill_n(page.begin() + 32, 8, '\0');
  std::fstream to{broken, std::ios::in | std::ios::out | std::ios::binary};
  to.write(page.data(), static_cast<std::streamsize>(page.size()));
}

bool has_objects_table(sqlite3* d) {
  return make_statement(d, "SELECT bucket, key, value FROM objects") != nullptr;
}

/// The files that SQLite has beside one.
constexpr const char* beside[] = {"", "-wal", "-shm"};

void remove_database_files(const std::string& path) {
  std::error_code ignored;
  for (auto suffix : beside)
    fs::remove(path + suffix, ignored);
}

class salvage {
public:
  explicit salvage(const std::string& path)
      : path_(path) {}
  ~salvage() {
    remove_database_files(copy_);
    remove_database_files(fresh_);
  }

  result<salvaged_database> run() {
    for (const auto& old : {copy_, fresh_})
      remove_database_files(old);
    std::error_code wrong;
    for (auto suffix : {"", "-wal"})
      if (fs::exists(path_ + suffix))
        fs::copy_file(path_ + suffix, copy_ + suffix, wrong);
    if (wrong)
      return salvage_failure(wrong.message());
    int code = SQLITE_OK;
    std::ofstream{fresh_}.close(); // Secrets come into it.
    fs::permissions(fresh_, fs::perms::owner_read | fs::perms::owner_write,
                    wrong);
    auto fresh = open_database_file(fresh_, code);
    if (code != SQLITE_OK)
      return salvage_failure(sqlite3_errmsg(fresh.get()));
    auto broken = open_copy_mending_first_page();
    if (!broken)
      return salvage_failure("its tables cannot be found");
    auto index = read_salvaged_index(broken.get());
    auto all = read_salvaged_rows(broken.get(), index);
    salvaged_database out;
    for (const auto& [number, r] : all)
      index.numbers.erase({r.bucket, r.key});
    for (const auto& [place, number] : index.numbers)
      out.lost.push_back(place);
    out.objects = all.size();
    if (!write_tables_and_rows(fresh.get(), all,
                               choose_latest_version(broken.get(), all)))
      return salvage_failure(sqlite3_errmsg(fresh.get()));
    broken.reset();
    fresh.reset();
    out.kept_as = path_ + ".damaged-" + utc_time_for_file_name();
    return replace_broken_file(std::move(out));
  }

private:
  database_ptr open_copy_mending_first_page() {
    int code = SQLITE_OK;
    auto d = open_database_file(copy_, code);
    if (has_objects_table(d.get()))
      return d;
    d.reset();
    const auto model = copy_ + "-model";
    remove_database_files(model);
    if (auto m = open_database_file(model, code); !make_tables(m.get()))
      return nullptr;
    replace_first_page(copy_, model);
    remove_database_files(model);
    d = open_database_file(copy_, code);
    return has_objects_table(d.get()) ? std::move(d) : nullptr;
  }

  result<salvaged_database> replace_broken_file(salvaged_database out) {
    // There is a file of that name at any time. The log of the broken one is no
    // part of the other.
    std::error_code wrong;
    fs::create_hard_link(path_, out.kept_as, wrong);
    if (wrong) { // Not every file system has links.
      wrong.clear();
      fs::copy_file(path_, out.kept_as, wrong);
    }
    if (!wrong && fs::exists(path_ + "-wal"))
      fs::rename(path_ + "-wal", out.kept_as + "-wal", wrong);
    if (!wrong)
      fs::remove(path_ + "-shm", wrong);
    if (!wrong)
      fs::rename(fresh_, path_, wrong);
    if (wrong)
      return salvage_failure(wrong.message());
    return out;
  }

  failure salvage_failure(const std::string& why) const {
    return {ec::invalid, path_ + " is damaged and cannot be mended: " + why};
  }

  const std::string path_;
  const std::string copy_ = path_ + ".broken";
  const std::string fresh_ = path_ + ".new";
};

} // namespace

result<salvaged_database> salvage_database(const std::string& path) {
  return salvage{path}.run();
}

} // namespace troupe::k8s::apiserver
