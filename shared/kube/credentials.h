// Who we are at this moment: fixed, from a token file, or from a credential plugin.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "shared/kube/config.h"
#include "shared/kube/patience.h"
#include "shared/kube/token.h"

namespace pgc::kube {

// Safe from several threads; a plugin runs once for all that wait for it.
class Credentials {
 public:
  using TimePoint = std::chrono::system_clock::time_point;
  // Gives what the plugin printed.
  using Run = std::function<Result<std::string>(const ExecPlugin& plugin, const std::string& info,
                                                bool interactive, const Patience& patience)>;

  // Runs plugins for real: 60 s each at the most, and not beyond the call's deadline; five minutes
  // whatever the deadline is where a person may have to do something.
  explicit Credentials(const Config& config);
  Credentials(const Config& config, Run run);

  // A plugin is asked at the first call, when what it said has expired, and after refused().
  Result<Credential> current(TimePoint now, const Patience& patience);
  // The server answered 401 to this credential. The request is not repeated, the next one asks
  // anew.
  void refused(const Credential& used);

 private:
  Result<Credential> ask(const Patience& patience);

  const Config config_;
  const Run run_;
  TokenSource token_;

  std::mutex mutex_;
  std::condition_variable_any asked_;
  // Guarded by mutex_.
  std::optional<Credential> answer_;  // of the plugin
  bool asking_ = false;               // somebody runs the plugin
};

}  // namespace pgc::kube
