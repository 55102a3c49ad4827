#include "k8s/deep_json.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <pthread.h>

namespace troupe::k8s {

namespace {

/// Far more than the deepest value takes. What is not used takes no memory.
constexpr std::size_t stack_size = 256u << 20;

thread_local std::size_t readable_depth = usual_json_depth;

struct depth_counter {
  std::size_t depth = 0;
  std::size_t deepest = 0;

  void add(char c) {
    if (c == '{' || c == '[')
      deepest = std::max(deepest, ++depth);
    else if ((c == '}' || c == ']') && depth > 0)
      --depth;
  }

  /// `in_strings`, if given, counts in each string for itself.
  std::size_t of_text(std::string_view text,
                      depth_counter* in_strings = nullptr) {
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if (!in_string) {
        in_string = c == '"';
        add(c);
        if (in_string && in_strings)
          in_strings->depth = 0;
      } else if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      } else if (in_strings) {
        in_strings->add(c);
      }
    }
    return deepest;
  }
};

struct deep_work {
  const std::function<void()>& work;
  std::exception_ptr thrown = {};

  static void* run_work_at_stored_depth(void* self) {
    auto& it = *static_cast<deep_work*>(self);
    readable_depth = stored_json_depth;
    try {
      it.work();
    } catch (...) {
      it.thrown = std::current_exception();
    }
    return nullptr;
  }
};

} // namespace

std::size_t json_depth_limit_of_this_thread() {
  return readable_depth;
}

void run_on_deep_json_thread(const std::function<void()>& work) {
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> lock{one_at_a_time};
  deep_work here{work};
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, stack_size);
  pthread_t thread{};
  bool failed =
      pthread_create(&thread, &how, deep_work::run_work_at_stored_depth, &here)
      != 0;
  pthread_attr_destroy(&how);
  if (failed) { // Then only to the usual depth.
    work();
    return;
  }
  pthread_join(thread, nullptr);
  if (here.thrown)
    std::rethrow_exception(here.thrown);
}

std::size_t nesting_depth(std::string_view text) {
  return depth_counter{}.of_text(text);
}

std::size_t nesting_depth_with_strings(std::string_view text) {
  depth_counter in_strings;
  auto outside = depth_counter{}.of_text(text, &in_strings);
  return std::max(outside, in_strings.deepest);
}

} // namespace troupe::k8s
