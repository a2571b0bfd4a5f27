// Writes sample files for the Python tests in this folder, which check their content.
//
//   write_samples events PATH           an event file
//   write_samples other-events PATH     hyperparameters and a picture
//   write_samples resumed-events PATH   an event file that was truncated and continued
//   write_samples tensors PATH          tensors of every data type
//   write_samples copy FROM TO          the tensors and metadata of another file
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plr/base/fields.h"
#include "plr/base/files.h"
#include "plr/image/image.h"
#include "plr/image/png.h"
#include "plr/run/safetensors.h"
#include "plr/run/tensorboard.h"

namespace {

using namespace plr;
using std::filesystem::path;

constexpr double kStart = 1'700'000'000.125;

void write_scalars(run::EventFile& events, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const double time = kStart + 0.25 * static_cast<double>(i);
    const float value = static_cast<float>(i) / 7 - 3;
    // Steps beyond 32 bits.
    events.scalars(i * 10'000'000'000, time, {{"train/return", value}, {"train/loss", -value}});
    events.scalars(i, time, {{"höhe", -value}});
  }
}

void write_events(const path& to) {
  run::EventFile events(to, kStart);
  write_scalars(events, 0, 100);
  events.scalars(0, kStart, {{"empty", 0}});  // every field is its default
}

void write_resumed_events(const path& to) {
  std::uint64_t size = 0;
  {
    run::EventFile events(to, kStart);
    write_scalars(events, 0, 50);
    size = events.size();
    write_scalars(events, 70, 90);
  }
  run::EventFile events(to, kStart + 1000);
  events.truncate(size);
  write_scalars(events, 50, 100);
  events.scalars(0, kStart, {{"empty", 0}});
}

void write_other_events(const path& to) {
  run::EventFile events(to, kStart);
  std::vector<run::Hyperparameter> list;
  for (const auto& [name, text] : {std::pair{"learning_rate", "5e-4"},
                                   {"drac", "false"},
                                   {"seed", "7"},
                                   {"env", "maze/random-60"},
                                   {"levels", "0..199"},
                                   {"note", ""}}) {
    list.push_back(run::to_hyperparameter(name, text));
  }
  events.hyperparameters(kStart + 1, list);
  events.scalars(10, kStart + 2, {{"eval/test_return", 0.5F}});
  image::Image picture(3, 2, {10, 20, 30});
  events.picture(10, kStart + 2, {"levels", 3, 2, image::png_bytes(picture)});
  events.finish(kStart + 3);
}

// For each data type a tensor of 2 x 3 elements whose bytes count up from 0; a scalar; an empty
// one.
void write_tensors(const path& to) {
  std::array<std::byte, 48> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  std::vector<run::TensorView> tensors;
  for (std::size_t i = 0; i < enum_names(run::DType{}).size(); ++i) {
    const auto dtype = static_cast<run::DType>(i);
    if (dtype == run::DType::kBool) continue;  // its bytes must be 0 or 1
    tensors.push_back(
        {to_text(dtype), dtype, {2, 3}, std::span(bytes).first(6 * run::size_of(dtype))});
  }
  constexpr std::array<std::byte, 2> kTruths{std::byte{1}, std::byte{0}};
  tensors.push_back({"truths", run::DType::kBool, {2}, kTruths});
  tensors.push_back({"scalar", run::DType::kI64, {}, std::span(bytes).first(8)});
  tensors.push_back({"nothing \"here\"", run::DType::kF64, {3, 0}, {}});
  write_file(to, run::to_safetensors(tensors, {{"step", "12"}, {"näme", "\"x\"\n"}}));
}

void copy(const path& from, const path& to) {
  const run::Safetensors file(read_file(from));
  write_file(to, run::to_safetensors(file.tensors(), file.metadata()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string verb = arguments.empty() ? "" : arguments[0];
  try {
    if (verb == "events")
      write_events(arguments.at(1));
    else if (verb == "other-events")
      write_other_events(arguments.at(1));
    else if (verb == "resumed-events")
      write_resumed_events(arguments.at(1));
    else if (verb == "tensors")
      write_tensors(arguments.at(1));
    else if (verb == "copy")
      copy(arguments.at(1), arguments.at(2));
    else
      return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
