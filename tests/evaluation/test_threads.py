"""Linear algebra is kept to one thread while skills are evaluated, and only then."""

import jax
from threadpoolctl import threadpool_info, threadpool_limits

from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.evaluation._threads import answer_at_once, one_thread


def threads() -> dict[str, int]:
    return {library["filepath"]: library["num_threads"] for library in threadpool_info()}


def test_blas_has_one_thread_inside_and_its_own_number_after():
    scikit_learn("neighbors")  # loads its libraries
    with threadpool_limits(2):
        before = threads()
        with one_thread():
            assert set(threads().values()) == {1}
        assert threads() == before
        assert 2 in before.values()


def test_a_process_that_evaluates_does_not_hand_programs_to_another_thread():
    name = "jax_cpu_enable_async_dispatch"
    before = jax.config.read(name)
    try:
        answer_at_once()
        assert not jax.config.read(name)
    finally:
        jax.config.update(name, before)
