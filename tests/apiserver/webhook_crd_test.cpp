// pgc-webhook --crd: the same program, called by a real API server for a resource that has nothing
// to do with PostgreSQL. The CRD that the server knows is without bounds and defaults here, so that
// what is refused and what is filled in is the webhook's doing.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "shared/x509/base64.h"
#include "tests/apiserver/webhook_support.h"

namespace pgc::webhook::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "pgc-webhook-crd-test";  // namespace and configurations
constexpr const char* kCrdFile = "examples/flightticket/crd.yaml";
constexpr kube::ResourceType kTickets{"flights.com", "v1", "flighttickets", "FlightTicket"};
constexpr kube::ResourceType kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                          "CustomResourceDefinition", false};

class Airline {
 public:
  Airline() {
    fs::create_directories(folder_);
    remove_all();
    apply({kNamespaces, "", kName}, {{"apiVersion", "v1"}, {"kind", "Namespace"}});
    define();
    start();
    configure("mutate", kube::kMutatingWebhooks);
    configure("validate", kube::kValidatingWebhooks);
  }
  ~Airline() {
    remove_all();
    fs::remove_all(folder_);
  }

  kube::Result<kube::Object> book(const std::string& name, const Json& spec) {
    return client_->create(kTickets, kName,
                           kube::Object({{"apiVersion", "flights.com/v1"},
                                         {"kind", "FlightTicket"},
                                         {"metadata", {{"name", name}}},
                                         {"spec", spec}}),
                           {});
  }

 private:
  void apply(const kube::ObjectRef& ref, Json object) {
    object["metadata"]["name"] = ref.name;
    const auto applied = client_->patch(ref, kube::PatchType::kApply, object,
                                        {.field_manager = "pgc-apiserver-tests", .force = true});
    if (!applied) FAIL(ref.to_string() << ": " << applied.error().message);
  }

  // A definition under the name that other tests may have used, so by force.
  void define() {
    Json crd = documents_of(kCrdFile).at(0);
    for (Json& version : crd["spec"]["versions"]) {
      version["schema"]["openAPIV3Schema"] = {{"type", "object"},
                                              {"x-kubernetes-preserve-unknown-fields", true}};
    }
    apply({kDefinitions, "", "flighttickets.flights.com"}, crd);
    REQUIRE(eventually([&] { return client_->list(kTickets, {.ns = kName}).has_value(); }));
  }

  void start() {
    const x509::Pair leaf = make_leaf(ca_, "pgc-webhook." + std::string(kName) + ".svc", address_);
    std::ofstream(folder_ + "/tls.crt") << leaf.certificate;
    std::ofstream(folder_ + "/tls.key") << leaf.key;
    std::ofstream(folder_ + "/ca.crt") << ca_.certificate;
    const auto program = fs::read_symlink("/proc/self/exe").parent_path() / "pgc-webhook";
    webhook_ = std::make_unique<Program>(
        std::vector<std::string>{program.string(), "--port", "0", "--health-port", "0",
                                 "--namespace", kName, "--cert-dir", folder_, "--crd",
                                 std::string(PGC_SOURCE_DIR) + "/" + kCrdFile, "--drain", "0"},
        folder_ + "/log");
    port_ = webhook_->logged("port");
    REQUIRE(port_ > 0);
  }

  void configure(const std::string& verb, const kube::ResourceType& type) {
    const std::string url = "https://" + address_ + ":" + std::to_string(port_) + "/" + verb +
                            "-flights-com-v1-flightticket";
    const Json rule{{"apiGroups", {"flights.com"}},
                    {"apiVersions", {"v1"}},
                    {"operations", {"CREATE", "UPDATE"}},
                    {"resources", {"flighttickets"}}};
    Json hook{{"name", verb + ".flights.com"},
              {"admissionReviewVersions", {"v1"}},
              {"sideEffects", "None"},
              {"clientConfig", {{"url", url}, {"caBundle", x509::to_base64(ca_.certificate)}}}};
    hook["rules"].push_back(rule);
    Json configuration{{"apiVersion", type.api_version()}, {"kind", type.kind}};
    configuration["webhooks"].push_back(hook);
    apply({type, "", kName}, configuration);
  }

  void remove_all() {
    for (const auto& type : {kube::kMutatingWebhooks, kube::kValidatingWebhooks}) {
      (void)client_->remove({type, "", kName}, {});
    }
    (void)client_->remove({kDefinitions, "", "flighttickets.flights.com"}, {});
    REQUIRE(eventually([&] {
      return !client_->get({kDefinitions, "", "flighttickets.flights.com"}).has_value();
    }));
  }

  const kube::Config config_ = cluster_config();
  const std::unique_ptr<kube::Client> client_ = connect(config_);
  const std::string address_ = own_address(config_);
  const x509::Pair ca_ = make_ca();
  const std::string folder_ =
      (fs::temp_directory_path() / ("pgc-airline-" + std::to_string(::getpid()))).string();
  std::unique_ptr<Program> webhook_;
  int port_ = 0;
};

TEST_CASE("the webhook judges tickets by their CRD, too", "[webhook]") {
  Airline airline;
  // The configurations reach the API server's own cache, and the certificate the webhook, a moment
  // later.
  REQUIRE(eventually([&] {
    const auto probe = airline.book("probe", {{"from", 1}});
    return !probe && probe.error().is(kube::ErrorKind::kInvalid);
  }));

  const auto booked = airline.book("good", {{"from", "London"}, {"to", "Tokyo"}});
  if (!booked) FAIL(booked.error().message);
  CHECK(kube::int_at(booked->json(), {"spec", "number"}) == 1);  // the default of the CRD

  const auto crowd = airline.book("crowd", {{"from", "London"}, {"to", 7}, {"number", 11}});
  REQUIRE_FALSE(crowd);
  CHECK(crowd.error().is(kube::ErrorKind::kInvalid));
  INFO(crowd.error().message);
  CHECK(crowd.error().message.find("validate.flights.com") != std::string::npos);
  REQUIRE(crowd.error().causes.size() == 2);
  CHECK(crowd.error().causes[0].field == "spec.number");
  CHECK(crowd.error().causes[1].field == "spec.to");
}

}  // namespace
}  // namespace pgc::webhook::testing
