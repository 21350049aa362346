#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Scores of extremely randomised trees, for scores.file: out of bag for the training rows, as usual for the test rows.

    trees.py TRAIN TEST V OUT    writes OUT-train.npy and OUT-test.npy

TRAIN and TEST are LIBSVM multi-label files with V labels, as `concord data convert` writes them. Needs python3-sklearn.
"""
import sys

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import MultiLabelBinarizer


def main(train: str, test: str, labels: int, out: str) -> None:
    X, y = load_svmlight_file(train, multilabel=True)
    Z, _ = load_svmlight_file(test, multilabel=True, n_features=X.shape[1])
    Y = MultiLabelBinarizer(classes=np.arange(labels)).fit_transform(y)
    varies = (Y.min(axis=0) == 0) & (Y.max(axis=0) == 1)  # trees learn nothing of other labels, whose score is 0 or 1
    trees = ExtraTreesClassifier(
        n_estimators=1000, min_samples_leaf=3, max_features=0.3, bootstrap=True, oob_score=True, n_jobs=-1, random_state=1
    ).fit(X.toarray(), Y[:, varies])

    def save(part: str, rows: int, probabilities: np.ndarray) -> None:
        scores = np.tile(Y.max(axis=0).astype(float), (rows, 1))
        scores[:, varies] = probabilities
        np.save(f"{out}-{part}.npy", scores)

    save("train", X.shape[0], trees.oob_decision_function_[:, 1, :])  # instances, classes, labels
    save("test", Z.shape[0], np.column_stack([p[:, 1] for p in trees.predict_proba(Z.toarray())]))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
