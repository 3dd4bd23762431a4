// What the kubelet, Prometheus and people ask a program of ours over plain HTTP, on one port:
//
//   /healthz, /readyz             probes
//   /metrics                      Prometheus' text
//   /debug/clusters/NS/NAME       what is believed of one cluster, and what was done last and why
//
// /healthz says that the process answers. The last one, where there is such a page, answers to
// connections from the pod itself alone, as `kubectl port-forward` makes
// them: whoever may open those may read the objects, too.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace pgc {

// All are called from the server's threads.
struct HealthPages {
  std::function<std::expected<void, std::string>()> ready;  // the error says what is lacking
  std::function<std::string()> metrics;
  // JSON, or why there is none. Empty: there is no such page.
  std::function<std::expected<std::string, std::string>(const std::string& ns,
                                                        const std::string& name)>
      explain;
};

class HealthServer {
 public:
  explicit HealthServer(HealthPages pages);
  ~HealthServer();  // stops it

  // 0: any free port. Returns the port.
  std::expected<int, std::string> start(int port);

 private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace pgc
