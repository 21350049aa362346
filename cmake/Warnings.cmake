# How every target of the project is compiled: warnings; -Werror, sanitizers and -march by option.
add_library(concord_flags INTERFACE)
target_compile_options(concord_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${CONCORD_WERROR}>:-Werror>
                       $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 imagines these in copies of short std::strings, and the last two in its own AVX-512 intrinsics.
  target_compile_options(concord_flags INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                         -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
if(CONCORD_NATIVE)
  target_compile_options(concord_flags INTERFACE -march=native)
endif()
if(CONCORD_SANITIZE)
  target_compile_options(concord_flags INTERFACE -fsanitize=${CONCORD_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(concord_flags INTERFACE -Wno-maybe-uninitialized) # false alarms in instrumented code
  endif()
  target_link_options(concord_flags INTERFACE -fsanitize=${CONCORD_SANITIZE})
endif()
