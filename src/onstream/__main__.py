"""`python -m onstream` is the command `onstream`."""

from .cli.main import main

if __name__ == "__main__":
    main()
