"""The command line: `onstream demo`."""
