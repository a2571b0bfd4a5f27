#include "plr/remote/family.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "plr/remote/remote_env.h"

namespace plr::remote {
namespace {

constexpr const char* kSocketVariable = "PLR_ENV_SOCKET";

std::unique_ptr<VectorEnv> make(std::string_view env, const EnvOptions& options) {
  check_plain_options(env, options);
  const char* socket = std::getenv(kSocketVariable);
  if (socket == nullptr || *socket == '\0') {
    throw std::runtime_error(std::string(env) +
                             " is an environment in Python: use plr.train(make_env, ...), with "
                             "resume=FOLDER to continue a run, and plr.torch.load_policy(FOLDER) "
                             "to play its agent");
  }
  return std::make_unique<RemoteEnv>(std::string(env), socket, options);
}

std::optional<std::string> unlisted(std::string_view env) { return std::string(env); }

}  // namespace

Family family() {
  return {.name = "python",
          .title = "Python",
          .network = NetworkKind::kImpala,
          .needs_python = true,
          .make = make,
          .unlisted = unlisted};
}

}  // namespace plr::remote
