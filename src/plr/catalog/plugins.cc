#include "plr/catalog/plugins.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <list>
#include <mutex>
#include <span>
#include <stdexcept>

#include "plr/base/files.h"
#include "plr/base/sha256.h"
#include "plr/catalog/registry.h"
#include "plr/env/plugin.h"

namespace plr::catalog {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw std::invalid_argument("plug-in " + file.string() + " " + what);
}

// Its message without the path that begins it, as in "/tmp/a.so: invalid ELF header".
std::string loader_message(const fs::path& file) {
  const char* text = dlerror();
  std::string message = text != nullptr ? text : "unknown error";
  const std::string path = file.string() + ": ";
  if (message.starts_with(path)) message.erase(0, path.size());
  return message;
}

constexpr const char* kRebuild = "; compile it with the headers of this version";

// Compares what the library was compiled with and what this program was.
void check_interface(const fs::path& file, const Plugin& plugin) {
  if (plugin.version != kPluginVersion) {
    refuse(file, "has version " + std::to_string(plugin.version) +
                     " of the plug-in interface, but this program has version " +
                     std::to_string(kPluginVersion) + kRebuild);
  }
  if (std::strcmp(plugin.standard_library, PLR_STANDARD_LIBRARY) != 0) {
    refuse(file, std::string("was compiled with ") + plugin.standard_library +
                     ", but this program with " + PLR_STANDARD_LIBRARY +
                     "; build both with one compiler");
  }
  const auto expected = plugin_types();
  const std::span<const PluginType> types(plugin.types, plugin.num_types);
  if (types.size() != expected.size()) {
    refuse(file, "shares " + std::to_string(types.size()) + " types, but this program " +
                     std::to_string(expected.size()) + kRebuild);
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].size == expected[i].size) continue;
    refuse(file, "was compiled with another " + std::string(expected[i].name) + " (" +
                     std::to_string(types[i].size) + " bytes, here " +
                     std::to_string(expected[i].size) + ")" + kRebuild);
  }
}

const Plugin& entry_of(const fs::path& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(file, "cannot be loaded: " + loader_message(file));
  void* entry = dlsym(handle, "plr_plugin");
  if (entry == nullptr) {
    refuse(file, "has no entry point plr_plugin; define it with PLR_PLUGIN (plr/env/plugin.h)");
  }
  const Plugin* plugin = reinterpret_cast<const Plugin* (*)()>(entry)();
  if (plugin == nullptr) refuse(file, "has an entry point that returns null");
  return *plugin;
}

Family family_of(const fs::path& file, const Plugin& plugin) {
  try {
    return plugin.make_family();
  } catch (const std::exception& error) {
    refuse(file, std::string("failed to make its family: ") + error.what());
  } catch (...) {
    refuse(file, "failed to make its family");
  }
}

// The file whose existence says that the user has named a library of this path and content. Empty
// if there is no folder for it.
fs::path memory_of(const LoadedPlugin& plugin) {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  fs::path folder = variable("PLR_CACHE");
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty()) {
    folder = fs::path(variable("XDG_CACHE_HOME")) / "plr";
  }
  if (folder.empty() && !variable("HOME").empty()) {
    folder = fs::path(variable("HOME")) / ".cache/plr";
  }
  if (folder.empty()) return {};
  const std::string key = plugin.sha256 + plugin.path;
  return folder / "plugins" / sha256(std::as_bytes(std::span(key)));
}

bool is_remembered(const LoadedPlugin& plugin) {
  const fs::path memory = memory_of(plugin);
  return !memory.empty() && fs::is_regular_file(memory);
}

void remember(const LoadedPlugin& plugin) {
  const fs::path memory = memory_of(plugin);
  if (memory.empty() || is_remembered(plugin)) return;
  try {
    make_directories(memory.parent_path());
    write_text(memory, plugin.path + "\n", Durability::kUnsynced);
  } catch (const std::runtime_error&) {
    // The user is asked to name it again.
  }
}

LoadedPlugin load(const fs::path& file, NamedBy named_by) {
  LoadedPlugin loaded{.path = file.string(), .sha256 = sha256(read_file(file)), .family = {}};
  if (named_by == NamedBy::kRun && !is_remembered(loaded)) {
    refuse(file, "is named by a run, but not yet by you; if you trust it, give --plugin " +
                     file.string());
  }
  const Plugin& plugin = entry_of(file);
  check_interface(file, plugin);
  Family family = family_of(file, plugin);
  loaded.family = family.name;
  try {
    add_family(std::move(family));
  } catch (const std::invalid_argument& error) {
    refuse(file, std::string("has an invalid family: ") + error.what());
  }
  if (named_by == NamedBy::kUser) remember(loaded);
  return loaded;
}

// All loaded plug-ins. References to the elements stay valid.
struct LoadedPlugins {
  std::mutex mutex;
  std::list<LoadedPlugin> list;
};
LoadedPlugins& loaded_plugins() {
  static LoadedPlugins& all = *new LoadedPlugins();
  return all;
}

}  // namespace

const LoadedPlugin& load_plugin(const fs::path& file, NamedBy named_by) {
  std::error_code missing;
  const fs::path path = fs::canonical(file, missing);
  if (missing || !fs::is_regular_file(path)) {
    refuse(file, missing ? "does not exist; name its file by --plugin FILE" : "is not a file");
  }
  LoadedPlugins& all = loaded_plugins();
  const std::lock_guard lock(all.mutex);
  const auto found = std::ranges::find(all.list, path.string(), &LoadedPlugin::path);
  return found != all.list.end() ? *found : all.list.emplace_back(load(path, named_by));
}

const LoadedPlugin* find_plugin(std::string_view env) {
  LoadedPlugins& all = loaded_plugins();
  const std::lock_guard lock(all.mutex);
  const auto found =
      std::ranges::find(all.list, env.substr(0, env.find('/')), &LoadedPlugin::family);
  return found != all.list.end() ? &*found : nullptr;
}

}  // namespace plr::catalog
