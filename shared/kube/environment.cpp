#include <cstdlib>

#include "shared/kube/kubeconfig.h"

namespace pgc::kube {

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace pgc::kube
