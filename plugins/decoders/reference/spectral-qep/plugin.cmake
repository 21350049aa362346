find_package(LAPACK REQUIRED)
target_link_libraries(decoder-spectral-qep PRIVATE LAPACK::LAPACK)
