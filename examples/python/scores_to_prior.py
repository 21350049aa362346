# SPDX-License-Identifier: MIT
# %% [markdown]
# Scores of your own, a label prior on top of them, and a report.
#
# The data are made up: six tags of photographs, of which some go together (beach, sea, sand) and some never do.

# %%
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict, train_test_split

import concord
from concord.sklearn import LabelPrior

rng = np.random.default_rng(1)
names = ["beach", "sea", "sand", "city", "street", "night"]
scene = rng.integers(0, 3, size=600)  # what the photograph shows: the coast, a town, or something else
likely = np.array([[0.8, 0.9, 0.7, 0.05, 0.05, 0.1], [0.05, 0.1, 0.05, 0.9, 0.8, 0.4], [0.1] * 6])[scene]
Y = (rng.random((600, 6)) < likely).astype(int)
X = (2 * Y - 1) @ rng.normal(size=(6, 12)) + 4 * rng.normal(size=(600, 12))
X_train, X_test, Y_train, Y_test = train_test_split(X, Y, test_size=200, random_state=1)

# %% [markdown]
# A forest has scores for each label. `LabelPrior` computes them out of fold, learns which labels go together, and fits the
# forest again on everything.

# %%
forest = RandomForestClassifier(100, random_state=1)
plain = forest.fit(X_train, Y_train).predict(X_test)
prior = LabelPrior(forest, cv=5, lambda_w=[0.01, 0.1], lambda_a=[0.1, 1.0], n_jobs=-1).fit(X_train, Y_train)
for name, labels in (("forest", plain), ("with a prior", prior.predict(X_test))):
    print(f"{name:12}  example F1 loss {concord.evaluate(Y_test, labels)['example-f1-loss']:.3f}")
print("did the prior help in validation?", prior.prior_helped_)

# %% [markdown]
# Scores from elsewhere, such as the logits of a net, work in the same way. They must be of rows that their model has not
# seen.

# %%
likelihood = np.stack(cross_val_predict(forest, X_train, Y_train, cv=5, method="predict_proba"))[:, :, 1].T
logits = np.log((likelihood + 0.01) / (1.01 - likelihood))
same = LabelPrior(lambda_w=0.1, lambda_a=0.1).fit(scores=logits, y=Y_train)
print("pairs that attract:", [(names[i], names[j]) for i, j in zip(*np.where(np.triu(same.prior_, 1) < -0.005))])

# %% [markdown]
# The picture, and a model file that the command line reads too.

# %%
concord.plot.prior(prior.model_, labels=names).figure.savefig("prior.png")
prior.model_.save("prior.model")
