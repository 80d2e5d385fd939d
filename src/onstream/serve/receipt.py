"""What became of the examples of one request: a receipt, or an error that carries one."""

import msgspec

NAMED = 3  # refused rows that an error shows


class Receipt(msgspec.Struct):
    """What became of the examples of one request. It is given when they are on the disk.

    `rejected` lists what the learner refused, and why; it is not in the log, and its ids are free.
    """

    first_seq: int | None
    last_seq: int | None
    learned: int
    duplicates: int
    rejected: list[dict[str, str]] = msgspec.field(default_factory=list)


class Rejected(ValueError):
    """The learner refused some examples; the others are learned, as `receipt` says."""

    def __init__(self, message: str, receipt: Receipt) -> None:
        super().__init__(message)
        self.receipt = receipt


def of_rows(receipt: Receipt) -> Rejected:
    """The error for a block of rows."""
    refused = len(receipt.rejected)
    shown = [f"{one['path']}: {one['error']}" for one in receipt.rejected[:NAMED]]
    rows = " ".join(text.replace("examples[", "row ", 1).replace("]", "", 1) for text in shown)
    more = f" And {refused - NAMED:,} more, in `receipt.rejected`." if refused > NAMED else ""
    others = f"{receipt.learned:,} others are learned"
    if receipt.duplicates:
        others += f", {receipt.duplicates:,} had been before"
    rest = f"The {others}: send only the refused ones again." if receipt.learned else ""
    return Rejected(
        f"DurableModel: {refused:,} of {refused + receipt.learned + receipt.duplicates:,} examples "
        f"were refused: {rows}{more} {rest or 'Nothing was learned.'}",
        receipt,
    )
