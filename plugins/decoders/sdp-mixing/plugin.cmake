find_package(LAPACK REQUIRED)
target_link_libraries(decoder-sdp-mixing PRIVATE LAPACK::LAPACK)
