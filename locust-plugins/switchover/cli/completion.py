"""`switchover completion`: a completion script for bash, and for zsh in its bash mode."""

import argparse
import shlex

from switchover.cli.main import command_parsers

SCRIPT = """# bash completion of switchover; in zsh: autoload -U +X bashcompinit && bashcompinit
_switchover() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    local words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={commands}
    else
        case "$command $before" in
{choices}
        *)
            case "$command" in
{options}
            esac
            case "$word" in -*) ;; *) words= ;; esac ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _switchover switchover
"""


PARSER = {
    "help": "print a script that completes commands and options in bash and zsh",
    "description": "Print a script for bash. Load the script with: source <(switchover completion)",
}


def run(arguments: argparse.Namespace) -> int:
    options, choices = [], []
    parsers = command_parsers()
    for name, parser in parsers.items():
        shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
        words = " ".join(option for action in shown for option in action.option_strings)
        options.append(f"            {name}) words={shlex.quote(words)} ;;")
        for action in shown:
            if action.option_strings and action.choices:
                cases = "|".join(shlex.quote(f"{name} {option}") for option in action.option_strings)
                listed = shlex.quote(" ".join(str(choice) for choice in action.choices))
                choices.append(f"        {cases}) words={listed} ;;")
    commands = shlex.quote(" ".join(parsers))
    print(SCRIPT.format(commands=commands, options="\n".join(options), choices="\n".join(choices)), end="")
    return 0
