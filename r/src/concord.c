/* SPDX-License-Identifier: MIT */
/* Between R and libconcord. What is wrong comes back in a list, and R/border.R raises it: no error jumps out of here
   while something is held. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <concord/concord.h>

#define R_NO_REMAP
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>

/* ---- what R gives ---------------------------------------------------------------------------------- */

static const char* text_or_null(SEXP text) {
  return Rf_isNull(text) ? NULL : R_CHAR(STRING_ELT(text, 0));
}

static const char** texts_or_null(SEXP texts) {
  if (Rf_isNull(texts)) return NULL;
  const R_xlen_t count = Rf_xlength(texts);
  const char** pointers = (const char**)R_alloc((size_t)count + 1, sizeof *pointers);
  for (R_xlen_t i = 0; i < count; ++i) pointers[i] = R_CHAR(STRING_ELT(texts, i));
  return pointers;
}

static int64_t* widened(SEXP integers) {
  const R_xlen_t count = Rf_xlength(integers);
  int64_t* wide = (int64_t*)R_alloc((size_t)count + 1, sizeof *wide);
  for (R_xlen_t i = 0; i < count; ++i) wide[i] = INTEGER(integers)[i];
  return wide;
}

/* A matrix is list(rows, columns, dense, row_start, column, entry), as by_rows() in R/border.R makes it. */
static int64_t extent(SEXP matrix, int which) {
  return Rf_asInteger(VECTOR_ELT(matrix, which));
}

static int is_dense(SEXP matrix) {
  return !Rf_isNull(VECTOR_ELT(matrix, 2));
}

static concord_features features_of(SEXP matrix) {
  concord_features features = {
      .size = sizeof features, .rows = extent(matrix, 0), .columns = extent(matrix, 1)};
  if (is_dense(matrix)) {
    features.dense = REAL(VECTOR_ELT(matrix, 2));
  } else {
    features.index_bytes = sizeof(int);
    features.row_start = INTEGER(VECTOR_ELT(matrix, 3));
    features.column = INTEGER(VECTOR_ELT(matrix, 4));
    features.entry = REAL(VECTOR_ELT(matrix, 5));
  }
  return features;
}

static concord_prior prior_of(SEXP matrix) {
  concord_prior prior = {.size = sizeof prior, .labels = extent(matrix, 0)};
  if (is_dense(matrix)) {
    prior.dense = REAL(VECTOR_ELT(matrix, 2));
  } else {
    prior.row_start = widened(VECTOR_ELT(matrix, 3));
    prior.column = widened(VECTOR_ELT(matrix, 4));
    prior.entry = REAL(VECTOR_ELT(matrix, 5));
  }
  return prior;
}

/* ---- a call that Ctrl-C can end -------------------------------------------------------------------- */

static concord_session* session = NULL; /* of the process, from the first call on */

enum { message_field, subject_field, place_field, reason_field, remedy_field, error_fields };

/* A call runs in a thread of its own, and R's thread waits for it: only R's thread may ask whether the user wants to
   stop. */
typedef struct call {
  int32_t (*function)(void* arguments, const concord_run* run);
  void* arguments;
  int32_t threads, code;
  unsigned char stop;
  char* error[error_fields]; /* copies: the library keeps an error for the thread that met it */
  char* warnings;            /* of plugins and the library, a line each */
  pthread_mutex_t mutex;
  pthread_cond_t news;
  int ended; /* guarded by `mutex` */
} call;

static void keep_error(call* self) {
  const concord_error* error = concord_last_error();
  self->error[message_field] = strdup(error->text);
  self->error[subject_field] = strdup(error->subject);
  self->error[place_field] = strdup(error->place);
  self->error[reason_field] = strdup(error->reason);
  self->error[remedy_field] = strdup(error->remedy);
}

static void hear(void* user, int32_t level, const char* who, const char* text) {
  if (level != CONCORD_LOG_WARNING) return;
  call* self = user;
  const size_t before = self->warnings ? strlen(self->warnings) : 0;
  const size_t more = strlen(who) + strlen(text) + sizeof "\n: ";
  char* grown = realloc(self->warnings, before + more);
  if (!grown) return;
  self->warnings = grown;
  snprintf(grown + before, more, "%s%s: %s", before ? "\n" : "", who, text);
}

static void* run_call(void* data) {
  call* self = data;
  const concord_run run = {
      .size = sizeof run, .threads = self->threads, .stop = &self->stop, .user = self, .log = hear};
  self->code = session ? CONCORD_OK : concord_open(NULL, 0, &session);
  if (self->code == CONCORD_OK) self->code = self->function(self->arguments, &run);
  if (self->code != CONCORD_OK) keep_error(self);
  pthread_mutex_lock(&self->mutex);
  self->ended = 1;
  pthread_cond_signal(&self->news);
  pthread_mutex_unlock(&self->mutex);
  return NULL;
}

/* Whether the call ended within a twentieth of a second. */
static int ended_soon(call* self) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 50 * 1000 * 1000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&self->mutex);
  while (!self->ended && pthread_cond_timedwait(&self->news, &self->mutex, &until) == 0) {
  }
  const int ended = self->ended;
  pthread_mutex_unlock(&self->mutex);
  return ended;
}

static void ask_user(void* unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

/* Runs the function to its end, which comes soon once the user asks for it. */
static call run_to_end(int32_t (*function)(void*, const concord_run*), void* arguments, SEXP threads) {
  call self = {.function = function, .arguments = arguments, .threads = Rf_asInteger(threads)};
  pthread_mutex_init(&self.mutex, NULL);
  pthread_cond_init(&self.news, NULL);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before); /* the new thread inherits it: signals are for R's */
  pthread_t thread;
  const int created = pthread_create(&thread, NULL, run_call, &self) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (created) {
    while (!ended_soon(&self))
      if (!R_ToplevelExec(ask_user, NULL)) self.stop = 1;
    pthread_join(thread, NULL);
  } else {
    self.code = CONCORD_ERROR_MEMORY;
    self.error[message_field] = strdup("the system has no thread for the call");
  }
  pthread_cond_destroy(&self.news);
  pthread_mutex_destroy(&self.mutex);
  return self;
}

/* ---- what R gets ----------------------------------------------------------------------------------- */

static SEXP utf8_or_null(const char* text) {
  return text ? Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)) : R_NilValue;
}

/* list(value, kind, warnings, and the fields of an error), as answer_of() in R/border.R takes it apart. Kind 0: no error.
   What the call holds is freed. */
static SEXP outcome(call* self, SEXP value) {
  PROTECT(value);
  SEXP list = PROTECT(Rf_allocVector(VECSXP, 3 + error_fields));
  SET_VECTOR_ELT(list, 0, value);
  SET_VECTOR_ELT(list, 1, Rf_ScalarInteger(self->code));
  SET_VECTOR_ELT(list, 2, utf8_or_null(self->warnings));
  for (int i = 0; i < error_fields; ++i) SET_VECTOR_ELT(list, 3 + i, utf8_or_null(self->error[i]));
  free(self->warnings);
  for (int i = 0; i < error_fields; ++i) free(self->error[i]);
  UNPROTECT(2);
  return list;
}

/* The outcome of a call that failed on R's own thread. */
static SEXP failed(int32_t code) {
  call self = {.code = code};
  keep_error(&self);
  return outcome(&self, R_NilValue);
}

static SEXP integers_of(const int8_t* labels, int64_t rows, int64_t columns) {
  SEXP matrix = Rf_allocMatrix(INTSXP, (int)rows, (int)columns);
  for (int64_t i = 0; i < rows * columns; ++i) INTEGER(matrix)[i] = labels[i];
  return matrix;
}

/* ---- the functions --------------------------------------------------------------------------------- */

typedef struct decoding {
  const concord_problems* problems;
  concord_answers* answers;
} decoding;

static int32_t decode(void* data, const concord_run* run) {
  const decoding* self = data;
  return concord_decode(session, self->problems, run, self->answers);
}

/* c and the answers have a problem in each column: a matrix of R, read column by column, is the library's by rows. */
static SEXP r_decode(SEXP prior_matrix, SEXP c, SEXP cardinality, SEXP decoder, SEXP rounding, SEXP options,
                     SEXP seed, SEXP time_limit, SEXP threads) {
  const concord_prior prior = prior_of(prior_matrix);
  const int64_t labels = prior.labels, count = Rf_ncols(c);
  const concord_problems problems = {.size = sizeof problems,
                                     .prior = &prior,
                                     .count = count,
                                     .c = REAL(c),
                                     .cardinality = Rf_isNull(cardinality) ? NULL : widened(cardinality),
                                     .decoder = text_or_null(decoder),
                                     .rounding = text_or_null(rounding),
                                     .options = text_or_null(options),
                                     .seed = (uint64_t)Rf_asReal(seed),
                                     .time_limit = Rf_asReal(time_limit)};
  int8_t* chosen = (int8_t*)R_alloc((size_t)(labels * count) + 1, 1);
  SEXP objective = PROTECT(Rf_allocVector(REALSXP, count)), bound = PROTECT(Rf_allocVector(REALSXP, count));
  SEXP status = PROTECT(Rf_allocVector(INTSXP, count)), value = PROTECT(Rf_allocVector(REALSXP, count));
  SEXP u = PROTECT(Rf_allocMatrix(REALSXP, (int)labels, (int)count));
  concord_answers answers = {.size = sizeof answers,
                             .labels = chosen,
                             .objective = REAL(objective),
                             .bound = REAL(bound),
                             .status = INTEGER(status),
                             .u = REAL(u),
                             .value = REAL(value)};
  decoding what = {&problems, &answers};
  call done = run_to_end(decode, &what, threads);
  SEXP list = R_NilValue;
  if (done.code == CONCORD_OK) {
    list = Rf_allocVector(VECSXP, 6);
    PROTECT(list);
    SET_VECTOR_ELT(list, 0, integers_of(chosen, labels, count));
    SET_VECTOR_ELT(list, 1, objective);
    SET_VECTOR_ELT(list, 2, bound);
    SET_VECTOR_ELT(list, 3, status);
    SET_VECTOR_ELT(list, 4, u);
    SET_VECTOR_ELT(list, 5, value);
    UNPROTECT(1);
  }
  SEXP result = outcome(&done, list);
  UNPROTECT(5);
  return result;
}

typedef struct teaching {
  const concord_training* training;
  concord_model* model;
} teaching;

static int32_t train(void* data, const concord_run* run) {
  teaching* self = data;
  return concord_train(session, self->training, run, &self->model);
}

/* The bytes of the model. */
static SEXP r_train(SEXP matrix, SEXP truth, SEXP label_names, SEXP feature_names, SEXP name, SEXP config,
                    SEXP threads) {
  const concord_features features = features_of(matrix);
  const R_xlen_t count = Rf_xlength(truth);
  int8_t* signs = (int8_t*)R_alloc((size_t)count + 1, 1);
  for (R_xlen_t i = 0; i < count; ++i) signs[i] = (int8_t)INTEGER(truth)[i];
  const concord_training training = {.size = sizeof training,
                                     .features = &features,
                                     .labels = Rf_nrows(truth),
                                     .truth = signs,
                                     .label_names = texts_or_null(label_names),
                                     .feature_names = texts_or_null(feature_names),
                                     .name = text_or_null(name),
                                     .config = text_or_null(config)};
  teaching what = {&training, NULL};
  call done = run_to_end(train, &what, threads);
  char* bytes = NULL;
  size_t length = 0;
  if (done.code == CONCORD_OK && (done.code = concord_model_write(what.model, &bytes, &length)) != CONCORD_OK)
    keep_error(&done);
  concord_model_free(what.model);
  SEXP model = R_NilValue;
  if (done.code == CONCORD_OK) {
    model = Rf_allocVector(RAWSXP, (R_xlen_t)length);
    memcpy(RAW(model), bytes, length);
  }
  concord_free(bytes);
  return outcome(&done, model);
}

/* What the model says of itself, as JSON. `name` stands for it in messages. */
static SEXP r_describe(SEXP bytes, SEXP name) {
  concord_model* model = NULL;
  char* json = NULL;
  int32_t code = concord_model_read(RAW(bytes), (size_t)Rf_xlength(bytes), text_or_null(name), &model);
  if (code == CONCORD_OK) code = concord_model_describe(model, &json);
  concord_model_free(model);
  if (code != CONCORD_OK) return failed(code);
  SEXP text = PROTECT(utf8_or_null(json));
  concord_free(json);
  call done = {.code = CONCORD_OK};
  SEXP result = outcome(&done, text);
  UNPROTECT(1);
  return result;
}

typedef struct asking {
  const concord_model* model;
  const concord_query* query;
  concord_predictions* predictions;
} asking;

static int32_t ask(void* data, const concord_run* run) {
  const asking* self = data;
  return concord_predict(session, self->model, self->query, run, self->predictions);
}

/* V x rows: probabilities, or labels of -1 and +1. */
static SEXP r_predict(SEXP bytes, SEXP matrix, SEXP label_count, SEXP wants_probabilities, SEXP threads) {
  const concord_features features = features_of(matrix);
  const int64_t labels = Rf_asInteger(label_count), rows = features.rows;
  const concord_query query = {.size = sizeof query, .features = &features};
  concord_predictions predictions = {.size = sizeof predictions};
  SEXP probabilities = R_NilValue;
  if (Rf_asLogical(wants_probabilities)) {
    probabilities = Rf_allocMatrix(REALSXP, (int)labels, (int)rows);
    predictions.probabilities = REAL(probabilities);
  } else {
    predictions.labels = (int8_t*)R_alloc((size_t)(labels * rows) + 1, 1);
  }
  PROTECT(probabilities);
  concord_model* model = NULL;
  const int32_t code = concord_model_read(RAW(bytes), (size_t)Rf_xlength(bytes), "the model", &model);
  SEXP result;
  if (code == CONCORD_OK) {
    asking what = {model, &query, &predictions};
    call done = run_to_end(ask, &what, threads);
    concord_model_free(model);
    const int has_labels = done.code == CONCORD_OK && predictions.labels;
    result = outcome(&done, has_labels ? integers_of(predictions.labels, labels, rows) : probabilities);
  } else {
    result = failed(code);
  }
  UNPROTECT(1);
  return result;
}

/* ---- the table for R ------------------------------------------------------------------------------- */

static const R_CallMethodDef functions[] = {{"r_decode", (DL_FUNC)&r_decode, 9},
                                            {"r_train", (DL_FUNC)&r_train, 7},
                                            {"r_describe", (DL_FUNC)&r_describe, 2},
                                            {"r_predict", (DL_FUNC)&r_predict, 5},
                                            {NULL, NULL, 0}};

void R_init_concord(DllInfo* library) {
  R_registerRoutines(library, NULL, functions, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
}

void R_unload_concord(DllInfo* library) {
  (void)library;
  concord_close(session);
}
