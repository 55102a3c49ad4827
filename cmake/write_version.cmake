# Writes the version and the commit into a header, if they have changed:
#   cmake -DVERSION=1.2.3 -DSOURCE=DIR -DOUT=FILE -P write_version.cmake
find_program(GIT git)
set(commit "")
if(GIT)
  execute_process(COMMAND "${GIT}" describe --always --abbrev=12 --dirty --exclude=*
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT "${OUT}" CONTENT [[
#pragma once

#define TROUPE_VERSION "@VERSION@"
#define TROUPE_COMMIT "@commit@" // "" if it was not built in a git checkout.
]] @ONLY)
