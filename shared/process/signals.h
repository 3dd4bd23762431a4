// How a program in a pod is asked to end. POSIX only: for operator and webhook, not for the plugin.
#pragma once

#include <csignal>

namespace pgc {

// Blocks SIGTERM and SIGINT, so that only a thread that waits for the returned set sees them, and
// ignores SIGPIPE. Call it before the first thread starts: threads inherit it.
inline sigset_t block_ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

}  // namespace pgc
