// Texts that reach a file that we render: Patroni's YAML, and by it postgresql.conf.
#pragma once

#include <string_view>

namespace pgc::schema {

// Whether the text is UTF-8 of which every character survives both files as it is: no control
// characters, no line breaks of Unicode, none that YAML does not allow. Quotes and backslashes may
// be in it: JSON escapes them, and Patroni doubles them in postgresql.conf.
bool is_one_clean_line(std::string_view text);

}  // namespace pgc::schema
