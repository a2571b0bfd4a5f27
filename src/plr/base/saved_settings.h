// Checks that a state was saved with the same settings.
//
//   writer.text(fields_text(config_));     // when saving
//   expect_settings(reader, config_);      // when loading, at the same position
//
// Thread-safe for different readers.
#pragma once

#include <string>

#include "plr/base/bytes.h"
#include "plr/base/fields.h"

namespace plr {

// Throws std::runtime_error with the first setting that differs.
template <class Config>
void expect_settings(ByteReader& reader, const Config& config) {
  const std::string saved = reader.text();
  if (const std::string ours = fields_text(config); saved != ours) {
    reader.fail("made with other settings: here " + first_difference(ours, saved));
  }
}

}  // namespace plr
