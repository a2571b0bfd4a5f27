#include "plr/catalog/registry.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "plr/catalog/check_family.h"
#include "plr/classic/family.h"
#include "plr/maze/family.h"
#include "plr/minigrid/family.h"
#include "plr/procgen/family.h"
#include "plr/remote/family.h"

namespace plr::catalog {
namespace {

Registry make_registry(std::vector<Family> families) {
  Registry made{.families = std::move(families), .environments = {}};
  for (const Family& family : made.families) {
    made.environments.insert(made.environments.end(), family.environments.begin(),
                             family.environments.end());
  }
  return made;
}

// All lists so far; the last one is current.
struct Registries {
  Registries() {
    std::vector<Family> own;
    own.push_back(minigrid::family());
    own.push_back(procgen::family());
    own.push_back(maze::family());
    own.push_back(classic::family());
    own.push_back(remote::family());
    append(std::move(own));
  }
  void append(std::vector<Family> families) {
    current = &all.emplace_back(make_registry(std::move(families)));
  }

  std::mutex mutex;  // of changes
  std::list<Registry> all;
  std::atomic<const Registry*> current;
};

Registries& registries() {
  static Registries& all = *new Registries();  // other static objects may still have environments
  return all;
}

}  // namespace

const Registry& registry() { return *registries().current; }

void add_family(Family family) {
  check_family(family);
  Registries& all = registries();
  const std::lock_guard lock(all.mutex);
  std::vector<Family> families = registry().families;
  if (std::ranges::find(families, family.name, &Family::name) != families.end()) {
    throw std::invalid_argument("there is a family '" + family.name +
                                "' already; give this one another name");
  }
  families.push_back(std::move(family));
  all.append(std::move(families));
}

}  // namespace plr::catalog
