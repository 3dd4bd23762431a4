// The architecture, as the linker sees it: the core can do no I/O, read no clock and draw no random
// number, because it links nothing that could, and calls nothing that would.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace {

using Names = std::set<std::string>;

struct Library {
  std::string archive;
  Names links;  // targets, directly or not
};

// A line a library: its target, its archive, the targets that it links.
std::map<std::string, Library> link_graph() {
  std::map<std::string, Library> graph;
  std::ifstream file(PGC_LINK_GRAPH);
  REQUIRE(file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string name;
    Library library;
    fields >> name >> library.archive;
    for (std::string target; fields >> target;) library.links.insert(target);
    graph[name] = library;
  }
  return graph;
}

// The functions that an archive calls and does not define itself, without versions
// ("open@GLIBC_2.2").
Names calls_of(const std::string& archive) {
  const std::string command =
      std::string(PGC_NM) + " --undefined-only --format=just-symbols '" + archive + "' 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  REQUIRE(output);
  Names names;
  char line[8192];
  while (std::fgets(line, sizeof line, output.get()) != nullptr) {
    const std::string text(line);
    names.insert(text.substr(0, text.find_first_of("@\n")));
  }
  return names;
}

TEST_CASE("the schema of any CRD stands below the rules of PostgreSQL, and those below the plan") {
  const auto graph = link_graph();
  CHECK(graph.at("pgc_rules").links.contains("pgc_structural"));
  CHECK(graph.at("pgc_reconcile").links.contains("pgc_rules"));
  CHECK(graph.at("pgc_reconcile").links.contains("pgc_object"));
  for (const char* above : {"pgc_rules", "pgc_reconcile", "pgc_object"}) {
    CHECK_FALSE(graph.at("pgc_structural").links.contains(above));
  }
  CHECK_FALSE(graph.at("pgc_rules").links.contains("pgc_reconcile"));
}

TEST_CASE("the core links neither HTTP nor TLS, nor any library of ours that does") {
  for (const auto& [name, library] : link_graph()) {
    CAPTURE(name);
    for (const char* outside :
         {"pgc::httplib", "pgc_httplib", "httplib::httplib", "OpenSSL::SSL", "OpenSSL::Crypto",
          "pgc_kube", "pgc_x509", "pgc_observe", "pgc_log", "CLI11::CLI11"}) {
      CAPTURE(outside);
      CHECK_FALSE(library.links.contains(outside));
    }
  }
}

TEST_CASE("the core calls nothing that reads, writes, connects, tells the time or rolls dice") {
  const Names effects = {"socket",
                         "connect",
                         "bind",
                         "send",
                         "recv",
                         "sendto",
                         "recvfrom",
                         "getaddrinfo",
                         "open",
                         "open64",
                         "openat",
                         "fopen",
                         "fopen64",
                         "creat",
                         "unlink",
                         "rename",
                         "read",
                         "write",
                         "fread",
                         "fwrite",
                         "popen",
                         "system",
                         "fork",
                         "execve",
                         "posix_spawn",
                         "dlopen",
                         "clock_gettime",
                         "gettimeofday",
                         "time",
                         "nanosleep",
                         "clock_nanosleep",
                         "usleep",
                         "sleep",
                         "getrandom",
                         "getentropy",
                         "rand",
                         "random",
                         "srand",
                         "getenv",
                         "secure_getenv",
                         "_ZNSt13random_device9_M_getvalEv",
                         "_ZNSt6chrono3_V212system_clock3nowEv",
                         "_ZNSt6chrono3_V212steady_clock3nowEv",
                         "_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1Ev",
                         "_ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1Ev",
                         "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode"};
  for (const auto& [name, library] : link_graph()) {
    CAPTURE(name);
    const Names calls = calls_of(library.archive);
    CHECK(calls.size() > 10);  // nm has told something
    for (const std::string& call : calls) {
      CAPTURE(call);
      CHECK_FALSE(effects.contains(call));
    }
  }
}

}  // namespace
