"""The command line, `onstream COMMAND`: one module per command, and what they share.

main, app    the console script; the commands, and how one ends when it cannot go on
run, train, predict, convert (with generate), models, inspect_, demo
options      options that several commands share, and how to read a source
sources      a file, standard input or a generator as a stream; chunks: its rows, piece by piece
parse        'StandardScaler() | PAClassifier(C=0.1)' as a model; names: what may be typed
columns      the columns that a model has learned, kept in its file
contenders   the models of a `run`
outputs      what is wrong with the files to be written; destination, writers: writing them
experiment   the command; experiments: one module each; lab: what these share
console, progress, warnings_, errors, shell_words, interrupt       what the user sees
"""
