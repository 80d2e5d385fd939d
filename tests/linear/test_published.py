"""Published figures, reproduced: LIBOL's mistake rates and SOL's accuracies (slow, shared data)."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.experiments import folder, libol, page

FOLDER = folder.data_folder()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FOLDER is None, reason="there is no ../shared/data"),
]


@pytest.fixture(scope="module")
def svmguide3():
    results = libol.compare("svmguide3", *libol.read(FOLDER, "svmguide3"), 20)
    return {result.name: result for result in results}


def test_svmguide3_as_the_specification_asserts_it(svmguide3):
    """Full covariance, defaults: CW .285-.312, AROW .215-.229, SCW <= .22, SCW < AROW < CW."""
    default = {name: result.default.mean() for name, result in svmguide3.items()}
    assert 0.285 <= default["CW"] <= 0.312
    assert 0.215 <= default["AROW"] <= 0.229
    assert max(default["SCW-I"], default["SCW-II"]) <= 0.22
    assert max(default["SCW-I"], default["SCW-II"]) < default["AROW"] < default["CW"]


def test_svmguide3_meets_libol(svmguide3):
    """All within .007 of the published figures, tuned or with LIBOL's defaults."""
    for name, result in svmguide3.items():
        nearest = min(abs(r.mean() - result.published) for r in (result.default, result.tuned))
        assert nearest <= 0.007, f"{name}: {nearest}"


def test_ijcnn1_meets_libol():
    """Without a grid of 81 settings for SCW, whose figure one permutation is too noisy to find."""
    X, y = libol.read(FOLDER, "ijcnn1")
    cheap = [a for a in libol.ALGORITHMS if not a.name.startswith("SCW")]
    results = {r.name: r for r in libol.compare("ijcnn1", X, y, 3, cheap)}
    for name, result in results.items():
        nearest = min(abs(r.mean() - result.published) for r in (result.default, result.tuned))
        assert nearest <= 0.008, f"{name}: {nearest}"
    scw = [replace(a, grid={}) for a in libol.ALGORITHMS if a.name.startswith("SCW")]
    for result in libol.compare("ijcnn1", X, y, 3, scw):
        assert result.default.mean() < results["AROW"].default.mean()


def test_mnist_reaches_sol():
    for result in libol.mnist(*libol.read_mnist(FOLDER), 2):
        best = max(result.default.mean(), result.tuned.mean())
        assert best >= result.published - 0.01, result.name


def test_the_page_holds_the_figures(svmguide3, tmp_path):
    """The part is replaced, not repeated; other parts stay."""
    path = tmp_path / "experiments.md"
    page.write_part("other", "something else", path)
    digits = [libol.Accuracy("PA-I", 0.875, np.full(2, 0.9), "C=1", np.full(2, 0.9))]
    told = libol.text({"svmguide3": (20, list(svmguide3.values()))}, [["–"] * 7], digits)
    for _ in range(2):
        page.write_part("libol", told, path)
    written = path.read_text(encoding="utf-8")
    assert written.count("### svmguide3, 20 permutations") == 1
    assert "something else" in written
    assert f"{np.mean(svmguide3['AROW'].default):.3f}" in written
