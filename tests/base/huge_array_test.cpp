/// @file huge_array_test.cpp   Arrays of zeros: content, ownership, release of pages.
#include "emulator/base/huge_array.hpp"

#include <cerrno>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace kport {
namespace {

TEST(HugeArray, BeginsAsZerosAndKeepsWhatIsWritten) {
    HugeArray<std::uint32_t> array(1'000'000);
    EXPECT_EQ(array.size(), 1'000'000U);
    EXPECT_EQ(array[999'999], 0U);
    array[999'999] = 7;
    array[0] = 3;
    const HugeArray<std::uint32_t>& same = array;
    EXPECT_EQ(same[999'999], 7U);
    EXPECT_EQ(*same.data(), 3U);
    EXPECT_EQ(array.data(), same.data());
}

TEST(HugeArray, OfFewBytesBeginsAsZerosWhateverTheHeapHeldThere) {
    for (int times = 0; times < 3; ++times) {
        HugeArray<std::uint64_t> array(100);
        for (std::size_t i = 0; i < array.size(); ++i) {
            EXPECT_EQ(array[i], 0U);
            array[i] = ~std::uint64_t{0};
        }
    }
}

TEST(HugeArray, OfSizeZeroIsEmpty) {
    HugeArray<int> none(0);
    EXPECT_EQ(none.size(), 0U);
    EXPECT_EQ(none.data(), nullptr);
    EXPECT_EQ(HugeArray<int>().size(), 0U);
}

TEST(HugeArray, CanBeMoved) {
    HugeArray<int> from(10);
    from[9] = 5;
    HugeArray<int> to(std::move(from));
    EXPECT_EQ(from.size(), 0U);  // the array of nothing now
    EXPECT_EQ(to.size(), 10U);
    EXPECT_EQ(to[9], 5);
    HugeArray<int> other(3);
    other = std::move(to);
    EXPECT_EQ(other.size(), 10U);
    EXPECT_EQ(other[9], 5);
}

TEST(HugeArray, GivesItsPagesBack) {
    void* pages = nullptr;
    unsigned char resident = 0;
    {
        HugeArray<char> array(1 << 20);
        array[0] = 1;
        pages = array.data();
        ASSERT_EQ(mincore(pages, 1, &resident), 0);
    }
    errno = 0;
    EXPECT_EQ(mincore(pages, 1, &resident), -1);
    EXPECT_EQ(errno, ENOMEM);
}

TEST(HugeArray, ThrowsWithoutAddressSpace) {
    EXPECT_THROW(HugeArray<char>(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
}

}  // namespace
}  // namespace kport
