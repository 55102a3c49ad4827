# Builds for arm64 on another machine, with Debian's cross compiler and the
# libraries in build-arm64/sysroot, which cmake/build_sysroot.py makes. Programs
# of the target run in qemu, if that is there: tests, completions, the manual
# page. Nothing else of the target is run.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
get_filename_component(CMAKE_SYSROOT
  "${CMAKE_CURRENT_LIST_DIR}/../build-arm64/sysroot" ABSOLUTE)
if(NOT EXISTS "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu")
  message(FATAL_ERROR "There is no ${CMAKE_SYSROOT}: make build-arm64, or "
    "cmake/build_sysroot.py arm64 ${CMAKE_SYSROOT}")
endif()

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Programs are this machine's, all else is the target's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(TROUPE_QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64)
if(TROUPE_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR
    "${TROUPE_QEMU_AARCH64};-L;${CMAKE_SYSROOT}")
endif()
