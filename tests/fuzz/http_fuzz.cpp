// The bytes of an answer of HTTP/1.1: read alike however they arrive.
#include "shared/kube/http1_answer.h"
#include "tests/fuzz/property.h"

namespace {

using pgc::kube::Http1Answer;

struct Read {
  Http1Answer::State state;
  int code;
  std::string body;
  std::size_t rest;  // bytes that belong to the next answer
  int heads = 0;
  bool keeps_open;

  bool operator==(const Read&) const = default;
};

Read read(std::string_view text, std::size_t piece_size) {
  Read result{};
  Http1Answer answer([&](const Http1Answer&) { ++result.heads; },
                     [&](std::string_view piece) {
                       result.body += piece;
                       return true;
                     });
  using State = Http1Answer::State;
  while (!text.empty() && (answer.state() == State::kHead || answer.state() == State::kBody)) {
    const std::string_view whole = text.substr(0, piece_size);
    std::string_view piece = whole;
    answer.feed(piece);
    text.remove_prefix(whole.size() - piece.size());
  }
  answer.end();
  result.state = answer.state();
  result.code = answer.code();
  result.rest = result.state == State::kBroken ? 0 : text.size();
  result.keeps_open = answer.keeps_open();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pgc::fuzz::must;
  const std::string text(pgc::fuzz::as_text(data, size));
  const Read at_once = read(text, text.size() + 1);
  must(at_once == read(text, 1), "byte by byte is the same", text);
  must(at_once == read(text, 7), "and so it is in pieces", text);
  must(at_once.heads <= 1, "there is one head", text);
  must(at_once.body.size() <= text.size(), "nothing comes from nowhere", text);
  must(at_once.code == 0 || (at_once.code >= 100 && at_once.code <= 999), "a code has three digits",
       text);
  return 0;
}
