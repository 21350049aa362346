# concord_add_plugin(KIND NAME SOURCES...)   KIND: decoder, loss or rounding
# A module KIND-NAME.so with one exported symbol and all others resolved, put where the host looks for it.
# The target is called KIND-NAME.
set(CONCORD_PLUGIN_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

function(concord_add_plugin kind name)
  if(NOT kind MATCHES "^(decoder|loss|rounding)$")
    message(FATAL_ERROR "concord_add_plugin: the kind is decoder, loss or rounding, not '${kind}'")
  endif()
  if(NOT name MATCHES "^[a-z0-9-]+$")
    message(FATAL_ERROR "concord_add_plugin: a name is made of a-z, 0-9 and -, which '${name}' is not")
  endif()
  set(target ${kind}-${name})
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE concord_sdk)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so"
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CONCORD_PLUGIN_DIR}
    LINK_DEPENDS ${CONCORD_PLUGIN_CMAKE_DIR}/plugin.map)
  target_link_options(${target} PRIVATE LINKER:--version-script=${CONCORD_PLUGIN_CMAKE_DIR}/plugin.map)
  if(NOT CONCORD_SANITIZE) # a sanitizer's runtime is resolved by the executable
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()
