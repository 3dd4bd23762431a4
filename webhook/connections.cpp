#include "webhook/connections.h"

#include <sys/socket.h>

namespace pgc::webhook {

namespace {

constexpr std::chrono::milliseconds kTick{50};
// Strangers may have this part of the workers for themselves, so that one that comes while known
// peers hold all the others has time for its handshake.
constexpr std::size_t kStrangersPart = 4;

}  // namespace

Connections::Connections(std::size_t workers, std::chrono::milliseconds grace)
    : workers_(workers), grace_(grace), thread_([this](std::stop_token stop) { run(stop); }) {}

Connections::~Connections() = default;

void Connections::arrived() {
  const std::lock_guard lock(mutex_);
  ++present_;
  if (present_ <= workers_) return;
  make_room(Clock::now());
  wake_.notify_one();
}

void Connections::gone() {
  const std::lock_guard lock(mutex_);
  --present_;
}

Connections::Place::Place(Connections& all, int socket) : all_(all) {
  const std::lock_guard lock(all_.mutex_);
  state_ = all_.states_.insert(all_.states_.end(), {.socket = socket,
                                                    .phase = Phase::kShakingHands,
                                                    .known = false,
                                                    .told = false,
                                                    .crowded_out = false,
                                                    .since = Clock::now()});
}

// Before the socket is closed, so that no other connection can have its number yet.
Connections::Place::~Place() {
  const std::lock_guard lock(all_.mutex_);
  if (state_->told) --all_.leaving_;
  all_.states_.erase(state_);
}

void Connections::Place::receiving() {
  all_.change(*state_, Phase::kReceiving);
}
void Connections::Place::reviewing() {
  all_.change(*state_, Phase::kReviewing);
}
void Connections::Place::waiting() {
  all_.change(*state_, Phase::kWaiting);
}

// Not reviewing any more: a peer that does not take its answer may be shut.
void Connections::Place::answered() {
  const std::lock_guard lock(all_.mutex_);
  state_->phase = Phase::kReceiving;
  state_->known = true;
  state_->since = Clock::now();
}

void Connections::change(State& state, Phase phase) {
  const std::lock_guard lock(mutex_);
  state.phase = phase;
  if (ending_) wake_.notify_one();
}

void Connections::end() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  end_waiting(Clock::now());
  wake_.notify_one();
}

bool Connections::Place::crowded_out() const {
  const std::lock_guard lock(all_.mutex_);
  return state_->crowded_out;
}

// Of reading alone: what has come already can still be read, and answered.
void Connections::end_waiting(Clock::time_point now) {
  for (State& state : states_) {
    const bool may_begin = !state.known && now - state.since < kLastChance;
    if (state.phase == Phase::kWaiting && !state.told && !may_begin) {
      ::shutdown(state.socket, SHUT_RD);
      state.told = true;
      ++leaving_;
    }
  }
}

// One has to go for each that waits for a worker.
void Connections::make_room(Clock::time_point now) {
  while (present_ > workers_ + leaving_ && shut_one(now)) {
  }
}

bool Connections::shut_one(Clock::time_point now) {
  State* state = least_useful(now);
  if (state == nullptr) return false;
  ::shutdown(state->socket, SHUT_RDWR);
  state->told = true;
  state->crowded_out = true;
  ++leaving_;
  return true;
}

// The list is in the order of arrival.
Connections::State* Connections::least_useful(Clock::time_point now) {
  State* stranger = nullptr;
  State* known = nullptr;
  std::size_t strangers = 0;
  for (State& state : states_) {
    if (state.told || state.phase == Phase::kReviewing) continue;
    if (!state.known) ++strangers;
    if (now - state.since < grace_) continue;
    if (!state.known && stranger == nullptr) stranger = &state;
    if (state.known && (known == nullptr || state.since < known->since)) known = &state;
  }
  const bool enough_strangers = strangers > workers_ / kStrangersPart;
  return known == nullptr || enough_strangers ? stranger : known;
}

void Connections::run(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait(lock, stop, [this] { return present_ > workers_ || (ending_ && present_ > 0); });
    if (ending_) end_waiting(Clock::now());
    make_room(Clock::now());
    wake_.wait_for(lock, stop, kTick, [] { return false; });
  }
}

}  // namespace pgc::webhook
