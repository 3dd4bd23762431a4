# Where dev/setup keeps what takes long to make (dev/lib.sh, dev/cpp.sh): the same names, computed the same way.
if(DEFINED ENV{PGC_CACHE})
  set(PGC_CACHE_DIR "$ENV{PGC_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(PGC_CACHE_DIR "$ENV{XDG_CACHE_HOME}/pgc")
else()
  set(PGC_CACHE_DIR "$ENV{HOME}/.cache/pgc")
endif()

file(SHA256 "${CMAKE_CURRENT_LIST_DIR}/dependencies.list" pgc_deps_key)
string(SUBSTRING "${pgc_deps_key}" 0 16 pgc_deps_key)
set(PGC_DEPS_DIR "${PGC_CACHE_DIR}/deps/${pgc_deps_key}")
