#include "shared/kube/http1_answer.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace pgc::kube {
namespace {

// Of the status line and all fields, and of the line of a chunk: more than any server sends.
constexpr std::size_t kLongestHead = 256 << 10;
constexpr std::size_t kOrdinaryFields = 16;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  return value;
}

// Whether a list such as "keep-alive, Upgrade" names it.
bool lists(std::string_view text, std::string_view wanted) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    if (lowered(trimmed(text.substr(0, comma))) == wanted) return true;
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return false;
}

}  // namespace

Http1Answer::Http1Answer(std::function<void(const Http1Answer&)> head, Take take, bool connect)
    : head_(std::move(head)), take_(std::move(take)), connect_(connect) {}

Http1Answer::State Http1Answer::feed(std::string_view& bytes) {
  while (state_ == State::kHead && !bytes.empty()) {
    if (take_line(bytes)) take_head_line();
  }
  while (state_ == State::kBody && !bytes.empty()) take_body(bytes);
  return state_;
}

Http1Answer::State Http1Answer::end() {
  if (state_ == State::kBody && body_ == Body::kUntilEnd) {
    state_ = State::kWhole;
  } else if (state_ == State::kHead || state_ == State::kBody) {
    broken();
  }
  return state_;
}

std::string_view Http1Answer::field(std::string_view name) const {
  const auto all = fields(name);
  return all.empty() ? "" : all.front();
}

std::vector<std::string_view> Http1Answer::fields(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_) {
    if (std::ranges::equal(key, name, {}, lower, lower)) values.emplace_back(value);
  }
  return values;
}

bool Http1Answer::keeps_open() const {
  const std::string_view connection = field("connection");
  if (body_ == Body::kUntilEnd || lists(connection, "close")) return false;
  return !old_ || lists(connection, "keep-alive");
}

// True where line_ is a whole line, without its end.
bool Http1Answer::take_line(std::string_view& bytes) {
  const auto newline = bytes.find('\n');
  const std::string_view piece = bytes.substr(0, newline);
  line_ += piece;
  head_size_ += piece.size() + 1;
  bytes.remove_prefix(std::min(bytes.size(), piece.size() + 1));
  if (head_size_ > kLongestHead) broken();
  if (newline == std::string_view::npos || state_ == State::kBroken) return false;
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

void Http1Answer::take_head_line() {
  if (code_ == 0) {
    take_status_line();
  } else if (!line_.empty()) {
    take_field();
  } else if (code_ < 200 && code_ != 101) {  // an interim answer: the one that counts comes yet
    code_ = 0;
    fields_.clear();
  } else {
    begin_body();
  }
  line_.clear();
}

// "HTTP/1.1 200 OK"; the words may be missing.
void Http1Answer::take_status_line() {
  const std::string_view line = line_;
  old_ = line.starts_with("HTTP/1.0 ");
  const auto code = line.size() >= 12 ? number(line.substr(9, 3), 10) : std::nullopt;
  const bool ends = line.size() == 12 || (line.size() > 12 && line[12] == ' ');
  if (!(old_ || line.starts_with("HTTP/1.1 ")) || !code || *code < 100 || !ends) return broken();
  code_ = static_cast<int>(*code);
}

void Http1Answer::take_field() {
  const std::string_view line = line_;
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return broken();
  if (fields_.empty()) fields_.reserve(kOrdinaryFields);
  const std::string_view name = line.substr(0, colon);
  if (name.find_first_of(" \t") != std::string_view::npos) return broken();
  fields_.emplace_back(name, trimmed(line.substr(colon + 1)));
}

// RFC 9112, 6.3: what tells where the body ends, in this order.
void Http1Answer::begin_body() {
  const bool tunnel = connect_ && code_ >= 200 && code_ < 300;
  const std::string_view coding = field("transfer-encoding");
  if (tunnel || code_ == 204 || code_ == 304) {
    body_ = Body::kNone;
  } else if (!coding.empty()) {
    if (lowered(coding) != "chunked") return broken();
    body_ = Body::kChunks;
  } else if (fields("content-length").empty()) {
    body_ = Body::kUntilEnd;
  } else if (!length_of_body()) {
    return broken();
  }
  head_size_ = 0;
  const bool nothing = body_ == Body::kNone || (body_ == Body::kLength && left_ == 0);
  state_ = nothing ? State::kWhole : State::kBody;
  head_(*this);
}

bool Http1Answer::length_of_body() {
  body_ = Body::kLength;
  const auto values = fields("content-length");
  const auto length = number(values.front(), 10);
  if (!length || std::ranges::any_of(values, [&](auto one) { return one != values.front(); })) {
    return false;
  }
  left_ = *length;
  return true;
}

void Http1Answer::take_body(std::string_view& bytes) {
  switch (body_) {
    case Body::kLength:
      hand_on(next_piece(bytes));
      if (left_ == 0 && state_ == State::kBody) state_ = State::kWhole;
      return;
    case Body::kChunks:
      return take_chunked(bytes);
    default:
      hand_on(std::exchange(bytes, {}));
  }
}

// RFC 9112, 7.1.
void Http1Answer::take_chunked(std::string_view& bytes) {
  if (chunk_ == Chunk::kData) {
    hand_on(next_piece(bytes));
    if (left_ == 0) chunk_ = Chunk::kDataEnd;
  } else if (take_line(bytes)) {
    take_chunk_line();
    line_.clear();
    if (chunk_ != Chunk::kTrailer) head_size_ = 0;
  }
}

void Http1Answer::take_chunk_line() {
  const std::string_view line = line_;
  switch (chunk_) {
    case Chunk::kSize: {
      const auto size = number(trimmed(line.substr(0, line.find(';'))), 16);
      if (!size) return broken();
      left_ = *size;
      chunk_ = left_ == 0 ? Chunk::kTrailer : Chunk::kData;
      return;
    }
    case Chunk::kDataEnd:
      if (!line.empty()) return broken();
      chunk_ = Chunk::kSize;
      return;
    default:  // trailers tell us nothing
      if (line.empty()) state_ = State::kWhole;
  }
}

std::string_view Http1Answer::next_piece(std::string_view& bytes) {
  const std::string_view piece = bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size()));
  bytes.remove_prefix(piece.size());
  left_ -= piece.size();
  return piece;
}

void Http1Answer::hand_on(std::string_view piece) {
  if (!piece.empty() && !take_(piece)) state_ = State::kRefused;
}

}  // namespace pgc::kube
