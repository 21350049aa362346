# SPDX-License-Identifier: MIT
"""The sidebar: every page has its place here."""

GROUPS = [
    ("Start", ["docs/index.md", "README.md", "docs/install.md", "docs/tutorial.md", "docs/quickstart.md",
               "docs/which-decoder.md", "docs/faq.md"]),
    ("Learn and predict", ["docs/data.md", "docs/config.md", "docs/train.md", "docs/machines.md", "docs/predict.md", "docs/known.md", "docs/scores.md", "docs/compare.md",
                           "docs/report.md", "docs/best-models.md", "docs/reproduce.md", "docs/model-file.md"]),
    ("Use it in a program", ["docs/python.md", "docs/api/python.md", "docs/r.md", "docs/embed.md"]),
    ("Write a plugin", ["docs/write-a-plugin.md", "docs/check.md", "docs/border.md", "docs/write-an-sdp-backend.md",
                        *(f"docs/examples/{name}.md" for name in
                          ("loss-cost-sensitive", "loss-jaccard", "rounding-pipage", "decoder-plain-c",
                           "decoder-admm"))]),
    ("Mathematics", ["docs/mathematics.md", "docs/exact.md"]),
    ("Decoders", [f"docs/plugins/decoder-{name}.md" for name in
                  ("modular", "exhaustive", "exact", "tabu", "sdp-mixing", "spectral", "spectral-tight", "min-cut",
                   "tv-prox", "sdp-csdp", "sdp-dsdp", "sdp-mosek", "spectral-qep", "min-cut-dual",
                   "submodular-greedy")]),
    ("Losses and roundings", [*(f"docs/plugins/loss-{name}.md" for name in ("hamming", "weighted-hamming", "f-beta")),
                              *(f"docs/plugins/rounding-{name}.md" for name in
                                ("sign", "threshold", "top-k", "gaussian", "local-search", "tabu"))]),
    ("Reference", ["docs/options.md", "docs/security.md", "docs/licences.md", "docs/api/index.md", "CHANGELOG.md", "CONTRIBUTING.md"]),
    ("Measured", [f"docs/bench/{name}.md" for name in ("truth", "exact", "sdp", "cuts", "spectral", "train",
                                                     "python")]),
]

# Where the title of a page says too little, or too much, for the sidebar.
LABELS = {"docs/index.md": "All pages", "README.md": "What Concord is", "docs/tutorial.md": "Tutorial",
          "docs/which-decoder.md": "Which decoder?", "docs/options.md": "Options of the plugins"}
