"""A graph of ONNX that grows node by node; values are known by their names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import needed

onnx = needed("onnx", "onnx", "onstream.compat.onnx")

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8  # of 2022: runtimes of today and those in the field
ML = "ai.onnx.ml"
DOUBLE, INT64 = 11, 7  # TensorProto.DataType


class Graph:
    """Nodes, constants, inputs and outputs. All numbers inside are doubles."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.names: set[str] = set()

    def fresh(self, name: str) -> str:
        """A name that is not taken: this one, if possible."""
        made, number = name, 1
        while made in self.names:
            number += 1
            made = f"{name}_{number}"
        self.names.add(made)
        return made

    def constant(self, array: Any, kind: Any = None) -> str:
        """An array as a value."""
        array = np.asarray(array, dtype=kind)
        name = self.fresh("constant")
        if array.dtype.kind in "UO":
            texts = [str(text).encode() for text in array.ravel()]
            tensor = onnx.helper.make_tensor(name, onnx.TensorProto.STRING, array.shape, texts)
        else:
            tensor = onnx.numpy_helper.from_array(array.copy(order="C"), name)
        self.constants.append(tensor)
        return name

    def op(
        self,
        kind: str,
        *inputs: str,
        name: str | None = None,
        domain: str = "",
        outputs: int = 1,
        **more: Any,
    ) -> str:
        """The value, the first of so many, that an operator gives for these; `name` names it."""
        out = name if name is not None else self.fresh(kind.lower())
        others = [self.fresh("unused") for _ in range(outputs - 1)]
        node = onnx.helper.make_node(kind, list(inputs), [out, *others], domain=domain, **more)
        self.nodes.append(node)
        return out

    def input(self, name: str, kind: int, width: int) -> str:
        """An input with this number of columns and any number of rows."""
        name = self.fresh(name)
        self.inputs.append(onnx.helper.make_tensor_value_info(name, kind, ["rows", width]))
        return name

    def output(self, value: str, name: str, kind: int, shape: list[Any]) -> None:
        """Make a value an output of the model."""
        name = self.fresh(name)
        self.op("Identity", value, name=name)
        self.outputs.append(onnx.helper.make_tensor_value_info(name, kind, shape))

    def gather(self, table: NDArray[Any], rows: str, kind: Any = None) -> str:
        """Rows of a constant table."""
        return self.op("Gather", self.constant(table, kind), rows, axis=0)

    def no_gaps(self, X: str, fill: Any = 0.0) -> str:
        """The matrix with these values where one is missing (NaN)."""
        return self.op("Where", self.op("IsNaN", X), self.constant(fill, np.float64), X)

    def zeros(self, X: str, width: int, columns: int) -> str:
        """Zeros with as many rows as a matrix of this width."""
        there = self.op("Cast", self.op("Greater", X, X), to=DOUBLE)  # 0, of NaN too
        return self.op("MatMul", there, self.constant(np.zeros((width, columns))))

    def sum(self, value: str, axis: int) -> str:
        """Sum along one axis, which goes away."""
        return self.op("ReduceSum", value, self.constant([axis], np.int64), keepdims=0)

    def unsqueeze(self, value: str, axis: int) -> str:
        """The same value with one more axis."""
        return self.op("Unsqueeze", value, self.constant([axis], np.int64))

    def model(self, about: dict[str, str], version: str) -> Any:
        """The whole as a checked model."""
        graph = onnx.helper.make_graph(
            self.nodes, "onstream", self.inputs, self.outputs, self.constants
        )
        domains = {node.domain for node in self.nodes}
        opsets = [onnx.helper.make_opsetid("", OPSET)]
        if ML in domains:
            opsets.append(onnx.helper.make_opsetid(ML, ML_OPSET))
        made = onnx.helper.make_model(
            graph,
            opset_imports=opsets,
            ir_version=IR_VERSION,
            producer_name="onstream",
            producer_version=version,
        )
        onnx.helper.set_model_props(made, about)
        onnx.checker.check_model(made, full_check=True)
        return made
