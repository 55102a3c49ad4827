#pragma once

#include "k8s/api.hpp"
#include "k8s/calls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe::cli {

/// The objects of one selection, kept up to date: lists, watches, lists again
/// when the watch breaks. Handlers run on the io_context, with whole objects;
/// its thread is the only one that may call.
class object_watch : public std::enable_shared_from_this<object_watch> {
public:
  using handler = std::function<void(const nlohmann::json&)>;
  using complaint = std::function<void(const k8s::failure&)>;

  /// `trouble` hears of every list that is refused; the feed tries on.
  object_watch(std::shared_ptr<boost::asio::io_context> io,
               std::shared_ptr<k8s::api> client, k8s::selection what,
               handler seen, handler gone, complaint trouble);

  void start();
  /// No handler is called afterwards.
  void stop();

private:
  template <class F>
  auto on_thread(F f);
  void listed(const k8s::result<std::string>& answer);
  void watch(const std::string& version);
  void line(const std::string& text);
  void saw(const nlohmann::json& object);
  void again();

  std::shared_ptr<boost::asio::io_context> io_;
  std::shared_ptr<k8s::api> client_;
  k8s::selection what_;
  handler seen_;
  handler gone_;
  complaint trouble_;
  std::unique_ptr<k8s::watch_session> session_;
  std::map<std::string, nlohmann::json> known_; ///< Metadata, by UID.
  boost::asio::steady_timer pause_;
  std::uint64_t turn_ = 0; ///< What belongs to an older one is ignored.
};

} // namespace troupe::cli
