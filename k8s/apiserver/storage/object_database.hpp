#pragma once

#include "k8s/apiserver/storage/store.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// A change could not be written, and has not happened.
struct database_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Objects in a file, so that an API server finds them again: SQLite, one
/// transaction for each change. A written change survives the end of this
/// process, whatever ends it. For one thread.
///
/// A disk may damage the file. Parts that cannot be read are set aside, and the
/// rest stays in use: a row is kept in another table of the file; a file whose
/// pages are broken is kept beside the new one into which its objects were
/// taken.
class object_database {
public:
  virtual ~object_database() = default;

  /// Calls `f` for all objects, in no order. Rows that are not JSON are set
  /// aside.
  virtual result<nothing> for_each_object(
      const std::function<void(const std::string& bucket,
                               const std::string& key, json value)>& f) = 0;
  /// Keeps the text of an object in another table: it is not an object any
  /// more. `why` is for a person. Also for an object that is known to have
  /// existed and has no text.
  virtual result<nothing> set_aside(const std::string& bucket,
                                    const std::string& key,
                                    const std::string& why) = 0;
  /// Whether an object was set aside, now or by an earlier program.
  virtual bool is_set_aside(const std::string& bucket,
                            const std::string& key) = 0;
  /// Whether the file was broken, so that nobody knows all objects that were in
  /// it.
  virtual bool was_broken() const = 0;
  /// A line for each damage that was found since the file was opened.
  virtual const std::vector<std::string>& damage() const = 0;
  /// The version of the latest change, 0 if there was none.
  virtual std::uint64_t resource_version() const = 0;
  /// Throws database_error.
  virtual void write_change(const change& c) = 0;
};

/// Opens the database in a directory, which is made if missing. An error names
/// it: it cannot be written, another process has it open, or a newer program
/// has made it.
result<std::unique_ptr<object_database>>
open_object_database(const std::string& directory);

} // namespace troupe::k8s::apiserver
