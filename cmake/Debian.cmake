# Debian packages by CPack: concord, concord-dev, and one for each solver that others wrote. See scripts/package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CONCORD_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL)

# The files that policy wants in /usr/share/doc/PACKAGE; the texts are those of the repository.
file(READ LICENSE licence)
string(STRIP "${licence}" licence)
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REPLACE "\n" "\n " CONCORD_LICENCE "${licence}")
configure_file(cmake/debian/copyright.in debian/copyright @ONLY)
configure_file(cmake/debian/changelog.in debian/changelog @ONLY)
execute_process(COMMAND gzip -9nc ${CMAKE_BINARY_DIR}/debian/changelog OUTPUT_FILE ${CMAKE_BINARY_DIR}/debian/changelog.gz
                COMMAND_ERROR_IS_FATAL ANY)

# debian_package(COMPONENT NAME SUMMARY DESCRIPTION [DEPENDS...])
function(debian_package component name summary description)
  string(TOUPPER ${component} key)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_COMPONENT_${key}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  string(JOIN ", " depends ${ARGN})
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  install(FILES ${CMAKE_BINARY_DIR}/debian/copyright ${CMAKE_BINARY_DIR}/debian/changelog.gz
          DESTINATION share/doc/${name} COMPONENT ${component})
endfunction()

set(same "concord (= ${PROJECT_VERSION})")
debian_package(host concord "multi-label classification with a learned label prior"
  "Concord learns which labels attract and which repel each other, and lets
one swap the solver behind it. Decoders, losses and roundings are plugins:
spectral and semidefinite relaxations, minimum cuts, exact branch and bound
and local search are part of this package.")
get_target_property(api libconcord SOVERSION)
debian_package(lib libconcord${api} "library for multi-label classification with a learned label prior"
  "Concord for programs: decode, train, predict and measure in one's own
process, by a plain C interface. Its plugins are in the package concord." ${same})
set(CPACK_DEBIAN_LIB_PACKAGE_SECTION libs)
file(WRITE ${CMAKE_BINARY_DIR}/debian/shlibs "libconcord ${api} libconcord${api} (>= ${PROJECT_VERSION})\n")
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIB_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/shlibs ${CMAKE_BINARY_DIR}/debian/triggers)
debian_package(dev concord-dev "headers and CMake package for Concord and its plugins"
  "With these headers decoders, losses and roundings are written for Concord,
and programs that use its library. A project for a plugin is made by
'concord new'; find_package(Concord) gives it concord_add_plugin, and
programs the target Concord::concord."
  ${same} "libconcord${api} (= ${PROJECT_VERSION})" cmake make "libeigen3-dev (>= 3.4)")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_HOST_PACKAGE_RECOMMENDS curl)
debian_package(python python3-concord "multi-label classification with a learned label prior (Python 3)"
  "Decoding, QUBO and max-cut with proven bounds, and estimators for
scikit-learn that learn which labels attract and which repel each other."
  ${same} "libconcord${api} (= ${PROJECT_VERSION})" "python3 (>= 3.10)" python3-numpy python3-scipy)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-sklearn, python3-matplotlib")
if(TARGET concord-mpi)
  debian_package(mpi concord-mpi "Concord's training by several machines"
    "The program of the package concord for MPI: several processes, on one
machine or on many, train one model, to the same bytes as one of them." ${same})
  set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
endif()
foreach(solver csdp dsdp)
  if(TARGET decoder-sdp-${solver})
    string(TOUPPER ${solver} title)
    debian_package(${solver} concord-plugin-${solver} "decoder of Concord by the semidefinite solver ${title}"
      "The plugin decoder/sdp-${solver}: the semidefinite relaxation of a decoding
problem, solved by ${title}, with a bound that Concord proves from its answer." ${same})
  endif()
endforeach()

install(DIRECTORY examples DESTINATION share/doc/concord COMPONENT host PATTERN data EXCLUDE)

include(CPack)
