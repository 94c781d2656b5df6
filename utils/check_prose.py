#!/usr/bin/env python3
"""Checks that help texts, diagnostics, documents, comments and test names avoid a list of phrases.

usage: check_prose.py ROOT [FOLDER...]

The list has phrases that a reader has to read twice, each with its replacement. They are searched in
Markdown documents, in the comments and strings of C++, and in scripts and assets, across line breaks,
comment markers and string literals that the compiler joins. Strings of C++ tests are data, except for
the names of cases and sections. A test name, or the help text of an option in test/lit/Help/Inputs, that
begins with "what" is reported as well. Prints FILE:LINE for each hit; the exit code is 1 if there is
any. With FOLDERs only files below them are checked.
"""

import bisect
import pathlib
import re
import sys

# Pairs of a phrase and its replacement. Phrases are matched word by word and ignoring case; "*" matches a
# word.
PHRASES = [
    # Former messages and help texts.
    ("so many variants of", "evaluate N variants in parallel"),
    ("at most so many", "limit the number of ... to N"),
    ("print what was made", "print plan statistics"),
    ("what becomes of", "keep or split ..."),
    ("where the time goes", "a performance report; the critical path by cause"),
    ("where the time of a plan goes", "the performance of a plan"),
    ("the time goes into", "critical path by cause"),
    ("write what happens when", "write an event trace"),
    ("from what and by which steps", "the provenance of a cell"),
    ("comes to its value", "a cell's provenance"),
    ("the ways part", "the provenances diverge"),
    ("the way of a value", "the provenance of a value"),
    ("are a difference", "treat ... as a difference"),
    ("that nobody needs", "dead, unused"),
    ("reduce or send as well", "fused receives"),
    ("receives that also", "fused receives"),
    ("make instructions of", "lower ... to instructions"),
    ("so many sizes", "N sizes in parallel"),
    ("what the time is made of", "the critical path"),
    ("cost nothing", "were free"),
    ("costs nothing", "is free"),
    ("no link is taken more than", "peak link utilisation is N %"),
    ("send at once", "send concurrently"),
    ("messages one after the other", "serialised messages"),
    ("shorter ways", "shorter routes"),
    ("left by fuse", "not fused: REASON"),
    ("as chains meet", "on conflict"),
    ("neighbours share threadblocks", "one threadblock per neighbour"),
    ("strangers share threadblocks", "pair unrelated peers in one threadblock"),
    ("taken apart again", "unfused"),
    ("take * apart", "split"),
    ("at most 1 channels", "at most 1 channel"),
    ("wait for each other in a circle", "cyclic wait"),
    ("stands here twice", "duplicate"),
    ("have so many chunks", "set ... to N chunks"),
    ("as the runtimes do that load it", "static check against the runtimes"),
    ("a rank that is not as the others", "a rank with a start delay or slower engines"),
    ("whatever may happen in another order", "other interleavings"),
    ("what hangs on it", "dependent attributes"),
    ("nobody else's business", "private"),
    # Words that have no antecedent, or that hide the verb.
    ("of itself", "by default; automatically"),
    ("of themselves", "by default; automatically"),
    ("so many", "N"),
    ("so much", "the amount"),
    ("such that is", "name it"),
    ("such that are", "name them"),
    ("in a circle", "cyclic"),
    ("comes to", "amounts to; equals"),
    ("hangs on", "depends on"),
    ("hang on", "depend on"),
    ("goes by", "follows; depends on"),
    ("go by", "follow; depend on"),
    ("stands twice", "duplicate"),
    ("stands still", "waits; is blocked"),
    ("while it lives", "during its lifetime"),
    ("by the million", "millions of"),
    ("at hand", "available; in memory"),
    ("asked for", "requested"),
    ("is offered for", "supports"),
    ("are offered for", "support"),
    ("what is wrong with", "the error in"),
    ("tell apart", "distinguish"),
    ("told apart", "distinguished"),
    ("one a rank", "one per rank"),
    ("one a line", "one per line"),
    ("a line each", "one line each"),
    ("anybody", "any rank, any step; passive voice"),
    ("somebody", "another rank, another step; passive voice"),
    ("nobody", "no rank, no step; passive voice"),
    ("everybody", "all ranks, all users"),
    ("whoever", "the rank that; a user who"),
    ("take turns on", "are assigned round-robin to"),
    ("takes turns", "alternates"),
    ("all it has", "its buffer, its chunks"),
    ("what it gets", "the received data"),
    ("what it got", "the received data"),
    ("the same way back", "along the same path in reverse"),
    ("take care of", "is responsible for"),
    ("takes care of", "is responsible for"),
    ("deals with", "handles, exchanges with"),
    ("hands on", "forwards"),
    ("hands out", "distributes, scatters"),
    ("wants to know", "name the requirement"),
    ("may stand", "may be, may appear"),
    ("stand before", "precede"),
    ("stands behind", "follows"),
    ("must be there", "is required"),
    ("has to be there", "is required"),
    ("in which they come", "of their arrival"),
    ("believes nothing", "validates"),
    ("plans of ours", "plans of cclc"),
    ("let us", "imperative, or passive voice"),
    # Diagnostics that do not say what is wrong.
    ("cannot be kept", "name the conflict"),
    ("makes no sense", "name the conflict"),
    ("make no sense", "name the conflict"),
    ("is not for", "say what it accepts"),
]

SKIPPED_FOLDERS = {"third_party", "build", ".git"}
SUFFIXES = {".md", ".h", ".cpp", ".def", ".py", ".sh", ".js", ".css", ".html", ".txt", ".cmake", ".json", ".in",
            ".ccl", ".test", ".xml"}
# The phrases themselves.
SKIPPED_FILES = {"utils/check_prose.py"}
TESTS, HELP_TEXTS = "test/", "test/lit/Help/Inputs/"
TEST_NAME = re.compile(r"\b(?:TEST_CASE|SECTION)\(\s*$")


def pattern_of(phrase):
    words = [r"\S+" if word == "*" else re.escape(word) for word in phrase.split()]
    return re.compile(r"(?<![\w-])" + r" ".join(words) + r"(?![\w-])", re.IGNORECASE)


PATTERNS = [(pattern_of(phrase), phrase, instead) for phrase, instead in PHRASES]
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)


class Text:
    """Words of a file, separated by single spaces, with the line that each character comes from."""

    def __init__(self):
        self.pieces, self.starts, self.lines, self.size = [], [], [], 0

    def add(self, text, line):
        """Appends TEXT, which begins in LINE, as a continuation of what is there."""
        for word in re.finditer(r"\S+", text):
            self.starts.append(self.size)
            self.lines.append(line + text.count("\n", 0, word.start()))
            self.pieces.append(word.group() + " ")
            self.size += len(word.group()) + 1

    def end_sentence(self):
        self.pieces.append("\0 ")
        self.size += 2

    def hits(self):
        text = "".join(self.pieces)
        for pattern, phrase, instead in PATTERNS:
            for match in pattern.finditer(text):
                yield self.lines[bisect.bisect(self.starts, match.start()) - 1], phrase, instead


def words_of_cpp(source, is_test):
    """The comments and strings of C++, adjacent ones joined; of the strings of a test only names."""
    text, end, kind = Text(), 0, None
    for match in COMMENT_OR_STRING.finditer(source):
        token = match.group()
        if token[0] == "'":
            continue
        now = "comment" if token[0] == "/" else "string"
        if now != kind or source[end:match.start()].strip():
            text.end_sentence()
            if is_test and now == "string" and not TEST_NAME.search(source, end, match.start()):
                continue
        line = source.count("\n", 0, match.start()) + 1
        if now == "comment":
            text.add(re.sub(r"(?m)^\s*(?://+[!<]*|/\*+|\*+/?)|\*/$", "", token), line)
        else:
            text.add(token[1:-1].replace(r"\n", "  "), line)
        end, kind = match.end(), now
    return text


def words_of_text(source):
    """All words of a document or script, without comment markers and emphasis; a blank line ends a paragraph."""
    text = Text()
    for number, line in enumerate(source.split("\n"), 1):
        if not line.strip():
            text.end_sentence()
        text.add(re.sub(r"^\s*(?:#+|//+|;+|>)|[`_]", " ", line).replace("**", ""), number)
    return text


def headless_names(source):
    """Lines on which the name of a test begins with "what" or "who"."""
    for match in re.finditer(r'\b(?:TEST_CASE|SECTION)\(\s*"(?:[a-z]+: )?(?:what|who)\w*\b', source):
        yield source.count("\n", 0, match.end()) + 1


def headless_options(source):
    """Lines of a --help text on which the description of an option begins with "what"."""
    fresh = False
    for number, line in enumerate(source.split("\n"), 1):
        option = re.match(r"  (\S.*?)(?:\s{2,}(\S.*))?$", line)
        begin = option.group(2) if option and not line.startswith("   ") else line.strip() if fresh else None
        fresh = bool(option) and not line.startswith("   ") and not option.group(2)
        if begin and re.match(r"what\b", begin):
            yield number


def main():
    root = pathlib.Path(sys.argv[1])
    folders = [root / folder for folder in sys.argv[2:]] or [root]
    paths = sorted(path for folder in folders for path in ([folder] if folder.is_file() else folder.rglob("*"))
                   if path.suffix in SUFFIXES and not SKIPPED_FOLDERS & set(path.relative_to(root).parts))
    count = 0
    for path in paths:
        name = path.relative_to(root).as_posix()
        if name in SKIPPED_FILES:
            continue
        source = path.read_text(errors="replace")
        is_cpp, is_test = path.suffix in {".h", ".cpp", ".def"}, name.startswith(TESTS)
        text = words_of_cpp(source, is_test) if is_cpp else words_of_text(source)
        hits = [(line, f"'{phrase}': {instead}") for line, phrase, instead in text.hits()]
        if name.startswith(HELP_TEXTS):
            hits += [(line, "a help text begins with 'what': begin with a verb") for line in headless_options(source)]
        if is_test and is_cpp:
            hits += [(line, "a test name begins with 'what' or 'who': name the subject")
                     for line in headless_names(source)]
        for line, what in sorted(set(hits)):
            print(f"{name}:{line}: {what}")
            count += 1
    if count:
        print(f"{count} phrases to reword")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
