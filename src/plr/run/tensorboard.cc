#include "plr/run/tensorboard.h"

#include <fcntl.h>

#include <bit>
#include <concepts>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "plr/base/open_file.h"
#include "plr/run/crc32c.h"

namespace plr::run {
namespace {

void append_number(std::string& text, std::integral auto value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    text.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
  }
}

// ---- protocol buffers: the four field types that are needed -------------------------------------

void append_varint(std::string& message, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message.push_back(static_cast<char>(value | 0x80));
  message.push_back(static_cast<char>(value));
}

// A field begins with its number and its wire type: 0 varint, 1 eight bytes, 2 length and bytes,
// 5 four bytes.
void add_int(std::string& message, std::uint64_t field, std::int64_t value) {
  append_varint(message, field << 3 | 0);
  append_varint(message, static_cast<std::uint64_t>(value));
}

void add_double(std::string& message, std::uint64_t field, double value) {
  append_varint(message, field << 3 | 1);
  append_number(message, std::bit_cast<std::uint64_t>(value));
}

void add_bytes(std::string& message, std::uint64_t field, std::string_view value) {
  append_varint(message, field << 3 | 2);
  append_varint(message, value.size());
  message.append(value);
}

void add_float(std::string& message, std::uint64_t field, float value) {
  append_varint(message, field << 3 | 5);
  append_number(message, std::bit_cast<std::uint32_t>(value));
}

// ---- TensorFlow's messages, with its field numbers (event.proto, summary.proto) ----------------

std::string file_version_event(double wall_time) {
  std::string event;
  add_double(event, 1, wall_time);
  add_bytes(event, 3, "brain.Event:2");
  return event;
}

std::string scalars_event(std::int64_t step, double wall_time, const std::vector<Scalar>& scalars) {
  std::string summary;
  for (const Scalar& scalar : scalars) {
    std::string value;
    add_bytes(value, 1, scalar.tag);
    add_float(value, 2, scalar.value);
    add_bytes(summary, 1, value);
  }
  std::string event;
  add_double(event, 1, wall_time);
  add_int(event, 2, step);
  add_bytes(event, 5, summary);
  return event;
}

// ---- TFRecord: length, checksum of the length, data, checksum of the data ----------------------

// Rotated and offset, since a CRC of data that contain their own CRC is weak.
std::uint32_t masked_crc(std::string_view text) {
  return std::rotr(crc32c(std::as_bytes(std::span(text))), 15) + 0xa282ead8U;
}

std::string make_record(std::string_view data) {
  std::string record;
  append_number(record, std::uint64_t{data.size()});
  append_number(record, masked_crc(record));
  record.append(data);
  append_number(record, masked_crc(data));
  return record;
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& path, double wall_time, Locking locking)
    : file_(path, locking) {
  const std::string first = make_record(file_version_event(wall_time));
  size_of_first_ = first.size();
  if (file_.size() < first.size()) {
    // New, or its writer was killed before the first event was complete.
    file_.truncate(0);
    file_.append(std::as_bytes(std::span(first)));
    return;
  }
  std::string found(first.size(), '\0');
  OpenFile(path, O_RDONLY, "read").read(std::as_writable_bytes(std::span(found)));
  // After length and checksum, the message begins with a field number and the time of creation.
  double created = 0;
  std::memcpy(&created, found.data() + 8 + 4 + 1, sizeof created);
  if (found != make_record(file_version_event(created))) {
    throw std::runtime_error(path.string() + " is not a TensorBoard event file; move it elsewhere");
  }
}

void EventFile::scalars(std::int64_t step, double wall_time, const std::vector<Scalar>& scalars) {
  const std::string record = make_record(scalars_event(step, wall_time, scalars));
  file_.append(std::as_bytes(std::span(record)));
}

void EventFile::expect(const LogSeal& seal) const {
  if (seal.size() > file_.size() || file_.begins_with(seal)) return;
  throw std::runtime_error(
      file_.path().string() +
      " was changed after the checkpoint; restore it, or remove it to continue "
      "without its events so far");
}

}  // namespace plr::run
