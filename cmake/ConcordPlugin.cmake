# concord_add_plugin(KIND NAME SOURCES...)   KIND: decoder, loss or rounding
# A module KIND-NAME.so with one exported symbol and all others resolved. The target is called KIND-NAME. Concord's
# own plugins and those of others are built by this same function.
#
# concord_add_sdp_worker(NAME WORKER SOURCES...)   after concord_add_plugin(decoder NAME ...)
# The program WORKER, which that SDP decoder runs in processes of its own (kit/sdp_worker.hpp). The plugin goes to the
# folder `plugins` of the build tree, unless the project says where, and the worker to `libexec` beside it: a plugin finds
# its worker from its own place. The plugin has the worker's name as CONCORD_SDP_WORKER. `cmake --install` keeps the
# layout: LIBDIR/concord/plugins and LIBDIR/concord/libexec.
#
# concord_add_kit(NAME)   for a project of several plugins that use the kit
# A static library of what takes long to compile in the kit, which is headers only without it. Plugins take it by
# target_link_libraries(KIND-NAME PRIVATE NAME). It must have the plugins' own -march: the memory of Eigen's matrices
# depends on that.
set(CONCORD_PLUGIN_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

function(concord_add_kit name)
  set(sources)
  foreach(headers dense spectral+spectral_family sdp+sdp_bound+sdp_verify+sdp_sparse+sdp_backend) # what is compiled together
    string(REGEX MATCH "^[a-z]+" first ${headers})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}/${first}.cpp)
    string(REPLACE "+" ".hpp>\n#include <concord/kit/impl/" includes ${headers})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <concord/kit/impl/${includes}.hpp>\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC Concord::sdk)
  target_compile_definitions(${name} PUBLIC CONCORD_KIT_COMPILED)
  target_compile_options(${name} PRIVATE -fno-fast-math)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(concord_add_plugin kind name)
  if(NOT kind MATCHES "^(decoder|loss|rounding)$")
    message(FATAL_ERROR "concord_add_plugin: the kind is decoder, loss or rounding, not '${kind}'")
  endif()
  if(NOT name MATCHES "^[a-z0-9-]+$")
    message(FATAL_ERROR "concord_add_plugin: a name is made of a-z, 0-9 and -, which '${name}' is not")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "concord_add_plugin: ${kind} '${name}' has no sources")
  endif()
  if(NOT TARGET Eigen3::Eigen)
    message(FATAL_ERROR "concord_add_plugin: a plugin needs Eigen 3.4, which find_package(Concord) has not found (Debian: libeigen3-dev)")
  endif()
  set(target ${kind}-${name})
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE Concord::sdk)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${CONCORD_PLUGIN_CMAKE_DIR}/plugin.map)
  target_link_options(${target} PRIVATE LINKER:--version-script=${CONCORD_PLUGIN_CMAKE_DIR}/plugin.map)
  # NaN has a meaning at the border. As the last words on the link line these also keep the compiler from linking
  # crtfastmath, which would flush denormals in the whole process: -Ofast asks for it, and the last -O counts.
  target_compile_options(${target} PRIVATE -fno-fast-math)
  target_link_options(${target} PRIVATE -fno-fast-math -fno-unsafe-math-optimizations -O2)
  if(NOT CONCORD_SANITIZE) # a sanitizer's runtime is resolved by the executable
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()

function(concord_add_sdp_worker name worker)
  set(plugin decoder-${name})
  if(NOT TARGET ${plugin})
    message(FATAL_ERROR "concord_add_sdp_worker: there is no plugin ${plugin}: call concord_add_plugin(decoder ${name} ...) before")
  endif()
  if(NOT worker MATCHES "^[A-Za-z0-9_.-]+$" OR NOT ARGN)
    message(FATAL_ERROR "concord_add_sdp_worker: give the name of the program, and its sources, not '${worker}' and '${ARGN}'")
  endif()
  find_package(Threads REQUIRED)
  include(GNUInstallDirs)
  get_target_property(plugins ${plugin} LIBRARY_OUTPUT_DIRECTORY)
  if(NOT plugins)
    set(plugins ${CMAKE_CURRENT_BINARY_DIR}/plugins)
    set_target_properties(${plugin} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${plugins})
  endif()
  cmake_path(GET plugins PARENT_PATH above)
  add_executable(${worker} ${ARGN})
  target_link_libraries(${worker} PRIVATE Concord::sdk Threads::Threads)
  target_compile_options(${worker} PRIVATE -fno-fast-math)
  set_target_properties(${worker} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${above}/libexec)
  target_compile_definitions(${plugin} PRIVATE CONCORD_SDP_WORKER="${worker}")
  add_dependencies(${plugin} ${worker})
  set(component)
  if(CONCORD_PLUGIN_COMPONENT)
    set(component COMPONENT ${CONCORD_PLUGIN_COMPONENT})
  endif()
  install(TARGETS ${worker} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/concord/libexec ${component})
  if(NOT component) # Concord's own build installs its plugins itself
    install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/concord/plugins)
  endif()
endfunction()
