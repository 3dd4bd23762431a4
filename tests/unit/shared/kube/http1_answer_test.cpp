#include "shared/kube/http1_answer.h"

#include <catch2/catch_test_macros.hpp>

namespace pgc::kube {
namespace {

using State = Http1Answer::State;

struct Read {
  State state = State::kHead;
  int code = 0;
  std::string body;
  std::string rest;  // what belongs to the next answer
  bool keeps_open = false;
  int heads = 0;
};

// In pieces of `size` bytes; then the connection ends, where `ends`.
Read read(std::string_view text, std::size_t size = 1, bool ends = false, bool connect = false) {
  Read result;
  Http1Answer answer([&](const Http1Answer&) { ++result.heads; },
                     [&](std::string_view piece) {
                       result.body += piece;
                       return true;
                     },
                     connect);
  while (!text.empty() && (answer.state() == State::kHead || answer.state() == State::kBody)) {
    std::string_view piece = text.substr(0, size);
    const std::size_t before = piece.size();
    answer.feed(piece);
    text.remove_prefix(before - piece.size());
  }
  if (ends) answer.end();
  result.state = answer.state();
  result.code = answer.code();
  result.keeps_open = answer.keeps_open();
  result.rest = text;
  return result;
}

TEST_CASE("an answer is the same however its bytes arrive") {
  const std::string length =
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nWarning: 299 - \"a\"\r\n\r\nhelloHTTP/1.1";
  const std::string chunks =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;note=x\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: t\r\n\r\nHTTP/1.1";
  for (const std::size_t size : {1U, 2U, 3U, 7U, 1000U}) {
    CAPTURE(size);
    for (const auto& [text, code] : {std::pair(length, 200), std::pair(chunks, 201)}) {
      const Read answer = read(text, size);
      CHECK(answer.state == State::kWhole);
      CHECK(answer.code == code);
      CHECK(answer.body == "hello");
      CHECK(answer.rest == "HTTP/1.1");
      CHECK(answer.keeps_open);
      CHECK(answer.heads == 1);
    }
  }
}

TEST_CASE("where a body has no length it ends with the connection, and any other is cut off") {
  const std::string open = "HTTP/1.1 200 OK\r\n\r\nhel";
  CHECK(read(open).state == State::kBody);
  CHECK(read(open, 1, true).state == State::kWhole);
  CHECK_FALSE(read(open, 1, true).keeps_open);
  for (const char* text :
       {"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"}) {
    CAPTURE(text);
    CHECK(read(text, 1, true).state == State::kBroken);
  }
}

TEST_CASE("some answers have no body") {
  CHECK(read("HTTP/1.1 204 No Content\r\n\r\n").state == State::kWhole);
  CHECK(read("HTTP/1.1 304\r\n\r\n").state == State::kWhole);
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").state == State::kWhole);
  const std::string tunnel = "HTTP/1.1 200 Connection established\r\n\r\nTLS";
  CHECK(read(tunnel, 1, false, true).state == State::kWhole);
  CHECK(read(tunnel, 1, false, true).rest == "TLS");
}

TEST_CASE("whether another request may follow") {
  const auto open = [](const std::string& first, const std::string& field) {
    return read(first + " 200 OK\r\nContent-Length: 0\r\n" + field + "\r\n").keeps_open;
  };
  CHECK(open("HTTP/1.1", ""));
  CHECK_FALSE(open("HTTP/1.1", "connection: Upgrade, Close\r\n"));
  CHECK_FALSE(open("HTTP/1.0", ""));
  CHECK(open("HTTP/1.0", "Connection: Keep-Alive\r\n"));
}

TEST_CASE("what is no answer of HTTP/1.1 is broken, and never a shorter body") {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& text : {
           std::string("<html>\r\n"),
           std::string("HTTP/2 200 OK\r\n"),
           std::string("HTTP/1.1 20 OK\r\n"),
           std::string("HTTP/1.1 2000 OK\r\n"),
           std::string("HTTP/1.1 099 OK\r\n"),
           ok + "no colon\r\n",
           ok + ": nothing\r\n",
           ok + "Content-Length : 5\r\n",
           ok + "Content-Length: 5x\r\n\r\n",
           ok + "Content-Length: -5\r\n\r\n",
           ok + "Content-Length: 18446744073709551616\r\n\r\n",
           ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
           ok + "Transfer-Encoding: gzip\r\n\r\n",
           ok + "Transfer-Encoding: chunked\r\n\r\nx\r\n",
           ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
           ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
           ok + "X: " + std::string(300 << 10, 'x'),
       }) {
    CAPTURE(text.substr(0, 80));
    CHECK(read(text).state == State::kBroken);
  }
}

TEST_CASE("who wants no more gets no more") {
  int pieces = 0;
  Http1Answer answer([](const Http1Answer&) {},
                     [&](std::string_view) {
                       ++pieces;
                       return false;
                     });
  std::string_view bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  CHECK(answer.feed(bytes) == State::kRefused);
  CHECK(answer.feed(bytes) == State::kRefused);
  CHECK(pieces == 1);
}

TEST_CASE("fields are found whatever their case") {
  Http1Answer answer([](const Http1Answer&) {}, [](std::string_view) { return true; });
  std::string_view bytes =
      "HTTP/1.1 429 Too Many Requests\r\nRETRY-AFTER:\t7 \r\nWarning: a\r\nwarning: b\r\n"
      "Content-Length: 0\r\n\r\n";
  CHECK(answer.feed(bytes) == State::kWhole);
  CHECK(answer.code() == 429);
  CHECK(answer.field("Retry-After") == "7");
  CHECK(answer.fields("Warning") == std::vector<std::string_view>{"a", "b"});
  CHECK(answer.field("Date").empty());
}

}  // namespace
}  // namespace pgc::kube
