# SPDX-License-Identifier: MIT
# docs/r.md shows a session: '> ' begins a command, '+ ' continues it, the rest is what R prints; '...' stands for anything.
test_that("the session of docs/r.md is what R prints", {
  folder <- Sys.getenv("CONCORD_DOCS")
  skip_if(folder == "", "CONCORD_DOCS names no folder")
  page <- readLines(file.path(folder, "r.md"), encoding = "UTF-8")
  fence <- cumsum(startsWith(page, "```"))
  opens <- startsWith(page, "```r") & fence %% 2 == 1
  shown <- page[fence %in% fence[opens] & !startsWith(page, "```")]
  is_code <- grepl("^[>+] ", shown)
  expect_gt(sum(is_code), 10)

  file <- tempfile(fileext = ".R")
  writeLines(sub("^[>+] ", "", shown[is_code]), file)
  printed <- utils::capture.output(source(file, local = new.env(), echo = TRUE, spaced = FALSE, keep.source = TRUE,
                                          max.deparse.length = Inf, prompt.echo = "> ", continue.echo = "+ "))
  printed <- printed[printed != ""]
  pattern <- paste0("^\\Q", gsub("...", "\\E.*\\Q", shown, fixed = TRUE), "\\E$")
  expect_length(printed, length(shown))
  for (i in seq_along(shown)) expect_match(printed[i], pattern[i], perl = TRUE)
})
