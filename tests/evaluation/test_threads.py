"""Linear algebra is kept to one thread while skills are evaluated, and only then."""

from threadpoolctl import threadpool_info, threadpool_limits

from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.evaluation._threads import one_thread


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
