// The flow of the webhook's certificates: from nothing, or through a renewal of CA and leaf.
#include <nlohmann/json.hpp>

#include "operator/certificates.h"
#include "shared/x509/base64.h"
#include "tests/faults/flow.h"
#include "tests/support/api_server.h"
#include "tests/support/drawing.h"

namespace pgc::faults {
namespace {

using kube::Json;
using kube::ObjectRef;

const ObjectRef kMutating{kube::kMutatingWebhooks, "", "pgc-webhook"};
const ObjectRef kValidating{kube::kValidatingWebhooks, "", "pgc-webhook"};

Json configuration() {
  Json hooks = Json::array();
  hooks.push_back({{"name", "clusters.db.example.com"},
                   {"clientConfig", {{"service", {{"name", "pgc-webhook"}}}}}});
  return {{"webhooks", hooks}};
}

class CertificatesScene final : public Scene {
 public:
  // How many days pass, and in which steps.
  explicit CertificatesScene(int days) : days_(days) {
    for (const ObjectRef& ref : {kMutating, kValidating}) server_.put(ref, configuration());
    client_.before = [this](const test::FaultyClient::Call& call) { count(call); };
    begin();
    if (days_ > 0) settle();
    made_.clear();
    client_.plan({});
  }

  void play() override {
    for (int day = 0; day < days_; day += 10) {
      now_ += std::chrono::days(10);
      settle();
    }
    settle();
  }
  test::FaultyClient& client() override { return client_; }

  std::string picture() override {
    std::string text;
    for (const ObjectRef& ref : server_.refs()) {
      text += ref.to_string();
      if (ref.type == kube::kSecrets) {
        for (const auto& [key, value] : server_.get(ref)->json()["data"].items()) text += " " + key;
      }
      text += covered(ref) ? " right\n" : " wrong\n";
    }
    return text;
  }
  std::map<std::string, int> made() override { return made_; }
  std::vector<std::string> harm() override { return harm_; }
  std::string story() override {
    std::string text;
    for (const std::string& write : server_.writes) text += write + "\n";
    return text;
  }
  long checks() override { return checks_; }

 private:
  void begin() {
    keeper_ = std::make_unique<WebhookCertificates>(client_, WebhookCertificates::Options{}, log_);
  }

  // Longer than every pause between two steps of the plan.
  void settle() {
    using namespace std::chrono_literals;
    for (const std::chrono::seconds pause : {0s, 90s, 90s, 90s, 3700s, 90s, 90s}) {
      now_ += pause;
      try {
        (void)keeper_->reconcile(now_);
      } catch (const test::ProcessDeath&) {
        client_.plan({});
        begin();
      }
      inspect();
    }
  }

  // What an API server is shown is covered by what it has been told, at any moment.
  void inspect() {
    if (!server_.has({kube::kSecrets, "pgc-system", "pgc-webhook-tls"})) return;
    ++checks_;
    for (const ObjectRef& ref : {kMutating, kValidating}) {
      if (!covered(ref)) harm_.push_back(ref.to_string() + " does not cover the certificate");
    }
  }

  bool covered(const ObjectRef& ref) {
    const auto leaf = server_.get({kube::kSecrets, "pgc-system", "pgc-webhook-tls"});
    if (!leaf) return false;
    std::string bundle(kube::string_at(leaf->json(), {"data", "ca.crt"}));
    if (ref.type != kube::kSecrets) {
      bundle = server_.get(ref)->json()["webhooks"][0]["clientConfig"].value("caBundle", "");
    }
    const auto roots = x509::from_base64(bundle);
    const auto shown = x509::from_base64(kube::string_at(leaf->json(), {"data", "tls.crt"}));
    return roots && shown &&
           x509::verify_chain(*shown, *roots, "pgc-webhook.pgc-system.svc", x509::Usage::kServer,
                              now_)
               .has_value();
  }

  void count(const test::FaultyClient::Call& call) {
    if (call.writes() && !server_.has(call.ref)) ++made_["create " + call.ref.to_string()];
  }

  const int days_;
  test::ApiServer server_;
  test::FaultyClient client_{server_};
  Log log_{[](const std::string&) {}};
  std::unique_ptr<WebhookCertificates> keeper_;
  std::chrono::sys_seconds now_ = test::noon();
  std::map<std::string, int> made_;
  std::vector<std::string> harm_;
  long checks_ = 0;
};

}  // namespace

std::unique_ptr<Scene> first_certificates() {
  return std::make_unique<CertificatesScene>(0);
}

std::unique_ptr<Scene> renewed_certificates() {
  return std::make_unique<CertificatesScene>(300);
}

}  // namespace pgc::faults
