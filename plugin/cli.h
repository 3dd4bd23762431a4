// The command line of `kubectl pgc`.
#pragma once

#include <string>
#include <vector>

#include "plugin/process.h"

namespace pgc::plugin {

// Runs one command; the arguments are without the program's name. Returns the exit code: 0, or 1
// for any error; `validate` alone has 2 as well, where there is nothing to judge.
int run(const std::vector<std::string>& arguments, const Process& process);

}  // namespace pgc::plugin
