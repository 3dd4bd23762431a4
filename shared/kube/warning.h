// Warnings that the API server sends beside an answer, such as those of an admission webhook. Pure.
// https://kubernetes.io/blog/2020/09/03/warnings/; the form is RFC 7234's, 5.5.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pgc::kube {

// The text of a header `299 - "text"`, unquoted; nothing where it is of another form.
std::optional<std::string> warning_text(std::string_view header);

}  // namespace pgc::kube
