# SPDX-License-Identifier: MIT
planted <- function(instances = 120, features = 5, labels = 4) {
  X <- matrix(rnorm(instances * features), instances, dimnames = list(NULL, paste0("x", seq_len(features))))
  Y <- (X %*% matrix(rnorm(features * labels), features) > 0) + 0
  Y[, 2] <- pmax(Y[, 2], Y[, 1]) # whoever has the first has the second
  colnames(Y) <- c("rain", "umbrella", "sun", "wind")
  list(X = X, Y = Y)
}

model_file <- function() tempfile(fileext = ".model")

quick <- list(train = list(epochs = 5))

test_that("a model learns, keeps its names, and survives a file", {
  set.seed(1)
  data <- planted()
  model <- concord_train(data$X, data$Y, quick)
  labels <- predict(model, data$X)
  expect_lt(mean(labels != data$Y), 0.15)
  expect_true(all(labels %in% 0:1))
  expect_identical(dimnames(labels), list(NULL, colnames(data$Y)))
  expect_identical(model$feature_names, colnames(data$X))
  expect_identical(predict(model, data$X, threads = 2), labels)

  file <- model_file()
  saveRDS(model, file)
  expect_identical(predict(readRDS(file), data$X), labels)
  writeBin(model$bytes, file)
  expect_identical(concord_model(file), model)
  expect_identical(concord_model(model$bytes), model)
  expect_output(print(model), "a model of 4 labels and 5 features")
})

test_that("sparse X, a data frame and logical Y give the model of the matrix", {
  set.seed(2)
  data <- planted()
  data$X[abs(data$X) < 0.5] <- 0
  plain <- concord_train(data$X, data$Y, quick)
  expect_identical(concord_train(as.data.frame(data$X), data$Y == 1, quick)$bytes, plain$bytes)
  sparse <- concord_train(Matrix::Matrix(data$X, sparse = TRUE), Matrix::Matrix(data$Y, sparse = TRUE), quick)
  expect_identical(predict(sparse, Matrix::Matrix(data$X, sparse = TRUE)), predict(plain, data$X))
  expect_identical(concord_train(data$X, data$Y, quick, threads = 2)$bytes, plain$bytes)
})

test_that("a config may be a list, JSON or TOML, and vectors are a grid", {
  set.seed(3)
  data <- planted()
  as_list <- concord_train(data$X, data$Y, list(train = list(epochs = 3, lambda_w = c(0.01, 0.1))))
  expect_length(as_list$record$selection$cells, 2)
  as_toml <- concord_train(data$X, data$Y, c("[train]", "epochs = 3", "lambda_w = [0.01, 0.1]"))
  expect_identical(as_toml$bytes, as_list$bytes)
  as_json <- concord_train(data$X, data$Y, '{"train": {"epochs": 3, "lambda_w": [0.01, 0.1]}}')
  expect_identical(as_json$bytes, as_list$bytes)
})

test_that("probabilities are of models that have them", {
  set.seed(4)
  data <- planted()
  model <- concord_train(data$X, data$Y, list(train = list(method = "likelihood")))
  p <- predict(model, data$X, type = "probabilities")
  expect_true(all(p >= 0 & p <= 1))
  expect_lt(mean((p > 0.5) != data$Y), 0.15)
  expect_identical(colnames(p), colnames(data$Y))
  calibrated <- predict(concord_train(data$X, data$Y, quick), data$X, type = "probabilities")
  expect_lt(mean((calibrated > 0.5) != data$Y), 0.25)
  other <- concord_train(data$X, data$Y, utils::modifyList(quick, list(select = list(holdout = 0))))
  expect_error(predict(other, data$X, type = "probabilities"), "has no probabilities", class = "concord_error")
})

test_that("what is wrong is named", {
  set.seed(5)
  data <- planted()
  model <- concord_train(data$X, data$Y, quick)
  expect_error(concord_train(data$X, data$Y * 2, quick), "Y holds 2 in row [0-9]+, column [0-9]; labels must be 0 or 1",
               class = "concord_error")
  expect_error(concord_train(data$X, replace(data$Y, 3, NA), quick), "Y holds NA in row 3, column 1")
  expect_error(concord_train(data$X[-1, ], data$Y, quick), "X has 119 rows, and Y has 120")
  expect_error(concord_train(replace(data$X, 2, NaN), data$Y, quick), "X holds NaN at [2, 1]", fixed = TRUE)
  expect_error(concord_train(data$X, data$Y, list(train = list(epoch = 5))), "did you mean", class = "concord_error")
  expect_error(concord_train(data$X, data$Y, "[train"), "config", class = "concord_error")
  expect_error(predict(model, data$X[, 5:1]), "column 1 of newdata is 'x5', and 'x1' in the model")
  expect_error(predict(model, data$X[, 1:3]), "the data have 3 features, and the model 5", class = "concord_error")
  expect_error(concord_model("missing.model"), "missing.model: there is no such file", class = "concord_error")
  expect_error(concord_model(as.raw(1:20)), class = "concord_error")
})

test_that("the model is that of `concord train`, byte for byte", {
  program <- Sys.getenv("CONCORD_PROGRAM")
  skip_if(program == "", "CONCORD_PROGRAM names no program")
  run <- function(...) expect_identical(system2(program, c(...), stdout = FALSE), 0L)
  folder <- tempfile()
  dir.create(folder)
  in_folder <- function(name) file.path(folder, name)
  run("data", "generate", "--instances", 150, "--features", 6, "--labels", 6, "--test-instances", 60, "--out",
      in_folder("planted"))
  config <- c("[data]", sprintf('train = "%s"', in_folder("planted-train.arff")), "[train]", "epochs = 4")
  writeLines(config, in_folder("config.toml"))
  run("train", in_folder("config.toml"), "--model", in_folder("theirs.model"), "--quiet")
  theirs <- concord_model(in_folder("theirs.model"))

  lines <- readLines(in_folder("planted-train.arff"))
  names <- sub("^@attribute '?([^' ]+)'? .*", "\\1", grep("^@attribute", lines, value = TRUE))
  data <- lines[-seq_len(grep("^@data", lines))]
  rows <- jsonlite::fromJSON(sprintf("[[%s]]", paste(data, collapse = "],["))) # read.csv() loses the last bit of a number
  colnames(rows) <- names
  is_label <- names %in% theirs$label_names
  ours <- concord_train(rows[, !is_label], rows[, is_label], config, name = theirs$record$data$name)
  expect_identical(ours$bytes, theirs$bytes)
})
