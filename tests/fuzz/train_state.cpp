// SPDX-License-Identifier: MIT
// Parses arbitrary bytes as a checkpoint or a shard, with the checksum made right, so that the parser behind it is reached. The
// state of the fit in a checkpoint is read as blocks.
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "require.hpp"
#include "train/bcfw.hpp"
#include "train/checkpoint.hpp"

using namespace concord;
using fuzz::require;

namespace {

constexpr size_t kMagic = 21, kShardMagic = 16, kDigest = 64;
const RunShape kRun{"fuzz", 2, 3, 4, 5, "d", "s", "p"};

void restore_blocks(const std::string& bytes) {
  ArchiveReader in(bytes);
  for (int i = 0; i < 2; ++i) {
    Block block;
    block.restore(in, kRun.labels);
    require(block.corners() >= 1 && block.F.rows() == kRun.labels, "a block has corners of V labels");
    require(block.u().cols() == block.corners(), "a block has a u for each corner");
    block.drop_unused();
  }
}

void parse(const std::string& bytes) {
  try {
    const TrainState state = parse_state(bytes, kRun);
    require(state.cells.size() == kRun.cells && state.epochs <= kRun.epochs, "a state fits its run");
    const std::string written = state_bytes(state, kRun.identity);
    require(state_bytes(parse_state(written, kRun), kRun.identity) == written, "a state survives its file");
    restore_blocks(state.fit);
  } catch (const Error& error) {
    require(error.kind() == Fault::input && error.subject() == kCheckpointSubject,
            "an error in a checkpoint is an input error about it");
  }
}

void parse_as_shard(std::string bytes) {
  if (bytes.size() >= kShardMagic + kDigest)
    bytes.replace(kShardMagic, kDigest, sha256_hex(std::string_view(bytes).substr(kShardMagic + kDigest)));
  try {
    const auto [shard, state] = parse_shard(bytes, kRun);
    require(state.cells.size() == kRun.cells && shard.index >= 1 && shard.index <= shard.count,
            "a shard fits its run");
    const std::string written = shard_bytes(shard, state, kRun);
    require(shard_bytes(parse_shard(written, kRun).shard, state, kRun) == written,
            "a shard survives its file");
  } catch (const Error& error) {
    require(error.kind() == Fault::input, "an error in a shard is an input error");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  parse(bytes);
  parse_as_shard(bytes);
  if (size >= kMagic + kDigest) {
    bytes.replace(kMagic, kDigest, sha256_hex(std::string_view(bytes).substr(kMagic + kDigest)));
    parse(bytes);
  }
  return 0;
}
