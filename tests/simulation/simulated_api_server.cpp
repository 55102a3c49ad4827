#include "tests/simulation/simulated_api_server.hpp"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace troupe::simulation {

namespace {

constexpr std::string_view manager = "fieldManager=operator-";

} // namespace

void simulated_api_server::send(
    k8s::request r, std::chrono::milliseconds limit,
    std::function<void(k8s::result<std::string>)> done) {
  if (is_write(r))
    r.path += (r.path.find('?') == std::string::npos ? "?" : "&")
              + std::string{manager} + std::to_string(process_);
  fake_api::send(std::move(r), limit,
                 [this, sender = process_,
                  done = std::move(done)](k8s::result<std::string> answer) {
                   if (sender == process_)
                     done(std::move(answer));
                 });
}

bool is_write(const k8s::request& r) {
  return r.method != k8s::verb::get && r.method != k8s::verb::list;
}

int process_of(const k8s::request& r) {
  auto at = r.path.rfind(manager);
  int n = 0;
  if (at != std::string::npos)
    std::from_chars(r.path.data() + at + manager.size(),
                    r.path.data() + r.path.size(), n);
  if (n == 0)
    throw std::logic_error("no process has sent " + r.path);
  return n;
}

} // namespace troupe::simulation
