#include "tests/player/player.h"

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "shared/kube/pause.h"

namespace pgc::player {
namespace {

using kube::ErrorKind;
using kube::Object;
using std::chrono::milliseconds;

constexpr milliseconds kAgain{500};
constexpr int kMostRounds = 8;  // of moves in one turn; more come with the next event

// Patroni's heartbeats come back by the watch; of a pod no more is read than what moves look at.
const json::Shape& shape_of_pods() {
  static const json::Shape shape{
      .others = false,
      .members = {
          {.name = "metadata", .shape = {.members = {{.name = "managedFields", .kept = false}}}},
          {.name = "status",
           .shape = {.others = false, .members = {{.name = "phase"}, {.name = "podIP"}}}}}};
  return shape;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Moment wall_clock() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

kube::ObjectRef ref_of(const kube::ResourceType& type, const Object& object) {
  return {type, std::string(object.ns()), std::string(object.name())};
}

// Whoever patches with a resourceVersion wants to know each.
std::uint64_t version_digest(const Object& object) {
  kube::Digest digest;
  digest.add_text(object.resource_version());
  return digest.value();
}

}  // namespace

Player::Player(kube::Client& client, PlayerOptions options, const Log& log)
    : client_(client),
      options_(std::move(options)),
      log_(log),
      cache_({.group_label = std::string(reconcile::kClusterLabel), .digest = version_digest}) {
  for (unsigned i = 0; i < std::max(1U, options_.threads); ++i) {
    hands_.push_back(std::make_unique<Hand>());
  }
  for (const kube::ResourceType& type : {kube::kPostgresClusters, kube::kStatefulSets, kube::kPods,
                                         kube::kPersistentVolumeClaims, kube::kConfigMaps}) {
    kube::ListOptions scope{.ns = options_.ns};
    if (type == kube::kPods) scope.keep = &shape_of_pods();
    if (type != kube::kPostgresClusters) {
      scope.label_selector =
          std::string(reconcile::kManagedByLabel) + "=" + std::string(reconcile::kManagedBy);
    }
    reflectors_.push_back(std::make_unique<kube::Reflector>(
        client, cache_, type, std::move(scope),
        kube::ReflectorHooks{
            .changed = [this, type](const kube::Change& change) { follow(type, change); },
            .failed =
                [this](const kube::ResourceType& failed, const kube::Error& error) {
                  log_.warning("watch failed", {{"resource", std::string(failed.plural)},
                                                {"error", error.message}});
                },
            .random = [] { return 0.5; }}));
  }
}

void Player::run(std::stop_token stop) {
  std::vector<std::jthread> threads;
  for (const auto& reflector : reflectors_) {
    threads.emplace_back([&reflector](std::stop_token end) { reflector->run(end); });
  }
  const auto synced = [](const auto& reflector) { return reflector->synced(); };
  while (!std::ranges::all_of(reflectors_, synced)) {
    if (!kube::pause_for(milliseconds(20), stop)) return;
  }
  log_.info("playing");
  for (const auto& hand : hands_) {
    threads.emplace_back([this, &hand](std::stop_token end) { play(*hand, end); });
  }
  while (kube::pause_for(std::chrono::hours(1), stop)) {
  }
}

Player::Hand& Player::hand_of(const Key& key) {
  return *hands_[std::hash<std::string>()(key.ns + "/" + key.name) % hands_.size()];
}

// What our own writes have answered already comes once more by the watch, and wakes nobody.
void Player::follow(const kube::ResourceType& type, const kube::Change& change) {
  const bool gone = change.kind == kube::Change::Kind::kDeleted;
  if (type == kube::kPostgresClusters) {
    if (gone) collect_garbage(change);
    return;
  }
  const Key key{change.ns, change.group};
  if (key.name.empty()) return;
  const kube::ObjectRef ref{type, change.ns, change.name};
  const auto object = cache_.get(ref);
  if (!object && !gone) return;
  Hand& hand = hand_of(key);
  const std::lock_guard lock(hand.mutex);
  Scene& scene = hand.scenes.try_emplace(key, Scene{key.ns, {key.name}, {}}).first->second;
  const auto known = scene.objects.find(ref);
  if (known != scene.objects.end() && gone && known->second.uid() != change.uid) return;
  if (known != scene.objects.end() && !gone &&
      number(known->second.resource_version()) >= number(object->resource_version())) {
    return;
  }
  if (gone) {
    scene.objects.erase(ref);
  } else {
    scene.objects.insert_or_assign(ref, *object);
  }
  hand.due[key] = Clock::time_point::min();
  hand.news = true;
  hand.woken.notify_one();
}

// What a deleted cluster owned.
void Player::collect_garbage(const kube::Change& owner) {
  const reconcile::Names names{owner.name};
  for (const kube::ResourceType& type :
       {kube::kStatefulSets, kube::kConfigMaps, kube::kSecrets, kube::kServices,
        kube::kServiceAccounts, kube::kRoles, kube::kRoleBindings, kube::kPodDisruptionBudgets}) {
    const auto list = client_.list(type, {.ns = owner.ns, .label_selector = names.selector()});
    if (!list) {
      log_.warning("garbage stays", {{"error", list.error().message}});
      continue;
    }
    for (const Object& object : list->items) {
      if (object.controller_uid() != owner.uid) continue;
      (void)client_.remove(ref_of(type, object), {.uid = std::string(object.uid())});
    }
  }
}

void Player::play(Hand& hand, std::stop_token stop) {
  Key key;
  while (take(hand, stop, key)) turn(hand, key);
}

// The cluster that has been due for longest.
bool Player::take(Hand& hand, std::stop_token stop, Key& key) {
  std::unique_lock lock(hand.mutex);
  while (!stop.stop_requested()) {
    const auto first =
        std::ranges::min_element(hand.due, {}, [](const auto& entry) { return entry.second; });
    const auto now = Clock::now();
    if (first != hand.due.end() && first->second <= now) {
      key = first->first;
      hand.due.erase(first);
      return true;
    }
    const auto until = first == hand.due.end() ? now + std::chrono::hours(1) : first->second;
    hand.woken.wait_until(lock, stop, until, [&] { return std::exchange(hand.news, false); });
  }
  return false;
}

// Everything that can be done with a cluster; each round sees what the one before has written.
void Player::turn(Hand& hand, const Key& key) {
  bool well = true;
  for (int round = 0; well && round < kMostRounds; ++round) {
    const std::vector<Move> moves = next_moves(scene_of(hand, key), wall_clock());
    if (moves.empty()) break;
    well = perform(hand, key, moves);
  }
  const auto now = Clock::now();
  if (beat_is_due(hand, key, now)) {
    perform(hand, key, heartbeat(scene_of(hand, key), wall_clock()));
    ++tally_.heartbeats;
  }
  const auto beat = hand.beat.find(key);
  const std::lock_guard lock(hand.mutex);
  if (well && beat == hand.beat.end()) return;
  const auto next = well ? beat->second : now + kAgain;
  hand.due.try_emplace(key, next);
}

// A cluster's first heartbeat comes at a moment of its own, so that they are spread over the
// period.
bool Player::beat_is_due(Hand& hand, const Key& key, Clock::time_point now) {
  if (options_.period.count() == 0) return false;
  const bool there = !scene_of(hand, key).objects.empty();
  const auto known = hand.beat.find(key);
  if (!there) {
    if (known != hand.beat.end()) hand.beat.erase(known);
    return false;
  }
  if (known == hand.beat.end()) {
    const auto span = static_cast<std::size_t>(options_.period.count());
    hand.beat[key] = now + milliseconds(std::hash<std::string>()(key.ns + key.name) % span);
    return false;
  }
  if (known->second > now) return false;
  const auto late = std::chrono::duration_cast<milliseconds>(now - known->second).count();
  if (late > tally_.latest_ms) tally_.latest_ms = late;
  known->second = std::max(known->second + options_.period, now);
  return true;
}

// A copy: handles of documents, and only this thread and the watches change it.
Scene Player::scene_of(Hand& hand, const Key& key) {
  const std::lock_guard lock(hand.mutex);
  const auto found = hand.scenes.find(key);
  if (found == hand.scenes.end()) return {};
  if (found->second.objects.empty()) {
    hand.scenes.erase(found);
    return {};
  }
  return found->second;
}

bool Player::perform(Hand& hand, const Key& key, const std::vector<Move>& moves) {
  bool well = true;
  for (const Move& move : moves) {
    ++tally_.moves;
    const auto done = perform(hand, key, move);
    if (done || done.error().is(ErrorKind::kNotFound)) continue;
    ++tally_.failures;
    well = false;
    log_.warning("move failed",
                 {{"object", move.ref.to_string()}, {"error", done.error().message}});
  }
  return well;
}

kube::Result<void> Player::perform(Hand& hand, const Key& key, const Move& move) {
  if (move.kind == Move::Kind::kDelete) {
    return client_.remove(move.ref, {.uid = std::string(kube::string_at(move.body, {"uid"}))});
  }
  auto written = move.kind == Move::Kind::kCreate
                     ? client_.create(move.ref.type, move.ref.ns, Object(move.body), {})
                     : client_.patch(move.ref, kube::PatchType::kMerge, move.body,
                                     {.subresource = move.subresource});
  if (!written) return std::unexpected(written.error());
  const std::lock_guard lock(hand.mutex);
  const auto scene = hand.scenes.find(key);
  if (scene == hand.scenes.end()) return {};
  const auto known = scene->second.objects.find(move.ref);
  const bool gone = move.kind == Move::Kind::kPatch && known == scene->second.objects.end();
  const bool ending = written->being_deleted() &&
                      kube::find_at(written->json(), {"metadata", "finalizers"}) == nullptr;
  if (ending) {
    scene->second.objects.erase(move.ref);
  } else if (!gone &&
             (known == scene->second.objects.end() ||
              number(known->second.resource_version()) < number(written->resource_version()))) {
    scene->second.objects.insert_or_assign(move.ref, *written);
  }
  return {};
}

}  // namespace pgc::player
