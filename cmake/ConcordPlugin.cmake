# concord_add_plugin(KIND NAME SOURCES...)   KIND: decoder, loss or rounding
# A module KIND-NAME.so with one exported symbol and all others resolved. The target is called KIND-NAME. Concord's
# own plugins and those of others are built by this same function.
set(CONCORD_PLUGIN_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

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
