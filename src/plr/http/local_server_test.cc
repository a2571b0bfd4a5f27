#include "plr/http/local_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace plr::http {
namespace {

// A server in a thread of its own, and clients with sockets of their own.
class LocalServerTest : public ::testing::Test {
 protected:
  ~LocalServerTest() override {
    stop_ = true;
    thread_.join();
  }

  int connect(std::uint32_t host = INADDR_LOOPBACK) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(host);
    address.sin_port = htons(static_cast<std::uint16_t>(server_.port()));
    const int done = ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address);
    EXPECT_EQ(done, 0);
    return socket;
  }

  static void send(int socket, const std::string& text) {
    ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  }

  // Everything until the server closes the connection.
  static std::string receive(int socket) {
    std::string all;
    char part[4096];
    for (ssize_t size = 0; (size = ::recv(socket, part, sizeof part, 0)) > 0;) {
      all.append(part, static_cast<std::size_t>(size));
    }
    ::close(socket);
    return all;
  }

  std::string exchange(const std::string& request) const {
    const int socket = connect();
    send(socket, request);
    return receive(socket);
  }

  std::string get(const std::string& path) const {
    return exchange(fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", path, port()));
  }

  int port() const { return server_.port(); }

  static Response handle(const Request& request) {
    if (request.path == "/large") return {.body = std::string(8'000'000, 'x')};
    if (request.path == "/broken") throw std::runtime_error("the handler failed");
    if (request.path != "/") return text_response(404, "no such page");
    return {.body = "<p>page"};
  }

 private:
  LocalServer server_{0};
  std::atomic<bool> stop_ = false;
  std::thread thread_{[this] { server_.run(handle, [this] { return stop_.load(); }); }};
};

TEST_F(LocalServerTest, AnswersGetAndHead) {
  EXPECT_TRUE(get("/").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(get("/").ends_with("\r\n\r\n<p>page"));
  EXPECT_TRUE(get("/?x=1").ends_with("\r\n\r\n<p>page"));
  EXPECT_TRUE(get("/other").starts_with("HTTP/1.1 404 "));
  const std::string head =
      exchange(fmt::format("HEAD / HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", port()));
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

TEST_F(LocalServerTest, SendsALargePageCompletely) {
  const std::string page = get("/large");
  EXPECT_EQ(page.size() - (page.find("\r\n\r\n") + 4), 8'000'000U);
}

TEST_F(LocalServerTest, RefusesOtherHostsMethodsAndText) {
  EXPECT_TRUE(
      exchange("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(exchange("GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 403 "));
  const std::string post =
      exchange(fmt::format("POST / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port()));
  EXPECT_TRUE(post.starts_with("HTTP/1.1 405 "));
  EXPECT_NE(post.find("Allow: GET, HEAD\r\n"), std::string::npos);
  EXPECT_TRUE(exchange("\x16\x03\x01\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(exchange(std::string(17'000, 'a')).starts_with("HTTP/1.1 431 "));
}

TEST_F(LocalServerTest, AnErrorOfTheHandlerIsAResponse) {
  const std::string response = get("/broken");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 500 "));
  EXPECT_TRUE(response.ends_with("\r\n\r\nthe handler failed\n"));
  EXPECT_TRUE(get("/").ends_with("<p>page"));
}

TEST_F(LocalServerTest, ServesOthersWhileSomeConnectionsAreSilentOrSlow) {
  const int silent = connect();
  const int gone = connect();
  ::close(gone);
  const int slow = connect();
  send(slow, "GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(get("/").ends_with("<p>page"));
  send(slow, fmt::format("st: 127.0.0.1:{}\r\n\r\n", port()));
  EXPECT_TRUE(receive(slow).ends_with("<p>page"));
  ::close(silent);
}

TEST_F(LocalServerTest, SurvivesClientsThatDoNotReadTheirResponse) {
  for (int i = 0; i < 20; ++i) {
    const int socket = connect();
    send(socket, fmt::format("GET /large HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port()));
    ::close(socket);
  }
  EXPECT_TRUE(get("/").ends_with("<p>page"));
}

TEST_F(LocalServerTest, APortInUseIsAnErrorThatNamesIt) {
  try {
    LocalServer second(port());
    FAIL() << "two servers have the same port";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(),
              fmt::format("cannot listen on 127.0.0.1:{}: Address already in use", port()));
  }
}

}  // namespace
}  // namespace plr::http
