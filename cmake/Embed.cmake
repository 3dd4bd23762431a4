# pgc_embed(TARGET FILE SYMBOL): puts a text file into TARGET as `std::string_view pgc::embedded::SYMBOL`, declared in the
# generated header "embedded/SYMBOL.h". The binary then carries the file of its own commit, and needs none at run time.
#   pgc_embed(pgc_rules ${PROJECT_SOURCE_DIR}/manifests/crd/postgresclusters.yaml postgrescluster_crd)
# The target `pgc_generated` makes all such files without compiling anything, for tools that read the sources.
add_custom_target(pgc_generated)

function(pgc_embed target file symbol)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded_${target}/embedded")
  add_custom_command(
    OUTPUT "${folder}/${symbol}.cpp" "${folder}/${symbol}.h"
    COMMAND "${CMAKE_COMMAND}" "-DFILE=${file}" "-DSYMBOL=${symbol}" "-DFOLDER=${folder}"
            -P "${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake"
    DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake"
    VERBATIM)
  add_custom_target(${target}_${symbol} DEPENDS "${folder}/${symbol}.cpp" "${folder}/${symbol}.h")
  add_dependencies(pgc_generated ${target}_${symbol})
  add_dependencies(${target} ${target}_${symbol})
  target_sources(${target} PRIVATE "${folder}/${symbol}.cpp" "${folder}/${symbol}.h")
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/embedded_${target}>")
endfunction()
