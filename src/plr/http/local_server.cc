#include "plr/http/local_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <stdexcept>
#include <vector>

namespace plr::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxHead = 16 * 1024;  // bytes of a request
constexpr std::size_t kMaxConnections = 64;
constexpr std::chrono::seconds kMaxIdle{10};     // without progress
constexpr std::chrono::milliseconds kPoll{200};  // between two calls of should_stop
constexpr int kBacklog = 16;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// One request and its response. Closes the socket.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  pollfd awaited() const {
    const bool is_answered = !unsent_.empty();
    return {
        .fd = socket_, .events = static_cast<short>(is_answered ? POLLOUT : POLLIN), .revents = 0};
  }

  bool is_idle(Clock::time_point now) const { return now - last_progress_ > kMaxIdle; }

  // Reads or writes what is possible now. False if the connection has ended.
  bool advance(const Handler& handler, int port) {
    last_progress_ = Clock::now();
    if (unsent_.empty()) return receive(handler, port);
    const ssize_t sent =
        ::send(socket_, unsent_.data() + num_sent_, unsent_.size() - num_sent_, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    num_sent_ += static_cast<std::size_t>(sent);
    if (num_sent_ < unsent_.size()) return true;
    ::shutdown(socket_, SHUT_WR);
    return false;
  }

 private:
  bool receive(const Handler& handler, int port) {
    std::array<char, 4096> part{};
    const ssize_t size = ::recv(socket_, part.data(), part.size(), 0);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0) return false;
    received_.append(part.data(), static_cast<std::size_t>(size));
    if (const auto end = head_size(received_)) {
      respond(handler, port, std::string_view(received_).substr(0, *end));
    } else if (received_.size() > kMaxHead) {
      unsent_ = to_bytes(text_response(431, "the request is too long"), true);
    }
    return true;
  }

  void respond(const Handler& handler, int port, std::string_view head) {
    const std::optional<Request> request = parse_request(head);
    const bool is_head = request && request->method == "HEAD";
    const auto response = [&]() -> Response {
      if (!request) return text_response(400, "not an HTTP request");
      if (!is_local_host(request->header("host"), port)) {
        return text_response(403, "this server answers requests for 127.0.0.1 only");
      }
      if (!is_head && request->method != "GET") return text_response(405, "only GET and HEAD");
      try {
        return handler(*request);
      } catch (const std::exception& error) {
        return text_response(500, error.what());
      }
    }();
    unsent_ = to_bytes(response, !is_head);
  }

  int socket_;
  std::string received_;
  std::string unsent_;  // the response; empty until the request is complete
  std::size_t num_sent_ = 0;
  Clock::time_point last_progress_ = Clock::now();
};

void accept_all(int listener, std::list<Connection>& connections) {
  while (connections.size() < kMaxConnections) {
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    connections.emplace_back(socket);
  }
}

}  // namespace

LocalServer::LocalServer(int port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  sockaddr_in address = loopback(port);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 ||
      // A port that a server has just left can be used at once.
      ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listener_, generic, size) != 0 || ::listen(listener_, kBacklog) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    const int cause = errno;
    if (listener_ >= 0) ::close(listener_);
    throw std::runtime_error(
        fmt::format("cannot listen on 127.0.0.1:{}: {}", port, std::strerror(cause)));
  }
  port_ = ntohs(address.sin_port);
}

LocalServer::~LocalServer() { ::close(listener_); }

void LocalServer::run(const Handler& handler, const std::function<bool()>& should_stop) {
  std::list<Connection> connections;
  while (!should_stop()) {
    std::vector<pollfd> polled;
    for (const Connection& connection : connections) polled.push_back(connection.awaited());
    const bool has_room = connections.size() < kMaxConnections;
    if (has_room) polled.push_back({.fd = listener_, .events = POLLIN, .revents = 0});
    const int timeout = static_cast<int>(kPoll.count());
    if (::poll(polled.data(), polled.size(), timeout) < 0 && errno != EINTR) {
      throw std::runtime_error(fmt::format("cannot wait for requests: {}", std::strerror(errno)));
    }
    const Clock::time_point now = Clock::now();
    auto connection = connections.begin();
    for (std::size_t i = 0; connection != connections.end(); ++i) {
      const bool is_open =
          polled[i].revents != 0 ? connection->advance(handler, port_) : !connection->is_idle(now);
      connection = is_open ? std::next(connection) : connections.erase(connection);
    }
    accept_all(listener_, connections);
  }
}

}  // namespace plr::http
