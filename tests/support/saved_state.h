// Checks that an object refuses damaged saved states.
//
//   expect_damage_is_refused(saved_object("uniform", uniform));
//
// For every class with save() and load() in the format of base/bytes.h.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plr/base/bytes.h"
#include "plr/base/random.h"

namespace plr::testing {

using SavedBytes = std::vector<std::byte>;

// An object, the bytes it saved, and its load() and save().
struct SavedObject {
  std::string name;
  SavedBytes saved;
  std::function<void(const SavedBytes&)> load;
  std::function<SavedBytes()> save;
};

template <class T>
SavedObject saved_object(const std::string& name, const T& object) {
  auto target = std::make_shared<T>(object);
  return {name, object.save(), [target](const SavedBytes& bytes) { target->load(bytes); },
          [target] { return target->save(); }};
}

// Expects that load() throws and changes nothing.
inline void expect_refused(const SavedObject& object, const SavedBytes& damaged,
                           const std::string& what) {
  EXPECT_THROW(object.load(damaged), std::runtime_error) << object.name << ": " << what;
  EXPECT_EQ(object.save(), object.saved) << object.name << " has changed: " << what;
}

// Truncated, longer and bit-flipped bytes are refused; another version is named in the error.
inline void expect_damage_is_refused(const SavedObject& object) {
  for (std::size_t size = 0; size < object.saved.size(); size += 1 + size / 50) {
    expect_refused(object, SavedBytes(object.saved.begin(), object.saved.begin() + size),
                   "cut to " + std::to_string(size));
  }
  SavedBytes longer = object.saved;
  longer.push_back(std::byte{0});
  expect_refused(object, longer, "one byte more");

  Random random = Streams(4).named("levels");
  for (int i = 0; i < 400; ++i) {
    SavedBytes damaged = object.saved;
    const std::uint64_t bit = random.below(8 * damaged.size());
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    expect_refused(object, damaged, "bit " + std::to_string(bit) + " flipped");
  }

  SavedBytes other = object.saved;
  other[4] = std::byte{99};  // the version, behind four bytes of magic
  try {
    object.load(other);
    ADD_FAILURE() << object.name << " loaded version 99";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("version 99"), std::string::npos) << e.what();
  }
}

// Makes the checksum of changed bytes right.
inline void set_checksum(SavedBytes& bytes) {
  const std::uint64_t sum = checksum(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
}

// Changed bytes with a recomputed checksum may be a valid state, but load() never crashes and never
// leaves the object half changed.
inline void expect_forgery_is_harmless(const SavedObject& object) {
  Random random = Streams(5).named("levels");
  for (int i = 0; i < 400; ++i) {
    SavedBytes forged = object.saved;
    for (int change = 0; change < 3; ++change) {
      forged[random.below(forged.size() - 8)] = static_cast<std::byte>(random.below(256));
    }
    set_checksum(forged);
    try {
      object.load(forged);
      object.load(object.saved);
    } catch (const std::runtime_error&) {
      EXPECT_EQ(object.save(), object.saved) << object.name;
    }
  }
}

}  // namespace plr::testing
