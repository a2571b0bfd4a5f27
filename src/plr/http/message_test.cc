#include "plr/http/message.h"

#include <gtest/gtest.h>

namespace plr::http {
namespace {

TEST(HttpRequest, ReadsMethodPathAndHeaders) {
  const auto request = parse_request(
      "GET /page?x=1 HTTP/1.1\r\nHOST: 127.0.0.1:80 \r\nIf-None-Match: \"a:b\"\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->path, "/page");
  EXPECT_EQ(request->header("host"), "127.0.0.1:80");
  EXPECT_EQ(request->header("if-none-match"), "\"a:b\"");
  EXPECT_EQ(request->header("accept"), "");
}

TEST(HttpRequest, IsNothingForOtherText) {
  for (const char* head :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / SPDY/3\r\n\r\n",
        "get / HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\n: empty name\r\n\r\n",
        "\x16\x03\x01 TLS hello\r\n\r\n"}) {
    EXPECT_FALSE(parse_request(head)) << head;
  }
}

TEST(HttpRequest, HeadEndsWithAnEmptyLine) {
  EXPECT_FALSE(head_size("GET / HTTP/1.1\r\nHost: a\r\n"));
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\n\r\nbody"), 18U);
  EXPECT_EQ(head_size("GET / HTTP/1.1\n\n"), 16U);
}

TEST(HttpResponse, HasNoBodyForHeadAndForAnUnmodifiedPage) {
  const Response page{.body = "<p>page", .etag = "\"7\""};
  EXPECT_TRUE(to_bytes(page, true).ends_with("\r\n\r\n<p>page"));
  EXPECT_TRUE(to_bytes(page, false).ends_with("\r\n\r\n"));
  EXPECT_NE(to_bytes(page, false).find("Content-Length: 7\r\n"), std::string::npos);
  const std::string unmodified = to_bytes({.status = 304, .body = "x", .etag = "\"7\""}, true);
  EXPECT_TRUE(unmodified.starts_with("HTTP/1.1 304 Not Modified\r\nETag: \"7\"\r\n"));
  EXPECT_TRUE(unmodified.ends_with("\r\n\r\n"));
}

TEST(LocalHost, IsTheLoopbackAddressWithThePort) {
  EXPECT_TRUE(is_local_host("127.0.0.1:8600", 8600));
  EXPECT_TRUE(is_local_host("localhost:8600", 8600));
  for (const char* other : {"", "127.0.0.1", "127.0.0.1:8601", "evil.example:8600",
                            "127.0.0.1.evil.example:8600", "192.168.0.2:8600"}) {
    EXPECT_FALSE(is_local_host(other, 8600)) << other;
  }
}

}  // namespace
}  // namespace plr::http
