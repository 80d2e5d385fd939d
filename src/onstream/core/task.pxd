# What is wanted of every row of a block.

from libc.stdint cimport int32_t


cdef enum Output:
    NOTHING
    LABEL   # classifier: the number of the label
    PROBA   # classifier: one probability per label
    SCORE   # the decision value; regressor: the prediction


cdef struct Task:
    const int32_t* numbers  # label of each row; NULL: nothing to learn, or a regressor
    const double* targets   # target of each row
    const double* weights   # importance of each row; NULL: 1
    Output output           # what is wanted of each row
    double* numeric         # where scores or probabilities go, `columns` a row
    int32_t* picks          # where labels go
    Py_ssize_t columns
