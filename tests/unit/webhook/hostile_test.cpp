// Ten thousand bodies that are wrong, and a thousand abuses of HTTP and TLS, against the real
// server: each is answered 4xx or `allowed: false`, or, where there is nobody to answer, the
// connection ends.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/support/slowness.h"
#include "tests/unit/webhook/abuses.h"
#include "tests/unit/webhook/review_support.h"
#include "tests/unit/webhook/server_support.h"

namespace pgc::webhook::testing {
namespace {

constexpr int kThreads = 8;

// Calls `work` with 0 … count-1, by several threads.
void in_parallel(int count, const std::function<void(int)>& work) {
  std::atomic<int> next = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; (i = next++) < count;) work(i);
    });
  }
}

// What became of all of them, by kind of answer; and those for which it is wrong.
class Tally {
 public:
  void add(const std::string& kind) {
    const std::lock_guard lock(mutex_);
    ++kinds_[kind];
  }
  void wrong(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (wrong_.size() < 5) wrong_.push_back(what);
  }
  std::string text() const {
    std::string all;
    for (const auto& [kind, count] : kinds_) all += std::to_string(count) + " " + kind + ", ";
    return all;
  }
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  std::mutex mutex_;
  std::map<std::string, int> kinds_;
  std::vector<std::string> wrong_;
};

bool refuses(const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  return json.is_object() && json.contains("response") &&
         json["response"].value("allowed", true) == false &&
         json["response"].value("uid", "") == kUid;
}

bool still_serves(Running& running) {
  Connection connection(running.port);
  const auto answer = connection.ask(with_length(a_good_review()));
  return answer && answer->status == 200 &&
         answer->body.find("\"allowed\":true") != std::string::npos;
}

TEST_CASE("no malformed body gets through, or does any harm", "[webhook]") {
  constexpr int kBodies = 10'000;
  int allowed = 0;
  int unanswered = 0;
  for (int i = 0; i < kBodies; ++i) {
    const std::string body = malformed_body(i);
    for (const Hook hook : {Hook::kValidate, Hook::kMutate}) {
      const auto answer = review(hook, body);
      if (answer && answer->allowed) ++allowed;
      if (answer && !answer->allowed && !refuses(answer->body)) ++unanswered;
    }
  }
  CHECK(allowed == 0);
  CHECK(unanswered == 0);
}

TEST_CASE("no malformed body gets through the server", "[webhook]") {
  const int bodies = full() ? 10'000 : 600;
  Running running;
  Tally tally;
  in_parallel(bodies, [&](int i) {
    const std::string body = malformed_body(i * (10'000 / bodies));
    Connection connection(running.port);
    const auto answer = connection.ask(with_length(body, i % 2 == 0 ? kPath : kMutatePath));
    if (!answer) return tally.wrong("no answer to " + body.substr(0, 200));
    if (answer->status / 100 == 4) return tally.add(std::to_string(answer->status));
    if (answer->status == 200 && refuses(answer->body)) return tally.add("allowed: false");
    tally.wrong(answer->head + answer->body + "\nto " + body.substr(0, 200));
  });
  WARN(bodies << " malformed bodies: " << tally.text() << tally.wrong().size() << " wrong");
  CHECK(tally.wrong().empty());
  for (const auto& what : tally.wrong()) FAIL_CHECK(what);
  CHECK(still_serves(running));
}

// What came back to one abuse: a status, or nothing where the connection ended.
std::string outcome(int port, const Abuse& abuse) {
  std::string all;
  if (abuse.before_tls) {
    const Socket socket(port);
    (void)socket.send(abuse.bytes);
    if (abuse.half_close) socket.end_sending();
    all = socket.receive_all();
    return all.starts_with("HTTP/") ? all.substr(0, 12) : "closed";
  }
  Connection connection(port);
  if (!connection.is_open()) return "no handshake";
  (void)connection.send(abuse.bytes);
  if (abuse.then_garbage) (void)connection.socket().send(std::string(300, '\x17'));
  if (abuse.half_close) connection.socket().end_sending();
  all = connection.receive("no such text");
  if (all.starts_with("HTTP/1.1 100")) all.erase(0, all.find("\r\n\r\n") + 4);
  if (all.empty()) return "closed";
  if (all.find("\"allowed\":true") != std::string::npos) return "ALLOWED";
  if (all.find("\nHTTP/1.1 ") != std::string::npos) return "TWO ANSWERS";
  return all.substr(0, 12);
}

TEST_CASE("no abuse of HTTP or TLS gets through, or does any harm", "[webhook]") {
  const int abuses = full() ? 1'000 : 250;
  Running running(
      {.limits = {milliseconds(700), milliseconds(2'000), milliseconds(700), milliseconds(100)}});
  Tally tally;
  in_parallel(abuses, [&](int i) {
    const Abuse abuse = abuse_of_http(i);
    const std::string what = outcome(running.port, abuse);
    tally.add(what);
    const bool right = abuse.may_be_closed ? what == "closed" || what.starts_with("HTTP/1.1 4")
                                           : what.starts_with("HTTP/1.1 4");
    if (!right) tally.wrong(abuse.name + " → " + what);
  });
  WARN(abuses << " abuses: " << tally.text() << tally.wrong().size() << " wrong");
  CHECK(tally.wrong().empty());
  for (const auto& what : tally.wrong()) FAIL_CHECK(what);
  CHECK(still_serves(running));
}

TEST_CASE("the largest body that is read is answered, and soon", "[webhook]") {
  Limits limits;
  limits.request *= test::kSlowness;
  Running running({.limits = limits});
  Json object = cluster({{"version", "16"}});
  object["metadata"]["annotations"]["note"] = std::string(3'000'000, 'x');
  const std::string body = a_review("UPDATE", object, object).dump();
  Connection connection(running.port);
  CHECK(connection.ask(with_length(body)).value().status == 200);
  std::string wide = "{\"kind\":\"AdmissionReview\",\"request\":{\"object\":{";
  for (int i = 0; wide.size() < 7'000'000; ++i) wide += "\"" + std::to_string(i) + "\":{},";
  CHECK(Connection(running.port).ask(with_length(wide)).value().status == 400);
}

}  // namespace
}  // namespace pgc::webhook::testing
