// The reviews that are sent, and what is the right answer to each.
//
// They are made from reviews.json, so that every server is asked the same. An object is defaulted
// by the very code that the plugin uses offline; the API server does the same before it asks a
// webhook.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace pgc::bench {

struct Review {
  std::string name;
  std::string hook;     // "mutate" or "validate"
  std::string request;  // headers and body, as they go over the wire
  std::size_t uid_at = 0;
  bool allowed = true;
  bool patched = false;  // the answer must carry a patch

  // Every request has a uid of its own, so that an answer to another one is noticed.
  void set_uid(std::uint64_t number);
  std::string_view uid() const;
};

// `crd_file`: of whose objects; empty: PostgresClusters. `hook`: only these; empty: all. The error
// names the file and what is wrong with it.
std::expected<std::vector<Review>, std::string> read_reviews(const std::string& path,
                                                             const std::string& crd_file,
                                                             const std::string& hook);

// Why `status` and `body` are no right answer to `review`; empty: they are.
std::string fault_of(const Review& review, int status, std::string_view body);

}  // namespace pgc::bench
