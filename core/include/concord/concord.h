/* SPDX-License-Identifier: MIT */
#ifndef CONCORD_CONCORD_H
#define CONCORD_CONCORD_H
/*
 * Concord as a library, for programs: decode, train, predict and measure in the process of the caller. Plain C, so
 * that Python (ctypes), R, Julia, C and C++ call the same functions. docs/embed.md has examples.
 *
 * The rules, once, for every declaration below:
 *
 *   Errors     A function that returns int32_t returns CONCORD_OK or one of CONCORD_ERROR_...; concord_last_error()
 *              then tells this thread why, and the results are left as they were. No exception crosses.
 *   Ownership  Pointers in are read during the call only, except where it says otherwise. Buffers that a call fills are
 *              the caller's. A text (char**) that comes back is the caller's: give it to concord_free().
 *   Growth     Every struct starts with its size in bytes, set by the caller: sizeof. Later versions of the same API
 *              number only append fields. What is zero or NULL means the default.
 *   Threads    Any function may be called from several threads at once, also on one session or model, except that
 *              nobody may use what is being closed or freed. A child process after fork() may go on using both, unless
 *              another thread was inside of OpenBLAS at that moment: OpenBLAS does not survive that, with or without us.
 *   Process    Nothing is written to standard output or error, no signal handler is set, no process is started (a plugin
 *              that runs a solver in a worker process does start that one), the environment is left as it is. Of the
 *              environment, CONCORD_PLUGIN_PATH and CONCORD_VARIANT are read when a session is opened. OpenBLAS
 *              runs on one thread during a call, as its threads change the last bits, and on as many as before after it.
 *   Matrices   Row by row, without padding: row i belongs to instance i. V is the number of labels.
 *   Texts      UTF-8, zero-terminated.
 */
#include <concord/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this interface, independent of CONCORD_ABI and of the release. */
#define CONCORD_API 1u
/* That of the library that was loaded: a program compares it with its CONCORD_API. */
uint32_t concord_api(void);

/* ---- errors --------------------------------------------------------------------------------------- */

enum {
  CONCORD_ERROR_INPUT = 1,       /* what the caller gave is wrong */
  CONCORD_ERROR_UNSUPPORTED = 2, /* the plugin cannot solve this problem */
  CONCORD_ERROR_UNAVAILABLE = 3, /* a named plugin or solver is not there or not usable */
  CONCORD_ERROR_IO = 4,          /* a file cannot be read or written */
  CONCORD_ERROR_PLUGIN = 5,      /* a plugin failed or lied while running */
  CONCORD_ERROR_INTERRUPTED = 6, /* the caller's stop flag was seen */
  CONCORD_ERROR_MEMORY = 7,      /* memory ran out */
  CONCORD_ERROR_INTERNAL = 8     /* a fault of Concord itself */
};

typedef struct concord_error {
  uint32_t size;
  int32_t kind;        /* CONCORD_ERROR_..., or CONCORD_OK before the first error */
  const char* subject; /* what is at fault: a key, a plugin, a file; may be empty */
  const char* place;   /* where it was found; may be empty */
  const char* reason;
  const char* remedy; /* what would help; may be empty */
  const char* text;   /* all of it as one sentence or more */
} concord_error;

/* Of the last call on this thread that failed; valid until the next one that fails. Never NULL. */
const concord_error* concord_last_error(void);

/* Frees a text that a function returned; NULL is nothing. */
void concord_free(void* text);

/* ---- the session ---------------------------------------------------------------------------------- */

/* Knows where plugins are, and keeps those that were loaded. One for a whole process is enough. */
typedef struct concord_session concord_session;

/* Plugins are looked for in these folders, then in those of CONCORD_PLUGIN_PATH, then beside the library itself. */
int32_t concord_open(const char* const* plugin_folders, size_t count, concord_session** session);
void concord_close(concord_session* session);

/* A plugin whose table is in memory. It is found by its name before any file of that name, and takes the place of one
   that was registered by that name before. The table stays readable, and its functions callable, until the process ends. */
int32_t concord_register(concord_session* session, const concord_plugin_table* table);

/* Every plugin that a name can find, as `concord plugins --json` has it. Files are loaded into this process. */
int32_t concord_plugins(concord_session* session, char** json);
/* "KIND/NAME" or the path of a plugin: its options and capabilities. "config": every key of a training config. As
   `concord describe --json` has it. */
int32_t concord_describe(concord_session* session, const char* what, char** json);

/* ---- how a call runs ------------------------------------------------------------------------------ */

/* May be NULL wherever it is asked for. */
typedef struct concord_run {
  uint32_t size;
  int32_t threads; /* at most so many; 0: as many as the machine has. No answer depends on it */
  /* NULL, or a byte that another thread or a signal handler sets to 1 to end the call soon, with
     CONCORD_ERROR_INTERRUPTED. */
  const unsigned char* stop;
  void*
      user; /* first argument of the functions below, which may be NULL; they are called from any thread, one at a time */
  /* Progress of training: one JSON object, as `concord train --log` writes them. */
  void (*event)(void* user, const char* json);
  /* What a plugin or the library has to say: CONCORD_LOG_..., "decoder/name", a sentence. */
  void (*log)(void* user, int32_t level, const char* who, const char* text);
} concord_run;

/* ---- decode --------------------------------------------------------------------------------------- */

/* `count` problems with one prior: maximise u'c - u'Au over u in {-1,+1}^V, each with its own c. */
typedef struct concord_problems {
  uint32_t size;
  uint32_t reserved;
  const concord_prior* prior; /* symmetric, dense or sparse; a diagonal only shifts the values by its trace */
  int64_t count;
  const double* c; /* count x V */
  const int64_t*
      cardinality;     /* how many labels are +1, for each problem; below 0: any number. NULL: any, for all */
  const char* decoder; /* name, KIND/NAME or path; "auto": chosen by the problem. NULL: "sdp-mixing" */
  const char* rounding; /* "a+b". NULL: the default, where the decoder's u is no labelling */
  const char* options;  /* JSON: {"decoder.tol": 1e-4, "gaussian.samples": 50}. NULL: defaults */
  uint64_t seed;        /* problem i is solved with seed + i */
  double time_limit;    /* seconds for all of them; 0: none. Then the status says CONCORD_LIMIT */
} concord_problems;

/* Where the answers go. Each may be NULL. */
typedef struct concord_answers {
  uint32_t size;
  uint32_t reserved;
  int8_t* labels;    /* count x V: -1 and +1 */
  double* objective; /* count: u'c - u'Au of the labels */
  double* bound;     /* count: no labelling has more; NaN without a proof */
  int32_t* status;   /* count: CONCORD_OPTIMAL, _RELAXED, _FEASIBLE or _LIMIT */
  double* u;         /* count x V: the relaxed solution */
  double* value;     /* count: its value */
  int64_t* nodes;    /* count: of branch and bound */
} concord_answers;

/* Verified: what a plugin claims and does not hold is CONCORD_ERROR_PLUGIN. */
int32_t concord_decode(concord_session* session, const concord_problems* problems, const concord_run* run,
                       concord_answers* answers);

/* ---- train and predict ---------------------------------------------------------------------------- */

/* rows x columns numbers: either `dense`, or compressed sparse rows. */
typedef struct concord_features {
  uint32_t size;
  uint32_t index_bytes; /* of row_start and column: 4 (int32_t) or 8 (int64_t) */
  int64_t rows, columns;
  const double* dense;
  const void* row_start; /* rows + 1 */
  const void* column;    /* increasing within a row */
  const double* entry;
} concord_features;

typedef struct concord_training {
  uint32_t size;
  uint32_t reserved;
  const concord_features* features;
  int64_t labels;                 /* V */
  const int8_t* truth;            /* rows x V: 1 where an instance has the label, 0 or -1 where it has not */
  const char* const* label_names; /* V of them; NULL: label1, label2, ... */
  const char* const* feature_names; /* one for each column; NULL: they have none */
  const char* name;                 /* of the data; NULL: "data" */
  const char*
      config; /* as `concord train` reads it: TOML, or the same sections as a JSON object. NULL: defaults */
} concord_training;

typedef struct concord_model concord_model;

/* With the data and the config of a file, the model is that of `concord train` byte for byte. An interrupted call leaves
   a model if the last fit had begun, else NULL. */
int32_t concord_train(concord_session* session, const concord_training* training, const concord_run* run,
                      concord_model** model);

/* What is to be predicted. */
typedef struct concord_query {
  uint32_t size;
  uint32_t reserved;
  const concord_features* features;
  /* rows x V: 1 or -1 where a label is known, 0 where not. Known labels stay, and the others are predicted given them.
     NULL: none is known. */
  const int8_t* known;
  /* NULL, or JSON that has the model predict otherwise than it was trained to: {"decoder": NAME, "rounding": "a+b",
     "predict.min_labels": 1, "decoder.tol": 1e-4}. */
  const char* settings;
} concord_query;

/* Where predictions go. Each may be NULL. */
typedef struct concord_predictions {
  uint32_t size;
  uint32_t reserved;
  int8_t* labels; /* rows x V: -1 and +1 */
  double*
      ranking;    /* rows x V: what labels are chosen by: u, the scores, or log-odds; NaN for a known label */
  double* scores; /* rows x V: W'x */
  double*
      probabilities; /* rows x V: of each label, given the known ones: of the joint of method likelihood, else calibrated */
  double* error; /* 1: the largest standard error of a probability; 0: they are exact */
} concord_predictions;

int32_t concord_predict(concord_session* session, const concord_model* model, const concord_query* query,
                        const concord_run* run, concord_predictions* predictions);

/* The bytes of a model file; `name` stands for them in messages. */
int32_t concord_model_read(const void* bytes, size_t length, const char* name, concord_model** model);
/* What concord_model_read() reads, and a model file holds. */
int32_t concord_model_write(const concord_model* model, char** bytes, size_t* length);
/* {"labels", "features", "label_names", "feature_names", "config", "record"} */
int32_t concord_model_describe(const concord_model* model, char** json);
/* A block of numbers without a copy, readable until the model is freed. "W" (features with the bias x V), "A" (V x V),
   "thresholds" (none, 1 or V), "centre", "factor" (none, or one for each feature), "frequencies", "phases". */
int32_t concord_model_block(const concord_model* model, const char* name, const double** numbers,
                            int64_t* rows, int64_t* columns);
void concord_model_free(concord_model* model);

/* Every metric of predicted labels: {"example-f1-loss": ..., ...}, and with resamples > 0 "intervals" of 95 % by a
   bootstrap. rows x V each, positive where above 0. */
int32_t concord_evaluate(const int8_t* predicted, const int8_t* truth, int64_t rows, int64_t labels,
                         int64_t resamples, uint64_t seed, char** json);
/* Every metric of a ranking, of probabilities, or of both, as JSON that reads like concord_evaluate()'s. rows x V each;
   one of `ranking` and `probabilities` may be NULL. A label is known, and left out, where its number is NaN in either. */
int32_t concord_evaluate_ranking(const double* ranking, const double* probabilities, const int8_t* truth,
                                 int64_t rows, int64_t labels, int64_t resamples, uint64_t seed, char** json);

#ifdef __cplusplus
}
#endif
#endif
