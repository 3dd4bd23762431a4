# The third-party targets, all of them SYSTEM: nlohmann_json::nlohmann_json, yaml-cpp::yaml-cpp, pgc::httplib, CLI11::CLI11,
# pgc::valijson, re2::re2, simdjson::simdjson, OpenSSL::SSL; for native builds Catch2::Catch2WithMain, for others mimalloc-static.
# They come from the prefix that dev/setup fills; a distribution that is new enough serves as well.
include(Cache)

if(CMAKE_CROSSCOMPILING)
  set(pgc_deps_target "${PGC_CROSS_TARGET}")
  set(pgc_setup_part zig)
else()
  set(pgc_deps_target native)
  set(pgc_setup_part cpp)
endif()
set(pgc_deps_prefix "${PGC_DEPS_DIR}/${pgc_deps_target}")
list(PREPEND CMAKE_PREFIX_PATH "${pgc_deps_prefix}")
set(pgc_deps_hint "run dev/setup --only ${pgc_setup_part}, which fills ${pgc_deps_prefix}")

# A header-only library without a usable CMake package: found by one of its headers.
function(pgc_header_library target header)
  string(MAKE_C_IDENTIFIER "PGC_${header}_DIR" variable)
  find_path(${variable} "${header}" PATHS "${pgc_deps_prefix}/include")
  if(NOT ${variable})
    message(FATAL_ERROR "${header} not found: ${pgc_deps_hint}")
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE "${${variable}}")
endfunction()

# A library with a CMake package; what it was before that adds only the hint of what to do.
macro(pgc_package name minimum)
  find_package(${name} ${minimum} CONFIG QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} ${minimum} or newer not found: ${pgc_deps_hint}")
  endif()
  message(STATUS "${name} ${${name}_VERSION} from ${${name}_DIR}")
endmacro()

find_package(Threads REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ${CMAKE_CROSSCOMPILING})
find_package(OpenSSL 3.0 REQUIRED)
pgc_package(yaml-cpp 0.8)
pgc_package(re2 "")
pgc_package(simdjson 3.0)
if(CMAKE_CROSSCOMPILING)
  pgc_package(mimalloc 2.0)
else()
  pgc_package(Catch2 3.7)
endif()

pgc_header_library(nlohmann_json::nlohmann_json nlohmann/json.hpp)
pgc_header_library(CLI11::CLI11 CLI/CLI.hpp)

# valijson throws on a schema it does not understand; pgc_structural is the one place that catches it.
pgc_header_library(pgc::valijson valijson/validator.hpp)
target_compile_definitions(pgc::valijson INTERFACE VALIJSON_USE_EXCEPTIONS=1)

# No zlib, brotli or zstd: a compressed body is an attack we need not answer. The macOS keychain needs frameworks that a
# cross compiler does not have; kubectl-pgc reads certificate files on every system.
pgc_header_library(pgc::httplib httplib.h)
# Without TCP_NODELAY a server's answer, sent as header and body, waits 40 ms for the client's delayed acknowledgement. With
# "Expect: 100-continue" each body of over 1 KiB waits for a round trip.
target_compile_definitions(pgc::httplib INTERFACE
  CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_DISABLE_MACOSX_AUTOMATIC_ROOT_CERTIFICATES CPPHTTPLIB_TCP_NODELAY=true
  CPPHTTPLIB_EXPECT_100_THRESHOLD=0)
target_link_libraries(pgc::httplib INTERFACE OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
