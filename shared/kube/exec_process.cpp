// The only file of this folder with processes in it.
#include "shared/kube/exec_process.h"

#ifdef _WIN32

namespace pgc::kube {

bool person_is_there() {
  return false;
}

Result<std::string> run_exec_plugin(const ExecPlugin& plugin, const std::string&, bool,
                                    const Patience&) {
  return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                               .message = "not supported yet on Windows: the exec plugin \"" +
                                          plugin.command +
                                          "\"; use a client certificate, a token or a tokenFile"});
}

}  // namespace pgc::kube

#else

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <system_error>
#include <thread>

extern char** environ;  // NOLINT(readability-redundant-declaration): not every header has it

namespace pgc::kube {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;

Error failed(const ExecPlugin& plugin, const std::string& how) {
  return {.kind = ErrorKind::kConfiguration,
          .message = "getting credentials: exec: executable " + plugin.command + " " + how +
                     hint_of(plugin)};
}

std::string system_text(int code) {
  return std::generic_category().message(code);
}

// A pipe whose ends no other child inherits.
class Pipe {
 public:
  Pipe() : open_(::pipe(ends_) == 0) {
    if (!open_) return;
    for (const int end : ends_) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  ~Pipe() {
    if (!open_) return;
    ::close(ends_[0]);
    close_input();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool is_open() const { return open_; }
  int output() const { return ends_[0]; }
  int input() const { return ends_[1]; }
  void close_input() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
  bool open_;
};

// Our environment with what the plugin is told, the later ones winning.
std::vector<std::string> environment_for(const ExecPlugin& plugin, const std::string& info) {
  std::vector<std::string> variables;
  const auto is_set_anew = [&](const std::string& variable) {
    for (const auto& [name, value] : plugin.environment) {
      if (variable.starts_with(name + "=")) return true;
    }
    return variable.starts_with("KUBERNETES_EXEC_INFO=");
  };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_set_anew(*variable)) variables.emplace_back(*variable);
  }
  for (const auto& [name, value] : plugin.environment) variables.push_back(name + "=" + value);
  variables.push_back("KUBERNETES_EXEC_INFO=" + info);
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<pid_t> start(const ExecPlugin& plugin, const std::string& info, bool interactive,
                    const Pipe& pipe) {
  std::vector<std::string> words = {plugin.command};
  words.insert(words.end(), plugin.arguments.begin(), plugin.arguments.end());
  std::vector<std::string> variables = environment_for(plugin, info);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe.input(), STDOUT_FILENO);
  if (!interactive) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  pid_t child = 0;
  const int problem = ::posix_spawnp(&child, plugin.command.c_str(), &actions, nullptr,
                                     pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem == ENOENT) return std::unexpected(failed(plugin, "not found"));
  if (problem != 0) {
    return std::unexpected(failed(plugin, "cannot be started: " + system_text(problem)));
  }
  return child;
}

bool is_over(const Patience& patience) {
  return patience.stop.stop_requested() || Clock::now() >= patience.until;
}

enum class Reading { kWhole, kLate, kTooLong };

// `wake` becomes readable when the patience's stop is requested.
Reading read_all(const Patience& patience, int wake, int from, std::string& into) {
  char buffer[4096];
  while (!is_over(patience)) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(patience.until - Clock::now()).count();
    pollfd ready[] = {{.fd = from, .events = POLLIN, .revents = 0},
                      {.fd = wake, .events = POLLIN, .revents = 0}};
    const int count = ::poll(ready, 2, static_cast<int>(std::clamp<long long>(left, 0, INT_MAX)));
    if (count < 0 && errno != EINTR) return Reading::kLate;
    if (count <= 0 || ready[0].revents == 0) continue;
    const ssize_t size = ::read(from, buffer, sizeof buffer);
    if (size == 0 || (size < 0 && errno != EINTR)) return Reading::kWhole;
    if (size > 0) into.append(buffer, static_cast<std::size_t>(size));
    if (into.size() > kLongestAnswer) return Reading::kTooLong;
  }
  return Reading::kLate;
}

// Waits for the end of a child, and kills it when the time is up: it may have closed its output
// long before.
int status_of(pid_t child, const Patience& patience) {
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (is_over(patience)) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return status;
}

Result<void> judge(const ExecPlugin& plugin, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  // How posix_spawn of some systems tells that there is nothing to run.
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return std::unexpected(failed(plugin, "not found or failed with exit code 127"));
  }
  if (WIFEXITED(status)) {
    return std::unexpected(
        failed(plugin, "failed with exit code " + std::to_string(WEXITSTATUS(status))));
  }
  return std::unexpected(failed(plugin, "was ended by a signal"));
}

std::string why_ended(const Patience& patience, Clock::time_point begun) {
  if (patience.stop.stop_requested()) return "was ended, for this program ends";
  const auto waited = std::chrono::round<std::chrono::seconds>(patience.until - begun);
  return "did not answer within " + std::to_string(std::max<long long>(waited.count(), 1)) + " s";
}

}  // namespace

bool person_is_there() {
  return ::isatty(STDIN_FILENO) == 1;
}

Result<std::string> run_exec_plugin(const ExecPlugin& plugin, const std::string& info,
                                    bool interactive, const Patience& patience) {
  const auto begun = Clock::now();
  Pipe pipe;
  Pipe wake;
  if (!pipe.is_open() || !wake.is_open()) {
    return std::unexpected(failed(plugin, "cannot be given a pipe"));
  }
  const auto child = start(plugin, info, interactive, pipe);
  if (!child) return std::unexpected(child.error());
  pipe.close_input();
  const std::stop_callback wakes(patience.stop, [&wake] { (void)!::write(wake.input(), "", 1); });
  std::string answer;
  const Reading reading = read_all(patience, wake.output(), pipe.output(), answer);
  if (reading != Reading::kWhole) ::kill(*child, SIGKILL);
  const int status = status_of(*child, patience);
  if (reading == Reading::kTooLong) return std::unexpected(failed(plugin, "printed over 1 MiB"));
  if (reading == Reading::kLate || (WIFSIGNALED(status) && is_over(patience))) {
    return std::unexpected(failed(plugin, why_ended(patience, begun)));
  }
  if (auto fine = judge(plugin, status); !fine) return std::unexpected(fine.error());
  return answer;
}

}  // namespace pgc::kube

#endif
