/// @file operation_test.cpp   The operations by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/operation.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

TEST(Operations, AreFoundByNameAndByTheCoursesAbbreviation) {
    EXPECT_EQ(operations().size(), 14U);
    for (const Operation& operation : operations()) {
        EXPECT_EQ(operation_named(operation->name), operation);
        EXPECT_EQ(name(operation), operation->name);
        EXPECT_FALSE(operation->promise.empty());
        if (!operation->alias.empty()) {
            EXPECT_EQ(operation_named(operation->alias), operation);
        }
    }
    EXPECT_EQ(operation_named("oab"), Operation::broadcast);
    EXPECT_EQ(operation_named("AOG"), Operation::gather);
    EXPECT_EQ(operation_named("Broadcast"), Operation::broadcast);
}

TEST(Operations, AreFoundByTheNamesThatUsersKnow) {
    EXPECT_EQ(operation_named("bcast"), Operation::broadcast);
    EXPECT_EQ(operation_named("all-reduce"), Operation::allreduce);
    EXPECT_EQ(operation_named("All_Reduce"), Operation::allreduce);
    EXPECT_EQ(operation_named("reduce_scatter"), Operation::reduce_scatter);
    EXPECT_EQ(operation_named("ReduceScatter"), Operation::reduce_scatter);
    EXPECT_EQ(operation_named("all_to_all"), Operation::alltoall);
    EXPECT_EQ(operation_named("gossip"), Operation::allgather);
    EXPECT_EQ(operation_named("prefix-sums"), Operation::scan);
    EXPECT_EQ(operation_named("halo"), Operation::neighbor_alltoall);
    EXPECT_EQ(operation_named("neighbor_allgather"), Operation::neighbor_allgather);
    EXPECT_EQ(operation_named("sendrecv"), Operation::permutation);
    EXPECT_EQ(operation_named("shift"), Operation::permutation);
}

TEST(Operations, OfferTheNearestNameForAnUnknownOne) {
    const auto refusal = [](std::string_view word) -> std::string {
        try {
            (void)operation_named(word);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_THAT(refusal("brodcast"), HasSubstr("'brodcast'; did you mean 'broadcast'?"));
    EXPECT_THAT(refusal("gahter"), HasSubstr("did you mean 'gather'?"));
    EXPECT_THAT(refusal("AAX"), HasSubstr("did you mean 'AAB'?"));
    EXPECT_THAT(refusal(""), HasSubstr("no operation is called '' ('kport list operations'"));
    EXPECT_THAT(refusal("MPI_Bcast"), HasSubstr("did you mean 'broadcast'?"));
    EXPECT_THAT(refusal("Shift:3"), HasSubstr("did you mean 'permutation shift:3'?"));
    EXPECT_THAT(refusal("shift:-1"), HasSubstr("did you mean 'permutation shift:1'?"));
    EXPECT_THAT(refusal("bitreversal"), HasSubstr("did you mean 'permutation bit-reversal'?"));
    EXPECT_THAT(refusal("transpose"), HasSubstr("did you mean 'permutation transpose'?"));
}

}  // namespace
}  // namespace kport
