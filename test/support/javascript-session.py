"""Drives holders of JavaScript sessions as the guest does; SCENARIO is set in front of this text, and answers are printed as JSON."""

import base64
import fcntl
import json
import os
import select
import struct
import sys
import time

NODE = os.environ.get("SESSION_NODE", "/usr/local/bin/node")
MAIN = os.environ.get("SESSION_MAIN", "/opt/hourglass/guest/javascript/session.mjs")
FLAGS = ["--disable-sigusr1", "--experimental-transform-types", "--disable-warning=ExperimentalWarning"]
FOLDER = "/sandbox"
STDIN = "/tmp/session-stdin"
PATIENCE = 30
SPEC = {"language": "javascript", "fileVariables": {}, "jsonDepth": 64, "maxResultBytes": 1 << 20, "figures": False}


def part(data):
    return struct.pack(">I", len(data)) + data


def high(fd):
    # Above the numbers that the holder gets.
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 50)
    os.close(fd)
    return moved


def high_pipe():
    return [high(fd) for fd in os.pipe()]


class Holder:
    def __init__(self):
        nothing = high(os.open("/dev/null", os.O_RDONLY))
        control, self.control = high_pipe()
        self.report, report = high_pipe()
        self.notes, notes = high_pipe()
        self.out, out = high_pipe()
        self.err, err = high_pipe()
        ends = {0: nothing, 1: out, 2: err, 3: control, 4: report, 5: notes}
        actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in ends.items()]
        self.pid = os.posix_spawn(NODE, [NODE, *FLAGS, MAIN], {"PATH": "/usr/bin:/bin", "KEPT": "yes"}, file_actions=actions)
        for fd in ends.values():
            os.close(fd)
        self.texts = {fd: b"" for fd in (self.report, self.notes, self.out, self.err)}
        self.read_until(lambda: self.texts[self.report].endswith(b"\n"))
        self.ready = self.take(self.report)

    def read_until(self, is_done, patience=PATIENCE):
        """Reads what comes until something is there, all pipes have ended or patience has."""
        deadline = time.monotonic() + patience
        open_pipes = list(self.texts)
        while not is_done() and open_pipes and time.monotonic() < deadline:
            for fd in select.select(open_pipes, [], [], max(0, deadline - time.monotonic()))[0]:
                data = os.read(fd, 65536)
                self.texts[fd] += data
                if not data:
                    open_pipes.remove(fd)

    def take(self, fd):
        text, self.texts[fd] = self.texts[fd], b""
        return text.decode("utf-8", "replace")

    def drain(self):
        """Reads what is there: what a call has written is in the pipes when its report is."""
        open_pipes = [self.out, self.err, self.notes]
        while ready := select.select(open_pipes, [], [], 0)[0]:
            for fd in ready:
                data = os.read(fd, 65536)
                self.texts[fd] += data
                if not data:
                    open_pipes.remove(fd)

    def frame_ends(self):
        data = self.texts[self.report]
        return len(data) >= 5 and len(data) >= 5 + struct.unpack(">I", data[1:5])[0]

    def call(self, number, step):
        began = time.monotonic()
        spec = {**SPEC, "call": number, "checkpoint": None, **step.get("spec", {})}
        for path, text in step.get("files", {}).items():
            with open(os.path.join(FOLDER, path), "w", encoding="utf-8") as file:
                file.write(text)
        if "stdin" in step:
            spec["stdin"] = STDIN
            with open(STDIN, "w", encoding="utf-8") as file:
                file.write(step["stdin"])
        parts = json.dumps(spec), step["code"], json.dumps(step.get("inputs", {}))
        os.write(self.control, part(b"".join(part(text.encode()) for text in parts)))
        self.read_until(self.frame_ends)
        answer = self.answer()
        answer["ms"] = (time.monotonic() - began) * 1000
        if "waitMs" in step:
            self.read_until(lambda: False, step["waitMs"] / 1000)
            answer["later"] = {"stdout": self.take(self.out), "stderr": self.take(self.err)}
        return answer

    def answer(self):
        if not self.frame_ends():
            ended = self.end(1)
            return {"ended": ended, "stdout": self.take(self.out), "stderr": self.take(self.err)}
        data, self.texts[self.report] = self.texts[self.report], b""
        self.drain()
        kind, length, exit_code = struct.unpack(">cIi", data[:9])
        head, _, result = data[9 : 5 + length].partition(b"\n")
        report = json.loads(head)
        texts = {"stdout": self.take(self.out), "stderr": self.take(self.err), "notes": self.take(self.notes)}
        answer = {"kind": kind.decode(), "exitCode": exit_code, "rest": len(data) - 5 - length, **texts, **report}
        return {**answer, "result": json.loads(result)} if report["hasResult"] else answer

    def raw(self, data):
        os.write(self.control, data)
        self.read_until(lambda: False, 3)
        return {"ended": self.end(), "stderr": self.take(self.err)}

    def end(self, patience=5):
        """The exit status of the holder; None where it had to be killed."""
        if self.control is not None:
            os.close(self.control)
            self.control = None
        deadline = time.monotonic() + patience
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() > deadline:
                os.kill(self.pid, 9)
                os.waitpid(self.pid, 0)
                return None
            time.sleep(0.01)


def run(steps):
    holder = Holder()
    answers = []
    number = 0
    ended = "no"
    for step in steps:
        if "raw" in step:
            answer = holder.raw(base64.b64decode(step["raw"]))
        else:
            first = None
            for _ in range(step.get("repeat", 1)):
                number += 1
                answer = holder.call(number, step)
                first = first or answer
                if "ended" in answer:
                    break
            answer = {**answer, "first": first} if "repeat" in step else answer
        answers.append(answer)
        if "ended" in answer:
            ended = answer["ended"]
            break
    if ended == "no":
        ended = holder.end()
    for fd in holder.texts:
        os.close(fd)
    return {"ready": holder.ready, "answers": answers, "ended": ended}


os.chdir(FOLDER)
sessions = json.loads(base64.b64decode(SCENARIO))  # noqa: F821
print(json.dumps([run(steps) for steps in sessions]))
sys.stdout.flush()
