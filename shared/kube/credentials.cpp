#include "shared/kube/credentials.h"

#include <algorithm>

#include "shared/kube/exec_process.h"

namespace pgc::kube {
namespace {

constexpr std::chrono::seconds kForPrograms{60};
constexpr std::chrono::seconds kForPeople{300};

Result<std::string> run_for_real(const ExecPlugin& plugin, const std::string& info,
                                 bool interactive, const Patience& patience) {
  const Deadline now = std::chrono::steady_clock::now();
  const Deadline until =
      interactive ? now + kForPeople : std::min(patience.until, now + kForPrograms);
  return run_exec_plugin(plugin, info, interactive, {.until = until, .stop = patience.stop});
}

Error somebody_else_asks(const ExecPlugin& plugin) {
  return {.kind = ErrorKind::kUnreachable,
          .message = "getting credentials: exec: executable " + plugin.command +
                     " was started by another call and has not answered in time"};
}

bool is_over(const Credential& credential, Credentials::TimePoint now) {
  return credential.expires && *credential.expires <= now;
}

}  // namespace

Credentials::Credentials(const Config& config) : Credentials(config, run_for_real) {}

Credentials::Credentials(const Config& config, Run run)
    : config_(config), run_(std::move(run)), token_(config.token_file, config.token) {}

Result<Credential> Credentials::current(TimePoint now, const Patience& patience) {
  if (!config_.exec) {
    return Credential{.token = token_.current(),
                      .certificate_pem = config_.client_certificate_pem,
                      .key_pem = config_.client_key_pem,
                      .expires = {}};
  }
  std::unique_lock lock(mutex_);
  if (!asked_.wait_until(lock, patience.stop, patience.until, [this] { return !asking_; })) {
    return std::unexpected(somebody_else_asks(*config_.exec));
  }
  if (answer_ && !is_over(*answer_, now)) return *answer_;
  asking_ = true;
  lock.unlock();
  auto answer = ask(patience);
  lock.lock();
  asking_ = false;
  if (answer) answer_ = *answer;
  asked_.notify_all();
  return answer;
}

void Credentials::refused(const Credential& used) {
  const std::lock_guard lock(mutex_);
  if (answer_ && *answer_ == used) answer_.reset();
}

Result<Credential> Credentials::ask(const Patience& patience) {
  const ExecPlugin& plugin = *config_.exec;
  const bool person = person_is_there();
  if (plugin.interactive_mode == InteractiveMode::kAlways && !person) {
    return std::unexpected(
        Error{.kind = ErrorKind::kConfiguration,
              .message = "getting credentials: exec plugin " + plugin.command +
                         " cannot run: interactiveMode is Always and standard input is no "
                         "terminal"});
  }
  const bool interactive = person && plugin.interactive_mode != InteractiveMode::kNever;
  const auto output = run_(plugin, exec_info(plugin, config_, interactive), interactive, patience);
  if (!output) return std::unexpected(output.error());
  return parse_credential(plugin, *output);
}

}  // namespace pgc::kube
