#include "plr/reference/run_files.h"

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>

#include "plr/run/layout.h"
#include "plr/run/records.h"

namespace plr::reference {
namespace {

template <class T>
void append_fields(const std::string& prefix, std::vector<FieldText>& fields);

template <class T>
void append(std::string_view name, const T&, bool is_optional, std::string_view meaning,
            std::vector<FieldText>& fields);

template <class T>
void append(std::string_view name, const std::optional<T>&, bool is_optional,
            std::string_view meaning, std::vector<FieldText>& fields) {
  append(name, T{}, is_optional, meaning, fields);
}

template <class T>
void append(std::string_view name, const std::vector<T>&, bool is_optional,
            std::string_view meaning, std::vector<FieldText>& fields) {
  const std::string type = std::is_arithmetic_v<T> ? "list of numbers" : "list of records";
  fields.push_back({std::string(name), type, is_optional, std::string(meaning)});
  if constexpr (!std::is_arithmetic_v<T>) append_fields<T>(std::string(name) + "[].", fields);
}

template <class T>
void append(std::string_view name, const T&, bool is_optional, std::string_view meaning,
            std::vector<FieldText>& fields) {
  const char* type = std::same_as<T, bool>    ? "true or false"
                     : std::integral<T>       ? "whole number"
                     : std::floating_point<T> ? "number"
                                              : "text";
  fields.push_back({std::string(name), type, is_optional, std::string(meaning)});
}

template <class T>
void append_fields(const std::string& prefix, std::vector<FieldText>& fields) {
  const T record;
  run::visit_record(record, [&](std::string_view name, const auto& value, run::Presence presence,
                                std::string_view meaning) {
    append(prefix + std::string(name), value, presence == run::Presence::kOptional, meaning,
           fields);
  });
}

std::vector<FieldText> fields_of(std::string_view file) {
  std::vector<FieldText> fields;
  if (file == run::layout::kLog) append_fields<run::LogRecord>("", fields);
  if (file == run::layout::kEvaluations) append_fields<run::EvalRecord>("", fields);
  if (file == run::layout::kLevels) append_fields<run::LevelsRecord>("", fields);
  if (file == run::layout::kLevelTable) append_fields<run::LevelRow>("", fields);
  if (file == run::layout::kCvar) append_fields<run::CvarRow>("", fields);
  return fields;
}

}  // namespace

std::vector<RunFileText> run_files() {
  std::vector<RunFileText> files;
  for (const run::layout::RunFile& file : run::layout::kFiles) {
    files.push_back({std::string(file.name), std::string(file.meaning), fields_of(file.name)});
  }
  return files;
}

}  // namespace plr::reference
