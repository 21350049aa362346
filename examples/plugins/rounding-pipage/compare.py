#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far below the optimum roundings end, on random problems.

usage: compare.py PLUGIN_DIR [PROBLEMS [LABELS]]

A_ij ~ N(0, 1/V) with the sign that is named, b_v ~ N(0, 1), without and with a cardinality of V/4. Distances are in per
cent of sum |b| + sum |A|; `optimal` counts the problems whose best labelling was found."""
import json
import random
import subprocess
import sys
import tempfile

SIGNS = {"any": lambda a: a, "repulsive": abs, "attractive": lambda a: -abs(a)}


def problem(labels, sign, seed):
    rng = random.Random(seed)
    A = [[0.0] * labels for _ in range(labels)]
    for i in range(labels):
        for j in range(i):
            A[i][j] = A[j][i] = SIGNS[sign](rng.gauss(0, 1) / labels**0.5)
    return {"A": A, "b": [rng.gauss(0, 1) for _ in range(labels)]}


def objective(file, folder, k, *words):
    words = ["concord", "decode", "--problem", file, "--plugin-dir", folder, "--json", *words]
    if k is not None:
        words += ["--cardinality", str(k)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["objective"]


def main():
    folder = sys.argv[1]
    problems = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    labels = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    print("prior       k     decoder     rounding                distance  optimal")
    for sign in SIGNS:
        for k in (None, labels // 4):
            simple = "threshold" if k is None else "top-k"
            roundings = [simple, "gaussian", "pipage", simple + "+local-search", "pipage+local-search"]
            cases = [(d, r) for d in ("spectral", "sdp-mixing") for r in roundings
                     if (d, r) != ("spectral", "gaussian")]  # a factor of rank one has nothing to draw from
            distance, optimal = dict.fromkeys(cases, 0.0), dict.fromkeys(cases, 0)
            for seed in range(problems):
                data = problem(labels, sign, seed)
                scale = sum(map(abs, data["b"])) + sum(abs(a) for row in data["A"] for a in row)
                with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                    json.dump(data, file)
                    file.flush()
                    best = objective(file.name, folder, k, "--decoder", "exact")
                    for case in cases:
                        found = objective(file.name, folder, k, "--decoder", case[0], "--rounding", case[1])
                        distance[case] += 100 * (best - found) / scale / problems
                        optimal[case] += found > best - 1e-9 * scale
            for decoder, rounding in cases:
                print(f"{sign:10}  {k if k is not None else '-':<4}  {decoder:10}  {rounding:22}  "
                      f"{distance[decoder, rounding]:7.3f}%  {optimal[decoder, rounding]:7}", flush=True)


if __name__ == "__main__":
    main()
