#include "operator/certificates_plan.h"

#include <algorithm>

namespace pgc::certificates {

namespace {

// The certificates of a bundle that have not expired. Others are of no use to anybody.
std::vector<std::string> alive(const std::string& bundle, Time now) {
  std::vector<std::string> certificates = x509::split(bundle).value_or(std::vector<std::string>());
  std::erase_if(certificates, [now](const std::string& pem) {
    const auto facts = x509::parse(pem);
    return !facts || facts->validity.not_after <= now;
  });
  return certificates;
}

// Joins bundles, the first one first, each certificate once.
std::string join(const std::vector<std::string>& bundles, Time now) {
  std::vector<std::string> seen;
  std::string joined;
  for (const std::string& bundle : bundles) {
    for (const std::string& certificate : alive(bundle, now)) {
      if (std::ranges::find(seen, certificate) != seen.end()) continue;
      seen.push_back(certificate);
      joined += certificate;
    }
  }
  return joined;
}

bool due(const std::string& certificate, Time now) {
  const auto facts = x509::parse(certificate);
  return !facts || now >= x509::renewal_time(facts->validity);
}

Time made_at(const std::string& certificate) {
  const auto facts = x509::parse(certificate);
  return facts ? facts->validity.not_before + kBackdate : Time::max();
}

// One round's view: `trusted` is what every bundle should hold.
struct Round {
  const Observed& observed;
  const ObservedCa& ca;
  const std::string& server_name;
  const Time now;
  const std::string trusted;

  bool leaf_verifies(const std::string& roots) const {
    const auto& leaf = observed.leaf;
    return leaf && leaf->usable &&
           x509::verify_chain(leaf->certificate, roots, server_name, x509::Usage::kServer, now);
  }
  bool leaf_is_right() const {
    return leaf_verifies(ca.certificate) && !due(observed.leaf->certificate, now);
  }
};

// All hooks of a configuration or none: what one apply leaves out, the server takes away again.
std::vector<Step> publish_bundles(const Round& round) {
  std::vector<Step> steps;
  for (const auto& configuration : round.observed.configurations) {
    PublishBundle step{configuration.ref, configuration.uid, {}, round.trusted};
    bool differs = false;
    for (const auto& hook : configuration.hooks) {
      step.hooks.push_back(hook.name);
      differs |= hook.bundle != round.trusted;
    }
    if (differs) steps.emplace_back(std::move(step));
  }
  return steps;
}

// Another leaf may be shown once every bundle has been seen to cover it for a while. Where the
// present one convinces nobody, there is nothing to wait for.
bool may_issue(const Round& round, bool all_bundles_read_back) {
  if (!round.leaf_verifies(round.trusted)) return true;
  return all_bundles_read_back && round.now >= made_at(round.ca.certificate) + kSettle;
}

IssueLeaf issue(const Round& round) {
  const Time ca_ends = x509::parse(round.ca.certificate)->validity.not_after;
  return {round.trusted, {round.now - kBackdate, std::min<Time>(round.now + kLeafLife, ca_ends)}};
}

void plan_leaf(const Round& round, Plan& plan) {
  const bool read_back = plan.steps.empty();
  if (!round.leaf_is_right() && may_issue(round, read_back)) {
    plan.steps.emplace_back(issue(round));
  } else if (round.observed.leaf->trusted != round.trusted) {
    plan.steps.emplace_back(PublishCa{round.trusted});
  }
}

void plan_end_of_overlap(const Round& round, Plan& plan) {
  const bool over = !round.ca.previous.empty() && plan.steps.empty() && round.leaf_is_right() &&
                    round.now >= made_at(round.observed.leaf->certificate) + kOverlap;
  if (!over) return;
  plan.steps.emplace_back(ForgetPreviousCa{});
  plan.look_again = std::chrono::seconds(0);
}

bool usable(const std::optional<ObservedCa>& ca, Time now) {
  return ca && ca->usable && !alive(ca->certificate, now).empty();
}

}  // namespace

Plan plan(const Observed& observed, const std::string& server_name, Time now) {
  if (!usable(observed.ca, now) || due(observed.ca->certificate, now)) {
    const std::string of_ca = observed.ca ? observed.ca->certificate + observed.ca->previous : "";
    const std::string of_leaf = observed.leaf ? observed.leaf->trusted : "";
    return {{MakeCa{join({of_ca, of_leaf}, now)}}, std::chrono::seconds(0)};
  }
  const ObservedCa& ca = *observed.ca;
  const Round round{observed, ca, server_name, now, join({ca.certificate, ca.previous}, now)};
  Plan next{publish_bundles(round)};
  plan_leaf(round, next);
  plan_end_of_overlap(round, next);
  return next;
}

}  // namespace pgc::certificates
