#pragma once

#include "frameworks/core/queueing/queue_call.hpp"
#include "k8s/api.hpp"
#include "k8s/objects.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::actors {

/// One queue_order from its first read to its result. A value. What is read and
/// written is said by core::next_queue_call; here are the calls, and what their
/// answers mean. If the result of the write is unknown, or the object was
/// changed meanwhile, everything is read again, a few times.
class queue_order_course {
public:
  struct end {
    k8s::object_ptr item; ///< The Workload or the job; nullptr: it is gone.
    bool already_satisfied = false;
  };
  using step = std::variant<k8s::request, end, k8s::failure>;

  step begin(const core::queue_order& order, const core::job& j);
  step on_answer(const core::queue_order& order, const core::job& j,
                 const k8s::result<std::string>& answer);

private:
  friend struct exploration::state_reader;
  step next(const core::queue_order& order, const core::job& j);
  step begin_again(const core::queue_order& order, const core::job& j,
                   k8s::failure why);
  step on_written(const core::queue_order& order, const core::job& j,
                  const k8s::result<std::string>& answer);
  step on_existing_read(const core::queue_order& order, const core::job& j,
                        const k8s::result<std::string>& answer) const;

  enum class phase : std::uint8_t { reading, writing, finding };

  std::vector<std::string> answers_;
  phase at_ = phase::reading;
  bool may_be_missing_ = false; ///< What is read now.
  bool writes_job_ = false;
  std::uint8_t tries_ = 0;
};

} // namespace troupe::actors
