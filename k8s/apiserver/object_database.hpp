#pragma once

#include "k8s/apiserver/store.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace troupe::k8s::apiserver {

/// A change could not be written, and has not happened.
struct database_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Objects in a file, so that an API server finds them again: SQLite, one
/// transaction for each change. What was written survives the end of this
/// process, however that comes. For one thread.
class object_database {
public:
  virtual ~object_database() = default;

  /// All objects, in no order.
  virtual result<nothing> for_each_object(
      const std::function<void(const std::string& bucket,
                               const std::string& key, json value)>& f) = 0;
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
