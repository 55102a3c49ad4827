# cmake --install, and `cpack -G DEB` for a Debian package.
include(GNUInstallDirs)
install(TARGETS troupe RUNTIME)
install(FILES config/operator.yaml DESTINATION "${CMAKE_INSTALL_DATADIR}/troupe")
install(DIRECTORY deploy DESTINATION "${CMAKE_INSTALL_DATADIR}/troupe"
  PATTERN "*.py" EXCLUDE PATTERN image EXCLUDE)
install(FILES README.md CHANGELOG.md docs/differences.md
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)

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
include(CPack)
