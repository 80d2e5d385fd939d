"""A spam filter that learns from each message, in memory that never grows.

python examples/spam.py
"""

from collections import Counter

from onstream.linear import PAClassifier

MESSAGES = [
    ("win a free prize now", "spam"),
    ("lunch at noon tomorrow", "ham"),
    ("free offer claim your prize", "spam"),
    ("minutes of the meeting attached", "ham"),
    ("cheap loans apply now", "spam"),
    ("can you review my patch", "ham"),
    ("you win a free cruise", "spam"),
    ("the meeting moved to noon", "ham"),
]

# 2^16 slots of 8 bytes: new words never need new ones.
model = PAClassifier(hash_bits=16)
before = model.memory_bytes
for text, label in MESSAGES:
    words = Counter(text.split())
    print(f"{model.predict_one(words)!s:>5} → {label:<5} {text}")
    model.learn_one(words, label)

for text in ("free prize", "review the minutes"):
    print(f"{model.predict_one(Counter(text.split())):>5}   {text}?")
print(f"memory: {before / 1024:.0f} KiB before, {model.memory_bytes / 1024:.0f} KiB after")
