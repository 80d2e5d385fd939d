"""A tree of a chain, watched as FIMT-DD watches (Ikonomovska et al., 2011), but at its root only:
when its errors rise, a rival begins to learn beside it, and takes its place once it errs less."""

from libc.math cimport fabs
from libc.stdint cimport uint64_t

import numpy as np

from ..core.batch cimport BatchModel
from ..core.example cimport LEARNED, NO_MEMORY, Example
from ..tree.arena.arena cimport View
from ._member cimport Member
from ._member import export_model, restore_model

cdef enum:
    TRIAL = 150      # examples between two comparisons of a tree and its rival
    PATIENCE = 1500  # examples after which a rival that is no better is dropped

cdef double SLACK = 0.005       # of the test by Page and Hinckley: a rise of the mean that is none,
cdef double ALARM = 50.0        # and the sum of what exceeds it that is one
cdef double FADING = 0.995      # of squared errors, per example
cdef double LARGEST_OFF = 1e140
cdef double LARGEST_ERROR = 1e6  # in standard deviations


cdef class Booster:
    def __init__(self, Member chain, BatchModel model, *, bint watched):
        self.chain, self.watched = chain, watched
        self.take(model)

    cdef void take(self, BatchModel model):
        self.model, self.tree = model, model.state

    def models(self):
        return [self.model] if self.rival_model is None else [self.model, self.rival_model]

    cdef double answer(self, const View* v) noexcept nogil:
        return self.tree.answer(v)

    cdef int learn(self, const Example* e, const View* v, uint64_t t, double* before, double* after) noexcept nogil:
        """Learn the example, number t of all; what the tree says of it goes to `before` and `after`.
        Not LEARNED: nothing has changed."""
        cdef double unit = self.tree.deviation(), off
        cdef int status = NO_MEMORY, tries = 2
        while status == NO_MEMORY and tries > 0:
            status = self.tree.boost(e, v, before, after)
            tries -= 1
        if status != LEARNED or not self.watched:
            return status
        off = min(fabs(e.y - before[0]), LARGEST_OFF)
        if self.rival is not None:
            self.compete(e, v, t, off)
        elif self.risen(min(off / unit, LARGEST_ERROR) if unit > 0.0 else 0.0) and self.tree.has_split():
            with gil:
                self.challenge()
        return LEARNED

    cdef bint risen(self, double error) noexcept nogil:
        """The test by Page and Hinckley."""
        cdef Watch* w = &self.watch
        w.n += 1.0
        w.total += error
        if self.tree.has_split():
            w.rise += error - w.total / w.n - SLACK
            w.least = min(w.least, w.rise)
        return w.rise - w.least > ALARM

    cdef void compete(self, const Example* e, const View* v, uint64_t t, double off) noexcept nogil:
        cdef Watch* w = &self.watch
        cdef double before = 0.0, after, other
        self.rival.boost(e, v, &before, &after)
        other = min(fabs(e.y - before), LARGEST_OFF)
        w.own = off * off + FADING * w.own
        w.rivals = other * other + FADING * w.rivals
        w.together += 1.0
        if w.together % TRIAL == 0.0 and (w.rivals < w.own or w.together >= PATIENCE):
            with gil:
                self.settle(t, w.rivals < w.own)

    cdef int challenge(self) noexcept:
        """Begin a rival; without memory the next example tries again."""
        cdef BatchModel model = self.chain.successor()
        if model is not None:
            self.rival_model, self.rival = model, model.state
            self.share_memory()
        return 0

    cdef int settle(self, uint64_t t, bint replace) noexcept:
        """Let the rival take over, or drop it, and watch anew."""
        cdef double n = self.watch.n, total = self.watch.total
        if replace:
            self.take(self.rival_model)
            self.chain.mark(t)
            n = total = 0.0
        self.rival_model = self.rival = None
        self.share_memory()
        self.watch = Watch(n, total, 0.0, 0.0, 0.0, 0.0, 0.0)
        return 0

    # -- the limit of memory ------------------------------------------------------------------

    cdef void share_memory(self) noexcept:
        """Halves for the tree and its rival, or all for the tree."""
        if self.rival is None:
            self.tree.keep_to(self.max_bytes)
        else:
            self.tree.keep_to(self.max_bytes // 2)
            self.rival.keep_to(self.max_bytes // 2)

    cdef bint fits(self, Py_ssize_t max_bytes) noexcept:
        """Could they keep to this limit?"""
        return self.tree.fits(max_bytes) and (self.rival is None or self.rival.fits(max_bytes // 2))

    # -- to and from arrays -------------------------------------------------------------------

    def export(self):
        cdef Watch* w = &self.watch
        fields = {
            "model": export_model(self.model),
            "watch": np.array([w.n, w.total, w.rise, w.least, w.own, w.rivals, w.together]),
        }
        if self.rival_model is not None:
            fields["rival"] = export_model(self.rival_model)
        return fields

    def restore(self, fields):
        cdef BatchModel model
        restore_model(self.model, fields.child("model"))
        numbers = fields.array("watch", (7,)).tolist()
        self.watch = Watch(
            numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6])
        if not fields.missing("rival"):
            model = self.chain.new_model()
            self.rival_model, self.rival = model, model.state
            self.share_memory()
            restore_model(model, fields.child("rival"))
        fields.done()

    def memory(self):
        cdef BatchModel model
        held = 300
        for model in self.models():
            held += 600 + model.state.memory()
        return held
