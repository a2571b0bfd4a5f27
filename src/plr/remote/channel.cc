#include "plr/remote/channel.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace plr::remote {
namespace {

[[noreturn]] void fail() {
  throw std::runtime_error(
      "a process of the Python environment has ended; its own messages are above");
}

Descriptor connected(const std::filesystem::path& path) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = path.string();
  if (name.size() >= sizeof address.sun_path) {
    throw std::runtime_error("the path of the socket " + name + " is too long");
  }
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  if (::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0) {
    throw std::runtime_error("cannot connect to the Python environment at " + name + ": " +
                             std::strerror(errno));
  }
  return socket;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Channel::Channel(const std::filesystem::path& socket) : socket_(connected(socket)) {}

void Channel::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail();
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void Channel::share(const Descriptor& descriptor) {
  std::byte byte{};
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = descriptor.number();
  std::memcpy(CMSG_DATA(header), &number, sizeof number);
  ssize_t count = 0;
  do {
    count = ::sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count != 1) fail();
}

void Channel::receive(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::recv(socket_.number(), bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail();
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace plr::remote
