# Finds protozero, headers that read protobuf, which Debian ships without a CMake
# package. Defines the imported target protozero::protozero.

find_path(PROTOZERO_INCLUDE_DIR NAMES protozero/pbf_reader.hpp)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Protozero
  REQUIRED_VARS PROTOZERO_INCLUDE_DIR)

if(Protozero_FOUND AND NOT TARGET protozero::protozero)
  add_library(protozero::protozero INTERFACE IMPORTED)
  set_target_properties(protozero::protozero PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PROTOZERO_INCLUDE_DIR}")
endif()
