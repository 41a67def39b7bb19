"""Linear algebra is kept to one thread while skills are evaluated, and only then."""

from threadpoolctl import threadpool_info

from autotelic.evaluation._threads import one_thread


def test_blas_has_one_thread_inside_and_its_own_number_after():
    with one_thread():
        assert {library["num_threads"] for library in threadpool_info()} == {1}
        inside = {library["filepath"] for library in threadpool_info()}
    before = {library["filepath"]: library["num_threads"] for library in threadpool_info()}
    with one_thread():
        pass
    after = {library["filepath"]: library["num_threads"] for library in threadpool_info()}
    assert inside == set(before)
    assert after == before
