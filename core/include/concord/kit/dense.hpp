// SPDX-License-Identifier: MIT
#pragma once
// The decompositions of dense matrices that the kit uses, by Eigen. They are plain functions because Eigen's templates for
// them take seconds to compile, anew in every plugin. By default they are inline, and the kit is headers only. A project
// with several plugins may compile them once instead: concord_add_kit (ConcordPlugin.cmake) makes a library of them, and
// whoever links that library is compiled with CONCORD_KIT_COMPILED. The library is compiled with the project's own flags,
// since the memory of Eigen's matrices depends on -march.
#include <concord/kit/conventions.hpp>

#ifdef CONCORD_KIT_COMPILED
#define CONCORD_KIT_INLINE
#else
#define CONCORD_KIT_INLINE inline
#endif

namespace concord::kit {

/// Is S positive definite? Only the lower triangle of S is read; it becomes the factor, or something in between if S is
/// not positive definite.
using Definite = bool (*)(Matrix& S);
bool eigen_definite(Matrix& S);

/// Ascending eigenvalues of the symmetric matrix S and, unless null, their vectors. False if they were not found.
bool symmetric_eigen(const Matrix& S, Vector& values, Matrix* vectors = nullptr);

/// The same of the pencil K - lambda B with a positive definite B; the vectors have x'Bx = 1.
bool generalised_eigen(const Matrix& K, const Matrix& B, Vector& values, Matrix& vectors);

/// S^-1 b for a positive or negative semidefinite S, by LDL'.
Vector ldlt_solve(const Matrix& S, const Vector& b);

/// R of A = QR, square and upper triangular. requires at least as many rows as columns
Matrix qr_triangle(const Matrix& A);

/// out = EX, or E'X if transposed.
void eigen_product(const Matrix& E, bool transposed, const Eigen::Ref<const Matrix>& X,
                   Eigen::Ref<Matrix> out);

}  // namespace concord::kit

#ifndef CONCORD_KIT_COMPILED
#include <concord/kit/impl/dense.hpp>
#endif
