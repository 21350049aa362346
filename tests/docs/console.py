# SPDX-License-Identifier: MIT
"""Console blocks: the commands of a page, run by one shell from top to bottom, and what they must print."""
import os
import re
import shlex
import subprocess
import threading

PATIENCE = 300  # seconds for one command
MARK = "=== end of command ==="


def commands_of(block):
    """[(line number, command, expected output lines)]"""
    commands = []
    for number, line in enumerate(block.lines, block.first):
        if line.startswith("$ "):
            commands.append((number, line[2:], []))
        elif not commands:
            raise ValueError(f"{number}: output before the first command")
        elif line.startswith("> ") and not commands[-1][2]:
            number, command, output = commands[-1]
            commands[-1] = (number, command + "\n" + line[2:], output)
        else:
            commands[-1][2].append(line.rstrip())
    return commands


def kill(process):
    """Ends a shell and all that it started."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass


def next_result(process):
    """(output lines, exit status) of the command that runs, or None if it ended the shell or was too slow."""
    guard = threading.Timer(PATIENCE, kill, [process])
    guard.start()
    text = ""
    try:
        for line in process.stdout:
            if match := re.fullmatch(rf"{MARK} (\d+)\n", line):
                return [shown.rstrip() for shown in text.removesuffix("\n").splitlines()], int(match[1])
            text += line
    finally:
        guard.cancel()
    return None


def run_commands(commands, repo, environment):
    """The results of the commands, run by one shell; fewer than commands if one of them ended it."""
    script = ["exec 2>&1"]
    for command in commands:
        script += [f"eval {shlex.quote(command)} </dev/null", "status=$?",
                   f"printf '\\n{MARK} %d\\n' $status", "(exit $status)"]
    results = []
    with subprocess.Popen(["bash", "-c", "\n".join(script)], cwd=repo, env=environment, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True) as process:
        while len(results) < len(commands) and (result := next_result(process)):
            results.append(result)
        kill(process)  # and what it left in the background
    return results


def pattern(expected):
    text = ""
    for line in expected:
        if line == "...":
            text += r"(?:[^\n]*\n)*?"
        else:
            text += r"[^\n]*".join(re.escape(piece) for piece in line.split("...")) + r"\n"
    return text


def mismatch(expected, actual):
    """None, or (index of the expected line that is missed, what is wrong)."""
    text = "".join(line + "\n" for line in actual)
    if re.fullmatch(pattern(expected), text):
        return None
    for n in range(1, len(expected) + 1):
        if re.match(pattern(expected[:n]), text):
            continue
        at = re.match(pattern(expected[: n - 1]), text).group().count("\n")
        there = f"'{actual[at]}'" if at < len(actual) else "the end of the output"
        return n - 1, f"expected '{expected[n - 1]}', found {there}"
    return len(expected), f"more output than expected; the last line is '{actual[-1]}'"


def check_console(blocks, repo, environment):
    """(number of commands run, [(line number, what is wrong)]); the blocks share one shell."""
    commands = [c for block in blocks for c in commands_of(block) if not c[1].startswith("scripts/")]
    results = run_commands([command for _, command, _ in commands], repo, environment) if commands else []
    failures = []
    for i, (number, command, expected) in enumerate(commands):
        if i >= len(results):
            failures.append((number, f"did not end within {PATIENCE} s, or ended the shell: {command}"))
            return i + 1, failures  # the commands after it were not run
        actual, status = results[i]
        wrong = mismatch(expected, actual)
        next_command = commands[i + 1][1] if i + 1 < len(commands) else ""
        if wrong:
            failures.append((number + command.count("\n") + 1 + wrong[0], f"{wrong[1]}; from: {command}"))
        elif status != 0 and next_command != "echo $?":
            failures.append((number, f"exit status {status}: {command}"))
    return len(commands), failures


def check_output(block, repo, environment):
    """None, or what is wrong with a block that shows what a command prints."""
    command = block.comment.partition(":")[2].strip()
    [(actual, status)] = run_commands([command], repo, environment) or [([], 1)]
    wrong = mismatch([line.rstrip() for line in block.lines], actual)
    return f"{wrong[1]}; from: {command}" if wrong else f"exit status {status}: {command}" if status else None
