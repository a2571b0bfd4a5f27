#include "tests/power_loss/crash_states.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "plr/base/bytes.h"

namespace plr {
namespace {

constexpr std::size_t kRoot = 0;

std::string unhex(const std::string& digits) {
  const auto bytes = from_hex(digits);
  if (!bytes) throw std::runtime_error("not a journal: " + digits);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

// A write of which only some sectors reach the disk.
std::vector<bool> torn_sectors(std::size_t count, Random& random) {
  std::vector<bool> kept(count);
  const bool is_prefix = random.uniform() < 0.5;
  const std::size_t length = random.below(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    kept[i] = is_prefix ? i < length : random.uniform() < 0.5;
  }
  return kept;
}

void apply_write(const Operation& operation, bool is_torn, Random& random, std::string& content) {
  constexpr std::size_t kSector = 64;  // smaller than a disk's, so that short files are torn too
  const std::size_t num_sectors = (operation.bytes.size() + kSector - 1) / kSector;
  const std::vector<bool> kept =
      is_torn ? torn_sectors(num_sectors, random) : std::vector<bool>(num_sectors, true);
  for (std::size_t i = 0; i < num_sectors; ++i) {
    if (!kept[i]) continue;
    const std::string sector = operation.bytes.substr(i * kSector, kSector);
    const std::size_t begin = operation.offset + i * kSector;
    if (content.size() < begin + sector.size()) content.resize(begin + sector.size(), '\0');
    content.replace(begin, sector.size(), sector);
  }
}

void apply(const Operation& operation, bool is_torn, Random& random, DiskState& state) {
  auto& names = state.names[operation.directory];
  switch (operation.kind) {
    case Operation::kCreate:
      names[operation.to] = operation.object;
      break;
    case Operation::kRename:
      names.erase(operation.from);
      names[operation.to] = operation.object;
      break;
    case Operation::kExchange:
      names[operation.from] = operation.other;
      names[operation.to] = operation.object;
      break;
    case Operation::kUnlink:
      names.erase(operation.to);
      break;
    case Operation::kWrite:
      apply_write(operation, is_torn, random, state.contents[operation.object]);
      break;
    case Operation::kTruncate:
      state.contents[operation.object].resize(operation.offset, '\0');
      break;
    case Operation::kSync:
      break;
  }
}

bool is_content(const Operation& operation) {
  return operation.kind == Operation::kWrite || operation.kind == Operation::kTruncate;
}

void write_directory(const DiskState& state, std::size_t directory,
                     const std::filesystem::path& path) {
  std::filesystem::create_directory(path);
  const auto found = state.names.find(directory);
  if (found == state.names.end()) return;
  for (const auto& [name, object] : found->second) {
    if (state.names.contains(object)) {
      write_directory(state, object, path / name);
    } else {
      const auto content = state.contents.find(object);
      std::ofstream(path / name, std::ios::binary)
          << (content == state.contents.end() ? "" : content->second);
    }
  }
}

}  // namespace

std::vector<Operation> read_journal(const std::filesystem::path& file, std::uint64_t root_inode) {
  std::map<std::uint64_t, std::size_t> objects = {{root_inode, kRoot}};
  std::size_t num_objects = 1;
  std::vector<Operation> journal;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    const auto object = [&] {
      std::uint64_t inode = 0;
      words >> inode;
      return objects.at(inode);
    };
    Operation operation;
    if (kind == "create") {
      operation.kind = Operation::kCreate;
      operation.directory = object();
      std::uint64_t inode = 0;
      char type = 0;
      words >> inode >> type >> operation.to;
      operation.is_directory = type == 'd';
      operation.object = objects[inode] = num_objects++;
    } else if (kind == "write") {
      operation.kind = Operation::kWrite;
      operation.object = object();
      std::string digits;
      words >> operation.offset >> digits;
      operation.bytes = unhex(digits);
    } else if (kind == "truncate") {
      operation.kind = Operation::kTruncate;
      operation.object = object();
      words >> operation.offset;
    } else if (kind == "rename") {
      operation.kind = Operation::kRename;
      operation.directory = object();
      operation.object = object();
      words >> operation.from >> operation.to;
    } else if (kind == "exchange") {
      operation.kind = Operation::kExchange;
      operation.directory = object();
      operation.object = object();
      words >> operation.from;
      operation.other = object();
      words >> operation.to;
    } else if (kind == "unlink") {
      operation.kind = Operation::kUnlink;
      operation.directory = object();
      words >> operation.to;
    } else if (kind == "sync") {
      operation.object = object();
    } else {
      throw std::runtime_error("not a journal: " + line);
    }
    if (!words) throw std::runtime_error("not a journal: " + line);
    journal.push_back(std::move(operation));
  }
  return journal;
}

std::string name_of(const std::vector<Operation>& journal, std::size_t object) {
  for (const Operation& operation : journal) {
    if (operation.kind == Operation::kCreate && operation.object == object) return operation.to;
  }
  return "";
}

DiskState crash_state(const std::vector<Operation>& journal, std::size_t count, Loss loss,
                      Random& random, const std::function<bool(const Operation&)>& is_ignored) {
  // From the end: what has been synced after the operation.
  std::vector<bool> is_synced(count);
  std::map<std::size_t, bool> synced;
  for (std::size_t i = count; i-- > 0;) {
    const Operation& operation = journal[i];
    if (operation.kind == Operation::kSync) {
      if (!is_ignored || !is_ignored(operation)) synced[operation.object] = true;
    } else {
      is_synced[i] = synced[is_content(operation) ? operation.object : operation.directory];
    }
  }
  DiskState state;
  state.names[kRoot];
  const double share_kept = random.uniform();
  for (std::size_t i = 0; i < count; ++i) {
    const Operation& operation = journal[i];
    if (operation.kind == Operation::kCreate) {
      (operation.is_directory ? (void)state.names[operation.object]
                              : (void)state.contents[operation.object]);
    }
    const bool is_lost = loss == Loss::kAll || (loss == Loss::kNames && !is_content(operation)) ||
                         (loss == Loss::kContents && is_content(operation)) ||
                         (loss == Loss::kSome && random.uniform() > share_kept);
    if (!is_synced[i] && is_lost) continue;
    const bool is_torn = !is_synced[i] && loss == Loss::kSome && random.uniform() < 0.5;
    apply(operation, is_torn, random, state);
  }
  return state;
}

void write_state(const DiskState& state, const std::filesystem::path& folder) {
  write_directory(state, kRoot, folder);
}

}  // namespace plr
