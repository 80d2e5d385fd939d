// Ask the model of train.py in Node, and compare with what it says in Python.
// In a browser `import * as ort from "onnxruntime-web"` and the same lines.
import { readFile } from "node:fs/promises";

const runtime = process.argv[2] ?? "onnxruntime-node";
const ort = await import(runtime);
const { rows, labels, probabilities } = JSON.parse(await readFile("asked.json", "utf8"));

const session = await ort.InferenceSession.create(await readFile("rain.onnx"));
const X = new ort.Tensor("float64", Float64Array.from(rows.flat()), [rows.length, rows[0].length]);
const answers = await session.run({ X });

const said = answers.label.data;
const likely = Array.from(answers.probabilities.data);
const equal = labels.filter((label, i) => label === said[i]).length;
const apart = Math.max(...probabilities.flat().map((p, i) => Math.abs(p - likely[i])));
console.log(`first day: ${said[0]}, ${likely.slice(0, 2).map((p) => p.toFixed(4))}`);
console.log(`${equal} of ${rows.length} labels equal, probabilities within ${apart < 1e-5 ? "1e-5" : apart}`);
if (equal !== rows.length || !(apart < 1e-5)) process.exitCode = 1;
