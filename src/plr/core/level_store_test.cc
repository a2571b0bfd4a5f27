#include "plr/core/level_store.h"

#include <gtest/gtest.h>

#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/error_message.h"
#include "tests/support/saved_state.h"

namespace plr {
namespace {

std::vector<std::byte> level(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

// All levels of the same size collide; sizes 0, 1, ... have the last ids.
std::uint64_t hash_of_size(std::span<const std::byte> bytes) {
  return ~std::uint64_t{0} - 2 * bytes.size();
}

TEST(LevelStore, GivesEqualIdsToEqualBytes) {
  LevelStore store;
  const LevelId a = store.add(level("a"));
  const LevelId b = store.add(level("b"));
  EXPECT_NE(a, b);
  EXPECT_EQ(store.add(level("a")), a);
  EXPECT_EQ(store.size(), 2U);
  EXPECT_EQ(store.bytes(a), level("a"));
  EXPECT_EQ(store.bytes(b), level("b"));
}

TEST(LevelStore, IdsAreNoSeedsAndEqualInEveryStore) {
  LevelStore store;
  EXPECT_FALSE(is_stored(kFirstStoredLevel - 1));
  for (const char* text : {"", "a", "b", "a maze"}) {
    const LevelId id = store.add(level(text));
    EXPECT_TRUE(is_stored(id));
    EXPECT_EQ(LevelStore().add(level(text)), id);
  }
  // FNV-1a of no bytes is 0xcbf29ce484222325: ids must not change between versions.
  EXPECT_EQ(store.add({}), 0x8000000000000000U | 0xcbf29ce484222325U >> 1);
}

TEST(LevelStore, UnknownIdsAreRefused) {
  LevelStore store;
  const LevelId a = store.add(level("a"));
  EXPECT_FALSE(store.contains(a + 1));
  EXPECT_THROW(store.bytes(a + 1), std::out_of_range);
  EXPECT_THROW(store.bytes(7), std::out_of_range);
  EXPECT_EQ(
      message_of<std::out_of_range>([&] { store.keep(std::vector<LevelId>{kFirstStoredLevel}); }),
      "level 9223372036854775808 is not in the level store");
  EXPECT_TRUE(store.contains(a));
  EXPECT_THROW(store.add(std::vector<std::byte>(LevelStore::kMaxLevelBytes + 1)),
               std::invalid_argument);
}

TEST(LevelStore, KeepsOnlyWhatIsReferredTo) {
  LevelStore store;
  const LevelId a = store.add(level("a"));
  const LevelId b = store.add(level("b"));
  const LevelId c = store.add(level("c"));
  store.keep(std::vector<LevelId>{c, 17, a, c});
  EXPECT_TRUE(store.contains(a) && store.contains(c));
  EXPECT_FALSE(store.contains(b));
  EXPECT_EQ(store.add(level("b")), b);
}

TEST(LevelStore, LevelsWhoseHashIsTakenGetTheNextFreeId) {
  LevelStore store(hash_of_size);
  const LevelId last = ~LevelId{0};
  EXPECT_EQ(store.add({}), last);
  EXPECT_EQ(store.add(level("a")), last - 1);
  const LevelId b = store.add(level("b"));  // both following ids: taken by "", then the first
  EXPECT_EQ(b, kFirstStoredLevel);
  EXPECT_EQ(store.add(level("b")), b);
  EXPECT_EQ(store.bytes(b), level("b"));
  // It keeps its id when the one that it wanted becomes free.
  store.keep(std::vector<LevelId>{b});
  EXPECT_EQ(store.add(level("b")), b);
  EXPECT_EQ(store.add(level("a")), last - 1);
  EXPECT_EQ(store.size(), 2U);
}

TEST(LevelStore, ContinuesIdenticallyAfterLoad) {
  LevelStore store(hash_of_size);
  for (const char* text : {"a", "b", "c", "dd"}) store.add(level(text));
  store.keep(std::vector<LevelId>{store.add(level("b")), store.add(level("dd"))});
  LevelStore other(hash_of_size);
  other.add(level("something else"));
  other.load(store.save());
  EXPECT_EQ(other.ids(), store.ids());
  EXPECT_EQ(other.save(), store.save());
  for (const char* text : {"b", "a", "c", "ee"}) {
    EXPECT_EQ(other.add(level(text)), store.add(level(text))) << text;
  }
  EXPECT_EQ(other.save(), store.save());
}

TEST(LevelStore, RefusesDamagedBytes) {
  auto store = std::make_shared<LevelStore>();
  for (const char* text : {"a", "b", "a maze"}) store->add(level(text));
  const testing::SavedObject object = {
      "level store", store->save(),
      [store](const testing::SavedBytes& bytes) { store->load(bytes); },
      [store] { return store->save(); }};
  testing::expect_damage_is_refused(object);
  testing::expect_forgery_is_harmless(object);
}

TEST(LevelStore, RefusesSealedBytesThatAreNoStore) {
  const auto sealed = [](const std::vector<LevelId>& ids, bool has_more) {
    ByteWriter writer;
    writer.number<std::uint64_t>(ids.size());
    for (const LevelId id : ids) {
      writer.number(id);
      writer.numbers<std::byte>(level("a maze"));
    }
    if (has_more) writer.number(std::uint8_t{0});
    return writer.seal("level store", 1);
  };
  LevelStore store;
  const LevelId id = store.add(level("a maze"));
  store.load(sealed({id}, false));
  EXPECT_THROW(store.load(sealed({id}, true)), std::runtime_error);
  EXPECT_THROW(store.load(sealed({7}, false)), std::runtime_error);       // a seed
  EXPECT_THROW(store.load(sealed({id, id}, false)), std::runtime_error);  // twice
  EXPECT_EQ(store.ids(), std::vector<LevelId>{id});
}

TEST(LevelStore, SeveralThreadsMayUseIt) {
  LevelStore store;
  std::vector<LevelId> ids(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 300; ++i) {
          ids[t] = store.add(level(std::to_string(i)));
          EXPECT_EQ(store.bytes(ids[t]), level(std::to_string(i)));
        }
      });
    }
  }
  EXPECT_EQ(store.size(), 300U);
  EXPECT_EQ(ids, std::vector<LevelId>(4, ids[0]));
}

}  // namespace
}  // namespace plr
