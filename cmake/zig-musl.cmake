# Toolchain: static executables for any x86_64 Linux, by the clang, libc++ and musl inside zig. dev/setup --only zig makes the
# wrappers named here; they are needed because CMake wants one program where zig wants a subcommand and a target.
include("${CMAKE_CURRENT_LIST_DIR}/Cache.cmake")
set(PGC_CROSS_TARGET x86_64-linux-musl)

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../dev/versions.sh" pgc_zig_version REGEX "^zig_version=")
string(REPLACE "zig_version=" "" pgc_zig_version "${pgc_zig_version}")
set(pgc_zig_bin "${PGC_CACHE_DIR}/zig/${pgc_zig_version}/bin")
if(NOT EXISTS "${pgc_zig_bin}/${PGC_CROSS_TARGET}-c++")
  message(FATAL_ERROR "no cross compiler in ${pgc_zig_bin}: run dev/setup --only zig")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET "")
  set(CMAKE_${language}_COMPILER_AR "${pgc_zig_bin}/${PGC_CROSS_TARGET}-ar")
  set(CMAKE_${language}_COMPILER_RANLIB "${pgc_zig_bin}/${PGC_CROSS_TARGET}-ranlib")
endforeach()
set(CMAKE_C_COMPILER "${pgc_zig_bin}/${PGC_CROSS_TARGET}-cc")
set(CMAKE_CXX_COMPILER "${pgc_zig_bin}/${PGC_CROSS_TARGET}-c++")
set(CMAKE_AR "${pgc_zig_bin}/${PGC_CROSS_TARGET}-ar" CACHE FILEPATH "")
set(CMAKE_RANLIB "${pgc_zig_bin}/${PGC_CROSS_TARGET}-ranlib" CACHE FILEPATH "")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -s")

# Nothing of this machine's own headers and libraries may get in.
set(CMAKE_FIND_ROOT_PATH "${PGC_DEPS_DIR}/${PGC_CROSS_TARGET}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(OPENSSL_ROOT_DIR "${PGC_DEPS_DIR}/${PGC_CROSS_TARGET}")
