#include "plr/run/json_lines.h"

#include <string>

namespace plr::run {

void JsonLines::append(const nlohmann::ordered_json& record) {
  using Json = nlohmann::ordered_json;
  // Text that is not UTF-8 is marked rather than refused: a log must not stop a run.
  const std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  file_.append(std::as_bytes(std::span(line)));
}

}  // namespace plr::run
