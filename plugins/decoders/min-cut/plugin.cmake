find_path(LEMON_INCLUDE_DIR lemon/preflow.h REQUIRED)
target_include_directories(decoder-min-cut SYSTEM PRIVATE ${LEMON_INCLUDE_DIR}) # header-only as used here
