#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: soak.py CONCORD FAILING_IO.so TRAININGS [SEED]

Trainings by random configs that are killed, interrupted, run on full and on read-only disks, whose writes fail, and that
write to one file at once. A model must be the bytes of an undisturbed run or not be there; exit code 0 without the model does
not exist; what was there before stays whole; and --resume or a second try ends with the undisturbed bytes.
"""
import collections
import contextlib
import errno
import hashlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OLD = b"a model of before\n"
FAILURES = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EACCES]


class Wrong(Exception):
    pass


def require(holds, what):
    if not holds:
        raise Wrong(what)


class Soak:
    def __init__(self, concord, failing_io, folder, seed):
        self.concord, self.failing_io, self.folder, self.seed = concord, failing_io, folder, seed
        self.whole = {}  # the undisturbed bytes and seconds of a config
        self.counts = collections.Counter()
        self.data = []
        for name, arguments in [
            ("dense", ["--instances", "60", "--features", "5", "--labels", "4"]),
            ("more", ["--instances", "90", "--features", "3", "--labels", "7"]),
            ("flat", ["--instances", "40", "--features", "4", "--labels", "3", "--seed", "5"]),
        ]:
            out = folder / name
            subprocess.run([concord, "data", "generate", *arguments, "--test-instances", "5", "--out", out], check=True, capture_output=True)
            self.data.append(f"{out}-train.arff")

    def config(self, draw):
        method = draw.choice(["bcfw", "bcfw", "subgradient", "bundle", "ovr", "likelihood"])
        lines = [f'[data]\ntrain = "{draw.choice(self.data)}"', f"[run]\nseed = {draw.randrange(3)}\ncheckpoint = 0",
                 f"threads = {draw.choice([1, 1, 2])}", f'[train]\nmethod = "{method}"']
        if method in ("bcfw", "subgradient", "bundle"):
            lines.append(f'decoder = "{draw.choice(["spectral", "exhaustive", "sdp-mixing", "exact"])}"')
            lines.append(f'loss = "{draw.choice(["hamming", "f-beta"])}"')
            lines.append(f"epochs = {draw.choice([2, 5, 12])}")
        if method != "ovr":
            lines.append(f'prior = "{draw.choice(["any", "repulsive", "attractive", "none"])}"' if method != "likelihood"
                         else f'prior = "{draw.choice(["any", "none"])}"')
        lines.append(f"lambda_w = {draw.choice(['0.1', '[0.01, 0.1]', '[0.01, 0.03, 0.3]'])}")
        lines.append(f"[select]\n{draw.choice(['holdout = 0.3', 'folds = 2', 'folds = 3'])}")
        lines.append(f'[predict]\nthreshold = {draw.choice(["0.0", chr(34) + "tuned" + chr(34)])}')
        return "\n".join(lines) + "\n"

    def command(self, config, model, *more):
        return [self.concord, "train", config, "--model", model, "--quiet", *more]

    def train(self, config, model, *more, environment=None):
        return subprocess.run(self.command(config, model, *more), env={**os.environ, **(environment or {})}, capture_output=True, text=True,
                              timeout=600)

    def undisturbed(self, text):
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        if key not in self.whole:
            file, model = self.folder / f"{key}.toml", self.folder / f"{key}.model"
            file.write_text(text)
            begin = time.monotonic()
            ran = self.train(file, model)
            require(ran.returncode == 0, f"the undisturbed run ends with {ran.returncode}: {ran.stderr}")
            self.whole[key] = (file, model.read_bytes(), time.monotonic() - begin)
        return self.whole[key]

    def finish(self, file, model, whole):
        """Whatever was left: a resumed or a new run ends with the undisturbed bytes, and leaves nothing beside the model."""
        resume = ["--resume"] if pathlib.Path(f"{model}.checkpoint").exists() else []
        ran = self.train(file, model, *resume)
        require(ran.returncode == 0, f"finishing {resume} ends with {ran.returncode}: {ran.stderr}")
        require(model.read_bytes() == whole, "the finished model differs from the undisturbed one")
        beside = sorted(entry.name for entry in model.parent.iterdir() if entry.name.startswith("m.model") and entry != model)
        require(not beside, f"left beside the model: {beside}")

    def judge(self, ran, model, whole):
        """After a run that was disturbed and not resumed: the old file, the whole model, or none; and no code 0 without a model."""
        there = model.read_bytes() if model.exists() else None
        require(there in (None, OLD, whole), f"the model is neither whole nor what it was (exit code {ran.returncode})")
        if ran.returncode == 0:
            require(there == whole, "exit code 0 without the model")
        else:
            require(ran.returncode < 0 or ran.stderr.strip() != "", f"exit code {ran.returncode} without a word")
            require("internal error" not in ran.stderr, ran.stderr)

    def signalled(self, draw, folder, file, whole, seconds, kind):
        model = folder / "m.model"
        for _ in range(draw.randrange(1, 4)):
            resume = ["--resume"] if pathlib.Path(f"{model}.checkpoint").exists() else []
            child = subprocess.Popen(self.command(file, model, *resume), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                     start_new_session=True)
            time.sleep(draw.uniform(0, 1.1 * seconds))
            running = child.poll() is None
            if running and kind == signal.SIGKILL and draw.random() < 0.5:
                os.killpg(child.pid, kind)
            elif running:
                child.send_signal(kind)
            stderr = child.communicate(timeout=600)[1]
            self.counts["met a running training"] += running
            if child.returncode == 0:
                require(model.read_bytes() == whole, "exit code 0 without the model")
                return
            expected = [-signal.SIGKILL, 128 + signal.SIGKILL] if kind == signal.SIGKILL else [130, -kind, 128 + kind]
            require(child.returncode in expected, f"signal {kind}: exit code {child.returncode}: {stderr}")
            if kind == signal.SIGKILL and model.exists():
                require(model.read_bytes() == whole, "a killed run left a model that is not whole")
        self.finish(file, model, whole)

    def kill(self, draw, folder, file, whole, seconds):
        self.signalled(draw, folder, file, whole, seconds, signal.SIGKILL)

    def terminate(self, draw, folder, file, whole, seconds):
        self.signalled(draw, folder, file, whole, seconds, draw.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))

    def failing_writes(self, draw, folder, file, whole, _):
        model = folder / "m.model"
        if draw.random() < 0.5:
            model.write_bytes(OLD)
        environment = {"LD_PRELOAD": self.failing_io, "SOAK_FOLDER": str(folder), "SOAK_FAIL_AT": str(draw.randrange(0, 40)),
                       "SOAK_FAIL_WITH": str(int(draw.choice(FAILURES)))}
        if draw.random() < 0.3:
            environment["SOAK_FAIL_ON"] = "1"
        if draw.random() < 0.5:
            environment["SOAK_SHORT_WRITES"] = "1"
        ran = self.train(file, model, environment=environment)
        self.counts["failed by a write"] += ran.returncode != 0
        self.judge(ran, model, whole)
        self.finish(file, model, whole)

    @contextlib.contextmanager
    def mounted(self, folder, options):
        """A file system in memory; gives a function that mounts it again with other options."""
        def mount(how):
            subprocess.run(["mount", "-t", "tmpfs", "-o", how, "tmpfs", folder], check=True, capture_output=True)
        mount(options)
        try:
            yield lambda how: mount(f"remount,{how}")
        finally:
            subprocess.run(["umount", folder], check=True, capture_output=True)

    def full_disk(self, draw, folder, file, whole, _):
        with self.mounted(folder, f"size={4 * draw.randrange(1, 12)}k") as mount_again:
            model = folder / "m.model"
            if draw.random() < 0.5:
                try:
                    model.write_bytes(OLD)
                except OSError:
                    pass
            ran = self.train(file, model)
            self.counts["failed by a full disk"] += ran.returncode != 0
            self.judge(ran, model, whole)
            mount_again("size=1m")
            self.finish(file, model, whole)

    def read_only(self, draw, folder, file, whole, _):
        with self.mounted(folder, "size=1m") as mount_again:
            model = folder / "m.model"
            if draw.random() < 0.5:
                model.write_bytes(OLD)
            mount_again("ro")
            ran = self.train(file, model)
            require(ran.returncode == 4, f"a read-only folder: exit code {ran.returncode}: {ran.stderr}")
            self.judge(ran, model, whole)
            mount_again("rw")
            self.finish(file, model, whole)

    def two_at_once(self, draw, folder, file, whole, seconds):
        model = folder / "m.model"
        other_file, other, _ = self.undisturbed(self.config(draw)) if draw.random() < 0.5 else (file, whole, seconds)
        runs = []
        for one in (file, other_file):
            runs.append(subprocess.Popen(self.command(one, model), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
            time.sleep(draw.uniform(0, 0.5 * seconds))
        ended = [(run.communicate(timeout=600)[1], run.returncode) for run in runs]
        for stderr, code in ended:
            require(code in (0, 2), f"two at once: exit code {code}: {stderr}")
        require(any(code == 0 for _, code in ended), f"two at once: neither has saved: {ended}")
        require(model.read_bytes() in [bytes_ for bytes_, (_, code) in zip((whole, other), ended) if code == 0],
                "two at once: the model is neither's")

    def run(self, trainings):
        scenarios = [self.kill, self.kill, self.terminate, self.failing_writes, self.failing_writes, self.two_at_once]
        if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.folder / "mnt"], capture_output=True).returncode == 0:
            subprocess.run(["umount", self.folder / "mnt"], check=True)
            scenarios += [self.full_disk, self.read_only]
        else:
            print("no tmpfs can be mounted: full and read-only disks are left out")
        wrong = 0
        begin = time.monotonic()
        for t in range(trainings):
            draw = random.Random(f"{self.seed}-{t}")
            scenario = draw.choice(scenarios)
            self.counts[scenario.__name__] += 1
            folder = self.folder / f"run-{t}"
            folder.mkdir()
            text = self.config(draw)
            try:
                scenario(draw, folder, *self.undisturbed(text))
            except Wrong as reason:
                wrong += 1
                print(f"training {t} of seed {self.seed}, {scenario.__name__}: {reason}\n{text}", flush=True)
            else:
                shutil.rmtree(folder)
            if (t + 1) % 100 == 0:
                print(f"{t + 1} trainings, {time.monotonic() - begin:.0f} s, {wrong} wrong", flush=True)
        print(", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(self.counts.items())))
        print(f"{trainings} trainings by {len(self.whole)} configs: {wrong} wrong")
        return wrong


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="concord-soak-") as name:
        folder = pathlib.Path(name)
        (folder / "mnt").mkdir()
        soak = Soak(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), folder, int(sys.argv[4]) if len(sys.argv) == 5 else 1)
        sys.exit(1 if soak.run(int(sys.argv[3])) else 0)


if __name__ == "__main__":
    main()
