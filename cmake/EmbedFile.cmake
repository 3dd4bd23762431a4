# cmake -DFILE=… -DSYMBOL=… -DFOLDER=… -P EmbedFile.cmake: writes FOLDER/SYMBOL.{h,cpp} with the text of FILE as an array of
# bytes, which, unlike a string literal, has no largest length and no sequence of characters that would end it.
file(READ "${FILE}" bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "((......){16})" "\\1\n" bytes "${bytes}")
get_filename_component(name "${FILE}" NAME)

file(WRITE "${FOLDER}/${SYMBOL}.h" "// Generated from ${name}.
#pragma once

#include <string_view>

namespace pgc::embedded {
extern const std::string_view ${SYMBOL};
}  // namespace pgc::embedded
")
file(WRITE "${FOLDER}/${SYMBOL}.cpp" "// Generated from ${name}.
#include \"embedded/${SYMBOL}.h\"

namespace pgc::embedded {
namespace {
constexpr char kText[] = {
${bytes}
'\\0'};
}  // namespace
constexpr std::string_view ${SYMBOL}{kText, sizeof(kText) - 1};
}  // namespace pgc::embedded
")
