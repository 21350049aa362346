// SPDX-License-Identifier: MIT
#include <map>

#include "api/handles.hpp"
#include "config/config.hpp"

using namespace concord;
using namespace concord::api;

namespace {

struct Block {
  const double* numbers;
  int64_t rows, columns;
};

template <class Matrix>
Block block(const Matrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// A is symmetric, so that it reads the same by rows and by columns.
std::map<std::string, Block> blocks_of(const Model& model) {
  return {{"W", block(model.W)},
          {"A", block(model.A)},
          {"thresholds", block(model.thresholds)},
          {"calibration", block(model.calibration)},
          {"centre", block(model.preprocess.centre)},
          {"factor", block(model.preprocess.factor)},
          {"frequencies", block(model.preprocess.waves.frequencies)},
          {"phases", block(model.preprocess.waves.phases)}};
}

}  // namespace

extern "C" {

int32_t concord_model_read(const void* bytes, size_t length, const char* name, concord_model** model) {
  return guarded([&] {
    require(bytes, "the bytes of the model");
    require(model, "the place for the model");
    *model = new concord_model{
        parse_model({static_cast<const char*>(bytes), length}, name != nullptr ? name : "the model")};
  });
}

int32_t concord_model_write(const concord_model* model, char** bytes, size_t* length) {
  return guarded([&] {
    require(model, "the model");
    require(bytes, "the place for the bytes");
    require(length, "the place for the length");
    const std::string written = model_bytes(model->model);
    *bytes = text_for_caller(written);
    *length = written.size();
  });
}

int32_t concord_model_describe(const concord_model* model, char** json) {
  return guarded([&] {
    require(model, "the model");
    require(json, "the place for the text");
    const Model& m = model->model;
    const Json description = {{"labels", m.labels()},
                              {"features", m.preprocess.inputs},
                              {"label_names", m.label_names},
                              {"feature_names", m.feature_names},
                              {"config", settings_json(m.settings)},
                              {"record", m.record}};
    *json = text_for_caller(description.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
}

int32_t concord_model_block(const concord_model* model, const char* name, const double** numbers,
                            int64_t* rows, int64_t* columns) {
  return guarded([&] {
    require(model, "the model");
    require(name, "the name of the block");
    require(numbers, "the place for the numbers");
    require(rows, "the place for the rows");
    require(columns, "the place for the columns");
    const auto blocks = blocks_of(model->model);
    const auto found = blocks.find(name);
    if (found == blocks.end()) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : blocks) names.push_back(known);
      fail(Fault::input, About{"", name}, "a model has no block {}{} (its blocks: {})", quote(name),
           did_you_mean(name, names), fmt::join(names, ", "));
    }
    *numbers = found->second.numbers;
    *rows = found->second.rows;
    *columns = found->second.columns;
  });
}

void concord_model_free(concord_model* model) {
  delete model;
}
}
