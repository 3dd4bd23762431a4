# How our own code is compiled: the target `pgc_settings`, which every target of ours links PRIVATE.
# Options: PGC_WERROR (default ON), PGC_HARDENING (release builds), PGC_SANITIZE ("address;undefined" or "thread").
option(PGC_WERROR "warnings in our own code are errors" ON)
option(PGC_HARDENING "the hardening of release builds" OFF)
set(PGC_SANITIZE "" CACHE STRING "sanitizers, e.g. address;undefined")
option(PGC_FUZZ "the fuzz targets instead of the other tests (needs clang)" OFF)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# One cache of objects for every clone and build folder of this machine: paths are rewritten relative to the build folder,
# so that the same sources hit the same entries wherever they lie.
find_program(PGC_CCACHE ccache)
if(PGC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  include(Cache)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env "CCACHE_DIR=${PGC_CACHE_DIR}/ccache" CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1 "${PGC_CCACHE}")
endif()

add_library(pgc_settings INTERFACE)
target_include_directories(pgc_settings INTERFACE "${PROJECT_SOURCE_DIR}")

target_compile_options(pgc_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wformat=2 -Wnon-virtual-dtor -Woverloaded-virtual
  # clang takes casts in the macros of OpenSSL for ours.
  -Wold-style-cast $<$<CXX_COMPILER_ID:GNU>:-Wcast-qual> -Wimplicit-fallthrough -Wextra-semi)
if(PGC_WERROR)
  target_compile_options(pgc_settings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Wrong about std::string operator+ and about std::optional and std::variant once inlined (GCC bugs 105651, 105562, 80635).
  target_compile_options(pgc_settings INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()

# The same binary from any clone path.
target_compile_options(pgc_settings INTERFACE
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=." "-ffile-prefix-map=${PROJECT_BINARY_DIR}=build")

if(PGC_HARDENING)
  target_compile_options(pgc_settings INTERFACE
    -fstack-protector-strong -ffunction-sections -fdata-sections -ftrivial-auto-var-init=zero)
  target_link_options(pgc_settings INTERFACE -Wl,--gc-sections -Wl,-z,relro,-z,now,-z,noexecstack)
  if(NOT CMAKE_CROSSCOMPILING)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES CXX)
    target_compile_options(pgc_settings INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS -fstack-clash-protection)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
      target_compile_options(pgc_settings INTERFACE -fcf-protection=full)
    endif()
  endif()
else()
  target_compile_definitions(pgc_settings INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# Sanitizers also see third-party headers, so they are for every target and not only for ours.
foreach(sanitizer IN LISTS PGC_SANITIZE)
  add_compile_options("-fsanitize=${sanitizer}")
  add_link_options("-fsanitize=${sanitizer}")
endforeach()
if(PGC_SANITIZE)
  add_compile_options(-fno-omit-frame-pointer -fno-sanitize-recover=all)
endif()
