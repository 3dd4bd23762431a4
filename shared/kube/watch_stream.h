// Cuts the byte stream of a watch into events: one JSON document a line, each
// {"type": "ADDED", "object": {...}}. No I/O; one thread.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "shared/json/reader.h"
#include "shared/json/shape.h"
#include "shared/kube/client.h"

namespace pgc::kube {

class WatchStream {
 public:
  // `keep` as in ListOptions; it need not outlive the call.
  WatchStream(const ResourceType& type, const json::Shape* keep,
              std::function<void(const WatchEvent&)> deliver);

  // Takes the next bytes, cut anywhere. False where the stream has told an error and must end.
  bool feed(std::string_view bytes);

  // The server has ended the stream in good order; false where it had told an error, or where this
  // was amid a line: a proxy on the way has lost the rest (kUnreachable).
  bool finish();

  // An ERROR event of the server (kGone: list again), or a line that is no event.
  const std::optional<Error>& error() const { return error_; }

 private:
  bool take_line(std::string_view line);
  bool take_event(WatchEventType type, Json& object);
  bool fail(Error error);
  Error told_error(std::string_view line);

  const ResourceType type_;
  const json::Shape shape_;  // of an event
  json::Reader reader_;
  std::function<void(const WatchEvent&)> deliver_;
  std::string rest_;  // the line that has not ended yet
  std::optional<Error> error_;
};

}  // namespace pgc::kube
