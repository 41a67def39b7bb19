"""Numbers as people read them."""


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "seed"), count(2000, "step")
    ('1 seed', '2,000 steps')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def figure(value: float) -> str:
    """A measured number.

    >>> figure(0.98765), figure(12.345), figure(1234.5)
    ('0.988', '12.3', '1234')
    """
    decimals = 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{value:.{decimals}f}"
