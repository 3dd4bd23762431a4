// What the agent reports of its pod: facts that only a process beside PostgreSQL can see, and
// Patroni does not publish.
//
// Reading touches the file system and nothing else. A Report is a value.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pgc::agent {

struct Volume {
  std::uint64_t free_bytes = 0;  // for a process without privileges, in whole MiB
  std::uint64_t total_bytes = 0;
  bool operator==(const Volume&) const = default;
};

// A Secret as it is mounted at this moment, which may be older than the Secret.
struct MountedSecret {
  std::string hash;    // see hash_of
  std::string serial;  // of tls.crt, hexadecimal; empty where there is none
  bool operator==(const MountedSecret&) const = default;
};

struct Report {
  std::optional<Volume> data;
  std::optional<Volume> wal;  // only where the WAL has a volume of its own
  std::map<std::string, MountedSecret> secrets;
  bool operator==(const Report&) const = default;
};

struct Directories {
  std::string data;
  std::string wal;                             // empty: there is none
  std::map<std::string, std::string> secrets;  // name of the Secret -> where it is mounted
};

// What cannot be read is left out of the report.
Report observe(const Directories& directories);

// SHA-256 over the keys and values of a Secret, each preceded by its length, in the order of the
// keys; the first 16 hexadecimal digits. Whoever may read the Secret can compute it as well. A hash
// lets one test guesses, so it is for Secrets with keys and generated passwords, not for what
// people make up.
std::string hash_of(const std::map<std::string, std::string>& secret);

// Free space changes with every row that is written; the report need not. True if anything else
// differs, or free space has moved by a hundredth of the volume since `published`.
bool worth_publishing(const std::optional<Report>& published, const Report& current);

// {"data":{"freeBytes":1,"totalBytes":2},"secrets":{"a":{"hash":"…","serial":"…"}}}
std::string to_json(const Report& report);

}  // namespace pgc::agent
