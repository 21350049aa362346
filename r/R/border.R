# SPDX-License-Identifier: MIT
# How R's values become those of libconcord, and its answers and errors those of R.

kinds <- c("input", "unsupported", "unavailable", "io", "plugin", "interrupted", "memory", "internal")

# Raises an error with fields, of the class concord_error.
raise <- function(message, kind = "input", subject = "", place = "", reason = message, remedy = "") {
  stop(structure(class = c("concord_error", "error", "condition"),
                 list(message = message, call = NULL, kind = kind, subject = subject, place = place,
                      reason = reason, remedy = remedy)))
}

# The value of what a function of src/concord.c returned. Its warnings become R's, and so does its error.
answer_of <- function(outcome) {
  if (!is.null(outcome[[3]]))
    for (line in strsplit(outcome[[3]], "\n", fixed = TRUE)[[1]]) warning(line, call. = FALSE)
  kind <- outcome[[2]]
  if (kind == 0) return(outcome[[1]])
  if (kinds[kind] == "interrupted") { # as if R itself had been interrupted
    signalCondition(structure(class = c("interrupt", "condition"), list(message = outcome[[4]], call = NULL)))
    invokeRestart("abort")
  }
  raise(outcome[[4]], kinds[kind], outcome[[5]], outcome[[6]], outcome[[7]], outcome[[8]])
}

# A matrix by rows, as src/concord.c reads it: list(rows, columns, dense, row_start, column, entry).
by_rows <- function(given, what) {
  if (methods::is(given, "sparseMatrix")) {
    # The columns of the transpose, compressed, are the rows.
    turned <- methods::as(methods::as(methods::as(Matrix::t(given), "dMatrix"), "generalMatrix"), "CsparseMatrix")
    require_finite(turned@x, what, function(i) c(turned@i[i] + 1L, findInterval(i - 1, turned@p))[2:1])
    return(list(nrow(given), ncol(given), NULL, turned@p, turned@i, turned@x))
  }
  given <- plain_matrix(given, what)
  list(nrow(given), ncol(given), as.double(t(given)), NULL, NULL, NULL)
}

# A matrix of finite numbers from a matrix, a data frame, or a matrix of the package Matrix.
plain_matrix <- function(given, what) {
  if (is.data.frame(given) || methods::is(given, "Matrix")) given <- as.matrix(given)
  if (!is.matrix(given)) raise(paste(what, "must be a matrix"), subject = what)
  require_finite(given, what, function(i) arrayInd(i, dim(given)))
  given
}

# Refuses what is no number, NA, NaN and infinity. `place_of` has the row and column of the element i.
require_finite <- function(values, what, place_of = identity) {
  if (!is.numeric(values) && !is.logical(values))
    raise(sprintf("%s must be numbers, and is of the type %s", what, typeof(values)), subject = what)
  wrong <- which(!is.finite(values))
  if (length(wrong) > 0)
    raise(sprintf("%s holds %s at [%s]; all numbers must be finite", what, format(values[wrong[1]]),
                  paste(place_of(wrong[1]), collapse = ", ")), subject = what)
}

# One text in UTF-8, or NULL where that is allowed.
one_text <- function(text, what, allow_null = FALSE) {
  if (is.null(text) && allow_null) return(NULL)
  if (!is.character(text) || length(text) != 1 || is.na(text)) raise(paste(what, "must be one text"), subject = what)
  enc2utf8(text)
}

# One number that is whole and at least 0; a double, as R's integers end at 2^31.
whole <- function(number, what) {
  if (!is.numeric(number) || length(number) != 1 || is.na(number) || number < 0 || number != floor(number))
    raise(sprintf("%s = %s: it must be one whole number, at least 0", what, deparse1(number)), subject = what)
  as.double(number)
}

# The JSON of a named list: a vector of one element is that element, a longer one is a list. NULL if it is empty.
json_or_null <- function(list, what) {
  if (length(list) == 0) return(NULL)
  if (!is.list(list) || is.null(names(list)) || any(names(list) == ""))
    raise(paste(what, "must be a list in which every element has a name"), subject = what)
  as.character(jsonlite::toJSON(list, auto_unbox = TRUE, digits = NA, null = "null"))
}
