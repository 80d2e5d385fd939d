"""The example in examples/onnx_in_node: a model of ours answers in JavaScript."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "onnx_in_node"


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["onnxruntime-node", "onnxruntime-web"])
def test_the_model_answers_in_node(runtime: str, tmp_path: Path) -> None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("node and npm are not installed")
    install = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", runtime]
    (tmp_path / "package.json").write_text("{}")
    got = subprocess.run(install, cwd=tmp_path, capture_output=True, text=True, check=False)
    if got.returncode:
        pytest.skip(f"npm cannot install {runtime} here: {got.stderr[-200:]}")
    for file in EXAMPLE.iterdir():
        shutil.copy(file, tmp_path)
    subprocess.run([sys.executable, "train.py"], cwd=tmp_path, check=True, capture_output=True)
    said = subprocess.run(
        [node, "ask.mjs", runtime], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert "1000 of 1000 labels equal, probabilities within 1e-5" in said.stdout
