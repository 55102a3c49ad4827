# Headers that many files include and that take seconds to read, compiled once
# and shared: troupe_precompiled(TARGET json|tests|actors).
file(WRITE "${PROJECT_BINARY_DIR}/precompiled.cpp" "")

set(troupe_headers_json <nlohmann/json.hpp>)
set(troupe_headers_tests <boost/test/unit_test.hpp> <nlohmann/json.hpp>)
set(troupe_headers_actors <boost/test/unit_test.hpp> <nlohmann/json.hpp>
    <caf/all.hpp>)

function(troupe_precompiled target set)
  set(owner "troupe_precompiled_${set}")
  if(NOT TARGET ${owner})
    add_library(${owner} OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
    target_link_libraries(${owner} PRIVATE troupe_flags
      nlohmann_json::nlohmann_json)
    if(NOT set STREQUAL json)
      target_link_libraries(${owner} PRIVATE Boost::unit_test_framework)
    endif()
    if(set STREQUAL actors)
      target_link_libraries(${owner} PRIVATE CAF::core)
      target_compile_options(${owner} PRIVATE ${troupe_actor_test_options})
    endif()
    target_precompile_headers(${owner} PRIVATE ${troupe_headers_${set}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
