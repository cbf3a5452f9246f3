# SPDX-License-Identifier: MIT
"""Which sources of this folder a test is linked with, where no CMake says so."""

import pathlib
import re

support = pathlib.Path(__file__).resolve().parent
tests = support.parent


def included(path):
    """The headers of tests/ that a file includes, and those that these do."""
    found, waiting = set(), [path]
    while waiting:
        for name in re.findall(r'^#include ["<]([^">]+)[">]', waiting.pop().read_text(), flags=re.M):
            header = tests / name
            if header not in found and header.is_file():
                found.add(header)
                waiting.append(header)
    return found


def needed_by(path):
    """The sources that define what the headers declare: all that include one of them, and so on."""
    headers = {h for h in included(path) | {path} if h.parent == support}
    sources = [source for source in sorted(support.glob("*.cpp")) if not source.name.startswith("test_")]
    others = {source: included(source) for source in sources}
    needed = []
    while more := [source for source in others if source not in needed and headers & others[source]]:
        needed += more
        headers |= {h for source in more for h in others[source] if h.parent == support}
    return needed
