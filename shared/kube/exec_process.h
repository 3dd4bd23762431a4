// Runs a credential plugin (exec_plugin.h) as a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "shared/kube/exec_plugin.h"
#include "shared/kube/patience.h"

namespace pgc::kube {

// Whether a person sits at standard input, whom the plugin could ask something.
bool person_is_there();

// Starts the command, found on the PATH, with our environment, its own and KUBERNETES_EXEC_INFO;
// its standard error is ours; standard input is ours only where it is interactive. What it prints
// on standard output is the answer. When the patience is at its end it is killed.
Result<std::string> run_exec_plugin(const ExecPlugin& plugin, const std::string& info,
                                    bool interactive, const Patience& patience);

}  // namespace pgc::kube
