// An answer of HTTP/1.1 out of bytes as they arrive (RFC 9112). Pure.
//
// Strict where a lenient reader would guess what the body is: a length that is no number, two that
// differ, a chunk without its end. What is broken is never a shorter body.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pgc::kube {

// One thread.
class Http1Answer {
 public:
  // Hands on a piece of the body; false: no more is wanted.
  using Take = std::function<bool(std::string_view)>;

  enum class State {
    kHead,     // the status line and the fields are not complete
    kBody,     // the body is not complete
    kWhole,    // all has been read
    kBroken,   // this is no answer of HTTP/1.1
    kRefused,  // `take` wants no more
  };

  // `head` is called once, as soon as the fields are known. `connect`: the answer to a CONNECT,
  // which has no body where it is a 200.
  Http1Answer(std::function<void(const Http1Answer&)> head, Take take, bool connect = false);

  // Takes what belongs to this answer off the front of `bytes`.
  State feed(std::string_view& bytes);
  // The connection has ended. A body without a length is whole then, any other is kBroken.
  State end();
  State state() const { return state_; }

  int code() const { return code_; }
  // The first field of that name, whatever its case; empty where there is none.
  std::string_view field(std::string_view name) const;
  std::vector<std::string_view> fields(std::string_view name) const;
  // Whether another request may follow on the connection, once this answer is whole.
  bool keeps_open() const;

 private:
  enum class Body { kNone, kLength, kChunks, kUntilEnd };
  enum class Chunk { kSize, kData, kDataEnd, kTrailer };

  bool take_line(std::string_view& bytes);
  void take_head_line();
  void take_status_line();
  void take_field();
  void begin_body();
  void take_body(std::string_view& bytes);
  void take_chunked(std::string_view& bytes);
  void take_chunk_line();
  std::string_view next_piece(std::string_view& bytes);
  void hand_on(std::string_view piece);
  bool length_of_body();
  void broken() { state_ = State::kBroken; }

  const std::function<void(const Http1Answer&)> head_;
  const Take take_;
  const bool connect_;
  State state_ = State::kHead;
  Body body_ = Body::kNone;
  Chunk chunk_ = Chunk::kSize;
  std::string line_;
  std::size_t head_size_ = 0;
  bool old_ = false;  // HTTP/1.0
  int code_ = 0;
  std::vector<std::pair<std::string, std::string>> fields_;  // as they came
  std::uint64_t left_ = 0;                                   // of the body, or of the chunk
};

}  // namespace pgc::kube
