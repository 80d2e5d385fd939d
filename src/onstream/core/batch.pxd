from .example cimport Example
from .model cimport Model
from .sources cimport Source
from .task cimport Output, Task


cdef class BatchModel(Model):
    # What a kind of learner adds: a column of targets,
    cdef tuple encode_targets(self, object y, Py_ssize_t rows, object weights)
    cdef void set_target(self, const Task* task, Py_ssize_t i, Example* e) noexcept nogil
    cdef Py_ssize_t next_new_label(self, const Task* task, Py_ssize_t start, Py_ssize_t stop) noexcept
    cdef int learn_new_label(self, Source source, Py_ssize_t i, object label, Task* task) except -1
    # and outputs.
    cdef object allocate_outputs(self, Output output, Py_ssize_t rows, Py_ssize_t new_labels, Task* task)
    cdef void write_output(self, const double* scores, const Task* task, Py_ssize_t i) noexcept nogil
    cdef object decode_outputs(self, Output output, object outputs)
    cdef int end_block(self) except -1

    # Learning: X is checked before, or the model is saved and restored if X turns out to be bad.
    cdef object check_or_backup(self, Source source)
    cdef int check_or_restore(self, Source source, Py_ssize_t start, Py_ssize_t stop, object saved) except -1
    cdef object backup(self)
    cdef int restore_backup(self, object saved) except -1
    cdef int load(self, Source source, Py_ssize_t start, Py_ssize_t stop) except -1
    cdef int learn_block(self, Source source, Py_ssize_t start, Py_ssize_t stop, Task* task) except -1
    cdef Py_ssize_t run(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task, double* scratch, int* status
    ) noexcept nogil
    cdef Py_ssize_t score_together(
        self, Source source, Py_ssize_t start, Py_ssize_t stop, const Task* task,
        double* scratch, int* status) noexcept nogil
    cdef int score_known(self, const Example* e, Py_ssize_t known, double* out) noexcept nogil


cdef object refused_block_row(Model model, Py_ssize_t row, int status)
