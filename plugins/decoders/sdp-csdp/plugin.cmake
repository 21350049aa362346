find_package(LAPACK REQUIRED)
concord_add_worker(decoder-sdp-csdp concord-csdp-worker decoders/sdp-csdp/worker/concord-csdp-worker.cpp)
target_include_directories(concord-csdp-worker SYSTEM PRIVATE ${CSDP_INCLUDE})
target_link_libraries(concord-csdp-worker PRIVATE ${CSDP_LIBRARY} LAPACK::LAPACK)
