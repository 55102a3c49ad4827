#pragma once

#include "k8s/api.hpp"
#include "k8s/json.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe::k8s::node {

/// Everything of one resource, kept up to date: lists, watches, lists again
/// when the watch breaks. Handlers run on the io_context, with whole objects,
/// and not after `stop`. Lives on the io_context; may be destroyed anywhere
/// once that does not run any more.
class object_watch : public std::enable_shared_from_this<object_watch> {
public:
  using handler = std::function<void(const json&)>;

  object_watch(std::shared_ptr<boost::asio::io_context> io,
               std::shared_ptr<api> client, resource what, handler seen,
               handler gone);

  void start();
  void stop();

private:
  template <class F>
  auto on_thread(F f);
  void listed(const result<std::string>& answer);
  void watch(std::uint64_t version);
  void line(const std::string& text);
  void saw(json object);
  void again();

  // Answers may come after everybody else has let go of both.
  std::shared_ptr<boost::asio::io_context> io_;
  std::shared_ptr<api> client_;
  resource what_;
  handler seen_;
  handler gone_;
  std::unique_ptr<watch_session> session_;
  std::map<std::string, json> known_; ///< Metadata, by UID.
  boost::asio::steady_timer pause_;
  std::uint64_t turn_ = 0; ///< What was asked for in an earlier one is void.
};

} // namespace troupe::k8s::node
