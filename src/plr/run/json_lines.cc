#include "plr/run/json_lines.h"

#include <string>

namespace plr::run {

void JsonLines::append(const nlohmann::ordered_json& record) {
  using Json = nlohmann::ordered_json;
  // Invalid UTF-8 is replaced rather than refused: a log record must not end a run.
  const std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  file_.append(std::as_bytes(std::span(line)));
}

}  // namespace plr::run
