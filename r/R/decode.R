# SPDX-License-Identifier: MIT
statuses <- c("optimal", "relaxed", "feasible", "limit", "stopped")

concord_decode <- function(A, b, decoder = "sdp-mixing", cardinality = NULL, rounding = NULL, seed = 1,
                           options = list(), time_limit = NULL, threads = 1) {
  prior <- by_rows(symmetric(A), "A")
  V <- prior[[1]]
  single <- is.null(dim(b))
  if (single) require_finite(b, "b")
  columns <- if (single) matrix(b, ncol = 1) else t(plain_matrix(b, "b")) # a problem in each
  storage.mode(columns) <- "double"
  if (nrow(columns) != V) {
    has <- paste(nrow(columns), if (single) "numbers" else "columns")
    raise(sprintf("b has %s; it must have one for each of the %d labels of A", has, V), subject = "b")
  }
  if (!is.null(time_limit) && !isTRUE(time_limit > 0))
    raise(sprintf("time_limit = %s: it must be above 0 seconds, or NULL", deparse1(time_limit)), subject = "time_limit")

  answers <- answer_of(.Call(r_decode, prior, columns, cardinalities(cardinality, ncol(columns), V),
                             one_text(decoder, "decoder"), one_text(rounding, "rounding", allow_null = TRUE),
                             json_or_null(options, "options"), whole(seed, "seed"),
                             if (is.null(time_limit)) 0 else as.double(time_limit), whole(threads, "threads")))
  names(answers) <- c("labels", "objective", "bound", "status", "u", "value")
  answers$bound[is.nan(answers$bound)] <- NA
  answers$gap <- (answers$bound - answers$objective) / pmax(1, abs(answers$bound))
  answers$status <- statuses[answers$status]
  for (field in c("labels", "u")) {
    rownames(answers[[field]]) <- colnames(A)
    answers[[field]] <- if (single) answers[[field]][, 1] else t(answers[[field]])
  }
  answers[c("labels", "objective", "bound", "gap", "status", "u", "value")]
}

# A, if it is square and symmetric; what rounding made unequal is made equal.
symmetric <- function(A) {
  if (length(dim(A)) != 2 || nrow(A) != ncol(A)) raise("A must be a square matrix", subject = "A")
  if (is.data.frame(A)) A <- as.matrix(A)
  if (!methods::is(A, "Matrix")) require_finite(A, "A", function(i) arrayInd(i, dim(A)))
  difference <- abs(A - Matrix::t(A))
  largest <- if (length(A) > 0) max(difference) else 0
  if (is.na(largest) || largest == 0) return(A)
  if (largest <= 1e-12 * max(abs(A))) return((A + Matrix::t(A)) / 2)
  place <- which(as.matrix(difference == largest), arr.ind = TRUE)[1, ]
  raise(sprintf("A is not symmetric: it has %g at [%d, %d] and %g at [%d, %d]. (A + t(A)) / 2 has the same objective",
                A[place[1], place[2]], place[1], place[2], A[place[2], place[1]], place[2], place[1]), subject = "A")
}

# NULL, or a number for each of n problems with V labels; NA and numbers below 0 mean any.
cardinalities <- function(cardinality, n, V) {
  if (is.null(cardinality)) return(NULL)
  is_whole <- is.numeric(cardinality) && all(is.na(cardinality) | cardinality == floor(cardinality))
  if (!is_whole || !(length(cardinality) %in% c(1, n)))
    raise(sprintf("cardinality = %s: it must be a whole number, or %d of them, one for each problem",
                  deparse1(cardinality), n), subject = "cardinality")
  cardinality[is.na(cardinality)] <- -1
  if (any(cardinality > V))
    raise(sprintf("cardinality = %g: there are %d labels", max(cardinality), V), subject = "cardinality")
  rep_len(as.integer(cardinality), n)
}
