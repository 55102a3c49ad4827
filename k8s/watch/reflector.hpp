#pragma once

#include "k8s/api.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"
#include "k8s/watch/watch_course.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace troupe::k8s {

struct reflector_options {
  std::chrono::seconds list_limit{30}; ///< For the answer to a list.
  /// The server is asked to end the watch then.
  std::chrono::seconds watch_limit{300};
  /// A watch that is silent for longer is ended; servers send a bookmark each
  /// minute.
  std::chrono::seconds idle_limit{150};
  std::chrono::milliseconds pause{200}; ///< Between tries.
  /// Removes the fields that the handlers do not read, so that an object needs
  /// little memory while it waits for them; must keep uid and resourceVersion.
  /// If it is set, texts are read on threads of the api.
  std::function<void(json&)> reduce = nullptr;
};

/// Keeps the objects of one selection up to date: lists and watches them as
/// `watch_course` decides. Handlers run on the io_context, with whole objects
/// (except for what `reduce` takes), and not after `stop`; only the
/// io_context's thread may call. May be destroyed on any thread once the
/// io_context has stopped running.
///
/// For programs with one thread. The operator's watchers are actors.
class reflector : public std::enable_shared_from_this<reflector> {
public:
  using handler = std::function<void(const json&)>;
  using failure_handler = std::function<void(const failure&)>;

  /// `deleted` gets metadata only. `list_failed`, if given, is called for each
  /// list that fails, and for each failed request for the server's version; the
  /// next try comes after the pause.
  reflector(std::shared_ptr<boost::asio::io_context> io,
            std::shared_ptr<api> client, selection what, handler changed,
            handler deleted, failure_handler list_failed = nullptr,
            reflector_options options = {});

  void start();
  void stop();

private:
  template <class F>
  auto make_handler_unless_restarted(F f);
  template <class Parse, class F>
  auto make_parsing_handler(Parse parse, F handle);
  void execute_step_in_new_turn(const watch_course::step& next);
  void request_page();
  void take_page_and_follow(const result<json>& page);
  void report_lacking_as_deleted();
  void start_watch();
  void take_event_and_follow(const json& event);
  void remember_and_report_change(const json& object);
  void wait_to_retry();

  // Answers may come after all others have released both.
  std::shared_ptr<boost::asio::io_context> io_;
  std::shared_ptr<api> client_;
  selection what_;
  handler changed_;
  handler deleted_;
  failure_handler list_failed_;
  reflector_options options_;
  watch_course course_;
  std::unique_ptr<watch_session> session_;
  std::map<std::string, json> known_; ///< Metadata, by UID.
  std::set<std::string> listed_;      ///< UIDs in the pages of this list.
  boost::asio::steady_timer pause_;
  /// Answers to requests of an earlier turn are ignored.
  std::uint64_t turn_ = 0;
};

} // namespace troupe::k8s
