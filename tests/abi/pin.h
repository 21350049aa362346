/* SPDX-License-Identifier: MIT */
/* Statements about a layout that hold when the file compiles, in C and in C++. */
#ifdef __cplusplus
#define PIN(condition, text) static_assert(condition, text)
#else
#define PIN(condition, text) _Static_assert(condition, text)
#endif
#define SIZE(type, bytes) PIN(sizeof(type) == (bytes), "size of " #type)
#define FIELD(type, field, bytes) PIN(offsetof(type, field) == (bytes), "offset of " #type "." #field)
