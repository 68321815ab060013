#!/usr/bin/env python3
"""Sends random requests to `kport lab` and to kport in a page (bindings/wasm): answers must be equal, byte for byte.

usage: page_answers.py KPORT KPORT.WASM [--requests 1000] [--seed 1]
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "requests"))
from compare_builds import request  # noqa: E402

SCHEDULE = "round 1: 0 -> 1\nround 2: 0 -> 2, 1 -> 3\n"
# What the page has not (bindings/wasm/README.md): threads, the solver, PNG, WebP.
LEFT_OUT = {"stress", "search", "--threads", "--calibrated"}


def asked(draw):
    """Words that the page may be asked, with what differs from run to run left out."""
    while True:
        words = ["-" if word == "schedule.txt" else word for word in request(draw)]
        if LEFT_OUT & set(words) or {"png", "webp"} & set(words):
            continue
        if words[:1] in (["run"], ["compare"], ["check"], ["show"], ["bounds"]) and "--reproducible" not in words:
            words.append("--reproducible")
        return words


class Lab:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "lab", "--no-open"], stdout=subprocess.PIPE, text=True, cwd=folder)
        self.url = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.key = urllib.parse.parse_qs(self.url.query)["key"][0]

    def get(self, path, body=None):
        headers = {"Content-Type": "application/json", "X-Kport-Key": self.key}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"http://{self.url.netloc}{path}", data, headers), timeout=300) as reply:
            return reply.read().decode()

    def answer(self, words, text):
        told = json.loads(self.get("/answer", {"words": words, "input": text}))
        if "picture" in told:
            told["text"] = self.get(told.pop("picture"))
        return told

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Page:
    def __init__(self, module):
        wasm = os.path.join(ROOT, "bindings", "wasm")
        self.process = subprocess.Popen(["node", os.path.join(wasm, "batch.mjs"), module, os.path.join(wasm, "page", "worker.js")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, words, text):
        self.process.stdin.write(json.dumps({"words": words, "input": text}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def difference(lab, page):
    for key in sorted(set(lab) | set(page)):
        left, right = lab.get(key), page.get(key)
        if left == right:
            continue
        if not (isinstance(left, str) and isinstance(right, str)):
            return f"{key}: {left!r} in the lab, {right!r} in the page"
        at = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
        return f"{key}: at {at} ...{left[max(0, at - 40):at + 60]!r} in the lab, {right[max(0, at - 40):at + 60]!r} in the page"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kport")
    parser.add_argument("module")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    statuses, differing = {}, 0
    with tempfile.TemporaryDirectory() as folder, Lab(os.path.abspath(given.kport), folder) as lab, Page(given.module) as page:
        for _ in range(given.requests):
            words = asked(draw)
            told = lab.answer(words, SCHEDULE)
            found = difference(told, page.answer(words, SCHEDULE))
            statuses[told["status"]] = statuses.get(told["status"], 0) + 1
            if found:
                differing += 1
                print("DIFFERS: kport " + " ".join(words) + "\n  " + found)
    print(f"{given.requests} requests, by exit status {dict(sorted(statuses.items()))}: {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
