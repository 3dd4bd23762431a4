#include "agent/publish.h"

#include <nlohmann/json.hpp>

namespace pgc::agent {

Publisher::Publisher(kube::Writer& writer, std::string ns, std::string pod)
    : writer_(writer), pod_{kube::kPods, std::move(ns), std::move(pod)} {}

kube::Result<bool> Publisher::publish(const Report& report) {
  if (!worth_publishing(published_, report)) return false;
  const kube::Json body{{"metadata", {{"annotations", {{kReportAnnotation, to_json(report)}}}}}};
  const auto written = writer_.patch(pod_, kube::PatchType::kMerge, body, {});
  if (!written) {
    published_.reset();
    return std::unexpected(written.error());
  }
  published_ = report;
  return true;
}

}  // namespace pgc::agent
