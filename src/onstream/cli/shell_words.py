"""Messages of the library in the words of the command line: `--types`, not `types`."""

import re

WORDS = [
    (r"""\b(drop|only)=\[(?:"([^"]*)"|'([^']*)')\]""", r"--\1 \2\3"),
    (r"on_error='skip' \(--on-error skip\)", "--on-error skip"),
    (r"on_error='skip'", "--on-error skip"),
    (r"on_error=", "--on-error "),
    (r"\bsay so in types\b", "say so: --types COLUMN=str"),
    (r"\bsay (\w+) in types\b", r"say so: --types COLUMN=\1"),
    (r"\((types|target|weight|drop|only|id)\)", r"(--\1)"),
    (r"\(see newlines_in_values\)", "(see --newlines-in-values)"),
    (r"newlines_in_values=True( \(--newlines-in-values\))?", "--newlines-in-values"),
    (r"\b(encoding|decimal|delimiter)=('[^']*')( \(--\1 [^)]*\))?", r"--\1 \2"),
    (r"\b(encoding|decimal|delimiter|types) must", r"--\1 must"),
    (r"\bon_error must", "--on-error must"),
    (r"name the column: target=\.\.\.", "say --target COLUMN"),
    (
        r"(\btarget y must be a number, got '.*')\.",
        r"\1. For labels take a classifier such as LogisticRegression().",
    ),
    (r"^(read_\w+|CSV|JSONLines|Table|ARFF|LibSVM|VW): ", "onstream: "),
]
TYPED = re.compile(r"""column "([^"]+)": (.*)--types COLUMN=""", re.DOTALL)
NEW_VALUES = re.compile(r"columns? ((?:'[^']*'(?:, )?)+).*: nearly every value is new.*", re.DOTALL)


def in_shell_words(text: str) -> str:
    """The same message, with options instead of parameters."""
    for pattern, words in WORDS:
        text = re.sub(pattern, words, text)
    text = TYPED.sub(lambda m: m[0].removesuffix("COLUMN=") + f"{m[1]}=", text)
    if found := NEW_VALUES.search(text):
        names = ",".join(re.findall("'([^']*)'", found[1]))
        text += f" On the command line: --drop {names}."
    return text
