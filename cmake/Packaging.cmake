# cmake --install, and `cpack -G DEB` for a Debian package.
# What starts the program in an archive (deploy/archive).
add_executable(troupe_launcher deploy/archive/launcher.c)
target_compile_options(troupe_launcher PRIVATE -O2 -Wall -Wextra)
target_link_options(troupe_launcher PRIVATE -static -s)

include(GNUInstallDirs)
install(TARGETS troupe RUNTIME)
# `kubectl troupe ...` runs the program of this name.
file(CREATE_LINK troupe "${PROJECT_BINARY_DIR}/kubectl-troupe" SYMBOLIC)
install(FILES "${PROJECT_BINARY_DIR}/kubectl-troupe"
  DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES config/operator.yaml DESTINATION "${CMAKE_INSTALL_DATADIR}/troupe")
install(DIRECTORY deploy DESTINATION "${CMAKE_INSTALL_DATADIR}/troupe"
  PATTERN "*.py" EXCLUDE PATTERN image EXCLUDE PATTERN archive EXCLUDE
  PATTERN krew EXCLUDE PATTERN wheel EXCLUDE PATTERN release EXCLUDE
  PATTERN chart EXCLUDE PATTERN gallery EXCLUDE)
# Its programs are Python, which are left out of the rest.
install(DIRECTORY deploy/samples/gallery
  DESTINATION "${CMAKE_INSTALL_DATADIR}/troupe/deploy/samples"
  FILES_MATCHING PATTERN "*.yaml" PATTERN "*.md" PATTERN "*.py"
  PATTERN "*.txt" PATTERN "Dockerfile" PATTERN "__pycache__" EXCLUDE)
install(FILES README.md CHANGELOG.md docs/differences.md
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)
# Written at installation, when the program is there to be asked; one for another
# architecture is run by an emulator.
set(run_troupe "")
foreach(word ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:troupe>")
  string(APPEND run_troupe " [[${word}]]")
endforeach()
set(manual_page "${PROJECT_BINARY_DIR}/troupe.1.gz")
install(CODE "execute_process(COMMAND python3
  [[${PROJECT_SOURCE_DIR}/cmake/write_manual_page.py]]
  [[${manual_page}]] ${run_troupe} COMMAND_ERROR_IS_FATAL ANY)")
install(FILES "${manual_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/completions")
function(install_completion shell folder name)
  set(script "${PROJECT_BINARY_DIR}/completions/${shell}")
  install(CODE "execute_process(
    COMMAND ${run_troupe} completion ${shell}
    OUTPUT_FILE [[${script}]] COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${script}" RENAME "${name}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
endfunction()
install_completion(bash bash-completion/completions troupe)
install_completion(zsh zsh/vendor-completions _troupe)
install_completion(fish fish/vendor_completions.d troupe.fish)

set(CPACK_PACKAGE_NAME troupe)
set(CPACK_PACKAGE_CONTACT "The Troupe authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "Kubernetes operator for distributed training jobs")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # Which libraries it needs.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS slirp4netns) # The pods' way out.
include(CPack)
