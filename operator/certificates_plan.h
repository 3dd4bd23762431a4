// What to do next about the webhook's certificates, as a function of what is observed and the time.
//
// The order is the point. A CA is replaced without a moment in which an API server holds a bundle
// that does not cover the certificate it is shown:
//   1. a new CA is made; the old one stays trusted beside it (MakeCa);
//   2. both are published, in the webhook configurations and beside the leaf (PublishBundle,
//   PublishCa);
//   3. when that has been read back, and API servers have had time to see it, the new leaf
//   (IssueLeaf);
//   4. when every replica has had time to load that, the old CA goes (ForgetPreviousCa).
// Each step is decided from the objects alone, so a leader that dies between any two of them is
// continued by the next one. Pure; no private key comes in here.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shared/kube/object.h"
#include "shared/x509/x509.h"

namespace pgc::certificates {

using x509::Time;

inline constexpr std::chrono::days kCaLife{365};
inline constexpr std::chrono::days kLeafLife{90};
// Clocks differ: certificates are valid a little before they are made.
inline constexpr std::chrono::minutes kBackdate{5};
// How long API servers may take to see a changed webhook configuration.
inline constexpr std::chrono::seconds kSettle{60};
// How long the replicas of the webhook may take to load a new leaf; they look every few seconds.
inline constexpr std::chrono::hours kOverlap{1};
// How often drift is looked for when nothing is due.
inline constexpr std::chrono::seconds kLookAgain{30};

struct ObservedCa {
  std::string certificate;
  std::string previous;  // PEM texts of CAs that are still trusted beside it
  bool usable = false;   // a CA, and its key fits
};

struct ObservedLeaf {
  std::string certificate;
  std::string trusted;  // ca.crt
  bool usable = false;  // its key fits
};

struct ObservedHook {
  std::string name;
  std::string bundle;  // clientConfig.caBundle, decoded
};

struct ObservedConfiguration {
  kube::ObjectRef ref;
  std::string uid;
  std::vector<ObservedHook> hooks;
};

struct Observed {
  std::optional<ObservedCa> ca;  // absent: there is no such Secret
  std::optional<ObservedLeaf> leaf;
  std::vector<ObservedConfiguration> configurations;  // those that exist
};

struct MakeCa {
  std::string previous;  // what stays trusted
  bool operator==(const MakeCa&) const = default;
};
struct ForgetPreviousCa {
  bool operator==(const ForgetPreviousCa&) const = default;
};
struct IssueLeaf {
  std::string trusted;
  x509::Validity validity;
  bool operator==(const IssueLeaf&) const = default;
};
struct PublishCa {
  std::string trusted;
  bool operator==(const PublishCa&) const = default;
};
struct PublishBundle {
  kube::ObjectRef ref;
  std::string uid;
  std::vector<std::string> hooks;
  std::string trusted;
  bool operator==(const PublishBundle&) const = default;
};
using Step = std::variant<MakeCa, ForgetPreviousCa, IssueLeaf, PublishCa, PublishBundle>;

struct Plan {
  std::vector<Step> steps;  // in this order; after a failed one the rest is not done
  std::chrono::seconds look_again{kLookAgain};  // zero: at once, there is more to do
};

// `server_name`: what API servers verify, "pgc-webhook.pgc-system.svc".
Plan plan(const Observed& observed, const std::string& server_name, Time now);

}  // namespace pgc::certificates
