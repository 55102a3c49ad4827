#pragma once

#include "actors/base/messages.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::actors {

/// How long a response may take: a request waits for its turn, and is then
/// carried out.
inline constexpr auto response_patience =
    std::chrono::duration_cast<std::chrono::milliseconds>(
        2 * job_request_patience);

/// Receives the responses of one source; no responses if the source has failed.
using take_responses = std::function<void(std::vector<job_response>)>;
/// Asks one source.
using response_source = std::function<void(take_responses)>;

/// Asks all sources, and passes their responses on, in the order of the
/// sources, when all have come.
inline void join_responses_in_order(const std::vector<response_source>& sources,
                                    take_responses take_all) {
  struct collection {
    take_responses take_all;
    std::vector<std::vector<job_response>> parts;
    std::size_t missing;

    void pass_on() {
      std::vector<job_response> all;
      for (auto& part : parts)
        std::move(part.begin(), part.end(), std::back_inserter(all));
      take_all(std::move(all));
    }
  };
  auto c = std::make_shared<collection>(collection{
      std::move(take_all),
      std::vector<std::vector<job_response>>(sources.size()), sources.size()});
  if (sources.empty())
    c->pass_on();
  for (std::size_t i = 0; i < sources.size(); ++i)
    sources[i]([c, i](std::vector<job_response> part) {
      c->parts[i] = std::move(part);
      if (--c->missing == 0)
        c->pass_on();
    });
}

/// The same, and delivers them.
inline caf::result<job_responses>
join_job_responses(caf::typed_response_promise<job_responses> promise,
                   const std::vector<response_source>& sources) {
  join_responses_in_order(sources, [promise](std::vector<job_response> all) {
    auto to = promise;
    to.deliver(
        std::make_shared<const std::vector<job_response>>(std::move(all)));
  });
  return promise;
}

} // namespace troupe::actors
