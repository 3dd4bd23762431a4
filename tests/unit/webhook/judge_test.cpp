// Any CRD, judged by the same engine: examples/flightticket, which has nothing to do with
// PostgreSQL.
#include "webhook/judge.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "shared/x509/base64.h"
#include "tests/unit/webhook/review_support.h"
#include "tests/unit/webhook/server_support.h"

namespace pgc::webhook::testing {
namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(PGC_SOURCE_DIR) + "/" + file).rdbuf();
  return text.str();
}

std::vector<Judge> judges_of_tickets() {
  return judges_of_crd(text_of("examples/flightticket/crd.yaml")).value();
}

Json a_ticket(Json spec) {
  return {{"apiVersion", "flights.com/v1"},
          {"kind", "FlightTicket"},
          {"metadata", {{"name", "trip"}}},
          {"spec", std::move(spec)}};
}

Json a_ticket_review(const std::string& operation, const Json& object, const Json& old = nullptr) {
  Json review = a_review(operation, object, old);
  review["request"]["kind"] = {
      {"group", "flights.com"}, {"version", "v1"}, {"kind", "FlightTicket"}};
  review["request"]["name"] = "trip";
  return review;
}

TEST_CASE("a CRD of somebody else gives a judge for each version", "[webhook]") {
  const auto judges = judges_of_tickets();
  REQUIRE(judges.size() == 1);
  CHECK(judges[0].path("mutate") == "/mutate-flights-com-v1-flightticket");
  CHECK(judges[0].path("validate") == "/validate-flights-com-v1-flightticket");
  CHECK(judge_of_postgres_clusters().path("validate") == kPath);
  CHECK_FALSE(judges_of_crd("kind: List").has_value());
  CHECK_FALSE(judges_of_crd("{").has_value());
}

TEST_CASE("tickets are judged in the API server's words", "[webhook]") {
  const Judge judge = judges_of_tickets().front();
  const auto response = [&](const Json& review) {
    return Json::parse(webhook::review(Hook::kValidate, judge, review.dump()).value().body)
        .at("response");
  };
  const Json good = a_ticket({{"from", "Zurich"}, {"to", "Lisbon"}, {"number", 2}});
  CHECK(response(a_ticket_review("CREATE", good)).at("allowed") == true);
  const Json many = a_ticket({{"from", "Zurich"}, {"to", "Lisbon"}, {"number", 11}});
  const Json refused = response(a_ticket_review("CREATE", many));
  CHECK(refused.at("allowed") == false);
  CHECK(refused.at("status").at("message") ==
        "FlightTicket.flights.com \"trip\" is invalid: spec.number: Invalid value: 11: spec.number "
        "in body should be less than or equal to 10");
  CHECK(refused.at("status").at("details").at("group") == "flights.com");
  CHECK(response(a_ticket_review("UPDATE", many, good)).at("allowed") == false);
  CHECK(response(a_review("CREATE", cluster({{"version", "16"}}))).at("status").at("code") == 400);
}

TEST_CASE("one server judges several kinds, each on its own path", "[webhook]") {
  auto judges = judges_of_tickets();
  judges.push_back(judge_of_postgres_clusters());
  judges.push_back(judge_of_postgres_clusters());  // named twice: the same path, once
  Running running({.judges = judges});
  const std::string review =
      a_ticket_review("CREATE", a_ticket({{"from", "A"}, {"to", "B"}, {"number", 0}})).dump();
  Connection connection(running.port);
  const auto refused = connection.ask(with_length(review, "/validate-flights-com-v1-flightticket"));
  REQUIRE(refused);
  CHECK(Json::parse(refused->body).at("response").at("allowed") == false);
  CHECK(connection.ask(with_length(a_good_review())).value().status == 200);
  CHECK(connection.ask(with_length(review, "/mutate-flights-com-v1-flightticket")).value().status ==
        200);
}

}  // namespace
}  // namespace pgc::webhook::testing
