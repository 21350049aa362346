# SPDX-License-Identifier: MIT
# A symmetric matrix of whole numbers from -4 to 4, some of them 0; ties are frequent.
random_prior <- function(V) {
  A <- matrix(sample(-4:4, V * V, replace = TRUE) * rbinom(V * V, 1, 0.7), V)
  A[lower.tri(A)] <- t(A)[lower.tri(A)]
  A
}

# The best objective over all labellings, or over those of k labels.
by_enumeration <- function(A, b, k = NULL) {
  all <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(b))))
  if (!is.null(k)) all <- all[rowSums(all > 0) == k, , drop = FALSE]
  max(all %*% b - rowSums((all %*% A) * all))
}

objective_of <- function(A, b, u) sum(u * b) - sum(u * (A %*% u))

test_that("exact decoding equals enumeration, for every cardinality", {
  set.seed(1)
  for (trial in 1:60) {
    V <- sample(1:7, 1)
    A <- random_prior(V)
    b <- sample(-5:5, V, replace = TRUE)
    for (k in c(list(NULL), 0:V)) {
      r <- concord_decode(A, b, decoder = "exact", cardinality = k)
      expect_equal(r$objective, by_enumeration(A, b, k))
      expect_equal(r$objective, objective_of(A, b, r$labels))
      expect_equal(r$gap, 0, tolerance = 1e-9)
      expect_identical(r$status, "optimal")
      if (!is.null(k)) expect_equal(sum(r$labels > 0), k)
    }
  }
})

test_that("no bound is below the optimum, and what has none says so", {
  set.seed(2)
  for (trial in 1:60) {
    V <- sample(2:8, 1)
    A <- random_prior(V)
    b <- rnorm(V)
    best <- by_enumeration(A, b)
    for (decoder in c("sdp-mixing", "spectral")) {
      r <- concord_decode(A, b, decoder = decoder)
      expect_gte(r$bound, best - 1e-9 * max(1, abs(best)))
      expect_gte(r$gap, -1e-9)
      expect_equal(r$objective, objective_of(A, b, r$labels))
    }
  }
  r <- concord_decode(A, b, decoder = "tabu")
  expect_identical(r$status, "feasible")
  expect_true(is.na(r$bound) && is.na(r$gap))
})

test_that("sparse and dense, a batch and its problems, one and two threads: the same bits", {
  set.seed(3)
  V <- 9
  A <- random_prior(V)
  b <- matrix(rnorm(5 * V), 5)
  k <- c(3, NA, 0, -1, V)
  batch <- concord_decode(A, b, cardinality = k, seed = 7)
  expect_identical(concord_decode(A, b, cardinality = k, seed = 7, threads = 2), batch)
  for (i in seq_len(nrow(b))) {
    one <- concord_decode(A, b[i, ], cardinality = k[i], seed = 7 + i - 1)
    expect_identical(one$labels, batch$labels[i, ])
    expect_identical(one$bound, batch$bound[i])
    expect_identical(one$u, batch$u[i, ])
  }
  sparse <- concord_decode(Matrix::Matrix(A, sparse = TRUE), b, cardinality = k, seed = 7)
  expect_identical(concord_decode(methods::as(A, "sparseMatrix"), b, cardinality = k, seed = 7), sparse)
  expect_equal(sparse, batch)
})

test_that("names of labels stay", {
  A <- matrix(c(0, -1, -1, 0), 2, dimnames = list(NULL, c("sea", "beach")))
  expect_named(concord_decode(A, c(1, 0))$labels, c("sea", "beach"))
  expect_identical(colnames(concord_decode(A, diag(2))$labels), c("sea", "beach"))
})

test_that("what is wrong is named, in R's own numbers", {
  A <- matrix(c(0, -1, 0, -1, 0, 1, 0, 1, 0), 3)
  refused <- function(..., kind = "input") {
    error <- tryCatch(concord_decode(...), concord_error = identity)
    expect_s3_class(error, "concord_error")
    expect_identical(error$kind, kind)
    conditionMessage(error)
  }
  expect_match(refused(A, 1:2), "b has 2 numbers; it must have one for each of the 3 labels of A")
  expect_match(refused(A, diag(2)), "b has 2 columns")
  expect_match(refused(A, c(1, NA, 1)), "b holds NA at [2]", fixed = TRUE)
  expect_match(refused(A, rbind(1:3, c(1, 1, Inf))), "b holds Inf at [2, 3]", fixed = TRUE)
  expect_match(refused(A, letters[1:3]), "b must be numbers, and is of the type character")
  expect_match(refused(A[, 1:2], 1:3), "A must be a square matrix")
  expect_match(refused(A + matrix(c(0, 0, 0, 1, 0, 0, 0, 0, 0), 3), 1:3), "it has -1 at [2, 1] and 0 at [1, 2]", fixed = TRUE)
  A[1, 3] <- A[3, 1] <- NaN
  expect_match(refused(A, 1:3), "A holds NaN at [3, 1]", fixed = TRUE)
  expect_match(refused(Matrix::Matrix(A, sparse = TRUE), 1:3), "A holds NaN at [1, 3]", fixed = TRUE)
  A[1, 3] <- A[3, 1] <- 0
  expect_match(refused(A, 1:3, cardinality = 4), "cardinality = 4: there are 3 labels")
  expect_match(refused(A, 1:3, cardinality = 1:2), "it must be a whole number, or 1 of them")
  expect_match(refused(A, 1:3, cardinality = 0.5), "it must be a whole number")
  expect_match(refused(A, 1:3, seed = -1), "seed = -1: it must be one whole number, at least 0")
  expect_match(refused(A, 1:3, time_limit = 0), "time_limit = 0: it must be above 0 seconds")
  expect_match(refused(A, 1:3, decoder = 1), "decoder must be one text")
  expect_match(refused(A, 1:3, options = list(1)), "every element has a name")
  expect_match(refused(A, 1:3, options = list(decoder.tl = 1)), "no option 'tl'; did you mean tol")
  expect_match(refused(A, 1:3, decoder = "spectal", kind = "unavailable"), "did you mean spectral")
  expect_match(refused(A, 1:3, decoder = "min-cut", kind = "unsupported"), "min-cut")
})

test_that("rounding noise in A is no asymmetry", {
  A <- random_prior(6) / 3
  noisy <- A
  noisy[1, 2] <- A[1, 2] * (1 + 1e-15) + 1e-16
  expect_equal(concord_decode(noisy, 1:6, decoder = "exact"), concord_decode(A, 1:6, decoder = "exact"))
})

test_that("an interrupt ends a decode", {
  skip_on_os("windows")
  set.seed(4)
  V <- 150
  A <- matrix(rnorm(V * V), V)
  end <- tryCatch({
    system(sprintf("(sleep 0.5; kill -INT %d) >/dev/null 2>&1", Sys.getpid()), wait = FALSE)
    concord_decode(A + t(A), rnorm(V), decoder = "exact", time_limit = 60)
  }, interrupt = function(condition) "interrupted")
  expect_identical(end, "interrupted")
  expect_identical(concord_decode(diag(2), c(1, -1), decoder = "exact")$labels, c(1L, -1L)) # and the next one works
})

test_that("a limit leaves the best so far with its bound", {
  set.seed(5)
  V <- 150
  A <- matrix(rnorm(V * V), V)
  r <- concord_decode(A + t(A), rnorm(V), decoder = "exact", time_limit = 0.2)
  expect_identical(r$status, "limit")
  expect_true(is.na(r$bound) || r$bound >= r$objective)
})
