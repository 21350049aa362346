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
  if(CONCORD_SANITIZE MATCHES "address")
    target_compile_definitions(concord_flags INTERFACE CONCORD_SHADOW_MEMORY)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CONCORD_SANITIZE MATCHES "address")
    # One runtime for the program, the library, and an interpreter that loads the library: clang's static one, its
    # default, would be a second one there. g++ shares its runtime by default.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                    OUTPUT_VARIABLE CONCORD_ASAN_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET CONCORD_ASAN_RUNTIME PARENT_PATH runtime_folder)
    target_link_options(concord_flags INTERFACE -shared-libasan LINKER:-rpath,${runtime_folder})
  endif()
endif()
