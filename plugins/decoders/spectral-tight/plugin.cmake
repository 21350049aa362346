find_package(LAPACK REQUIRED)
target_link_libraries(decoder-spectral-tight PRIVATE LAPACK::LAPACK)
