set(CONCORD_PLUGIN_COMPONENT dsdp)
find_package(LAPACK REQUIRED)
target_include_directories(decoder-sdp-dsdp SYSTEM PRIVATE ${DSDP_INCLUDE})
target_link_libraries(decoder-sdp-dsdp PRIVATE ${DSDP_LIBRARY} LAPACK::LAPACK)
