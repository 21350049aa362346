#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Scores of extremely randomised trees, for scores.file: out of bag for the training rows, as usual for the test rows.

    trees.py TRAIN TEST OUT    writes OUT-train.npy and OUT-test.npy

TRAIN and TEST are LIBSVM multi-label files, as `concord data convert` writes them. Needs python3-sklearn.
"""
import sys

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import MultiLabelBinarizer


def main(train: str, test: str, out: str) -> None:
    X, y = load_svmlight_file(train, multilabel=True)
    Z, _ = load_svmlight_file(test, multilabel=True, n_features=X.shape[1])
    labels = int(max(max(row, default=0) for row in y)) + 1
    Y = MultiLabelBinarizer(classes=np.arange(labels)).fit_transform(y)
    trees = ExtraTreesClassifier(
        n_estimators=1000, min_samples_leaf=3, max_features=0.3, bootstrap=True, oob_score=True, n_jobs=-1, random_state=1
    ).fit(X.toarray(), Y)

    def positive(scores):  # a column for each class of each label; a label with one class has one column
        return np.column_stack([s[:, 1] if s.shape[1] > 1 else np.zeros(len(s)) for s in scores])

    # (instances, classes, labels), for labels that all have two classes
    oob = np.asarray(trees.oob_decision_function_)
    np.save(f"{out}-train.npy", np.ascontiguousarray(oob[:, 1, :]))
    np.save(f"{out}-test.npy", positive(trees.predict_proba(Z.toarray())))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
