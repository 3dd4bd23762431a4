// The connections that hold a worker, and who has to go when others wait for one.
//
// A worker serves one connection from its handshake to its end, so a peer that does nothing, or
// drips a byte now and then, costs one. That is harmless while workers are left. When none is, the
// connection that is of least use is shut: among those that never had an answer the oldest, else
// the one whose last answer lies longest ago. A new peer so always gets its turn, and an API server
// that is being answered keeps its connections whatever strangers do.
//
// Safe from several threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <stop_token>
#include <thread>

namespace pgc::webhook {

class Connections {
  struct State;

 public:
  using Clock = std::chrono::steady_clock;

  // When service ends, how long a peer that has just come may take to say what it wants.
  static constexpr std::chrono::milliseconds kLastChance{1'000};

  // However crowded it is, nobody is shut before it had the `grace` since it came or was answered.
  Connections(std::size_t workers, std::chrono::milliseconds grace);
  ~Connections();

  // A connection was accepted; it holds a worker or waits for one until it is gone.
  void arrived();
  void gone();

  // One connection at its worker. What the worker says of it decides whether it may be shut.
  class Place {
   public:
    Place(Connections& all, int socket);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    void receiving();  // the first byte of a request is there
    void reviewing();  // the request is whole; the connection is not shut before it is answered
    void answered();
    void waiting();            // for the next request
    bool crowded_out() const;  // it was shut because others waited

   private:
    Connections& all_;
    std::list<State>::iterator state_;
  };

  // Ends those that wait for a request, without cutting one that has begun to come.
  void end();

 private:
  enum class Phase { kShakingHands, kWaiting, kReceiving, kReviewing };
  struct State {
    int socket;
    Phase phase;
    bool known;  // it had an answer
    bool told;   // it was shut, and its worker will notice
    bool crowded_out;
    Clock::time_point since;
  };

  void change(State& state, Phase phase);
  void make_room(Clock::time_point now);
  bool shut_one(Clock::time_point now);
  State* least_useful(Clock::time_point now);
  void end_waiting(Clock::time_point now);
  void run(std::stop_token stop);

  const std::size_t workers_;
  const std::chrono::milliseconds grace_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::list<State> states_;
  std::size_t present_ = 0;
  std::size_t leaving_ = 0;  // of states_, those that were told
  bool ending_ = false;
  std::jthread thread_;
};

}  // namespace pgc::webhook
