# SPDX-License-Identifier: MIT
"""ConcordClassifier beside what scikit-learn offers for several labels: loss, seconds to fit, rows predicted per second.

usage: compare_sklearn.py [FOLDER]    FOLDER/yeast is what `concord data fetch yeast` wrote; without it, planted data only

One thread. Planted data have the size of the dataset scene: 1211 and 1196 rows, 294 features, 6 labels. The loss is that of
the example F1, where two empty sets are perfect.
"""
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from pathlib import Path

import numpy as np
from scipy.io import arff
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

import concord
from concord._command import program
from concord.sklearn import ConcordClassifier

METHODS = {
    "OneVsRestClassifier(LinearSVC)": lambda: OneVsRestClassifier(LinearSVC(dual=False)),
    "ClassifierChain(LinearSVC)": lambda: ClassifierChain(LinearSVC(dual=False), random_state=1),
    "ClassifierChain(LogisticRegression)": lambda: ClassifierChain(LogisticRegression(max_iter=1000), random_state=1),
    "ConcordClassifier(), as it comes": ConcordClassifier,
    "one-versus-rest, threshold tuned by 4 folds": lambda: ConcordClassifier(
        method="ovr", lambda_w=[0.001, 0.01, 0.1], threshold="tuned", min_labels=1, folds=4),
    "ConcordClassifier, chosen by 4 folds": lambda: ConcordClassifier(
        prior=["repulsive", "any"], lambda_w=[0.01, 0.1], lambda_a=[0.1, 1.0], bias=3.0, threshold="tuned", min_labels=1,
        folds=4),
}


def read(folder, name, part):
    """Features and labels of a dataset in Mulan's format: an ARFF file, and an XML file with the names of its labels."""
    rows, _ = arff.loadarff(folder / f"{name}-{part}.arff")
    tree = xml.etree.ElementTree.parse(folder / f"{name}.xml")
    labels = [element.get("name") for element in tree.getroot()]
    columns = [column for column in rows.dtype.names if column not in labels]
    return (np.array([rows[column] for column in columns], dtype=float).T,
            np.array([rows[label].astype(int) for label in labels]).T)


def measure(name, folder):
    (X, Y), (X_test, Y_test) = read(folder, name, "train"), read(folder, name, "test")
    for method, make in METHODS.items():
        estimator, begin = make(), time.perf_counter()
        estimator.fit(X, Y)
        seconds = time.perf_counter() - begin
        begin, times = time.perf_counter(), 0
        while times < 3 or time.perf_counter() - begin < 0.5:
            labels, times = estimator.predict(X_test), times + 1
        rate = times * len(X_test) / (time.perf_counter() - begin)
        loss = concord.evaluate(Y_test, labels)["example-f1-loss"]
        print(f"| {name} | {method} | {loss:.3f} | {seconds:.2f} | {rate:,.0f} |", flush=True)


def main():
    print("| data | method | loss | fit, s | predict, rows/s |\n|---|---|---|---|---|")
    if len(sys.argv) > 1:
        measure("yeast", Path(sys.argv[1]) / "yeast")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program(), "data", "generate", "--instances", "1211", "--test-instances", "1196", "--features", "294",
                        "--labels", "6", "--out", f"{folder}/planted"], check=True, stdout=subprocess.DEVNULL)
        measure("planted", Path(folder))


if __name__ == "__main__":
    main()
