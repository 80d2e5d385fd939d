"""Kernel learners in plain NumPy: every score is summed anew over the supports."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

KernelFunction = Callable[[Any, Any], float]


class Machine:
    """A binary kernel perceptron: supports oldest first."""

    def __init__(self, kernel: KernelFunction, budget: int = 10**9, beta: float = 0.0) -> None:
        self.k, self.budget, self.beta = kernel, budget, beta
        self.S: list[Any] = []
        self.a: list[float] = []

    def f(self, x: Any) -> float:
        return sum(a * self.k(z, x) for z, a in zip(self.S, self.a, strict=True))

    def drop(self, r: int) -> None:
        del self.S[r], self.a[r]

    def add(self, x: Any, a: float) -> None:
        self.S.append(x)
        self.a.append(a)

    def gram(self) -> np.ndarray:
        return np.array([[self.k(x, z) for z in self.S] for x in self.S])

    def learn(self, x: Any, y: float) -> None:
        if y * self.f(x) <= self.beta:
            if len(self.S) == self.budget:
                self.make_room(x, y)
            self.add(x, y)

    def make_room(self, x: Any, y: float) -> None:
        self.drop(0)


class FixedBudget(Machine):
    def safety(self, j: int) -> float:
        y = math.copysign(1.0, self.a[j])
        return y * self.f(self.S[j]) - abs(self.a[j]) * self.k(self.S[j], self.S[j])

    def make_room(self, x: Any, y: float) -> None:
        self.drop(max(range(len(self.S)), key=self.safety))


class Tighter(FixedBudget):
    def __init__(self, kernel: KernelFunction, budget: int, memory: int) -> None:
        super().__init__(kernel, budget)
        self.memory = memory
        self.recent: list[tuple[Any, float]] = []

    def errors(self, j: int) -> int:
        known = [(x, math.copysign(1.0, a)) for x, a in zip(self.S, self.a, strict=True)]
        return sum(
            y * (self.f(x) - self.a[j] * self.k(self.S[j], x)) <= 0.0
            for x, y in known + self.recent
        )

    def make_room(self, x: Any, y: float) -> None:
        self.drop(min(range(len(self.S)), key=lambda j: (self.errors(j), -self.safety(j))))

    def learn(self, x: Any, y: float) -> None:
        super().learn(x, y)
        self.recent = [*self.recent, (x, y)][-self.memory :] if self.memory else []


class Forgetron(Machine):
    """Self-tuned; phi by bisection instead of the closed form."""

    Q = 0.0
    M = 0

    def learn(self, x: Any, y: float) -> None:
        if y * self.f(x) > 0.0:
            return
        self.M += 1
        self.add(x, y)
        if len(self.S) <= self.budget:
            return
        sigma, y_r = abs(self.a[0]), math.copysign(1.0, self.a[0])
        mu = y_r * self.f(self.S[0])

        def cost(phi: float) -> float:
            s, m = sigma * phi, mu * phi
            return s * s + 2.0 * s - 2.0 * s * m

        low, high = 0.0, 1.0
        if cost(1.0) + self.Q > 15.0 / 32.0 * self.M:
            for _ in range(200):
                middle = (low + high) / 2.0
                if cost(middle) + self.Q <= 15.0 / 32.0 * self.M:
                    low = middle
                else:
                    high = middle
            high = low
        self.Q += cost(high)
        self.a = [a * high for a in self.a]
        self.drop(0)


class BasicForgetron(Machine):
    def norm(self) -> float:
        a = np.array(self.a)
        return float(np.sqrt(max(0.0, a @ self.gram() @ a))) if self.S else 0.0

    def learn(self, x: Any, y: float) -> None:
        if y * self.f(x) > 0.0:
            return
        B = self.budget + 1
        self.add(x, y)
        phi = min(B ** (-1 / (2 * B)), 0.25 * math.sqrt(B / math.log(B)) / self.norm())
        self.a = [a * phi for a in self.a]
        if len(self.S) > self.budget:
            self.drop(0)


class Projectron(Machine):
    def __init__(self, kernel: KernelFunction, eta: float, plus: bool) -> None:
        super().__init__(kernel)
        self.eta, self.plus = eta, plus

    def learn(self, x: Any, y: float) -> None:
        m = y * self.f(x)
        if m > 0.0 and not (self.plus and m < 1.0):
            return
        k = np.array([self.k(z, x) for z in self.S])
        d = np.linalg.solve(self.gram(), k) if self.S else k
        gap = math.sqrt(max(0.0, self.k(x, x) - k @ d))
        step = y
        if m > 0.0:
            loss, p = 1.0 - m, float(k @ d)
            if not (p > 0.0 and loss > gap / self.eta):
                return
            step = y * min(loss / p, 2.0 * (loss - gap / self.eta) / p, 1.0)
        elif gap > self.eta and gap**2 > 1e-10 * self.k(x, x):
            self.add(x, y)
            return
        self.a = [a + step * di for a, di in zip(self.a, d, strict=True)]


class BudgetedPA(Machine):
    """Every r is tried; what others take over is found by solving for it."""

    def __init__(self, kernel: KernelFunction, budget: int, C: float, maintenance: str) -> None:
        super().__init__(kernel, budget)
        self.C, self.maintenance = C, maintenance

    def helpers(self, r: int) -> list[int]:
        others = [i for i in range(len(self.S)) if i != r]
        if self.maintenance == "simple" or not others:
            return []
        if self.maintenance == "projection":
            return others
        x = self.S[r]
        return [min(others, key=lambda i: self.k(self.S[i], self.S[i]) - 2 * self.k(self.S[i], x))]

    def learn(self, x: Any, y: float) -> None:
        loss, q = 1.0 - y * self.f(x), self.k(x, x)
        if loss <= 0.0 or q <= 0.0:
            return
        tau = min(self.C, loss / q)
        if len(self.S) < self.budget:
            self.add(x, y * tau)
            return
        best: Any = (math.inf, None, None, None)
        for r in range(len(self.S)):
            V = [*self.helpers(r)]
            points = [*(self.S[i] for i in V), x]
            gram = np.array([[self.k(a, b) for b in points] for a in points])
            k_r = np.array([self.k(p, self.S[r]) for p in points])
            beta = np.linalg.solve(gram, k_r)
            change = self.a[r] ** 2 * (self.k(self.S[r], self.S[r]) - k_r @ beta)
            if change < best[0]:
                best = (change, r, V, self.a[r] * beta)
        _, r, V, beta = best
        for i, b in zip(V, beta[:-1], strict=True):
            self.a[i] += b
        self.drop(r)
        self.add(x, y * tau + float(beta[-1]))
