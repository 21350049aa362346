# SPDX-License-Identifier: MIT
# A model is the bytes of its file, so that saveRDS() and the program both can have it, and what they say of themselves.

concord_train <- function(X, Y, config = list(), name = "data", threads = 1) {
  features <- by_rows(X, "X")
  Y <- as.matrix(Y)
  wrong <- which(!(Y %in% c(0, 1)))
  if (length(wrong) > 0) {
    place <- arrayInd(wrong[1], dim(Y))
    raise(sprintf("Y holds %s in row %d, column %d; labels must be 0 or 1", format(Y[wrong[1]]), place[1], place[2]),
          subject = "Y")
  }
  if (nrow(Y) != features[[1]])
    raise(sprintf("X has %d rows, and Y has %d; each row is an instance", features[[1]], nrow(Y)), subject = "Y")
  truth <- t(Y)
  storage.mode(truth) <- "integer"
  text <- if (is.character(config)) one_text(paste(config, collapse = "\n"), "config") else json_or_null(config, "config")
  new_model(answer_of(.Call(r_train, features, truth, names_or_null(colnames(Y)), names_or_null(colnames(X)),
                            one_text(name, "name"), text, whole(threads, "threads"))), "the model")
}

concord_model <- function(file) {
  if (is.raw(file)) return(new_model(file, "the model"))
  path <- one_text(file, "file")
  size <- file.size(path)
  if (is.na(size)) raise(sprintf("%s: there is no such file", path), "io", subject = path)
  new_model(readBin(path, "raw", size), path)
}

new_model <- function(bytes, name) {
  described <- jsonlite::fromJSON(answer_of(.Call(r_describe, bytes, name)), simplifyDataFrame = FALSE)
  structure(class = "concord_model",
            list(bytes = bytes, label_names = described$label_names,
                 feature_names = as.character(described$feature_names), features = described$features,
                 config = described$config, record = described$record))
}

names_or_null <- function(names) if (is.null(names)) NULL else enc2utf8(names)

predict.concord_model <- function(object, newdata, type = c("labels", "probabilities"), threads = 1, ...) {
  type <- match.arg(type)
  require_names(colnames(newdata), object$feature_names)
  answer <- t(answer_of(.Call(r_predict, object$bytes, by_rows(newdata, "newdata"), length(object$label_names),
                              type == "probabilities", whole(threads, "threads"))))
  if (type == "labels") answer[answer < 0] <- 0L
  dimnames(answer) <- list(rownames(newdata), object$label_names)
  answer
}

# Refuses columns of other names than the model has, or in another order. Where one side has no names, places count.
require_names <- function(given, wanted) {
  if (length(given) == 0 || length(wanted) == 0 || length(given) != length(wanted)) return(invisible())
  other <- which(given != wanted)
  if (length(other) > 0)
    raise(sprintf("column %d of newdata is '%s', and '%s' in the model; give newdata[, model$feature_names]",
                  other[1], given[other[1]], wanted[other[1]]), subject = "newdata")
}

print.concord_model <- function(x, ...) {
  cat(sprintf("a model of %d labels and %d features, %d bytes\n", length(x$label_names), x$features, length(x$bytes)))
  invisible(x)
}
