#include "actors/cli/ask/admin_connection.hpp"
#include "actors/cli/ask/admin_text.hpp"
#include "actors/cli/ask/live_terminal.hpp"
#include "actors/cli/ask/top_view.hpp"
#include "actors/cli/base/send_and_wait.hpp"
#include "actors/cli/commands/commands.hpp"
#include "actors/cli/progress/screen.hpp"
#include "k8s/json.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace troupe::cli {

namespace {

using clock = std::chrono::steady_clock;

constexpr const char* tree_path = "/admin/v1/actors";
constexpr std::chrono::seconds refresh_interval{1};
constexpr std::chrono::seconds answer_limit{10};

/// The latest answer to a request that was sent in the background.
class answer_box {
public:
  explicit answer_box(std::shared_ptr<terminal_event_queue> reader)
      : reader_(std::move(reader)) {}

  void put_answer(k8s::result<std::string> answer) {
    {
      std::lock_guard guard{mutex_};
      answer_ = std::move(answer);
    }
    reader_->wake_waiting_thread();
  }

  std::optional<k8s::result<std::string>> take_answer() {
    std::lock_guard guard{mutex_};
    return std::exchange(answer_, std::nullopt);
  }

private:
  std::shared_ptr<terminal_event_queue> reader_;
  std::mutex mutex_;
  std::optional<k8s::result<std::string>> answer_;
};

/// `top` on a terminal.
class live_top {
public:
  live_top(k8s::api& client, nlohmann::json tree,
           std::shared_ptr<terminal_event_queue> events)
      : client_(client)
      , tree_(std::move(tree))
      , events_(events)
      , answers_(std::make_shared<answer_box>(std::move(events))) {}

  /// Until the user quits; the exit code.
  int run_until_quit() {
    for (;;) {
      auto lines = make_top_screen_and_limit_scroll(tree_, view_, size_.width(),
                                                    size_.height(), failure_);
      terminal_.write_frame(render_terminal_frame(lines, size_.has_colours()));
      request_if_due();
      auto events = events_->wait_for_event(time_to_next_request());
      for (const auto& key : take_complete_keys(typed_ += events.typed))
        apply_key(view_, key);
      if (events.signal == SIGTSTP)
        terminal_.suspend_process();
      else if (events.signal != 0)
        return 128 + events.signal;
      if (view_.quit)
        return 0;
      if (auto answer = answers_->take_answer())
        on_answer(*answer);
    }
  }

private:
  std::chrono::milliseconds time_to_next_request() const {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(next_request_
                                                             - clock::now());
    return asking_ || view_.paused
               ? std::chrono::milliseconds{refresh_interval}
               : std::max(left, std::chrono::milliseconds{0});
  }

  void request_if_due() {
    if (asking_ || view_.paused || clock::now() < next_request_)
      return;
    asking_ = true;
    next_request_ = clock::now() + refresh_interval;
    client_.send(make_get_request(tree_path), answer_limit,
                 [box = answers_](k8s::result<std::string> answer) {
                   box->put_answer(std::move(answer));
                 });
  }

  /// After a failure the last tables stay.
  void on_answer(const k8s::result<std::string>& answer) {
    asking_ = false;
    auto tree = answer ? k8s::parse_json(*answer)
                       : k8s::result<k8s::json>{answer.error()};
    failure_ = tree ? "" : tree.error().message;
    if (tree && !view_.paused)
      tree_ = std::move(*tree);
  }

  k8s::api& client_;
  nlohmann::json tree_;
  std::shared_ptr<terminal_event_queue> events_;
  std::shared_ptr<answer_box> answers_;
  screen size_;
  live_terminal terminal_;
  top_view view_;
  std::string typed_;
  std::string failure_; ///< Of the last request, "" if it was answered.
  bool asking_ = false;
  clock::time_point next_request_ = clock::now() + refresh_interval;
};

int run_top(const admin_options& o, bool once) {
  screen out;
  bool live = !once && o.output == "text" && out.is_terminal()
              && ::isatty(STDIN_FILENO) != 0;
  auto events = live ? std::make_shared<terminal_event_queue>() : nullptr;
  auto connection = connect_to_admin(o);
  if (!connection)
    return report_error("top", 1, connection.error().message);
  auto tree = send_and_wait(*connection->client, make_get_request(tree_path));
  if (!tree)
    return report_admin_failure(connection->where, tree.error());
  if (live)
    return live_top{*connection->client, std::move(*tree), events}
        .run_until_quit();
  auto width = out.is_terminal() ? out.width() : 0;
  return print_json_or_lines(o, *tree, top_lines(*tree, width));
}

} // namespace

void add_top_command(CLI::App& app, command_action& action) {
  auto* command = app.add_subcommand(
      "top", "Show the operator's jobs, watches and calls; live on a terminal");
  auto once = std::make_shared<bool>(false);
  command->add_flag("--once", *once, "Print once and exit, as in a pipe");
  auto o = add_admin_options(*command);
  command->callback(
      [=, &action] { action = [=] { return run_top(*o, *once); }; });
}

} // namespace troupe::cli
