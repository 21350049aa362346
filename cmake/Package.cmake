# What others build against: the headers, and a CMake package that find_package(Concord) finds in an installation as
# well as in the build tree.
include(CMakePackageConfigHelpers)
set(CONCORD_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Concord)
file(STRINGS core/include/concord/abi.h abi REGEX "^#define CONCORD_ABI [0-9]+u$")
string(REGEX MATCH "[0-9]+" CONCORD_ABI "${abi}")

# Before 1.0 a new minor version may change the SDK's sources; the border has the ABI number for that.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ConcordConfigVersion.cmake COMPATIBILITY SameMinorVersion)

set(CONCORD_PLUGIN_CMAKE ConcordPlugin.cmake)
configure_package_config_file(cmake/ConcordConfig.cmake.in ${CMAKE_BINARY_DIR}/install/ConcordConfig.cmake
  INSTALL_DESTINATION ${CONCORD_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_BINDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(TARGETS sdk EXPORT ConcordTargets FILE_SET HEADERS COMPONENT dev)
install(TARGETS libconcord EXPORT ConcordTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lib
        NAMELINK_COMPONENT dev)
file(RELATIVE_PATH CONCORD_PC_INCLUDEDIR /${CMAKE_INSTALL_LIBDIR}/pkgconfig /${CMAKE_INSTALL_INCLUDEDIR})
set(CONCORD_PC_INCLUDEDIR "\${pcfiledir}/${CONCORD_PC_INCLUDEDIR}")
configure_file(cmake/concord.pc.in ${CMAKE_BINARY_DIR}/install/concord.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/install/concord.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(EXPORT ConcordTargets NAMESPACE Concord:: DESTINATION ${CONCORD_CMAKE_DIR} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/install/ConcordConfig.cmake ${CMAKE_BINARY_DIR}/ConcordConfigVersion.cmake
              cmake/ConcordPlugin.cmake cmake/plugin.map
        DESTINATION ${CONCORD_CMAKE_DIR} COMPONENT dev)

# The build tree: -DCMAKE_PREFIX_PATH or -DConcord_DIR is the build folder itself.
file(RELATIVE_PATH CONCORD_PLUGIN_CMAKE ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/cmake/ConcordPlugin.cmake)
configure_package_config_file(cmake/ConcordConfig.cmake.in ${CMAKE_BINARY_DIR}/ConcordConfig.cmake
  INSTALL_DESTINATION ${CMAKE_BINARY_DIR} INSTALL_PREFIX ${CMAKE_BINARY_DIR} PATH_VARS CMAKE_INSTALL_BINDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
export(EXPORT ConcordTargets NAMESPACE Concord:: FILE ${CMAKE_BINARY_DIR}/ConcordTargets.cmake)
