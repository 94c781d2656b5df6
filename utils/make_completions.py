#!/usr/bin/env python3
"""Makes the completions of a tool for bash, zsh and fish.

usage: make_completions.py TOOL FOLDER

The source is TOOL --help=json, the options that the tool parses. The files are FOLDER/bash/NAME,
FOLDER/zsh/_NAME and FOLDER/fish/NAME.fish. Names of programs, of their parameters and of targets are
asked from cclc when a word is completed.
"""

import json
import pathlib
import subprocess
import sys

# What a value is, by its name in the help; other values are not completed.
KINDS = {"FILE": "file", "PREFIX": "file", "DIR": "folder", "NAME|FILE": "target", "PROGRAM": "program",
         "OLD": "file", "NEW": "file", "PLAN": "file", "TARGET": "target", "TARGET COLLECTIVE": "target",
         "KEY=VALUE": "parameter"}
ASK = {"target": "cclc targets 2> /dev/null | cut -d ' ' -f 1",
       "program": "cclc list 2> /dev/null | cut -d ' ' -f 1"}
# The parameters of the programs that the command line LINE names.
PARAMETERS = ("cclc list 2> /dev/null | LINE=LINE awk 'index(ENVIRON[\"LINE\"] \" \", \" \" $1 \" \") "
              "{ for (i = 3; i <= NF; ++i) { sub(/=.*/, \"=\", $i); print $i } }'")


def levels(command, path=()):
    """The tool and its verbs: the words that choose it, and the command."""
    yield path, command
    for verb in command["commands"]:
        yield from levels(verb, (*path, verb["name"]))


def kind_of(option):
    return KINDS.get(option["value"], "other")


def kinds_of_arguments(command):
    return sorted({KINDS[one["name"]] for one in command["positionals"] if one["name"] in KINDS})


def words_of_arguments(command):
    return [word for one in command["positionals"] for word in one["words"]]


def parameters(line):
    return PARAMETERS.replace("=LINE ", f"={line} ", 1)


def quoted(text):
    """As one word of bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


# --- bash ---------------------------------------------------------------------------------------

BASH = {"file": 'mapfile -t COMPREPLY < <(compgen -f -- "$cur")',
        "folder": 'mapfile -t COMPREPLY < <(compgen -d -- "$cur")',
        "parameter": 'compopt -o nospace 2> /dev/null; mapfile -t COMPREPLY < <(compgen -W '
                     '"$(' + parameters('"${COMP_WORDS[*]}"') + ')" -- "$cur")',
        "other": "COMPREPLY=()"}
BASH.update({kind: f'mapfile -t COMPREPLY < <(compgen -W "$({ask})" -- "$cur"; compgen -f -- "$cur")'
             for kind, ask in ASK.items()})


def bash_words(words):
    nospace = "compopt -o nospace 2> /dev/null; " if all(word.endswith(":") for word in words) else ""
    return nospace + f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(words)}" -- "$cur")'


def verb_loop(all_levels, bounds, words):
    """The loop of bash or zsh that finds the verbs before the cursor; nothing for a tool without verbs."""
    if len(all_levels) == 1:
        return []
    return [f"for (({bounds}; i++)); do", f'  case "$verb/${{{words}[i]}}" in',
            *(f'    "{" ".join(path[:-1])}/{path[-1]}") verb="{" ".join(path)}" ;;' for path, _ in all_levels[1:]),
            "  esac", "done"]


def bash(tool):
    name = tool["name"]
    function = "_" + name.replace("-", "_")
    lines = [f"# Completions of {name} for bash, made from '{name} --help=json'.",
             f"{function}() {{",
             '  local cur=$2 prev=$3 verb="" equal="" i',
             "  # The sign of --option=value is a word of its own.",
             "  if [[ $cur == = ]]; then",
             '    cur="" equal="="',
             "  elif [[ $prev == = ]]; then",
             '    prev=${COMP_WORDS[COMP_CWORD - 2]} equal="="',
             "  fi"]
    all_levels = list(levels(tool))
    lines += ["  " + line for line in verb_loop(all_levels, "i = 1; i < COMP_CWORD", "COMP_WORDS")]
    lines.append('  case "$verb:$prev$equal" in')
    for path, command in all_levels:
        for option in command["options"]:
            if option["value"]:
                what = bash_words(option["words"]) if option["words"] else BASH[kind_of(option)]
                signs = ["="] if option["value_can_be_omitted"] else ["", "="]
                patterns = "|".join(f'"{" ".join(path)}:{one}{sign}"' for one in option["names"]
                                    for sign in signs if not sign or one.startswith("--"))
                lines.append(f"    {patterns}) {what}; return ;;")
    lines += ["  esac", '  case "$verb:$cur" in']
    for path, command in all_levels:
        names = [one for option in command["options"] for one in option["names"]]
        lines.append(f'    "{" ".join(path)}:-"*) {bash_words(names)}; return ;;')
    lines += ["  esac", '  case "$verb" in']
    for path, command in all_levels:
        verbs = " ".join(verb["name"] for verb in command["commands"])
        sources = [f'compgen -W "{verbs}" -- "$cur"'] if verbs else []
        sources += [f'compgen -W "$({ASK[kind]})" -- "$cur"' for kind in kinds_of_arguments(command) if kind in ASK]
        if words := words_of_arguments(command):
            sources.append(f'compgen -W "{" ".join(words)}" -- "$cur"')
        if command["positionals"]:
            sources.append('compgen -f -- "$cur"')
        lines.append(f'    "{" ".join(path)}") mapfile -t COMPREPLY < <({"; ".join(sources) or ":"}) ;;')
    return "\n".join(lines + ["  esac", "}", f"complete -o filenames -F {function} {name}", ""])


# --- zsh ----------------------------------------------------------------------------------------

ZSH = {"file": "_files", "folder": "_files -/", "other": " ",
       "parameter": '{ compadd -S "" -- ${(f)"$(' + parameters('"${words[*]}"') + ')"} }'}
ZSH.update({kind: f'{{ compadd -- ${{(f)"$({ask})"}}; _files }}' for kind, ask in ASK.items()})


def zsh_escaped(text):
    for sign in "\\:[]":
        text = text.replace(sign, "\\" + sign)
    return text


def zsh_option(option):
    words = f"({' '.join(option['words'])})" if option["words"] else ZSH[kind_of(option)]
    if option["words"] and option["words"][0].endswith(":"):
        words = f"{{ compadd -S '' -- {' '.join(option['words'])} }}"
    value = zsh_escaped(option["value"])
    for name in option["names"]:
        spec = f"*{name}"
        if option["value_can_be_omitted"]:
            spec += f"=-[{zsh_escaped(option['help'])}]::{value}:{words}"
        elif option["value"]:
            spec += f"{'=' if name.startswith('--') else '+'}[{zsh_escaped(option['help'])}]:{value}:{words}"
        else:
            spec += f"[{zsh_escaped(option['help'])}]"
        yield quoted(spec)


def zsh(tool):
    name = tool["name"]
    lines = [f"#compdef {name}", f"# Completions of {name} for zsh, made from '{name} --help=json'.",
             'local verb="" i']
    all_levels = list(levels(tool))
    lines += verb_loop(all_levels, "i = 2; i < CURRENT", "words")
    lines.append('case "$verb" in')
    for path, command in all_levels:
        actions = [f"compadd -- {' '.join(verb['name'] for verb in command['commands'])}"] if command["commands"] else []
        actions += [f'compadd -- ${{(f)"$({ASK[kind]})"}}' for kind in kinds_of_arguments(command) if kind in ASK]
        if words := words_of_arguments(command):
            actions.append(f"compadd -- {' '.join(words)}")
        if command["positionals"]:
            actions.append("_files")
        specs = [spec for option in command["options"] for spec in zsh_option(option)]
        specs.append(quoted("*: :{ " + "; ".join(actions or [":"]) + " }"))
        lines.append(f'  "{" ".join(path)}") _arguments -S \\\n    ' + " \\\n    ".join(specs) + " ;;")
    return "\n".join(lines + ["esac", ""])


# --- fish ---------------------------------------------------------------------------------------

def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


FISH = {"file": "-r -F", "folder": "-x -a '(__fish_complete_directories)'", "other": "-x"}
FISH["parameter"] = "-x -a " + fish_quoted("(" + parameters('(commandline -opc | string join " ")') + ")")
FISH.update({kind: f"-r -F -a {quoted('(' + ask + ')')}" for kind, ask in ASK.items()})


def fish(tool):
    name = tool["name"]
    lines = [f"# Completions of {name} for fish, made from '{name} --help=json'."]
    for path, command in levels(tool):
        seen = [f"__fish_seen_subcommand_from {word}" for word in path]
        # A verb may have the name of a verb of another one.
        seen += [f"not __fish_seen_subcommand_from {other[0]}" for other, _ in levels(tool)
                 if path and path[0] in other[1:]]
        if command["commands"]:
            verbs = " ".join(verb["name"] for verb in command["commands"])
            seen.append(f"not __fish_seen_subcommand_from {verbs}")
        when = f" -n {fish_quoted('; and '.join(seen))}" if seen else ""
        for option in command["options"]:
            names = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in option["names"])
            words = fish_quoted(" ".join(option["words"]))
            value = ("" if not option["value"] else f" -f -a {words}" if option["value_can_be_omitted"]
                     else f" -x -a {words}" if option["words"] else " " + FISH[kind_of(option)])
            lines.append(f"complete -c {name}{when} {names}{value} -d {fish_quoted(option['help'])}")
        lines += [f"complete -c {name}{when} -f -a {verb['name']} -d {fish_quoted(verb['help'])}"
                  for verb in command["commands"]]
        lines += [f"complete -c {name}{when} -a {fish_quoted('(' + ASK[kind] + ')')}"
                  for kind in kinds_of_arguments(command) if kind in ASK]
        lines += [f"complete -c {name}{when} -a {word}" for word in words_of_arguments(command)]
    return "\n".join(lines + [""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tool = json.loads(subprocess.run([sys.argv[1], "--help=json"], check=True, stdout=subprocess.PIPE).stdout)
    for shell, file, text in (("bash", tool["name"], bash(tool)), ("zsh", "_" + tool["name"], zsh(tool)),
                              ("fish", tool["name"] + ".fish", fish(tool))):
        path = pathlib.Path(sys.argv[2]) / shell / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
