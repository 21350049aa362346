// SPDX-License-Identifier: MIT
#include "data/scores.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/text_lines.hpp"
#include "data/csv.hpp"
#include "data/numpy.hpp"

namespace concord {
namespace {

/// m, of a file whose rows have `columns` scores.
int64_t require_blocks(int64_t columns, int64_t V, const std::string& name) {
  if (columns < 1 || columns % V != 0)
    fail(Fault::input, About{name, name},
         "its rows have {} scores: expected one for each of the {} labels, or several such blocks", columns,
         V);
  return columns / V;
}

class NumpyScores : public ScoreReader {
 public:
  NumpyScores(std::ifstream in, std::string name, int64_t V) : in_(std::move(in)), name_(std::move(name)) {
    read_header();
    require_blocks(columns_, V, name_);
  }

  int64_t columns() const override { return columns_; }

  RowMatrix read(int64_t count) override {
    if (count > rows_ - next_)
      fail(Fault::input, About{name_, name_}, "it has scores of {} instances, and the data have more", rows_);
    RowMatrix scores(count, columns_);
    std::vector<char> row(static_cast<size_t>(columns_) * bytes_);
    for (int64_t i = 0; i < count; ++i, ++next_) {
      if (!in_.read(row.data(), static_cast<std::streamsize>(row.size())))
        fail(Fault::input, About{name_, name_},
             "it ends within row {} (counted from 0), and its header has {} rows", next_, rows_);
      for (int64_t j = 0; j < columns_; ++j) {
        const char* const at = row.data() + static_cast<size_t>(j) * bytes_;
        scores(i, j) = bytes_ == 8 ? number<double>(at) : number<float>(at);
        if (!std::isfinite(scores(i, j)))
          fail(Fault::input, About{name_, name_},
               "row {}, column {} (counted from 0): {} is not a finite number", next_, j, scores(i, j));
      }
    }
    return scores;
  }

  void require_end() override {
    if (next_ != rows_)
      fail(Fault::input, About{name_, name_}, "it has scores of {} instances, and the data have {}", rows_,
           next_);
  }

 private:
  template <class Number>
  static double number(const char* bytes) {
    Number value;
    std::memcpy(&value, bytes, sizeof(value));
    return static_cast<double>(value);
  }

  [[noreturn]] void refuse(const std::string& why) const {
    fail(Fault::input, About{name_, name_},
         "{}; numpy.save of an array with two dimensions, C order, float64 or float32, writes such a file",
         why);
  }

  void read_header() {
    std::string begin(kMostHeaderBytes, '\0');
    in_.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<size_t>(in_.gcount()));
    const NumpyHeader header = [&] {
      try {
        return parse_numpy_header(begin, name_);
      } catch (const Error& error) {
        refuse(error.reason());
      }
    }();
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(header.size));
    if (header.type != "<f8" && header.type != "<f4")
      refuse("its numbers are not little-endian floats of 64 or 32 bits");
    bytes_ = header.type == "<f8" ? 8 : 4;
    if (header.fortran) refuse("it is in Fortran order");
    if (header.shape.size() != 2 || header.shape[1] < 1 || header.shape[1] > 100'000'000)
      refuse(fmt::format("its shape is ({})", fmt::join(header.shape, ", ")));
    rows_ = header.shape[0];
    columns_ = header.shape[1];
  }

  std::ifstream in_;
  std::string name_;
  size_t bytes_ = 8;
  int64_t rows_ = 0, columns_ = 0, next_ = 0;
};

class CsvScores : public ScoreReader {
 public:
  CsvScores(std::ifstream in, const std::string& name, const std::vector<std::string>& label_names)
      : in_(std::move(in)), lines_(in_, name) {
    if (!lines_.next()) lines_.fail_at_end("the file is empty: its first line names the labels");
    std::vector<CsvCell> names = cells_.split(lines_);
    counts_ = names.front().text == "instance";
    if (counts_) names.erase(names.begin());
    columns_ = static_cast<int64_t>(names.size());
    const auto V = static_cast<int64_t>(label_names.size());
    require_blocks(columns_, V, name);
    for (int64_t j = 0; j < columns_; ++j) {
      const CsvCell& cell = names[static_cast<size_t>(j)];
      const std::string& wanted = label_names[static_cast<size_t>(j % V)];
      if (cell.text != wanted)
        lines_.fail(cell.place, "column {} is {}, and label {} of the data is {}: the order must be theirs",
                    j, quote(cell.text), j % V, quote(wanted));
    }
  }

  int64_t columns() const override { return columns_; }

  RowMatrix read(int64_t count) override {
    RowMatrix scores(count, columns_);
    for (int64_t i = 0; i < count; ++i, ++next_) {
      if (!lines_.next()) lines_.fail_at_end("it has scores of {} instances, and the data have more", next_);
      const std::vector<CsvCell>& cells = cells_.split(lines_);
      const size_t first = counts_ ? 1 : 0;
      if (cells.size() != first + static_cast<size_t>(columns_))
        lines_.fail(lines_.line(), "the line has {} cells, and the first line {}", cells.size(),
                    first + static_cast<size_t>(columns_));
      if (counts_ && number_in<int64_t>(cells[0].text) != next_)
        lines_.fail(cells[0].place,
                    "instance {} stands where {} is expected: scores come in the order of the data",
                    quote(cells[0].text), next_);
      for (int64_t j = 0; j < columns_; ++j) {
        const CsvCell& cell = cells[first + static_cast<size_t>(j)];
        if (read_decimal(cell.text, scores(i, j)) != Numeral::good)
          lines_.fail(cell.place, "{} is not a finite number", quote(cell.text));
      }
    }
    return scores;
  }

  void require_end() override {
    while (lines_.next())
      if (!without_blanks(lines_.line()).empty())
        lines_.fail(lines_.line(), "it has scores of more than {} instances, and the data have {}", next_,
                    next_);
  }

 private:
  std::ifstream in_;
  TextLines lines_;
  CsvCells cells_;
  bool counts_ = false;
  int64_t columns_ = 0, next_ = 0;
};

/// Features with more columns.
Features beside(const Features& X, const RowMatrix& columns) {
  if (!X.is_sparse()) {
    RowMatrix all(X.rows(), X.columns() + columns.cols());
    all << X.dense(), columns;
    return Features(std::move(all));
  }
  SparseMatrix all(X.rows(), X.columns() + columns.cols());
  all.reserve(X.stored() + columns.size());
  for (int64_t i = 0; i < X.rows(); ++i) {
    all.startVec(i);
    X.for_row(i, [&](int64_t j, double x) { all.insertBack(i, j) = x; });
    for (int64_t j = 0; j < columns.cols(); ++j) all.insertBack(i, X.columns() + j) = columns(i, j);
  }
  all.finalize();
  return Features(all);
}

class ScoredReader : public InstanceReader {
 public:
  ScoredReader(std::unique_ptr<InstanceReader> reader, ScoreReader& scores)
      : reader_(std::move(reader)), scores_(scores) {}
  Dataset read(int64_t count) override {
    Dataset data = reader_->read(count);
    if (data.instances() == 0)
      scores_.require_end();
    else
      append_scores(data, scores_);
    return data;
  }

 private:
  std::unique_ptr<InstanceReader> reader_;
  ScoreReader& scores_;
};

}  // namespace

std::unique_ptr<ScoreReader> score_reader(const std::filesystem::path& file,
                                          const std::vector<std::string>& label_names) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    fail(Fault::io, About{file.string(), file.string()}, "{}", in ? "is a directory" : std::strerror(errno));
  char magic[6] = {};
  in.read(magic, sizeof(magic));
  in.clear();
  in.seekg(0);
  if (std::string_view(magic, sizeof(magic)) == "\x93NUMPY")
    return std::make_unique<NumpyScores>(std::move(in), file.string(),
                                         static_cast<int64_t>(label_names.size()));
  return std::make_unique<CsvScores>(std::move(in), file.string(), label_names);
}

void append_scores(Dataset& data, ScoreReader& scores) {
  const RowMatrix columns = scores.read(data.instances());
  data.X = beside(data.X, columns);
  if (data.feature_names.empty()) return;
  for (int64_t j = 0; j < columns.cols(); ++j)
    data.feature_names.push_back(fmt::format("score {} of {}", j / data.labels() + 1,
                                             data.label_names[static_cast<size_t>(j % data.labels())]));
}

int64_t append_scores(Dataset& data, const std::filesystem::path& file) {
  const auto scores = score_reader(file, data.label_names);
  append_scores(data, *scores);
  scores->require_end();
  return scores->columns() / data.labels();
}

std::unique_ptr<InstanceReader> with_scores(std::unique_ptr<InstanceReader> reader, ScoreReader& scores) {
  return std::make_unique<ScoredReader>(std::move(reader), scores);
}

}  // namespace concord
