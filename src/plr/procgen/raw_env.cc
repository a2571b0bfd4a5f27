#include "plr/procgen/raw_env.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <string>
#include <string_view>

namespace plr::procgen {
namespace {

std::int32_t library_mode(Mode mode) {
  constexpr std::array<std::int32_t, 4> kNumbers = {0, 1, 2, 10};
  return kNumbers[static_cast<std::size_t>(mode)];
}

// Refers to the values, which must keep their addresses until the environment has been made.
class OptionList {
 public:
  void add(std::string_view name, std::uint8_t& value) {
    add(name, libenv::DType::kUint8, 1, &value);
  }
  void add(std::string_view name, std::int32_t& value) {
    add(name, libenv::DType::kInt32, 1, &value);
  }
  void add(std::string_view name, std::string& value) {
    add(name, libenv::DType::kUint8, static_cast<std::int32_t>(value.size()), value.data());
  }
  libenv::Options options() { return {items_.data(), static_cast<std::int32_t>(items_.size())}; }

 private:
  void add(std::string_view name, libenv::DType dtype, std::int32_t count, void* data) {
    libenv::Option& option = items_.emplace_back(libenv::Option{{}, dtype, count, data});
    std::ranges::copy(name, option.name);
  }

  std::vector<libenv::Option> items_;
};

// The options that the package's Python code passes, but without threads.
void* make(const Library& library, const Variant& variant, int num, SeedRange seeds) {
  std::string game = variant.game->name;
  std::string assets = library.assets();
  std::uint8_t yes = 1;
  std::uint8_t no = 0;
  std::int32_t zero = 0;
  std::int32_t mode = library_mode(variant.mode);
  std::int32_t num_actions = kNumActions;
  OptionList list;
  list.add("env_name", game);
  list.add("distribution_mode", mode);
  list.add("start_level", seeds.first);
  list.add("num_levels", seeds.count);
  list.add("use_sequential_levels", no);
  list.add("rand_seed", zero);
  list.add("num_actions", num_actions);
  list.add("num_threads", zero);
  list.add("resource_root", assets);
  list.add("center_agent", yes);
  list.add("use_backgrounds", yes);
  list.add("use_generated_assets", no);
  list.add("use_monochrome_assets", no);
  list.add("restrict_themes", no);
  list.add("paint_vel_info", no);
  list.add("render_human", no);
  list.add("debug_mode", zero);
  return library.functions().make(num, list.options());
}

}  // namespace

RawEnv::RawEnv(const Library& library, const Variant& variant, int num, SeedRange seeds)
    : functions_(library.functions()),
      observations_(index(num) * kObservationSize),
      rewards_(index(num)),
      first_(index(num)),
      prev_level_seeds_(index(num)),
      complete_(index(num)),
      level_seeds_(index(num)),
      actions_(index(num)),
      env_(make(library, variant, num, seeds), functions_.close) {
  assert(num > 0 && seeds.first >= 0 && seeds.count > 0);
  std::vector<void*> observations(index(num));
  std::vector<void*> actions(index(num));
  std::vector<void*> info(index(num) * libenv::kNumInfos);
  for (std::size_t i = 0; i < index(num); ++i) {
    observations[i] = &observations_[i * kObservationSize];
    actions[i] = &actions_[i];
    info[i] = &prev_level_seeds_[i];
    info[index(num) + i] = &complete_[i];
    info[2 * index(num) + i] = &level_seeds_[i];
  }
  libenv::Buffers buffers = {observations.data(), rewards_.data(), first_.data(), info.data(),
                             actions.data()};
  functions_.set_buffers(env_.get(), &buffers);
}

std::vector<char> RawEnv::state(int i) const {
  std::vector<char> bytes(kMaxStateSize);
  const int size =
      functions_.get_state(env_.get(), i, bytes.data(), static_cast<int>(bytes.size()));
  bytes.resize(index(size));
  bytes.shrink_to_fit();
  return bytes;
}

void RawEnv::set_state(int i, std::span<char> state) {
  functions_.set_state(env_.get(), i, state.data(), static_cast<int>(state.size()));
}

}  // namespace plr::procgen
