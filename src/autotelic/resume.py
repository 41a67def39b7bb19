"""`check_resume`: what is saved at any step goes on exactly as it would have."""

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np


def fingerprint(value: Any) -> Any:
    """What two values share if they are the same to the bit: arrays by kind, shape and bytes, whatever holds
    them.
    """
    if value is None or isinstance(value, str | bytes | bool):
        return value
    if isinstance(value, dict):
        return "dict", [(fingerprint(key), fingerprint(one)) for key, one in value.items()]
    if isinstance(value, tuple | list):
        return type(value).__name__, [fingerprint(one) for one in value]
    array = np.asarray(value)
    if array.dtype == object:
        return pickle.dumps(value)
    return array.dtype.str, array.shape, array.tobytes()


def check_resume(
    make: Callable[[], Any], step: Callable[[Any, int], tuple[Any, Any]], *, steps: int = 10
) -> None:
    """Test that a thing that is saved and restored at any step goes on exactly as it would have; raises with
    the step at which it does not, returns nothing when all is well.

    It finds what a saved state leaves out (a generator, a counter, a cache), randomness without a seed, and
    saving that changes what it saves. A thing with `state_dict` and `load_state_dict` is saved by these, as
    JSON, and restored into a new one; any other is its own state, and is pickled.

    Args:
        make: a new thing, or a first state: an environment, an agent, an objective, a curriculum.
        step: takes the thing and the number of the step, and returns the thing after it and what it showed:
            arrays and numbers, and tuples, lists and dicts of these.
        steps: how many.

    A walk whose generator is not saved:

    >>> class Walk:
    ...     def __init__(self):
    ...         self.place, self.generator = 0.0, np.random.default_rng(0)
    ...     def state_dict(self):
    ...         return {"place": self.place}
    ...     def load_state_dict(self, saved):
    ...         self.place = saved["place"]
    >>> def walk(walker, time):
    ...     walker.place += walker.generator.normal()
    ...     return walker, walker.place
    >>> check_resume(Walk, walk)
    Traceback (most recent call last):
        ...
    ValueError: saved before step 1 and restored, it shows something else at step 1
    """
    alone, shown, kept = _practise(make(), step, range(steps)), [], []
    thing = make()
    for time in range(steps):
        kept.append(_saved(thing))
        thing, one = step(thing, time)
        shown.append(fingerprint(one))
    if alone != shown:
        at = next(time for time in range(steps) if alone[time] != shown[time])
        raise ValueError(
            f"a second one, which was saved at every step, shows something else at step {at}: saving changes "
            "it, or not all of its randomness has a seed"
        )
    for start, saved in enumerate(kept):
        rest = _practise(_restored(make, saved), step, range(start, steps))
        if rest != shown[start:]:
            at = next(time for time in range(start, steps) if rest[time - start] != shown[time])
            raise ValueError(
                f"saved before step {start} and restored, it shows something else at step {at}"
            )


def _practise(thing: Any, step: Callable[[Any, int], tuple[Any, Any]], times: range) -> list[Any]:
    shown = []
    for time in times:
        thing, one = step(thing, time)
        shown.append(fingerprint(one))
    return shown


def _saved(thing: Any) -> Any:
    if hasattr(thing, "state_dict"):
        return json.dumps(thing.state_dict(), allow_nan=False)
    return pickle.dumps(thing)


def _restored(make: Callable[[], Any], saved: Any) -> Any:
    if isinstance(saved, bytes):
        return pickle.loads(saved)
    thing = make()
    thing.load_state_dict(json.loads(saved))
    return thing
