#include "plr/run/tensorboard.h"

#include <fcntl.h>

#include <bit>
#include <charconv>
#include <concepts>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
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

std::string summary_event(std::int64_t step, double wall_time, const std::string& summary) {
  std::string event;
  add_double(event, 1, wall_time);
  add_int(event, 2, step);
  add_bytes(event, 5, summary);
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
  return summary_event(step, wall_time, summary);
}

std::string picture_event(std::int64_t step, double wall_time, const Picture& picture) {
  constexpr int kRgb = 3;
  std::string image;
  add_int(image, 1, picture.height);
  add_int(image, 2, picture.width);
  add_int(image, 3, kRgb);
  add_bytes(image, 4, picture.png);
  std::string value;
  add_bytes(value, 1, picture.tag);
  add_bytes(value, 4, image);
  std::string summary;
  add_bytes(summary, 1, value);
  return summary_event(step, wall_time, summary);
}

// ---- messages of TensorBoard's plugin "hparams" (plugin_data.proto, struct.proto) ---------------

std::string value_message(const Hyperparameter& hyperparameter) {
  std::string message;
  if (const auto* number = std::get_if<double>(&hyperparameter.value)) {
    add_double(message, 2, *number);
  } else if (const auto* truth = std::get_if<bool>(&hyperparameter.value)) {
    add_int(message, 4, *truth ? 1 : 0);
  } else {
    add_bytes(message, 3, std::get<std::string>(hyperparameter.value));
  }
  return message;
}

// An event whose content is in the metadata of a summary. Its tensor, a zero, is a placeholder.
std::string hparams_event(double wall_time, const std::string& tag, const std::string& content) {
  std::string plugin;
  add_bytes(plugin, 1, "hparams");
  add_bytes(plugin, 2, content);
  std::string metadata;
  add_bytes(metadata, 1, plugin);
  std::string tensor;
  add_int(tensor, 1, 1);  // of type float, without dimensions
  add_bytes(tensor, 2, "");
  add_float(tensor, 5, 0);
  std::string value;
  add_bytes(value, 1, tag);
  add_bytes(value, 8, tensor);
  add_bytes(value, 9, metadata);
  std::string summary;
  add_bytes(summary, 1, value);
  return summary_event(0, wall_time, summary);
}

std::string session_start_event(double wall_time, const std::vector<Hyperparameter>& list) {
  std::string start;
  for (const Hyperparameter& hyperparameter : list) {
    std::string entry;
    add_bytes(entry, 1, hyperparameter.name);
    add_bytes(entry, 2, value_message(hyperparameter));
    add_bytes(start, 1, entry);
  }
  add_double(start, 5, wall_time);
  std::string content;
  add_bytes(content, 3, start);
  return hparams_event(wall_time, "_hparams_/session_start_info", content);
}

std::string session_end_event(double wall_time) {
  constexpr int kSuccess = 1;
  std::string end;
  add_int(end, 1, kSuccess);
  add_double(end, 2, wall_time);
  std::string content;
  add_bytes(content, 4, end);
  return hparams_event(wall_time, "_hparams_/session_end_info", content);
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

Hyperparameter to_hyperparameter(const std::string& name, const std::string& text) {
  if (text == "true" || text == "false") return {name, text == "true"};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && rest == end) return {name, number};
  return {name, text};
}

EventFile::EventFile(const std::filesystem::path& path, double wall_time, Locking locking)
    : file_(path, locking) {
  const std::string first = make_record(file_version_event(wall_time));
  size_of_first_ = first.size();
  std::string found(first.size(), '\0');
  OpenFile(path, O_RDONLY, "read").read(std::as_writable_bytes(std::span(found)));
  if (found.ends_with(std::string(4, '\0'))) {
    // New, or its writer was killed before the first event, which ends with a checksum, was on
    // disk.
    file_.truncate(0);
    file_.append(std::as_bytes(std::span(first)));
    return;
  }
  // After length and checksum, the message begins with a field number and the time of creation.
  double created = 0;
  std::memcpy(&created, found.data() + 8 + 4 + 1, sizeof created);
  if (found != make_record(file_version_event(created))) {
    throw std::runtime_error(path.string() + " is not a TensorBoard event file; move it elsewhere");
  }
}

void EventFile::scalars(std::int64_t step, double wall_time, const std::vector<Scalar>& scalars) {
  append(scalars_event(step, wall_time, scalars));
}

void EventFile::picture(std::int64_t step, double wall_time, const Picture& picture) {
  append(picture_event(step, wall_time, picture));
}

void EventFile::hyperparameters(double wall_time, const std::vector<Hyperparameter>& list) {
  append(session_start_event(wall_time, list));
}

void EventFile::finish(double wall_time) { append(session_end_event(wall_time)); }

void EventFile::append(const std::string& event) {
  const std::string record = make_record(event);
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
