#include "plr/catalog/check_env.h"

#include <array>
#include <exception>

#include "plr/catalog/make_env.h"
#include "plr/catalog/render.h"

namespace plr::catalog {
namespace {

// Its spec and the list, which is there before an environment is made.
std::vector<std::string> listing_violations(const EnvSpec& spec, std::string_view name) {
  std::vector<std::string> violations;
  const auto compare = [&](const char* field, const auto& in_spec, const auto& in_list) {
    if (in_spec == in_list) return;
    violations.push_back(std::string(field) + " of its spec is that of the list");
  };
  compare("name", spec.name, name);
  const EnvInfo* info = find_environment(name);
  if (info == nullptr) return violations;  // not listed
  compare("actions", spec.actions, info->actions);
  compare("max_steps", spec.max_steps, info->max_steps);
  compare("num_difficulties", spec.num_difficulties, info->num_difficulties);
  return violations;
}

// A picture is the same function of a slot's state in every slot.
std::vector<std::string> picture_violations(VectorEnv& env) {
  std::vector<std::string> violations;
  const auto expect = [&](bool holds, const char* rule) {
    if (!holds) violations.emplace_back(rule);
  };
  StepBuffers buffers(env.spec());
  const std::array<Start, 2> starts = {{{0, 5}, {1, 5}}};
  const std::size_t size = env.spec().observation_size();
  const auto frame = [&](std::size_t slot) {
    return render_frame(env, static_cast<int>(slot),
                        buffers.batch().observations.subspan(slot * size, size), {.tile_size = 8});
  };
  try {
    env.start(starts, buffers.batch());
    const image::Image first = frame(0);
    expect(first.width() > 0 && first.height() > 0, "its pictures are not empty");
    expect(first == frame(1), "equal slots have equal pictures");
    const Family* family = find_family(env.spec().name);
    const bool has_text = family != nullptr && family->text != nullptr;
    expect(render_text(env, 0).has_value() == has_text, "it has texts if its family has");
    expect(text_legend(env).symbols.empty() != has_text, "its texts have a legend");
    expect(carried_object(env, 0).empty(), "nothing is carried when a level starts");
  } catch (const std::exception& error) {
    violations.push_back(std::string("it can be drawn: ") + error.what());
  }
  return violations;
}

}  // namespace

std::vector<std::string> env_violations(std::string_view name, Observation observation,
                                        const RuleChecked& checked) {
  const auto make = [&](int num_slots, int num_workers) {
    return make_env(
        name, {.num_slots = num_slots, .num_workers = num_workers, .observation = observation});
  };
  const std::unique_ptr<VectorEnv> env = make(2, 1);
  std::vector<std::string> violations = conformance_violations(make, checked);
  const auto add = [&](const char* rule, const std::vector<std::string>& found) {
    if (checked) checked({rule, found});
    violations.insert(violations.end(), found.begin(), found.end());
  };
  add("its spec agrees with the list", listing_violations(env->spec(), name));
  const char* pictures = "its levels can be drawn";
  if (has_pictures(*env)) {
    add(pictures, picture_violations(*env));
  } else if (checked) {
    checked({pictures, {}, false});
  }
  return violations;
}

}  // namespace plr::catalog
