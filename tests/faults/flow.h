// The flows in which the operator is made to die at every write. A new flow is one line in flows().
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/faulty_client.h"

namespace pgc::faults {

// A flow on its way, from its beginning, where everything is at rest.
class Scene {
 public:
  virtual ~Scene() = default;
  // Goes through the whole flow, with a new operator wherever one dies, and comes to rest.
  virtual void play() = 0;
  virtual test::FaultyClient& client() = 0;
  virtual std::string picture() = 0;              // what is there
  virtual std::map<std::string, int> made() = 0;  // creates and deletes
  virtual std::vector<std::string> harm() = 0;
  virtual std::string story() = 0;
  virtual long checks() = 0;
};

struct Flow {
  std::string name;
  std::function<std::unique_ptr<Scene>()> begin;
};

const std::vector<Flow>& flows();

// The flow of the webhook's certificates (certificates_scene.cpp).
std::unique_ptr<Scene> first_certificates();
std::unique_ptr<Scene> renewed_certificates();

}  // namespace pgc::faults
