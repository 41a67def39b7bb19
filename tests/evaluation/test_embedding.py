"""t-SNE: neighbours stay neighbours, the seed decides, and too large a perplexity is refused."""

import numpy as np
import pytest

from autotelic.evaluation import embedding
from autotelic.evaluation.embedding import SkillSource, embed_skills, t_sne
from autotelic.evaluation.metrics import knn_f1
from autotelic.runs.run import Runs


@pytest.fixture(autouse=True)
def few_iterations(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedding, "ITERATIONS", 500)


def test_clusters_in_five_dimensions_are_clusters_in_the_plane():
    generator = np.random.default_rng(0)
    features = generator.standard_normal((3, 12, 5)) + 20 * np.eye(3, 5)[:, None]
    places = t_sne(features, perplexity=5)
    assert places.shape == (3, 12, 2)
    assert knn_f1(places) == 1.0
    assert knn_f1(generator.standard_normal((3, 12, 2))) < 0.6
    np.testing.assert_array_equal(t_sne(features, perplexity=5), places)
    assert not np.allclose(t_sne(features, perplexity=5, seed=1), places)


def test_a_perplexity_beyond_the_data_is_refused_with_the_numbers(runs: Runs):
    with pytest.raises(ValueError, match=r"perplexity 30 .* 3 goals x 4 = 12; sample more"):
        t_sne(np.zeros((3, 4, 2)))
    with pytest.raises(ValueError, match=r"3 goals x 10 = 30"):  # before anything is sampled
        embed_skills(runs, [SkillSource(("DIAYN", 0), trained=True)], per_goal=10)
    with pytest.raises(ValueError, match="without NaN"):
        t_sne(np.full((3, 20, 2), np.nan))


def test_learners_are_embedded_with_the_same_seeds(runs: Runs):
    told: list[str] = []
    sources = [SkillSource(("DIAYN", 1), trained=trained) for trained in (False, True)]
    before, after = embed_skills(runs, sources, per_goal=4, perplexity=3, progress=told.append)
    # Nothing was learned in a frozen run, so all numbers agree.
    np.testing.assert_array_equal(before.places, after.places)
    assert before[1:] == after[1:]
    assert 0 <= after.knn_f1 <= 1 and 0 <= after.held_out_accuracy <= 1
    assert told[0] == "sampling 4 trajectories of each skill of seed 1 untrained"
    assert told[-1] == "embedding DIAYN (seed 1)"
