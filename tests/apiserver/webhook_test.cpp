// The webhook of this build, called by a real API server over TLS, with the conditions and rules of
// the shipped configurations; only the address and the namespace differ.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "shared/x509/base64.h"
#include "tests/apiserver/webhook_support.h"

namespace pgc::webhook::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "pgc-webhook-test";  // namespace, Secret and configurations
const std::string kServerName = "pgc-webhook." + std::string(kName) + ".svc";

std::string program_path() {
  return (fs::read_symlink("/proc/self/exe").parent_path() / "pgc-webhook").string();
}

// Namespace, Secret, running webhook and configurations; all of it goes with the object.
class Installation {
 public:
  Installation() {
    fs::create_directories(folder_);
    remove_configurations();
    install_crd(*client_);
    apply({kNamespaces, "", kName}, {{"apiVersion", "v1"}, {"kind", "Namespace"}});
    store_leaf();
    start();
    configure();
  }
  ~Installation() {
    remove_configurations();
    fs::remove_all(folder_);
  }

  kube::Client& client() { return *client_; }
  std::unique_ptr<kube::Client> client_that_hears(std::vector<std::string>& warnings) {
    return kube::make_http_client(
               config_, {.user_agent = "pgc-apiserver-tests",
                         .warn = [&](const std::string& text) { warnings.emplace_back(text); }})
        .value();
  }
  Program& webhook() { return *webhook_; }
  const std::string& folder() const { return folder_; }

  void store_leaf() { store_leaf(ca_.certificate); }
  void store_leaf(const std::string& trusted) {
    const x509::Pair leaf = make_leaf(ca_, kServerName, address_);
    apply({kube::kSecrets, kName, kName},
          {{"apiVersion", "v1"},
           {"kind", "Secret"},
           {"stringData",
            {{"tls.crt", leaf.certificate}, {"tls.key", leaf.key}, {"ca.crt", trusted}}}});
  }

  // The API server shows the webhook a certificate of the cluster's CA, so that CA is required.
  void start(int port = 0) {
    std::ofstream(folder_ + "/client-ca.pem") << config_.ca_pem;
    webhook_ = std::make_unique<Program>(
        std::vector<std::string>{program_path(), "--port", std::to_string(port), "--health-port",
                                 "0", "--namespace", kName, "--secret", kName, "--kubeconfig",
                                 std::getenv("KUBECONFIG"), "--client-ca",
                                 folder_ + "/client-ca.pem", "--drain", "0"},
        folder_ + "/log");
    port_ = webhook_->logged("port");
    REQUIRE(port_ > 0);
    REQUIRE_FALSE(serial().empty());
  }
  int stop() { return webhook_->terminate(); }
  int port() const { return port_; }

  // The serial of the certificate that was loaded last.
  std::string serial() const {
    const std::string marker = "\"serial\":\"";
    eventually([&] { return webhook_->log().find(marker) != std::string::npos; });
    const std::string log = webhook_->log();
    const auto found = log.rfind(marker);
    if (found == std::string::npos) return "";
    const auto begin = found + marker.size();
    return log.substr(begin, log.find('"', begin) - begin);
  }

  kube::Result<kube::Object> create(const std::string& name, const Json& spec) {
    return client_->create(kube::kPostgresClusters, kName,
                           kube::Object({{"apiVersion", "db.example.com/v1"},
                                         {"kind", "PostgresCluster"},
                                         {"metadata", {{"name", name}}},
                                         {"spec", spec}}),
                           {});
  }
  kube::Result<kube::Object> merge(const std::string& name, const Json& change) {
    return client_->patch({kube::kPostgresClusters, kName, name}, kube::PatchType::kMerge, change,
                          {});
  }
  kube::Object get(const std::string& name) {
    return client_->get({kube::kPostgresClusters, kName, name}).value();
  }
  bool has_event(const std::string& reason) {
    const auto events = client_->list(kube::kEvents, {.ns = kName});
    return events && std::ranges::any_of(events->items, [&](const kube::Object& event) {
             return event.json().value("reason", "") == reason &&
                    kube::string_at(event.json(), {"regarding", "name"}) == kName;
           });
  }
  void remove(const std::string& name) {
    (void)client_->remove({kube::kPostgresClusters, kName, name}, {});
  }

 private:
  void apply(const kube::ObjectRef& ref, Json object) {
    object["metadata"]["name"] = ref.name;
    kube::WriteOptions options;
    options.field_manager = "pgc-apiserver-tests";
    options.force = true;
    const auto applied = client_->patch(ref, kube::PatchType::kApply, object, options);
    if (!applied) FAIL(ref.to_string() << ": " << applied.error().message);
  }

  void remove_configurations() {
    for (const auto& type : {kube::kMutatingWebhooks, kube::kValidatingWebhooks}) {
      (void)client_->remove({type, "", kName}, {});
    }
  }

  void configure() {
    for (Json configuration : documents_of("manifests/webhook/configurations.yaml")) {
      Json& hook = configuration["webhooks"][0];
      const std::string path = hook["clientConfig"]["service"]["path"];
      hook["clientConfig"] = {{"url", "https://" + address_ + ":" + std::to_string(port_) + path},
                              {"caBundle", x509::to_base64(ca_.certificate)}};
      hook["namespaceSelector"]["matchLabels"] = {{"kubernetes.io/metadata.name", kName}};
      configuration["metadata"] = Json::object();
      const bool mutating = configuration["kind"] == kube::kMutatingWebhooks.kind;
      apply({mutating ? kube::kMutatingWebhooks : kube::kValidatingWebhooks, "", kName},
            configuration);
    }
    // Configurations reach the API server's admission a moment after they are stored.
    REQUIRE(eventually([&] {
      const auto probe =
          create("probe", {{"version", "16"}, {"postgresql", {{"parameters", {{"port", "1"}}}}}});
      remove("probe");
      return !probe.has_value();
    }));
  }

  const std::string folder_ =
      fs::temp_directory_path() / ("pgc-webhook-" + std::to_string(getpid()));
  const kube::Config config_ = cluster_config();
  const std::unique_ptr<kube::Client> client_ = connect(config_);
  const std::string address_ = own_address(config_);
  const x509::Pair ca_ = make_ca();
  std::unique_ptr<Program> webhook_;
  int port_ = 0;
};

TEST_CASE("a real API server and the webhook", "[webhook]") {
  Installation installation;
  const Json good = {{"version", "16"}};
  installation.remove("my-db");
  REQUIRE(installation.create("my-db", good).has_value());

  SECTION("a good object is stored with its defaults") {
    const Json spec = installation.get("my-db").json().at("spec");
    CHECK(spec.at("replicas") == 1);
    CHECK(spec.at("storage").at("size") == "10Gi");
  }

  SECTION("a bad object is refused with path and remedy, and nothing is stored") {
    const auto refused = installation.create(
        "bad", {{"version", "16"}, {"postgresql", {{"parameters", {{"listen_addresses", "x"}}}}}});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().is(kube::ErrorKind::kInvalid));
    REQUIRE(refused.error().causes.size() == 1);
    CHECK(refused.error().causes[0].field == "spec.postgresql.parameters.listen_addresses");
    CHECK(refused.error().message.find("is set by the operator; remove it") != std::string::npos);
    CHECK(refused.error().message.find("vpostgrescluster.db.example.com") != std::string::npos);
    CHECK_FALSE(installation.client().get({kube::kPostgresClusters, kName, "bad"}).has_value());
  }

  SECTION("a bad change is refused, and the stored object is the same to the last byte") {
    const std::string before = installation.get("my-db").json().dump();
    const Json change = {{"spec", {{"postgresql", {{"parameters", {{"port", "1"}}}}}}}};
    CHECK_FALSE(installation.merge("my-db", change).has_value());
    CHECK(installation.get("my-db").json().dump() == before);
  }

  SECTION(
      "a change that costs something comes with a warning, one that is not defaulted anew with "
      "none") {
    std::vector<std::string> warnings;
    const auto client = installation.client_that_hears(warnings);
    const auto merge = [&](const Json& spec) {
      warnings.clear();
      REQUIRE(client->patch({kube::kPostgresClusters, kName, "my-db"}, kube::PatchType::kMerge,
                            {{"spec", spec}}, {}));
    };
    merge({{"postgresql", {{"parameters", {{"max_connections", "200"}}}}}});
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("max_connections") != std::string::npos);
    merge({{"replicas", 2}});
    CHECK(warnings.empty());
  }

  SECTION("what is being deleted can lose finalizers, and its spec is settled") {
    REQUIRE(installation.merge("my-db", {{"metadata", {{"finalizers", {"db.example.com/x"}}}}}));
    installation.remove("my-db");
    REQUIRE(installation.get("my-db").being_deleted());
    const auto refused = installation.merge("my-db", {{"spec", {{"replicas", 2}}}});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().is(kube::ErrorKind::kInvalid));
    CHECK(refused.error().message.find("is being deleted") != std::string::npos);
    CHECK(installation.merge("my-db", {{"metadata", {{"labels", {{"a", "b"}}}}}}).has_value());
    CHECK(installation.merge("my-db", {{"metadata", {{"finalizers", nullptr}}}}).has_value());
    CHECK_FALSE(installation.client().get({kube::kPostgresClusters, kName, "my-db"}).has_value());
  }

  SECTION("another certificate is taken from the Secret within seconds, an unusable one never") {
    const std::string before = installation.serial();
    int replicas = 1;
    const auto change = [&] {
      replicas = replicas % 16 + 1;
      return installation.merge("my-db", {{"spec", {{"replicas", replicas}}}}).has_value();
    };
    installation.store_leaf(make_ca().certificate);  // beside a CA that it does not lead to
    REQUIRE(eventually([&] {
      CHECK(change());
      return installation.webhook().log().find("certificate not loaded") != std::string::npos;
    }));
    CHECK(installation.serial() == before);
    CHECK(eventually([&] { return installation.has_event("CertificateNotLoaded"); }));
    installation.store_leaf();
    REQUIRE(eventually([&] {
      CHECK(change());
      return installation.serial() != before;
    }));
    for (int i = 0; i < 20; ++i) CHECK(change());
  }

  SECTION("while the webhook is away") {
    CHECK(installation.stop() == 0);
    const std::string before = installation.get("my-db").json().at("spec").dump();

    INFO("what changes the spec is refused");
    const auto refused = installation.merge("my-db", {{"spec", {{"replicas", 2}}}});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == 500);
    CHECK(refused.error().message.find("failed calling webhook") != std::string::npos);
    CHECK_FALSE(installation.create("other", good).has_value());
    CHECK(installation.get("my-db").json().at("spec").dump() == before);

    INFO("labels, finalizers, status and deletion are not its business");
    CHECK(installation.merge("my-db", {{"metadata", {{"labels", {{"a", "b"}}}}}}).has_value());
    CHECK(installation.merge("my-db", {{"metadata", {{"finalizers", {"db.example.com/x"}}}}})
              .has_value());
    kube::WriteOptions status;
    status.subresource = "status";
    CHECK(installation.client()
              .patch({kube::kPostgresClusters, kName, "my-db"}, kube::PatchType::kMerge,
                     {{"status", {{"phase", "Ready"}}}}, status)
              .has_value());
    installation.remove("my-db");
    CHECK(installation.get("my-db").being_deleted());
    CHECK(installation.merge("my-db", {{"metadata", {{"finalizers", nullptr}}}}).has_value());
    CHECK_FALSE(installation.client().get({kube::kPostgresClusters, kName, "my-db"}).has_value());

    INFO("and when it is back, all is well");
    installation.start(installation.port());
    CHECK(eventually([&] { return installation.create("my-db", good).has_value(); }));
  }
}

}  // namespace
}  // namespace pgc::webhook::testing
