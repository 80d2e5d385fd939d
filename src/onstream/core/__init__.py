"""The compiled core, in the order in which an example passes through it.

    coerce          user input -> plain dicts, float64 arrays, floats (all user code runs here)
    encoder         one row -> Example (ids, values, n); feature_index numbers the features,
                    key_cache compares a row's keys with those of the row before
    rows, frames,   many rows -> a Source of Examples: rows.make_source decides which one an X
    sparse, sources becomes; frames reads data frames (number_frames plain numbers, pandas_frames
                    and arrow_cells columns, cell_rows rows with text or gaps), sparse blocks of
                    sparse files
    labels          label <-> number; with two labels -1 and +1
    rwlock          which threads may read or change a model while the GIL is released
    model           one per learner, for life: lock, encoder, steps, state; one example
    batch           blocks: learn_many and predict_many, row by row, without the GIL
    classifier,     what a kind of learner adds to model and state: labels, numbers
    regressor
    transformer     the steps before a state
    scaling         the step that linear learners bring along with scale="auto"
    state           what an algorithm implements: reserve, score, learn, export_own, restore_own

What states are written with: example (dot, sqnorm, feature; the statuses LEARNED, OVERFLOW,
NO_MEMORY), weights (score, add), scores (best_wrong, softmax), covariance, rules/ (mathematics that
families share: PA steps, schedules), memory (resize, release), arrays (data pointers), hashing,
gaussian, work (a thread that no signal disturbs), simd.h (inner loops).

Around them: state_reader (takes an exported state apart, checked), doubts and data_warning
(warnings about the data), task (what is wanted of every row of a block).

To follow one call: docs/architecture.md.
"""
