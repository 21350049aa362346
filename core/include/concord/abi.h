/* SPDX-License-Identifier: MIT */
#ifndef CONCORD_ABI_H
#define CONCORD_ABI_H
/*
 * The border between the Concord host and its plugins. Plain C, nothing but numbers, pointers and lengths.
 *
 * A plugin is a shared library with one exported function, `concord_plugin` (at the end of this file). It
 * returns one static table. Everything the host knows about the plugin is derived from that table.
 *
 * The rules, once, for every declaration below:
 *
 *   Ownership  Whoever allocates frees. Buffers that a call fills are the host's. Pointers handed to a call
 *              die when it returns: copy what you keep. Tables and strings reached from `concord_plugin` are
 *              static and live as long as the process (the host never unloads a plugin).
 *   Growth     Every struct starts with its size in bytes, set by whoever allocates it. Later versions of the
 *              same ABI only append fields: a reader that finds a smaller size must not touch the fields
 *              beyond it. Arrays of structs are walked with that size as the stride: use CONCORD_AT.
 *   Threads    An object (what `create` returned) is used by one thread at a time, with these exceptions:
 *              `solve` and `solve_family` of a decoder that declares CONCORD_REENTRANT, and `evaluate`,
 *              `describe` and `round`, which must always tolerate concurrent calls on one object. Of a
 *              decoder that does not declare it the host never runs two calls at once, on any objects.
 *   Errors     No exception, longjmp or exit() may cross. A call that fails returns CONCORD_FAILED (or
 *              CONCORD_UNSUPPORTED) after it has told the reason through env->log at CONCORD_LOG_ERROR.
 *   Process    A plugin leaves the process as it found it: floating-point mode, locale, working directory,
 *              signal handlers, standard output.
 *   Matrices   Dense matrices are column-major without padding. Labels are -1 or +1. V is the number of
 *              labels, and V = 0 never reaches a plugin.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI number, independent of the release number. The border is frozen: within one number fields are only
   appended, and a plugin built against any header with this number keeps loading. */
#define CONCORD_ABI 1u
#define CONCORD_MAGIC 0x31474c50434e4f43ull /* the bytes "CONCPLG1" in memory, little-endian */

/* Element i of an array of structs, whatever size the other side's header gave the struct. */
#define CONCORD_AT(type, array, i) ((type*)((char*)(array) + (size_t)(i) * (size_t)(array)->size))

/* ---- statuses ------------------------------------------------------------------------------------- */

/* What a call returns: CONCORD_OK, CONCORD_UNSUPPORTED or CONCORD_FAILED.
   What a result carries: anything but CONCORD_OK. */
enum {
  CONCORD_OK = 0,
  CONCORD_OPTIMAL = 1,  /* u is integral, feasible and proven to be a maximiser */
  CONCORD_RELAXED = 2,  /* the relaxation is solved to its tolerance */
  CONCORD_FEASIBLE = 3, /* a point, without a proof */
  CONCORD_LIMIT = 4,    /* cut by a limit (iterations, nodes, the deadline); the point is the best so far */
  CONCORD_STOPPED = 5,  /* cut by a stop request; the point is the best so far */
  CONCORD_UNSUPPORTED = 6, /* this plugin cannot solve this problem; the message says which property */
  CONCORD_INFEASIBLE = 7,  /* no labelling satisfies the equality rows */
  CONCORD_FAILED = 8       /* no usable answer; the message says why */
};
/* Statuses 1 to 5 come with a point (F, rank, value). With 6 to 8 only status and message are read. */

/* ---- the environment of every call ---------------------------------------------------------------- */

enum { CONCORD_LOG_DEBUG = 0, CONCORD_LOG_INFO = 1, CONCORD_LOG_WARNING = 2, CONCORD_LOG_ERROR = 3 };

typedef struct concord_env {
  uint32_t size;
  int32_t
      threads; /* how many threads this call may use in all, at least 1. More than 1 in `prepare` of a decoder
                      only: the host solves instances in parallel */
  void* host;  /* opaque: first argument of the functions below */
  /* Nonzero once the user asked to stop. Poll it about every millisecond; then return best-so-far results
     with status CONCORD_STOPPED. Callable from any thread of the call. */
  int32_t (*stop_requested)(void* host);
  /* Seconds until the deadline, +infinity without one. At zero return best-so-far with CONCORD_LIMIT. */
  double (*seconds_left)(void* host);
  /* Text for the user; copied. The last text at CONCORD_LOG_ERROR is the reason of a failed call. */
  void (*log)(void* host, int32_t level, const char* text);
  /* Calls piece(context, 0), ..., piece(context, count - 1) on the host's threads, several at the same time, and returns
     after the last. No exception may leave a piece, and no piece may call `run`. NULL where the host lends none. (appended) */
  void (*run)(void* host, int64_t count, void (*piece)(void* context, int64_t index), void* context);
} concord_env;

/* ---- options -------------------------------------------------------------------------------------- */

enum {
  CONCORD_BOOL = 1,   /* integer: 0 or 1 */
  CONCORD_INT = 2,    /* integer */
  CONCORD_REAL = 3,   /* real, finite */
  CONCORD_STRING = 4, /* text */
  CONCORD_CHOICE = 5, /* text, one of the option's choices */
  CONCORD_REALS = 6   /* list of `length` reals, all finite */
};

/* The value of one option. Only the fields of its type are meaningful. */
typedef struct concord_value {
  uint32_t size;
  int32_t type;
  const char* name;
  int64_t integer;
  double real;
  const char* text;
  const double* list;
  size_t length;
} concord_value;

/* The declaration of one option; the host checks values against it before the plugin sees them. */
typedef struct concord_option {
  uint32_t size;
  int32_t type;
  const char* name;                   /* [a-z][a-z0-9_]* , unique in the plugin */
  const char* help;                   /* one line, not empty */
  const concord_value* default_value; /* same type, within the range or among the choices */
  double minimum;                     /* INT, REAL and every element of REALS: inclusive, -infinity if none */
  double maximum;                     /* likewise, +infinity if none */
  const char* const* choices;         /* CHOICE only */
  size_t choice_count;
} concord_option;

/* ---- problems ------------------------------------------------------------------------------------- */

/* The prior: a symmetric V x V matrix A. Exactly one of `dense` and `row_start` is not NULL.
   A plugin without CONCORD_SPARSE_PRIOR always gets the dense form.
   The diagonal is zero unless the plugin declares CONCORD_USES_DIAGONAL. All entries are finite. */
typedef struct concord_prior {
  uint32_t size;
  uint32_t reserved;
  int64_t labels;           /* V */
  const double* dense;      /* V*V entries */
  const int64_t* row_start; /* V+1: entries row_start[i] .. row_start[i+1]-1 belong to row i */
  const int64_t* column;    /* increasing within a row; both triangles are stored */
  const double* entry;
} concord_prior;

/* One equality row e'u = beta. `coefficients` NULL means e = 1: the cardinality, beta = 2k - V. A labelling
   is on the row when |e'u - beta| <= 1e-9 sum |e|. */
typedef struct concord_row {
  uint32_t size;
  uint32_t reserved;
  const double* coefficients; /* V numbers, or NULL for all ones */
  double beta;
} concord_row;

/* maximise u'c - u'Au over u in {-1,+1}^V, subject to the rows. */
typedef struct concord_request {
  uint32_t size;
  uint32_t row_count;
  int64_t labels;          /* V, as in the prepared prior */
  const double* c;         /* V numbers, finite */
  const concord_row* rows; /* row_count of them; the plugin sees only rows its capabilities allow */
  uint64_t seed;           /* all randomness of this instance must come from here */
  void* warm; /* warm_size(V) bytes that the host keeps for this instance, or NULL. 8-byte aligned,
                 zero before the first solve; the plugin reads and rewrites it as it likes, and
                 writes no pointers into it: it may be saved and restored by another process.
                 What it holds may change the time a solve takes, and the answer within its tolerance. */
} concord_request;

/* The relaxed solution. F = [u, G] is V x rank, its first column is u, and U = FF' is the second moment. */
typedef struct concord_result {
  uint32_t size;
  int32_t status;
  double* F;          /* in: room for V * F_columns numbers; out: V * rank of them */
  int64_t F_columns;  /* in: max_rank(V) */
  int64_t rank;       /* out: 1 .. F_columns */
  double value;       /* out: u'c - <A, U>; of a family: const_s + the same of the best subproblem */
  double bound;       /* out: proven upper bound on the optimum over labellings; NaN without a proof */
  int64_t subproblem; /* out: index s of the winning subproblem of a family, else 0 */
  int64_t solved;     /* out: subproblems solved */
  int64_t pruned;     /* out: subproblems excluded by a bound */
  int64_t nodes;      /* out: branch-and-bound nodes, 0 elsewhere */
  char* message;      /* in: room for message_bytes chars; out: zero-terminated, may stay empty */
  size_t message_bytes;
} concord_result;

/* A family: max over s of constant_s + max_u { u'(c + D t_s) - u'Au : rows e_r'u = beta_rs }.
   Ties between subproblems go to the smallest s. A beta_rs that is NaN does not impose row r on s.
   As an input of `solve_family` it is read only. As an output of `describe` the pointers are the host's
   buffers, sized as `shape` asked; the loss fills them, and sets `subproblems` if it used fewer. */
typedef struct concord_family {
  uint32_t size;
  uint32_t reserved;
  int64_t labels;       /* V */
  int64_t subproblems;  /* n >= 1 */
  int64_t directions;   /* m >= 0 */
  int64_t row_count;    /* q >= 0 */
  double* D;            /* V x m */
  double* constants;    /* n */
  double* coefficients; /* m x n: column s is t_s */
  double* rows;         /* V x q: column r is e_r */
  double* beta;         /* q x n: column s holds beta_rs */
} concord_family;

/* ---- capabilities --------------------------------------------------------------------------------- */

enum { CONCORD_PRIOR_ZERO = 0, CONCORD_PRIOR_ATTRACTIVE = 1, CONCORD_PRIOR_ANY = 2 };
enum {
  CONCORD_CONSTRAINTS_NONE = 0,
  CONCORD_CONSTRAINTS_CARDINALITY = 1, /* at most one row, and that is all ones */
  CONCORD_CONSTRAINTS_ROWS = 2,        /* any rows */
  CONCORD_CONSTRAINTS_SUBSET = 3 /* at most one row, of zeros and ones: how many labels of a subset are +1 */
};
/* What is true of U = FF' in every result with a point (to 1e-6). Each kind implies U - uu' >= 0. */
enum {
  CONCORD_MOMENT_ANY = 0,           /* nothing more */
  CONCORD_MOMENT_SPHERE = 1,        /* tr U = V */
  CONCORD_MOMENT_UNIT_DIAGONAL = 2, /* diag U = 1 */
  CONCORD_MOMENT_RANK_ONE = 3       /* U = uu' for a labelling u: integral and feasible */
};
enum {
  CONCORD_HEURISTIC = 0,     /* no bound */
  CONCORD_BOUNDS = 1,        /* always a bound with status CONCORD_RELAXED or CONCORD_OPTIMAL */
  CONCORD_MAY_BE_OPTIMAL = 2 /* and sometimes status CONCORD_OPTIMAL */
};
enum {
  CONCORD_SPARSE_PRIOR = 1 << 0,         /* takes the sparse form of a prior */
  CONCORD_USES_DIAGONAL = 1 << 1,        /* the diagonal of A changes its relaxation, and it wants it */
  CONCORD_REENTRANT = 1 << 2,            /* concurrent solves on one prepared object */
  CONCORD_RANDOMISED = 1 << 3,           /* the answer depends on the seed */
  CONCORD_AS_TIGHT_AS_SPECTRAL = 1 << 4, /* value <= the spectral relaxation's, with every cardinality */
  CONCORD_WARM = 1 << 5,                 /* makes use of request.warm */
  CONCORD_REFERENCE = 1 << 6             /* no choice for use: there to compare others with, or untested */
};

/* What the plugin can do; `concord check` holds it to it. Losses use no field, roundings only
   `constraints`, `flags` (SPARSE_PRIOR, RANDOMISED, REFERENCE); both may leave the rest zero. */
typedef struct concord_capabilities {
  uint32_t size;
  int32_t prior;      /* the widest class of priors */
  int64_t max_labels; /* 0: no limit */
  int32_t constraints;
  int32_t moment;
  int32_t guarantee;
  uint32_t flags;
} concord_capabilities;

/* ---- the three kinds ------------------------------------------------------------------------------ */

enum { CONCORD_DECODER = 1, CONCORD_LOSS = 2, CONCORD_ROUNDING = 3 };

/* Life of an object: create, then prepare (again for every new prior), then any number of solves, then
   destroy. `values` holds every declared option once, checked, in the order of the declaration. */
typedef struct concord_decoder {
  uint32_t size;
  uint32_t reserved;
  void* (*create)(const concord_env* env, const concord_value* values, size_t count); /* NULL: failed */
  void (*destroy)(void* self);
  int32_t (*prepare)(void* self, const concord_env* env, const concord_prior* prior);
  /* Columns of F for V labels: 1 to V + 1, as U - uu' has rank V at most. NULL: always 1. */
  int64_t (*max_rank)(void* self, int64_t labels);
  size_t (*warm_size)(void* self, int64_t labels); /* bytes; NULL: 0 */
  /* Solves `count` requests for the prepared prior. Fills every result; a request that fails has its own
     status and does not fail the call. */
  int32_t (*solve)(void* self, const concord_env* env, const concord_request* requests,
                   concord_result* results, size_t count);
  /* Optional (NULL: the host loops over `solve`): the same for families. requests[i].c is the base c of
     families[i]; the rows are in the family and requests[i].row_count is 0. */
  int32_t (*solve_family)(void* self, const concord_env* env, const concord_request* requests,
                          const concord_family* families, concord_result* results, size_t count);
  /* The capability flags of this object: those of the table, less what its options give up. NULL: all. */
  uint32_t (*flags)(void* self);
} concord_decoder;

/* Life of an object: create, prepare once for a training set, then any number of evaluate and describe. */
typedef struct concord_loss {
  uint32_t size;
  uint32_t reserved;
  void* (*create)(const concord_env* env, const concord_value* values, size_t count); /* NULL: failed */
  void (*destroy)(void* self);
  /* positives[v]: how many of the `instances` truths carry label v. */
  int32_t (*prepare)(void* self, const concord_env* env, int64_t labels, int64_t instances,
                     const int64_t* positives);
  /* loss(y, truth) >= 0, and 0 for y = truth. NaN: failed. */
  double (*evaluate)(void* self, const concord_env* env, int64_t labels, const int8_t* y,
                     const int8_t* truth);
  /* The directions and row_count of every family, and the most subproblems; other fields untouched. */
  void (*shape)(void* self, concord_family* largest);
  /* The family with  max over u feasible in s of constant_s + lin_s'u = loss(u, truth)  for every labelling,
     so that adding u'c - u'Au gives loss-augmented decoding. */
  int32_t (*describe)(void* self, const concord_env* env, const int8_t* truth, concord_family* family);
} concord_loss;

/* Life of an object: create, then any number of rounds, then destroy. */
typedef struct concord_rounding {
  uint32_t size;
  uint32_t reserved;
  void* (*create)(const concord_env* env, const concord_value* values, size_t count); /* NULL: failed */
  void (*destroy)(void* self);
  /* From the problem (prior, request) and its relaxed solution to labels, which satisfy the request's rows.
     `start` is what the rounding before this one in a chain found, or NULL; the answer must not be worse.
     `relaxed` is read only; of it status, F and rank are set. */
  int32_t (*round)(void* self, const concord_env* env, const concord_prior* prior,
                   const concord_request* request, const concord_result* relaxed, const int8_t* start,
                   int8_t* labels);
} concord_rounding;

/* ---- the plugin ----------------------------------------------------------------------------------- */

typedef struct concord_plugin_table {
  uint64_t magic; /* CONCORD_MAGIC; magic, abi and size keep their place in every ABI */
  uint32_t abi;   /* CONCORD_ABI */
  uint32_t size;
  int32_t kind;
  uint32_t reserved;
  const char* name;      /* [a-z0-9-]+ ; the file is called KIND-NAME.so */
  const char* version;   /* of the plugin, as its author counts */
  const char* summary;   /* one line */
  const char* licence;   /* SPDX expression */
  const char* build_tag; /* compiler, standard, libraries, instruction set; shown, never a reason to refuse */
  const concord_capabilities* capabilities;
  const concord_option* options;
  size_t option_count;
  /* Usable here and now (library, licence, worker)? CONCORD_OK, or CONCORD_UNSUPPORTED with the reason
     logged. Cheap, and takes nothing that must be given back. NULL: always usable. */
  int32_t (*probe)(const concord_env* env);
  const void* functions; /* concord_decoder, concord_loss or concord_rounding, by kind */
  /* What this table has no field for, by the name of an extension; NULL for a name that the plugin does not know.
     What is returned is static, and the extension says what it is. NULL: no extensions. */
  const void* (*get_extension)(const char* id);
} concord_plugin_table;

/* The extension CONCORD_SOLVER_EXTENSION: the solver behind a plugin, which may be exchanged without the plugin. */
#define CONCORD_SOLVER_EXTENSION "solver"
typedef struct concord_solver_extension {
  uint32_t size;
  uint32_t reserved;
  /* Its name and version as found here and now, one line, zero-terminated; empty if it does not tell. CONCORD_OK, or another
     status with the reason logged. Cheap, and callable whenever `probe` is. */
  int32_t (*identify)(const concord_env* env, char* text, size_t bytes);
} concord_solver_extension;

/* The one exported symbol of a plugin. Callable at any time, from any thread; always the same pointer. */
typedef const concord_plugin_table* (*concord_plugin_function)(void);
#define CONCORD_PLUGIN_SYMBOL "concord_plugin"

#ifdef __cplusplus
}
#endif
#endif
