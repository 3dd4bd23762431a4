// Puts the report where the operator reads it: an annotation of the agent's own pod.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "agent/report.h"
#include "shared/kube/client.h"

namespace pgc::agent {

inline constexpr const char* kReportAnnotation = "db.example.com/report";

// Remembers what it published, so that nothing is written twice. For one thread.
class Publisher {
 public:
  // `writer` must outlive this.
  Publisher(kube::Writer& writer, std::string ns, std::string pod);

  // Writes the report if it says something new. True where it did. After an error the report counts
  // as not published.
  kube::Result<bool> publish(const Report& report);

 private:
  kube::Writer& writer_;
  const kube::ObjectRef pod_;
  std::optional<Report> published_;
};

}  // namespace pgc::agent
